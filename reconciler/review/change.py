"""Change and its base."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, starmap

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.documents.findings import (
    Finding,
    Location,
    error,
    info,
    join_limited,
    plural,
    warning,
)
from reconciler.documents.text import is_yaml
from reconciler.families import role_of
from reconciler.gitio.interface import Changed, Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Decision, Expire, Grant, Refuse
from reconciler.model.pool import Contract
from reconciler.model.settings import HOUR, PATH, Overrides, Settings
from reconciler.planning import evaluate, read
from reconciler.planning.digest import is_reported
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import DescribedFiles, Evaluation
from reconciler.planning.ownership import contracts_of
from reconciler.planning.read import EvaluationOptions
from reconciler.planning.retention import retention_end
from reconciler.planning.space import Lookup
from reconciler.reconcile.commits import (
    Side,
    differing,
    files,
    name_of,
    newest,
    path_of,
    require_whole,
    settings_at,
    side_at,
)
from reconciler.reconcile.evaluation import (
    MAX_COMMITS,
    MAX_PATHS,
    Edits,
    allocations,
    as_reconciled,
    edits,
    foreign,
    newest_side,
    restoring,
    uncovered,
)
from reconciler.review.merging import changed_since, line_of


def _causes(change: "Change") -> Iterator[Cause]:
    """Yield the cause of each shown decision, the nearest kind of cause first."""
    evaluation, in_base = change.result, None
    documents = (*change.before.documents.values(), *change.after.documents.values())
    places = {(it.kind.name, it.namespace, it.name): it.start for it in documents}
    for decision in evaluation.plan.decisions:
        if not is_reported(decision, evaluation):
            continue
        claim = decision.claim
        state = evaluation.state.claims.get(claim)
        removed = places.get((claim.kind, claim.namespace, claim.name))
        if state is not None and state.source.path in change.paths:
            yield Cause(claim, state.source)
            continue
        if state is None and removed is not None:
            yield Cause(claim, removed)
            continue
        if in_base is None:  # the plan of the base is not needed before
            in_base = {it.claim: _outcome(it) for it in change.base_plan.plan.decisions}
        if in_base.get(claim) == _outcome(decision):
            yield Cause(claim, None, f"also in {change.name}", is_caused=False)
        elif isinstance(decision, Expire):
            yield Cause(claim, None, "its retention has ended", is_caused=False)
        else:
            yield _elsewhere(decision, change)


def _elsewhere(decision: Decision, change: "Change") -> Cause:
    allocation, claim = decision.allocation, decision.claim
    names = decision.message if isinstance(decision, Refuse) else ""
    for key, pool in {**change.before.pools, **change.after.pools}.items():
        if key.name in names or (allocation is not None and allocation.pool == key):
            return Cause(claim, pool.source, f"this change edits pool {key.name}")
    if PATH in change.paths:
        return Cause(claim, Location(PATH, 1, 1), "this change edits Settings")
    touched = join_limited(sorted(change.paths))
    room = f"another edit of this change frees or takes addresses: {touched}"
    return Cause(claim, None, room)


def _outcome(decision: Decision) -> tuple[object, ...]:
    if isinstance(decision, Refuse):
        return (Refuse, decision.reason)
    return (type(decision), decision.allocation.pool, decision.allocation.range)


def _with_commits(found: Sequence[Cause], line: Source) -> tuple[Cause, ...]:
    paths = (it.place.path for it in found if it.place is not None)
    wanted = list(islice(dict.fromkeys(paths), MAX_PATHS))
    asked, commits = frozenset(wanted), dict[str, str]()
    for step in islice(line.past(wanted), MAX_COMMITS) if wanted else ():
        for item in step.changed:
            if item.path in asked:
                commits.setdefault(item.path, step.id)
        if len(commits) == len(wanted):
            break
    return tuple(
        replace(it, commit=commits.get(it.place.path, "")) if it.place is not None else it
        for it in found
    )


class Change:
    """A change and its base. `head` is the merge result, `proposed` the proposal of reconcile."""

    def __init__(
        self, repository: Repository, base: str, head: Source, proposed: str | None, now: float
    ) -> None:
        self.repository, self.name, self.head = repository, base, head
        self.base = repository.source(base)
        self.proposed, self.now = proposed, now

    @cached_property
    def judging(self) -> tuple[Settings, tuple[Finding, ...]]:
        """Return `base_settings`, and findings if the base's own are looser."""
        # Stricter Settings of the last reconcile commit count, as they will after the merge.
        settings = read.read_own_settings(self.base).settings
        last = newest(self.repository, self.base.revision().id)
        earlier = side_at(self.repository, last)[1] if last else settings
        return settings.held_to(earlier), tuple(evaluate.loosened(settings, earlier, last[:12]))

    @property
    def base_settings(self) -> Settings:
        """Return the Settings of the base, at least as strict as in the last reconcile commit."""
        return self.judging[0]

    @cached_property
    def own_settings(self) -> Settings:
        """Return the Settings of the change."""
        return read.read_own_settings(self.head, self.base_settings).settings

    @cached_property
    def settings(self) -> Settings:
        """Return the Settings of the base with the folders of the change."""
        own = self.own_settings
        return replace(
            self.base_settings, sources=own.sources, records=own.records, observed=own.observed
        )

    @cached_property
    def _changed(self) -> tuple[list[Changed], bool]:
        folders = dict.fromkeys([*self.own_settings.sources, *self.base_settings.folders])
        both = replace(self.settings, sources=tuple(folders))
        return changed_since(self.repository, self.base, self.head, both)

    @property
    def files(self) -> list[Changed]:
        """Return the files that differ between both sides."""
        return self._changed[0]

    @property
    def is_contained(self) -> bool:
        """Return whether the change contains all commits of the base."""
        return self._changed[1]

    @cached_property
    def paths(self) -> frozenset[str]:
        """Return the paths of the files that differ."""
        return frozenset(it.path for it in self.files)

    @cached_property
    def _described(self) -> tuple[DescribedFiles, DescribedFiles]:
        judging = self.base_settings
        old = replace(self.settings, sources=judging.sources, observed=judging.observed)
        return (
            described(self.base, old, [it.old for it in self.files]),
            described(self.head, self.settings, [it.new for it in self.files]),
        )

    @cached_property
    def before(self) -> DescribedFiles:
        """Return files that differ in the base; broken ones by their last readable version.

        A pool that never was readable is judged by the Settings of the base.
        """
        found, now = self._described
        if not found.unread:
            return found
        base = read.evaluate_source(self.base)
        last_good = (it for it in base.tree.last_good.documents if it.unread in found.unread)
        documents = {it.identity: it for it in last_good}
        counting = {key: base.state.pools[key] for key in now.pools if key in base.state.pools}
        judging = self.base_settings
        never = {
            key: replace(pool, gate=judging.gate, thresholds=judging.thresholds)
            for key, pool in now.pools.items()
            if key not in counting
            if key in base.state.frozen or pool.source.path in found.unread
        }
        return replace(
            found,
            documents={**documents, **found.documents},
            pools={**never, **counting, **found.pools},
        )

    @property
    def after(self) -> DescribedFiles:
        """Return the content of the files that differ in the merge result."""
        return self._described[1]

    @cached_property
    def base_plan(self) -> Evaluation:
        """Return the plan of the base, which reconcile would commit without the change."""
        # Overrides that have expired until the change permit nothing in its base either.
        overrides = read.overrides_of_change(self.base, self.base, self.head.passed())
        return as_reconciled(self.base, self.repository, EvaluationOptions(overrides=overrides))

    @cached_property
    def is_base_reconciled(self) -> bool:
        """Return whether reconcile has planned the source files of the base."""
        base, settings = self.base.revision().id, self.base_settings
        made = newest(self.repository, base)
        if made in ("", base):
            return made != ""
        return not self.repository.changed(made, base, settings.sources, settings.limits)[0]

    @cached_property
    def is_shared(self) -> bool:
        """Return whether the change can alter how documents in other files are read."""
        sides = self._described
        documents = (it for side in sides for it in side.documents.values())
        is_touched = PATH in self.paths or any(side.unread for side in sides)
        return is_touched or any(role_of(it.kind) for it in documents)

    @cached_property
    def contracts(self) -> tuple[Contract, ...]:
        """Return the contracts of the teams of the base if the change can alter one; else none."""
        return contracts_of(self.base_plan.documents) if self.is_shared else ()

    @cached_property
    def result(self) -> Evaluation:
        """Return the plan of the merge result, with Settings, pools, and contracts of the base."""
        return self._result(read.overrides_of_change(self.base, self.head))

    @cached_property
    def used_at_once(self) -> list[Key]:
        """Return the claims that get another outcome if Overrides of the change itself count.

        They do if a change of several commits is fast-forwarded.
        """
        if not self.result.tree.overrides.coming:
            return []
        known = {it.claim: _outcome(it) for it in self.result.plan.decisions}
        own = self._result(read.overrides_of_change(self.head, self.head)).plan.decisions
        return [it.claim for it in own if known.get(it.claim) != _outcome(it)]

    def _result(self, overrides: Overrides) -> Evaluation:
        options = EvaluationOptions(self.settings, overrides, contracts=self.contracts)
        evaluation = read.evaluate_source(self.head, options)
        evaluation = evaluate.judged_by_base(self.before.pools, evaluation)
        return evaluate.with_sizes_of_base(self.before.pools, evaluation)

    @cached_property
    def held_by_base(self) -> frozenset[Key]:
        """Return the claims whose release the plan of the base already holds back."""
        if self.result.brake is None:
            return frozenset()
        return frozenset(it.claim for it in evaluate.held_releases(self.base_plan))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Return the cause of each decision that is shown, in the order of the plan."""
        line = line_of(self.repository, self.base, self.head)
        return _with_commits(list(_causes(self)), line)


Given = tuple[IPRange, Grant]


def granted(evaluation: Evaluation) -> list[Given]:
    """Return the ranges that the plan gives to claims."""
    grants = (it for it in evaluation.plan.decisions if isinstance(it, Grant))
    return [(it.allocation.range, it) for it in grants if it.allocation.range is not None]


def gives(given: Iterable[Given]) -> str:
    """Return the end of a message about addresses that the plan gives to claims."""
    words = [f"{format_short(item)} to {it.claim.short}" for item, it in given]
    return f"; this change allocates {join_limited(words)}" if words else ""


def described(
    source: Source, settings: Settings, entries: Iterable[Entry | None]
) -> DescribedFiles:
    """Return the content of the files that `ipam` reads among entries of a source."""
    folders = tuple(f"{folder}/" for folder in settings.folders)
    files = [it for it in entries if it is not None and it.is_file and is_yaml(it.path)]
    there = [it for it in files if it.path.startswith(folders)]
    return evaluate.described_files(reader_of(source, settings).sources(there), settings)


class RecordChanges:
    """Base (or the root that moved) and merge result, their ids, and files that differ, by name."""

    def __init__(self, change: "Change") -> None:
        self.change, repository = change, change.repository
        base, head = (change.base, change.base_settings), (change.head, change.settings)
        revision = change.head.revision()
        self.ends = change.base.revision().id, (revision or repository.resolve("HEAD")).id
        self.sides: tuple[Side, Side] = base, head
        is_new = not read.has_records(change.base, base[1].records) and read.has_records(
            head[0], head[1].records
        )
        if revision is not None and is_new:
            moved = newest_side(repository, self.ends[0], head, revision.id)
            self.sides = (moved[1] if moved is not None else base), head
        self.pairs = differing(*self.sides)
        if not change.is_contained:
            # The merge cannot be simulated: these are the edits since the merge base.
            named = {name_of(it[1], one.path): one for it in self.sides for one in change.files}
            self.pairs = {name: (it.old, it.new) for name, it in named.items() if name}

    @cached_property
    def carried(self) -> list[str]:
        """Return commits with this root's `Ipam-Plan`, newest first. Raise GitError if cut off."""
        base, head = self.ends
        require_whole(self.change.repository, head, [base])
        return list(self.change.repository.plan_commits(head, [base]))

    @cached_property
    def is_output(self) -> bool:
        """Return whether the change carries commits of reconcile on the base, or proposed ones."""
        it, carried, (base, head) = self.change, self.carried, self.ends
        repository, made = it.repository, newest(it.repository, base)
        # They are a line on the base, and their tip becomes the newest reconcile commit.
        if not carried or newest(repository, head) != carried[0] or not self._is_as(carried[0]):
            return False
        *parents, (begin,) = (repository.made(commit).parents for commit in carried)
        known = (begin, base), (made or begin, begin)
        if parents != [(it,) for it in carried[1:]] or not all(starmap(repository.is_in, known)):
            return False
        if it.proposed is not None and self._is_as(repository.resolve(it.proposed).id):
            return True
        (source, then), (result, _) = self.sides
        if source is not it.base or self._stopped is not None:
            return False
        wanted = {name_of(then, it.path): it.data for it in evaluate.without_expiries(it.base_plan)}
        there = {name: it for name, it in files(self.sides[1]).items() if name in wanted}
        data = zip(there.items(), result.read(list(there.values())), strict=True)
        written = {name: ("100644", it) for name, it in wanted.items() if it is not None}
        is_same = {name: (entry.mode, it) for (name, entry), it in data} == written
        return is_same and self.pairs.keys() <= wanted.keys()

    def _is_as(self, commit: str) -> bool:
        source = self.change.repository.source(commit)
        settings = settings_at(source)
        return settings is not None and not differing((source, settings), self.sides[1])

    @cached_property
    def _stopped(self) -> Edits | None:
        it, base = self.change, self.change.base
        own = base, it.base_settings
        return edits(it.repository, own, read.read_overrides(base), base, self.ends[0])

    def is_import(self) -> bool:
        """Return whether the change adds the first records of a root, and removes no records."""
        it = self.change
        base, head = self.ends
        (source, settings), _ = self.sides
        if any(was is not None for was, _ in self.pairs.values()) or self.carried:
            return False
        if read.has_records(source, settings.records) or next(it.repository.plan_commits(base), ""):
            return False
        if next(source.past([settings.records]), None):
            return False
        inside = f"/{settings.records}/"
        dropped = it.repository.dropped_files(base, head)
        return not any(inside in f"/{path}" for path in dropped)

    def edited(self) -> list[str]:
        """Return the files that the change may not edit, or with which the branch would stop."""
        it, (_, now), stopped = self.change, self.sides, self._stopped
        overrides = it.result.tree.overrides
        wrong = set(uncovered(self.pairs, overrides, now[1]))
        if stopped is not None:
            apart = differing(stopped.sides[0], now).keys()
            # Without R, a part of the records would count as all of them.
            wrong -= set() if stopped.is_gone and apart else stopped.pairs.keys() - apart
        stops = edits(it.repository, now, overrides, it.base, self.ends[0])
        wrong |= stops.pairs.keys() if stops is not None else set()
        return [name for name in self.pairs if name in wrong]


