"""A plan to the files that carry it out: which records are written and which go."""

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from reconciler.model.allocation import Allocation, Phase
from reconciler.model.change import Change as Change
from reconciler.model.claim import Claim
from reconciler.model.instant import format_instant
from reconciler.model.key import Key, is_name
from reconciler.model.plan import Decision, Expire, Grant, Keep, Plan, Refuse, Release
from reconciler.model.state import State
from reconciler.records.claimed import candidate_names, following, follows, with_suffix
from reconciler.records.emit import record_text
from reconciler.records.forms import first_pool
from reconciler.records.layout import path_of


class Written(Struct, frozen=True):
    """A record as it will stand after a decision, and the path that it leaves, if any."""

    record: Allocation | None
    leaves: str


def changes(plan: Plan, state: State, folder: str) -> tuple[Change, ...]:
    """The files that carry out a plan, by path; empty when nothing is to be done."""
    written = _written_records(plan, state, folder)
    return tuple(
        Change(path, record_text(record).encode() if record else None)
        for path, record in sorted(written.items(), key=lambda item: item[0])
    )


def records_after(plan: Plan, state: State, folder: str) -> tuple[Allocation, ...]:
    """All records as they stand once a plan is committed, by path."""
    found: dict[str, Allocation | None] = {record.path: record for record in state.records}
    found |= _written_records(plan, state, folder)
    return tuple(record for _, record in sorted(found.items(), key=lambda item: item[0]) if record)


def _written_records(plan: Plan, state: State, folder: str) -> dict[str, Allocation | None]:
    """What a plan writes, by path; None where it removes a file."""
    names, places = _Names(state), _Places(plan, state, folder)
    files: dict[str, Allocation | None] = {}
    for decision in plan.decisions:
        left = _left(decision, places)
        for written in (left, _written(decision, state, places, names)):
            if written is not None and written.leaves:
                files.setdefault(written.leaves, None)
            if written is not None and written.record is not None:
                files[written.record.path] = written.record
    for path, record in _renamed(plan, state):
        record = replace(record, path=places.left(record, path), pristine=True)
        files.setdefault(path, None)
        files[record.path] = record
    return files


def _renamed(plan: Plan, state: State) -> Iterator[tuple[str, Allocation]]:
    """Released records that nothing is decided on, but whose pool or claim has another name by now."""
    if not state.former:
        return
    deciding = [it for it in plan.decisions if not isinstance(it, Refuse) or it.is_left]
    decided = {item.allocation.path for item in deciding if item.allocation is not None}
    decided |= {it.replaces.path for it in plan.decisions if isinstance(it, Grant) and it.replaces}
    for record in state.records:
        if record.path in state.former and record.is_released and record.path not in decided:
            yield record.path, record


def _left(decision: Decision, places: "_Places") -> Written | None:
    """What becomes of the record that a claim leaves: it makes way where the new one belongs."""
    if not isinstance(decision, Grant) or decision.leaves is None:
        return None
    record = decision.leaves
    path = places.beside(decision.allocation, record.path)
    return Written(replace(record, path=path), record.path if record.path != path else "")


def _written(
    decision: Decision, state: State, places: "_Places", names: "_Names"
) -> Written | None:
    """What a decision makes of its record; None when the file stays as it is."""
    match decision:
        case Grant(allocation, _, replaces, leaves):
            old = replaces.path if replaces else ""
            path = places.of(allocation.pool, allocation.claim, old)
            name = names.of(allocation) if leaves is None else names.beside(allocation, replaces)
            return Written(replace(allocation, path=path, name=name), old if old != path else "")
        case Release(allocation):
            old = allocation.path
            path = places.of(allocation.pool, allocation.claim, old)
            return Written(replace(allocation, path=path), old if old != path else "")
        case Expire(allocation):
            return Written(None, allocation.path)
        case Keep():
            return _kept(decision, state.claims.get(decision.claim), places, names)
    return _refused(decision, state, places, names)


def _kept(
    decision: Keep, claim: Claim | None, places: "_Places", names: "_Names"
) -> Written | None:
    """A kept record follows its claim in everything but its range: names, team, place, form."""
    record = decision.allocation
    if claim is None or decision.held:
        return None
    path = places.of(record.pool, record.claim, record.path)
    if record.pristine and record.path == path and _is_written_so(record, claim):
        return None
    record = following(record, claim)
    wanted = replace(
        record,
        path=path,
        name=names.of(record),
        since=record.allocated_at,
        pristine=True,
        adopted=False,
    )
    return Written(wanted, record.path if record.path != path else "")


def _is_written_so(record: Allocation, claim: Claim) -> bool:
    """The record says what would be written for its claim."""
    return not record.adopted and follows(record, claim) and record.since == record.allocated_at


def _refused(decision: Refuse, state: State, places: "_Places", names: "_Names") -> Written | None:
    """A claim without a place is recorded as Failed, unless a record of it holds something."""
    old = decision.allocation
    if old is not None and old.is_live and old.path in state.former and not decision.is_left:
        # What it holds goes by the name that the claim has now: a later plan knows no other.
        return _kept(Keep(old), state.claims[decision.claim], places, names)
    if decision.is_left or (old is not None and old.range is not None):
        return None
    claim = state.claims[decision.claim]
    path = places.of(None, claim.key, old.path if old is not None else "")
    same = old is not None and old.phase is Phase.FAILED and old.reason == decision.reason
    failed = Allocation(
        claim=claim.key,
        pool=_asked(claim),
        range=None,
        phase=Phase.FAILED,
        since=old.since if old is not None and same else format_instant(state.clock),
        allocated_at="",
        size=claim.size,
        pinned=False,
        type=claim.type,
        role=claim.role,
        owner=claim.owner,
        name=claim.name,
        namespace=claim.namespace,
        reason=decision.reason,
        message=decision.message,
        path=path,
    )
    failed = replace(failed, name=old.name if old is not None else names.of(failed))
    if failed == old:
        return None
    leaves = old.path if old is not None and old.path != path else ""
    return Written(failed, leaves)


