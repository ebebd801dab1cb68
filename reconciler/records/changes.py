"""Changes of record files."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from itertools import chain, count, islice

from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.findings import Finding, Location, info, join_limited, plural, warning
from reconciler.families.clusters import cluster_of
from reconciler.model.change import FileChange
from reconciler.model.claim import NO_RECORD, Allocation, Claim, Owner, Phase, granted
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.key import MAX_NAME, Key, is_name
from reconciler.model.plan import (
    Decision,
    Expire,
    Grant,
    Keep,
    Plan,
    Refuse,
    Release,
    State,
    kept_by,
    left_by,
)
from reconciler.model.settings import OverrideKind, Overrides
from reconciler.records.emit import first_pool, record_text
from reconciler.records.emit import is_own as is_of_ipam
from reconciler.records.layout import path_of


def claimed(records: Iterable[Allocation], claims: Mapping[Key, Claim]) -> tuple[Allocation, ...]:
    """Return records as their claims describe them: the next reconcile rewrites those that differ."""
    return tuple(
        following(record, claims[record.claim]) if record.claim in claims else record
        for record in records
    )


def givers(stated: Iterable[Allocation], records: Iterable[Allocation]) -> Mapping[str, Owner]:
    """Return recorded owners of live records whose claims have another owner now, by path."""
    # Both arguments have the same order: records as their files state them, and as their claims
    # describe them. Another team of the same owner is left out.
    return {
        new.path: old.owner
        for old, new in zip(stated, records, strict=True)
        if old is not new and old.owner.pair != new.owner.pair and new.is_live
    }


def following(record: Allocation, claim: Claim) -> Allocation:
    """Return the record with the values of its claim, or the same object if it matches already."""
    name = record.name if is_own(record.name, claim) else claim.name
    wanted = claim.owner, claim.type, claim.role, claim.namespace, name, claim.object
    said = record.owner, record.type, record.role, record.namespace, record.name, record.object
    if wanted == said:
        return record
    fields = ("owner", "type", "role", "namespace", "name", "object")
    return replace(record, **dict(zip(fields, wanted, strict=True)), pristine=False)


def is_own(name: str, claim: Claim) -> bool:
    """Return whether a record has its claim's name, with any suffix, or Butler's short name."""
    short = claim.name.removeprefix(f"{claim.owner.namespace}-")
    if name == claim.name or (name == short and claim.name != claim.key.name):
        return True
    other, (stem, _, number) = with_suffix(claim.name, claim.key), name.rpartition("-")
    # Two records of a claim that moved never share a name.
    return name == other or (stem == other and number.isdecimal())


def with_suffix(name: str, claim: Key) -> str:
    """Return a name with six hex digits of the owner's hash."""
    owner = f"{claim.namespace}/{claim.name}"
    return f"{name}-{sha256(owner.encode()).hexdigest()[:6]}"


def candidate_names(name: str, claim: Key) -> Iterator[str]:
    """Yield the names that records of a claim can have: its own name, then names with a suffix."""
    other = with_suffix(name, claim)
    yield name
    yield other
    yield from (f"{other}-{number}" for number in count(2))


def apart(records: tuple[Allocation, ...], claims: Mapping[Key, Claim]) -> tuple[Allocation, ...]:
    """Return records with unique names per namespace. The first by path keeps its claim's name."""
    counts = Counter((record.namespace, record.name) for record in records)
    if len(counts) == len(records):
        return records
    kept: dict[tuple[str, str], str] = {}
    for record in sorted(records, key=lambda item: not _is_named_so(item, claims)):
        kept.setdefault((record.namespace, record.name), record.path)
    found = []
    for record in records:
        if kept[record.namespace, record.name] != record.path:
            names = candidate_names(record.name[: MAX_NAME - 16], record.claim)
            name = next(it for it in islice(names, 1, None) if not counts[record.namespace, it])
            counts[record.namespace, name] += 1
            record = replace(record, name=name, pristine=False)
        found.append(record)
    return tuple(found)


def _is_named_so(record: Allocation, claims: Mapping[Key, Claim]) -> bool:
    claim = claims.get(record.claim)
    return claim is not None and claim.name == record.name


