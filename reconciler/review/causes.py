"""Causes with their commits: of each decision of a change, and of each held release."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.commands.reading.files import reader_of
from reconciler.digest import is_told
from reconciler.documents.document import Document
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation, held_releases
from reconciler.findings import Finding, Location, few, shown, warning
from reconciler.model.cause import Cause
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Refuse
from reconciler.model.settings import PATH, Settings
from reconciler.ports import Changed, Entry, Repository, Source, Step
from reconciler.review.merging import line_of

if TYPE_CHECKING:
    from reconciler.review.change import Change

MAX_COMMITS, MAX_PATHS, MAX_FILES = 200, 1_000, 2_000
"""The number of commits that are searched, of paths that are searched for, and of files per commit."""
MAX_LISTED = 50
"""The number of held releases that are listed."""
Owner = tuple[str, str, str]
"""Kind, namespace, and name of an owner of claims."""


def causes(change: "Change") -> tuple[Cause, ...]:
    """Return the cause of each decision that is shown, in the order of the plan."""
    finder, evaluation = _Finder(change), change.result
    shown = (it for it in evaluation.plan.decisions if is_told(it, evaluation))
    found = [finder.cause(decision) for decision in shown]
    return _with_commits(found, line_of(change.repository, change.base, change.head))


class _Finder:
    """Searches for causes, the nearest kind first."""

    def __init__(self, change: "Change") -> None:
        self._change = change
        self._now = _places(change.after.documents.values())
        self._before = _places(change.before.documents.values())

    def cause(self, decision: Decision) -> Cause:
        """Return the cause of a decision."""
        claim = decision.claim
        if (own := self._own(claim)) is not None:
            return Cause(claim, own)
        if self._in_base.get(claim) == _outcome(decision):
            return Cause(claim, None, f"{self._change.name} has it already", is_caused=False)
        if isinstance(decision, Expire):
            return Cause(claim, None, "its retention has ended", is_caused=False)
        return next(self._others(decision), Cause(claim, None, self._room()))

    def _own(self, claim: Key) -> Location | None:
        """Return the place where the change edits or removes the document of a claim."""
        state = self._change.result.state.claims.get(claim)
        if state is not None and state.source.path in self._change.paths:
            return state.source
        owner = (claim.kind, claim.namespace, claim.name)
        place = self._now.get(owner) or self._before.get(owner)
        return place if state is None or place is None else None

    @cached_property
    def _in_base(self) -> Mapping[Key, tuple[object, ...]]:
        """The outcomes by the plan of the base."""
        return {it.claim: _outcome(it) for it in self._change.base_plan.plan.decisions}

    def _others(self, decision: Decision) -> Iterator[Cause]:
        """Return the changed pool of a decision, then changed Settings."""
        allocation, change = decision.allocation, self._change
        names = decision.message if isinstance(decision, Refuse) else ""
        for key, pool in {**change.before.pools, **change.after.pools}.items():
            is_its = allocation is not None and allocation.pool == key
            if is_its or key.name in names:
                yield Cause(decision.claim, pool.source, f"pool {key.name} is another one by that")
        if PATH in change.paths:
            yield Cause(decision.claim, Location(PATH, 1, 1), "Settings are others by that")

    def _room(self) -> str:
        touched = few(sorted(self._change.paths))
        return f"another edit of the change decides it, by what it frees or takes: {touched}"


def _outcome(decision: Decision) -> tuple[object, ...]:
    if isinstance(decision, Refuse):
        return (Refuse, decision.reason)
    return (type(decision), decision.allocation.pool, decision.allocation.range)


def _places(documents: Iterable[Document]) -> Mapping[tuple[str, str, str], Location]:
    """Return the starts of documents, by kind, namespace, and name."""
    return {(it.kind.name, it.namespace, it.name): it.start for it in documents}


def _with_commits(found: Sequence[Cause], line: Source) -> tuple[Cause, ...]:
    """Return causes with the newest commits that touch their places."""
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


def held_by_limit(
    evaluation: Evaluation, repository: Repository, source: Source, known: Container[Key] = ()
) -> Iterator[Finding]:
    """Report each release that the release limit holds back, with the commit that caused it.

    Args:
        evaluation: The evaluation.
        repository: The repository.
        source: The files of the revision.
        known: Claims whose release the base of a change holds back already.
    """
    held = [it for it in held_releases(evaluation) if it.claim not in known]
    listed = {_owner(it.claim): it for it in held[:MAX_LISTED]}
    unknown = f"who asked for it is not among the last {MAX_COMMITS} commits of its folders"
    found = _commits_of(set(listed), repository, source, evaluation.tree.settings)
    for item in held[:MAX_LISTED]:
        has = format_short(item.range) if item.range else "nothing"
        message = f"a brake holds its release back: {item.claim.short} keeps {has};"
        cause = found.get(_owner(item.claim), unknown)
        yield warning("brake-held", Location(item.path, 1, 1), f"{message} {cause}")
    if held[MAX_LISTED:]:
        message = f"a brake holds {len(held) - MAX_LISTED} more releases back"
        yield warning("brake-held", Location("."), message)


def _owner(claim: Key) -> Owner:
    return claim.kind, claim.namespace, claim.name


def _commits_of(
    wanted: set[Owner], repository: Repository, source: Source, settings: Settings
) -> dict[Owner, str]:
    """Return the newest commit that removed or edited the document of each owner, as text."""
    found, reader = dict[Owner, str](), reader_of(source, settings)

    def named(entry: Entry | None) -> set[Owner]:
        if entry is None or not entry.is_file or not is_yaml(entry.path):
            return set()
        (data,) = source.read([entry])
        if not (near := {owner for owner in wanted if owner[2].encode() in data}):
            return near
        documents = reader.read_source(entry.path, data).documents
        return near & {(it.kind.name, it.namespace, it.name) for it in documents}

    for step, item in _edits(source, settings) if wanted else ():
        was, now = named(item.old), named(item.new)
        for owner in was | now:
            wanted.discard(owner)
            what = "edited it in" if owner in now else "took it out of"
            found[owner] = f"{_author(repository, step)} {what} {shown(item.path)}"
            if owner not in was:
                found[owner] = f"its document in {shown(item.path)} is as it was: what that names"
                found[owner] += " has changed"
        if not wanted:
            break
    return found


def _edits(source: Source, settings: Settings) -> Iterator[tuple[Step, Changed]]:
    """Return the edits of source files, the newest first."""
    for step in islice(source.past(list(settings.folders)), MAX_COMMITS):
        for item in step.changed if len(step.changed) <= MAX_FILES else ():
            yield step, item


def _author(repository: Repository, step: Step) -> str:
    if not step.id:
        return "the work tree"
    name, _, _ = repository.made(step.id).author.partition(" <")
    return f"commit {step.id[:12]} of {shown(name)}" if name else f"commit {step.id[:12]}"