def record_changes(change: "Change") -> Iterator[Finding]:
    """Report records that reconcile did not write, and commits that look like its commits."""
    found = RecordChanges(change)
    yield from _edited_records(found)
    carried = [] if found.is_output else found.carried
    carried = [*carried, *foreign(change.repository, *found.ends)]
    if not carried:
        return
    more = f" and {len(carried) - 1} more" if carried[1:] else ""
    message = f"commit {carried[0][:12]}{more}: marked as made by ipam reconcile, but not in {change.name}"
    hint = (
        f"run git fetch and use --base origin/main if {change.name} is behind; otherwise drop the"
    )
    hint += f" commits (git log --grep ^Ipam-Plan {change.name}..): git rebase -i {change.name}"
    yield error("commit-carried", Location("."), message, hint)


def _edited_records(found: RecordChanges) -> Iterator[Finding]:
    if not found.pairs or found.is_output:
        return
    is_import = found.is_import()
    names = list(found.pairs) if is_import else found.edited()
    yield from _permitted_edits(found, names)
    paths = [path_of(found.sides[1][1], name) for name in names]
    if is_import:
        message = f"imports {plural(len(names), 'record')}, then edited only by ipam reconcile"
        yield info("records-imported", Location(paths[0]), message)
    elif names:
        many = plural(len(names), "file")
        message = f"this change edits {many} that only ipam reconcile writes: {join_limited(paths)}"
        root, others = found.change.repository.root, found.pairs.keys() - names
        undo = f"undo: {restoring(root, found.ends[0], found.sides, names, others)}"
        hint = "; to permit it, merge an Override of kind record first"
        more = "; to check a proposal of ipam reconcile, use --proposed"
        if found.ends[0] == found.ends[1]:  # the edits are not committed
            undo, more = undo.partition(" && git commit")[0], ""
        yield error("records-changed", Location(paths[0]), message, f"{undo}{hint}{more}")