def numbered(path: str, taken: Container[str], mark: str = "") -> str:
    """Return a free path: `x.2.yaml`; with the mark `.left` `x.left.yaml`, then `x.left.2.yaml`."""
    stem = f"{path.removesuffix('.yaml')}{mark}"
    stems = chain([stem] if mark else [], (f"{stem}.{number}" for number in count(2)))
    return next(it for it in (f"{stem}.yaml" for stem in stems) if it not in taken)


def changes(plan: Plan, state: State, folder: str) -> tuple[FileChange, ...]:
    """Return the files that carry out a plan, by path; empty if nothing changes."""
    written = _written_records(plan, state, folder)
    return tuple(
        FileChange(path, record_text(record).encode() if record else None)
        for path, record in sorted(written.items(), key=lambda item: item[0])
    )


def records_after(plan: Plan, state: State, folder: str) -> tuple[Allocation, ...]:
    """Return all records after a plan is committed, by path."""
    found: dict[str, Allocation | None] = {record.path: record for record in state.records}
    found |= _written_records(plan, state, folder)
    return tuple(record for _, record in sorted(found.items(), key=lambda item: item[0]) if record)


def _written_records(plan: Plan, state: State, folder: str) -> dict[str, Allocation | None]:
    names, places = _Names(state), _Places(plan, state, folder)
    files: dict[str, Allocation | None] = {}
    for decision in plan.decisions:
        for old, record in _written(decision, state, places, names):
            if old and (record is None or record.path != old):
                files.setdefault(old, None)
            if record is not None:
                files[record.path] = record
    for path, record in _renamed(plan, state):
        record = replace(record, path=places.left(record, path), pristine=True)
        files.setdefault(path, None)
        files[record.path] = record
    return files


def _renamed(plan: Plan, state: State) -> Iterator[tuple[str, Allocation]]:
    if not state.former:
        return
    deciding = [it for it in plan.decisions if not isinstance(it, Refuse) or it.is_left]
    decided = {item.allocation.path for item in deciding if item.allocation is not None}
    decided |= {it.replaces.path for it in plan.decisions if isinstance(it, Grant) and it.replaces}
    for record in state.records:
        if record.path in state.former and record.is_released and record.path not in decided:
            yield record.path, record


_Written = Iterator[tuple[str, Allocation | None]]
"""The current path of a record, or empty, and the record that replaces it; None removes it."""


def _written(decision: Decision, state: State, places: "_Places", names: "_Names") -> _Written:
    match decision:
        case Keep():  # the usual case
            yield from _kept(decision, state.claims.get(decision.claim), places, names)
        case Grant(allocation, _, replaces, leaves):
            if leaves is not None:
                # The record that the claim leaves moves if the new record needs its path.
                path = places.beside(allocation, leaves.path)
                yield leaves.path, replace(leaves, path=path)
            old = replaces.path if replaces else ""
            path = places.of(allocation.pool, allocation.claim, old)
            name = names.of(allocation) if leaves is None else names.beside(allocation, replaces)
            yield old, replace(allocation, path=path, name=name)
        case Release(allocation):
            path = places.of(allocation.pool, allocation.claim, allocation.path)
            yield allocation.path, replace(allocation, path=path)
        case Expire(allocation):
            yield allocation.path, None
        case _:
            yield from _refused(decision, state, places, names)


def _kept(decision: Keep, claim: Claim | None, places: "_Places", names: "_Names") -> _Written:
    record = decision.allocation
    if claim is None or decision.held:
        return
    path, since = places.of(record.pool, record.claim, record.path), record.allocated_at
    wanted = following(record, claim)
    if not wanted.pristine or record.adopted or (path, since) != (record.path, record.since):
        wanted = replace(wanted, path=path, since=since, pristine=True, adopted=False)
        yield record.path, replace(wanted, name=names.of(wanted))


def _refused(decision: Refuse, state: State, places: "_Places", names: "_Names") -> _Written:
    old = decision.allocation
    if old is not None and old.is_live and old.path in state.former and not decision.is_left:
        # The record gets the current name of the claim, by which later plans find it.
        yield from _kept(Keep(old), state.claims[decision.claim], places, names)
        return
    if decision.is_left or (old.range if old else decision.reason == NO_RECORD.reason):
        return
    claim = state.claims[decision.claim]
    if is_of_ipam(claim.key.family):  # its records hold addresses only
        return
    same = old is not None and old.phase is Phase.FAILED and old.reason == decision.reason
    failed = replace(
        granted(claim, _asked(claim), None, ""),
        phase=Phase.FAILED,
        since=old.since if old is not None and same else format_instant(state.clock),
        pinned=False,
        reason=decision.reason,
        message=decision.message,
        path=places.of(None, claim.key, old.path if old is not None else ""),
    )
    failed = replace(failed, name=old.name if old is not None else names.of(failed))
    if failed != old:
        yield old.path if old is not None else "", failed