def _asked(claim: Claim) -> Key:
    """The pool that a claim without a place names first, whether it exists or not.

    Who asks by labels that no pool has names none: a selector is no name, and no server takes it.
    """
    if claim.candidates:
        return claim.candidates[0]
    name = next((name for name in claim.wanted if is_name(name)), "none")
    return first_pool(claim.key, claim.namespace, name)


def _so_far(decision: Decision) -> tuple[Allocation | None, Key | None]:
    """The record that a decision writes anew for a claim, and the pool that it is in from now on."""
    match decision:
        case Grant(allocation, _, replaces):
            return replaces, allocation.pool
        case Refuse(is_left=False):
            return decision.allocation, None
    return None, None


class _Places:
    """Where records go. A file that holds something is never written over by another record.

    Such a file stands where it does because a person put it there: a record that belongs to its
    place waits where it is, and a new one gets a number.
    """

    def __init__(self, plan: Plan, state: State, folder: str) -> None:
        self._plan = plan
        self._state = state
        self._folder = folder

    @cached_property
    def _occupied(self) -> set[str]:
        """Where files stand; most plans put none anywhere and need not know."""
        decisions, state = self._plan.decisions, self._state
        gone = {item.allocation.path for item in decisions if isinstance(item, Expire)}
        there = {record.path for record in state.records if record.path not in gone}
        there |= {item.path for item in state.unreadable}
        return there - {path for path, own in self._going_home() if own not in there}

    def _going_home(self) -> Iterator[tuple[str, str]]:
        """Where records stand that hold nothing and are written anew, each with its own place."""
        for item in self._plan.decisions:
            old, pool = _so_far(item)
            if old is not None and old.range is None:
                yield old.path, path_of(self._folder, pool, item.claim)

    def of(self, pool: Key | None, claim: Key, old: str) -> str:
        """The path of a claim's record. `old` is where it stands, or empty."""
        wanted = path_of(self._folder, pool, claim)
        if wanted == old:
            return old
        if wanted in self._occupied:
            if old:
                return old
            stem, number = wanted.removesuffix(".yaml"), 2
            while wanted in self._occupied:
                wanted, number = f"{stem}.{number}.yaml", number + 1
        self._occupied.add(wanted)
        return wanted

    def left(self, record: Allocation, old: str) -> str:
        """The path of a released record whose pool or claim has another name by now."""
        wanted = path_of(self._folder, record.pool, record.claim)
        if self._state.former[old].claim is None or wanted not in self._occupied:
            return self.of(record.pool, record.claim, old)
        stem, number = wanted.removesuffix(".yaml"), 2
        path = f"{stem}.released.yaml"
        while path in self._occupied:
            path, number = f"{stem}.released.{number}.yaml", number + 1
        self._occupied.add(path)
        return path

    def beside(self, wanted: Allocation, old: str) -> str:
        """The path of a record that its claim leaves: `<owner>.<slot>.released.yaml` in one pool."""
        if path_of(self._folder, wanted.pool, wanted.claim) != old:
            return old
        stem, number = old.removesuffix(".yaml"), 2
        path = f"{stem}.released.yaml"
        while path in self._occupied:
            path, number = f"{stem}.released.{number}.yaml", number + 1
        self._occupied.discard(old)
        self._occupied.add(path)
        return path


class _Names:
    """Names of records, which must be unique in a cluster though owners' names may join alike."""

    def __init__(self, state: State) -> None:
        self._state = state

    @cached_property
    def _taken(self) -> dict[tuple[str, str], Key]:
        """Whose names are given; most plans give none."""
        state = self._state
        found = {(record.namespace, record.name): record.claim for record in state.records}
        if len(found) < len(state.records):  # who bears the name of their claim keeps it
            found |= {
                (record.namespace, record.name): record.claim
                for record in state.records
                if (claim := state.claims.get(record.claim)) and claim.name == record.name
            }
        for claim in state.claims.values():
            if claim.name == claim.key.name:  # its own: nobody else may take it
                found.setdefault((claim.namespace, claim.name), claim.key)
        return found

    def of(self, record: Allocation) -> str:
        """The record's name, with six hex digits of its owner's hash if another owner has it."""
        if self._taken.setdefault((record.namespace, record.name), record.claim) == record.claim:
            return record.name
        name = with_suffix(record.name, record.claim)
        self._taken[(record.namespace, name)] = record.claim
        return name

    def beside(self, record: Allocation, replaces: Allocation | None) -> str:
        """The name of a record beside one that its claim leaves: each is an object of its own."""
        if replaces is not None:
            return replaces.name
        there = {(it.namespace, it.name) for it in self._state.records}
        names = candidate_names(record.name, record.claim)
        while (record.namespace, name := next(names)) in there or not self._is_its(record, name):
            pass
        self._taken[record.namespace, name] = record.claim
        return name

    def _is_its(self, record: Allocation, name: str) -> bool:
        return self._taken.get((record.namespace, name), record.claim) == record.claim
