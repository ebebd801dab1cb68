"""Change and its base."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, error, info, join_limited
from reconciler.documents.text import is_yaml
from reconciler.families import role_of
from reconciler.gitio.interface import Changed, Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Decision, Expire, Refuse, Release
from reconciler.model.pool import Contract
from reconciler.model.settings import PATH, Settings
from reconciler.planning.digest import is_reported
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import (
    DescribedFiles,
    Evaluation,
    described_files,
    held_releases,
    judged_by_base,
    loosened,
    with_sizes_of_base,
    without_expiries,
)
from reconciler.planning.ownership import contracts_of
from reconciler.planning.read import (
    EvaluationOptions,
    evaluate_source,
    has_records,
    overrides_of_change,
    read_own_settings,
)
from reconciler.reconcile.commits import Side, differing, newest, require_whole, settings_at
from reconciler.reconcile.evaluation import MAX_COMMITS, MAX_PATHS, as_reconciled
from reconciler.reconcile.records import edited, moved_from, restoring, strays, uncovered
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
            yield Cause(claim, None, f"{change.name} has it already", is_caused=False)
        elif isinstance(decision, Expire):
            yield Cause(claim, None, "its retention has ended", is_caused=False)
        else:
            yield _elsewhere(decision, change)


def _elsewhere(decision: Decision, change: "Change") -> Cause:
    allocation, claim = decision.allocation, decision.claim
    names = decision.message if isinstance(decision, Refuse) else ""
    for key, pool in {**change.before.pools, **change.after.pools}.items():
        if key.name in names or (allocation is not None and allocation.pool == key):
            return Cause(claim, pool.source, f"pool {key.name} is another one by that")
    if PATH in change.paths:
        return Cause(claim, Location(PATH, 1, 1), "Settings are others by that")
    touched = join_limited(sorted(change.paths))
    room = f"another edit of the change decides it, by what it frees or takes: {touched}"
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
        self, repository: Repository, base: str, head: Source, proposed: str | None = None
    ) -> None:
        self.repository, self.name, self.head = repository, base, head
        self.base = repository.source(base)
        self.proposed = proposed

    @cached_property
    def _judging(self) -> tuple[Settings, tuple[Finding, ...]]:
        # Stricter Settings of the last reconcile commit count, as they will after the merge.
        repository, revision = self.repository, self.base.revision()
        settings = read_own_settings(self.base).settings
        last = newest(repository, revision.id) if revision is not None else ""
        earlier = settings_at(repository.source(last)) if last else None
        if earlier is None:
            return settings, ()
        return settings.held_to(earlier), tuple(loosened(settings, earlier, last[:12]))

    @property
    def base_settings(self) -> Settings:
        """Return the Settings of the base, at least as strict as in the last reconcile commit."""
        return self._judging[0]

    @property
    def loosened(self) -> tuple[Finding, ...]:
        """Return findings about Settings of the base that are looser than in the last commit."""
        return self._judging[1]

    @cached_property
    def own_settings(self) -> Settings:
        """Return the Settings of the change."""
        return read_own_settings(self.head, self.base_settings).settings

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
            _described(self.base, old, [it.old for it in self.files]),
            _described(self.head, self.settings, [it.new for it in self.files]),
        )

    @cached_property
    def before(self) -> DescribedFiles:
        """Return files that differ in the base; broken ones by their last readable version.

        A pool that never was readable is judged by the Settings of the base.
        """
        found, now = self._described
        if not found.unread:
            return found
        base = evaluate_source(self.base)
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
        return as_reconciled(self.base, self.repository)

    @cached_property
    def is_base_reconciled(self) -> bool:
        """Return whether reconcile has planned the source files of the base."""
        revision, settings = self.base.revision(), self.base_settings
        made = newest(self.repository, revision.id) if revision is not None else ""
        if revision is None or not made or made == revision.id:
            return made != ""
        return not self.repository.changed(made, revision.id, settings.sources, settings.limits)[0]

    @cached_property
    def contracts(self) -> tuple[Contract, ...]:
        """Return the contracts of the teams of the base if the change can alter one; else none."""
        sides = self._described
        documents = (it for side in sides for it in side.documents.values())
        is_touched = any(role_of(it.kind) == "team" for it in documents)
        if is_touched or PATH in self.paths or any(side.unread for side in sides):
            return contracts_of(self.base_plan.documents)
        return ()

    @cached_property
    def result(self) -> Evaluation:
        """Return the plan of the merge result, with Settings, pools, and contracts of the base."""
        overrides = overrides_of_change(self.base, self.head)
        options = EvaluationOptions(self.settings, overrides, contracts=self.contracts)
        evaluation = evaluate_source(self.head, options)
        evaluation = judged_by_base(self.before.pools, evaluation)
        return with_sizes_of_base(self.before.pools, evaluation)

    @cached_property
    def held_by_base(self) -> frozenset[Key]:
        """Return the claims whose release the plan of the base already holds back."""
        if self.result.brake is None:
            return frozenset()
        return frozenset(it.claim for it in held_releases(self.base_plan))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Return the cause of each decision that is shown, in the order of the plan."""
        line = line_of(self.repository, self.base, self.head)
        return _with_commits(list(_causes(self)), line)