def _asked(claim: Claim) -> Key:
    """Return the first named pool. A selector is not a name, and an API server refuses it."""
    if claim.candidates:
        return claim.candidates[0]
    name = next((name for name in claim.wanted if is_name(name)), "none")
    return first_pool(claim.key, claim.namespace, name)


def _so_far(decision: Decision) -> tuple[Allocation | None, Key | None]:
    if isinstance(decision, Grant):
        return decision.replaces, decision.allocation.pool
    if isinstance(decision, Refuse) and not decision.is_left:
        return decision.allocation, None
    return None, None


class _Places:
    """Assigns paths. A file that holds addresses is never overwritten by another record."""

    def __init__(self, plan: Plan, state: State, folder: str) -> None:
        self._plan, self._state, self._folder = plan, state, folder

    @cached_property
    def _occupied(self) -> set[str]:
        decisions, state = self._plan.decisions, self._state
        gone = {item.allocation.path for item in decisions if isinstance(item, Expire)}
        there = {record.path for record in state.records if record.path not in gone}
        there |= {item.path for item in state.unreadable}
        # Records that hold no addresses are rewritten at their regular path.
        return there - {
            old.path
            for item in decisions
            for old, pool in [_so_far(item)]
            if old is not None
            and old.range is None
            and path_of(self._folder, pool, item.claim) not in there
        }

    def of(self, pool: Key | None, claim: Key, old: str) -> str:
        wanted = path_of(self._folder, pool, claim)
        if wanted == old:
            return old
        if wanted in self._occupied:
            if old:
                return old
            wanted = numbered(wanted, self._occupied)
        self._occupied.add(wanted)
        return wanted

    def left(self, record: Allocation, old: str) -> str:
        wanted = path_of(self._folder, record.pool, record.claim)
        if self._state.former[old].claim is None or wanted not in self._occupied:
            return self.of(record.pool, record.claim, old)
        path = numbered(wanted, self._occupied, ".released")
        self._occupied.add(path)
        return path

    def beside(self, wanted: Allocation, old: str) -> str:
        """Return the path of a record that its claim leaves: `<owner>.<slot>.released.yaml`."""
        if path_of(self._folder, wanted.pool, wanted.claim) != old:
            return old
        path = numbered(old, self._occupied, ".released")
        self._occupied.discard(old)
        self._occupied.add(path)
        return path


class _Names:
    """Assigns record names, which are unique in a cluster even if names of owners join alike."""

    def __init__(self, state: State) -> None:
        self._state = state

    @cached_property
    def _taken(self) -> dict[tuple[str, str], Key]:
        records, claims = self._state.records, self._state.claims
        found = {(it.namespace, it.name): it.claim for it in records}
        if len(found) < len(records):  # a record with the name of its claim keeps it
            kept = (it for it in records if _is_named_so(it, claims))
            found |= {(it.namespace, it.name): it.claim for it in kept}
        for claim in claims.values():
            if claim.name == claim.key.name:  # the name of the claim, which no other owner can get
                found.setdefault((claim.namespace, claim.name), claim.key)
        return found

    def of(self, record: Allocation) -> str:
        if self._taken.setdefault((record.namespace, record.name), record.claim) == record.claim:
            return record.name
        name = with_suffix(record.name, record.claim)
        self._taken[record.namespace, name] = record.claim
        return name

    def beside(self, record: Allocation, replaces: Allocation | None) -> str:
        if replaces is not None:
            return replaces.name
        there = {(it.namespace, it.name) for it in self._state.records}
        name = next(
            it
            for it in candidate_names(record.name, record.claim)
            if (record.namespace, it) not in there
            and self._taken.get((record.namespace, it), record.claim) == record.claim
        )
        self._taken[record.namespace, name] = record.claim
        return name