def _permitted_edits(found: RecordChanges, others: Collection[str]) -> Iterator[Finding]:
    pairs = [pair for name, pair in found.pairs.items() if name not in others]
    before, after = (
        {it.claim: it for it in allocations(side, [pair[at] for pair in pairs])}
        for at, side in enumerate(found.sides)
    )
    grants = granted(found.change.result)
    holders = Lookup((it.range, key) for key, it in before.items() if it.range is not None)
    kept = IPSet.of(it.range for it in after.values() if it.range is not None)
    for claim, record in sorted({**before, **after}.items()):
        was, now = (it[claim].range if claim in it else None for it in (before, after))
        if was == now:
            continue
        words = [f"had {format_short(was)}"] if was is not None else []
        words.append(f"gets {format_short(now)}" if now is not None else "gets nothing")
        who = [key.short for _, key in (holders.overlapping(now) if now else ()) if key != claim]
        message = f"{claim.short} {' and '.join(words)}{' of ' * bool(who)}{join_limited(who)}"
        freed = IPSet((was,) if was else ()) - kept
        message += (
            f" through an edited record{gives(it for it in grants if freed.overlapping(it[0]))}"
        )
        yield warning("claim-moves", Location(record.path, 1, 1), message)


def dated_back(change: "Change") -> Iterator[Finding]:
    """Report a change whose date lets the addresses that it releases be free too early."""
    gone, state = evaluate.released(change.result), change.result.state
    if not gone or change.head.revision() is None or not change.is_contained:
        return
    own, before, late = change.head.clock(), change.base.passed(), ""
    if own + HOUR < before:  # clocks of users' machines differ by minutes
        late = f"{change.name} {format_instant(before)}"
    elif own + HOUR < change.now:
        ends = (retention_end(it, state) or own for it in gone if not it.announced)
        late = "its retention is already over" * any(own < it <= change.now for it in ends)
    if late:
        message = f"this revision is dated {format_instant(own)}, and {late}, so released addresses"
        hint = "set a new date: git commit --amend --no-edit"
        yield error("commit-dated-back", Location("."), f"{message} would be free too early", hint)