def _described(
    source: Source, settings: Settings, entries: Iterable[Entry | None]
) -> DescribedFiles:
    folders = tuple(f"{folder}/" for folder in settings.folders)
    files = [it for it in entries if it is not None and it.is_file and is_yaml(it.path)]
    there = [it for it in files if it.path.startswith(folders)]
    return described_files(reader_of(source, settings).sources(there), settings)


# Clocks of users' machines differ by minutes.
_SKEW_SECONDS = 3_600
_PLAIN = "100644"

Pairs = dict[str, tuple[Entry | None, Entry | None]]


class RecordChanges:
    """The files of both folders that differ between the base and the merge result."""

    def __init__(self, change: "Change") -> None:
        self._change = change

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        it = self._change
        base: Side = it.base, read_own_settings(it.base).settings
        head, revision = (it.head, it.settings), it.head.revision()
        if revision is not None and not has_records(base[0], base[1].records):
            # The records of a root that the change moves are compared where they were.
            moved = moved_from(it.repository, revision.id, head)
            base = moved[1] if moved is not None else base
        return base, head

    @cached_property
    def pairs(self) -> Pairs:
        """Return the files that differ, by path in the merge result."""
        it = self._change
        if it.is_contained:
            return differing(*self._sides)
        # The merge cannot be simulated: these are the edits since the merge base.
        (_, then), (_, now) = self._sides
        inside = tuple(f"{at}/" for at in (then.records, then.observed, now.records, now.observed))
        return {one.path: (one.old, one.new) for one in it.files if one.path.startswith(inside)}

    @cached_property
    def _ends(self) -> tuple[str, str]:
        it = self._change
        base, head = it.base.revision(), it.head.revision() or it.repository.resolve("HEAD")
        return base.id if base is not None else "", head.id

    @cached_property
    def carried(self) -> list[str]:
        """Return commits with this root's `Ipam-Plan`, newest first. Raise GitError if cut off."""
        base, head = self._ends
        if base == head:
            return []
        require_whole(self._change.repository, head, [base])
        return list(self._change.repository.plan_commits(head, [base]))

    @cached_property
    def is_output(self) -> bool:
        """Return whether the folders are as reconcile commits them on the base, or proposes."""
        it = self._change
        if it.proposed is not None and self._is_as(it.repository.resolve(it.proposed).id):
            return True
        (base, then), (head, now) = self._sides
        folders = [now.records, now.observed]
        if base is not it.base or [then.records, then.observed] != folders:
            return False
        wanted = {it.path: it.data for it in without_expiries(it.base_plan)}
        if not self.pairs.keys() <= wanted.keys():
            return False
        there = {entry.path: entry for entry in head.entries(folders) if entry.path in wanted}
        made = {path: data for path, data in wanted.items() if data is not None}
        if there.keys() != made.keys() or any(it.mode != _PLAIN for it in there.values()):
            return False
        return head.read(list(there.values())) == [made[path] for path in there]

    def _is_as(self, commit: str) -> bool:
        source = self._change.repository.source(commit)
        settings = settings_at(source)
        return settings is not None and not differing((source, settings), self._sides[1])

    def is_restored(self) -> bool:
        """Return whether the base is stopped by edited records that the change restores."""
        it = self._change
        base, _ = self._ends
        last = newest(it.repository, base)
        is_edited = last and any(True for _ in edited(it.repository, it.base, it.base_plan))
        return bool(is_edited) and self._is_as(last)

    def is_import(self) -> bool:
        """Return whether the change adds the first records of a root, and removes no records."""
        it = self._change
        base, head = self._ends
        (source, settings), _ = self._sides
        if any(was is not None for was, _ in self.pairs.values()) or self.carried:
            return False
        if newest(it.repository, base) or next(it.repository.plan_commits(base), ""):
            return False
        if has_records(source, settings.records) or next(source.past([settings.records]), None):
            return False
        inside = f"/{settings.records}/"
        dropped = it.repository.dropped_files(base, head)
        return not any(inside in f"/{path}" for path in dropped)

    def uncovered(self) -> Pairs:
        """Return the files that differ, except for files that an Override of the base covers."""
        return dict(uncovered(self.pairs, self._change.result.tree.overrides, self._sides[1][1]))

    def restoring(self) -> str:
        """Return the command that restores the folders of the base."""
        return restoring(self._ends[0][:12], self._sides)

    def is_line(self) -> bool:
        """Return whether the carried commits are a line from the base to the merge result."""
        if not self.carried or not self.is_output or not self._is_as(self.carried[0]):
            return False
        repository, base = self._change.repository, self._ends[0]
        parents = [repository.made(commit).parents for commit in self.carried]
        following = [(commit,) for commit in self.carried[1:]]
        is_row = all(len(it) == 1 for it in parents) and parents[:-1] == following
        return is_row and (parents[-1][0] == base or repository.is_in(parents[-1][0], base))