_SKEW = 3_600
"""Maximum difference of two machines' clocks in seconds. Both of them date commits."""


def findings_of(plan: Plan, state: State, folder: str, overrides: Overrides) -> Iterator[Finding]:
    """Return findings about records that follow from the decisions on them."""
    held, paused, waiting = list[Allocation](), list[Allocation](), list[Allocation]()
    occupied: set[str] = set()
    coming = {it.scope: it.path for it in overrides.coming if it.kind is OverrideKind.MOVE}
    for decision in plan.decisions:
        if not isinstance(decision, Keep):
            continue
        record = decision.allocation
        is_orphan = decision.held and record.claim not in state.claims
        if is_orphan and record.claim.owner not in state.protected:
            pool = state.pools.get(record.pool)
            if record.path in state.grown and not state.is_left_alone(record):
                waiting.append(record)
            else:
                (paused if pool is not None and pool.is_paused else held).append(record)
        if decision.stale:
            yield _stale(record, decision.stale, coming.get(str(record.claim)))
        path = path_of(folder, record.pool, record.claim)
        if record.path != path and not decision.held and record.path not in state.former:
            occupied = occupied or {it.path for it in state.records}.union(
                it.path for it in state.unreadable
            )
            taken, moved = "already has another record", f"ipam reconcile will move it to {path}"
            what = f"{path} {taken}" if path in occupied else moved
            message, place = f"record is at the wrong path; {what}", Location(record.path, 1, 1)
            yield warning("record-misplaced", place, message)
    yield from _ahead(state)
    yield from _paused(paused, state)
    yield from _waiting(waiting)
    if held:
        # The documents can be deleted, or can be in the file that is not readable.
        names = join_limited([record.claim.short for record in held])
        message = f"{plural(len(held), 'record')} {'is' if not held[1:] else 'are'} not released, because a file has errors: {names}"
        yield warning("release-held", Location(held[0].path, 1, 1), message, "fix the errors")


def _stale(record: Allocation, why: str, override: str | None) -> Finding:
    claim = record.claim
    message = f"{claim.short} keeps {held_words(record)}; {why}"
    hint = f"restore the previous claim; to move it, run ipam move {claim.argument} --to POOL, or first merge an Override of kind move for {claim}"
    if override is not None:
        message += f"; {override} permits the move only from the next commit on"
        hint = "merge the Override first; if both are merged, run git commit --allow-empty"
    return warning("record-stale", Location(record.path, 1, 1), message, hint)


HANDED_OVER = "announcement-moved"
"""Code of a range that passes from one cluster to another without retention."""


def moving(
    state: State, plan: Plan, asked: Mapping[str, str], overrides: Overrides
) -> Iterator[Finding]:
    """Return findings about moves. `asked` is why a left range is still announced, by path."""
    yield from _handed_over(state, overrides)
    there = {record.path: record for record in state.records} if state.movable else {}
    for decision in plan.decisions if state.movable else ():
        leaves = left_by(decision)
        if leaves is not None and decision.claim in state.claims:
            old, who = held_words(leaves), decision.claim.short
            message = f"{who} gives up {old}, because its document asks for less"
            if isinstance(decision, Grant):
                message = f"{who} moves from {old} to {held_words(decision.allocation)}"
                now, before = decision.allocation.range, there[leaves.path].range
                if now and before and before.covers(now):
                    message = f"{who} gives up {old}, and keeps {format_short(now)}"
            place = state.claims[decision.claim].source
            until, hint = (_UNTIL, "") if leaves.announced else _RESERVED
            yield warning("claim-moves", place, f"{message}; the old range {until}", hint)
    back = {decision.replaces for decision in plan.decisions if isinstance(decision, Grant)}
    for record in state.records:
        if record.announced and record.path not in state.unused and record not in back:
            why = asked.get(record.path)
            is_wanted = record.claim in state.claims
            what = "has moved from" if is_wanted else "was removed, and had"
            message = f"{record.claim.short} {what} {held_words(record)}, which {_UNTIL}"
            hint = "move its Services to the new range" if is_wanted else "delete its Services"
            if not why:
                hint += f"; if ipam cannot reach the cluster, then run ipam reconcile --confirm-withdrawn {cluster_of(record)}"
            hint += "" if is_wanted else f"; to undo the removal, restore {record.claim.argument}"
            place = Location(record.path, 1, 1)
            yield info("claim-left", place, f"{message}{f': {why}' if why else ''}", hint)