def record_changes(change: "Change") -> Iterator[Finding]:
    """Report records that reconcile did not write, and commits that look like its commits."""
    found = RecordChanges(change)
    yield from _edited_records(found)
    if not found.carried or found.is_line():
        return
    more = f" and {len(found.carried) - 1} more" if found.carried[1:] else ""
    message = f"commit {found.carried[0][:12]}{more} of this change has an Ipam-Plan line, and"
    message += f" {change.name} lacks it"
    hint = f"if {change.name} is behind: git fetch, then --base origin/main; else drop the commits"
    hint += f" that git log --grep ^Ipam-Plan {change.name}.. lists: git rebase -i {change.name}"
    yield error("commit-carried", Location("."), message, hint)


def _edited_records(found: RecordChanges) -> Iterator[Finding]:
    if not found.pairs or found.is_restored() or found.is_output:
        return
    place = Location(next(iter(found.pairs)))
    if found.is_import():
        many = "1 record is" if len(found.pairs) == 1 else f"{len(found.pairs)} records are"
        yield info("records-imported", place, f"{many} imported; reconcile owns them from now on")
        return
    pairs = found.uncovered()
    if not pairs:
        return
    many = "1 file" if len(pairs) == 1 else f"{len(pairs)} files"
    place = Location(next(iter(pairs)))
    message = f"this change edits {many} that only reconcile writes: {join_limited(list(pairs))}"
    hint = f"to undo: {found.restoring()} && git commit -m 'Restore records'; to permit it, merge"
    hint += " an Override of kind record first; a proposal of reconcile needs --proposed"
    yield error("records-changed", place, message, hint)


def moved_roots(change: "Change") -> Iterator[Finding]:
    """Report records of a root that was moved or removed."""
    yield from strays(change.repository, change.head, change.result, change.base)


def dated_back(change: "Change") -> Iterator[Finding]:
    """Report a change with releases that is dated before its base."""
    if change.head.revision() is None or not change.is_contained:
        return
    own, before = change.head.clock(), change.base.clock()
    is_release = any(isinstance(it, Release) for it in change.result.plan.decisions)
    if is_release and own + _SKEW_SECONDS < before:
        message = f"this revision is dated {format_instant(own)}, and {change.name}"
        message += f" {format_instant(before)}: released addresses would be free too early"
        hint = "git commit --amend --no-edit dates it anew"
        yield error("commit-dated-back", Location("."), message, hint)