def _handed_over(state: State, overrides: Overrides) -> Iterator[Finding]:
    if not state.givers:
        return
    for new in state.records:
        giver, former = state.givers.get(new.path), state.former.get(new.path)
        is_renamed = former is not None and former.claim is not None
        if giver is None or is_renamed or new.path in state.along:
            continue
        message = f"{held_words(new)} moves from {giver.short} to {new.owner.short}"
        hint = "add a separate claim for the other cluster, because Services that use the range lose connectivity"
        if overrides.allow(OverrideKind.MOVE, str(new.claim)):
            message, hint = f"{message}; an Override permits this", ""
        yield warning(HANDED_OVER, state.claims[new.claim].source, message, hint)


def retained(why_of: Mapping[str, str]) -> Iterator[Finding]:
    """Return findings about records past their retention. `why_of` is the reason, by path."""
    for path, why in why_of.items():
        message = f"retention has ended, but a cluster might still announce the addresses: {why}"
        hint = "run ipam reconcile --confirm-withdrawn CLUSTER when the cluster no longer announces them"
        yield warning("expiry-held", Location(path, 1, 1), message, hint)


_UNTIL = "stays announced while in use"
_RESERVED = "is reserved until retention ends", "renumber its hosts before retention ends"


def held_words(record: Allocation) -> str:
    """Describe the range of a record and its pool."""
    held = format_short(record.range) if record.range else "nothing"
    return f"{held} (pool {record.pool.name})"


def renames(plan: Plan, state: State) -> Iterator[Finding]:
    """Return a finding for each record that keeps its range under another name."""
    found: dict[tuple[Key, Key, Location], list[int]] = {}
    for decision in plan.decisions if state.former else ():
        record = kept_by(decision)
        if record is None or record.path not in state.former:
            continue
        former, claim = state.former[record.path], state.claims.get(record.claim)
        if former.claim is not None and claim is not None:
            names = record.claim, former.claim
            if record.claim.owner != former.claim.owner:  # else an entry was renamed
                names = replace(record.claim, slot=""), replace(former.claim, slot="")
            found.setdefault((*names, claim.source), []).append(record.size)
        if former.pool is not None and record.pool in state.pools:
            place = state.pools[record.pool].source
            found.setdefault((record.pool, former.pool, place), []).append(record.size)
    for (now, before, place), sizes in found.items():
        records, addresses = plural(len(sizes), "record"), plural(sum(sizes), "address")
        message = f"{now.kind} {now.short} was renamed from {before.short}, and keeps {records} with {addresses}"
        yield info("renamed", place, message)


def _paused(held: list[Allocation], state: State) -> Iterator[Finding]:
    resting = {key: list[Allocation]() for key, pool in state.pools.items() if pool.is_paused}
    for record in held:
        resting[record.pool].append(record)
    for record in state.records if resting else ():
        if record.is_released and record.pool in resting:
            resting[record.pool].append(record)
    for key, records in resting.items():
        if records:
            names = join_limited([record.claim.short for record in records])
            message = f"{key.kind} {key.name} is paused, so these claims keep addresses: {names}"
            hint = "remove its pause annotation"
            yield warning("release-held", state.pools[key].source, message, hint)


def _waiting(records: list[Allocation]) -> Iterator[Finding]:
    by_pool: dict[Key, list[Allocation]] = {}
    for record in records:
        by_pool.setdefault(record.pool, []).append(record)
    for key, waiting in by_pool.items():
        names = join_limited([record.claim.short for record in waiting])
        message = f"{names} will be released later: at most a quarter of the growth records of {key.kind} {key.name} is released every ten minutes"
        yield warning("release-held", Location(waiting[0].path, 1, 1), message)


def _ahead(state: State) -> Iterator[Finding]:
    for record in state.records:
        since = parse_instant(record.since) if record.is_released else None
        if since is not None and since > state.clock + _SKEW:
            now = format_instant(state.clock)
            message = f"status.releasedAt is {record.since}, later than the date of this revision ({now}), so the range stays reserved"
            hint = f"revert the edit; to see it: git log -p -- {record.path}"
            yield warning("record-edited", Location(record.path, 1, 1), message, hint)
