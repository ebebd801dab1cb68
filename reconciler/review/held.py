"""Releases that a release limit holds back, with the commits that caused them."""

from collections.abc import Container, Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.commands.reading.files import Reader, reader_of
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation, held_releases
from reconciler.findings import Finding, Location, ordered, shown, warning
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.ports import Entry, Repository, Source, Step

MAX_LISTED, MAX_COMMITS, MAX_FILES = 50, 200, 2_000
"""The number of releases that are listed, and of commits and files that are searched."""

_UNKNOWN = f"who asked for it is not among the last {MAX_COMMITS} commits of its folders"

Owner = tuple[str, str, str]
"""Kind, namespace, and name of an owner of claims."""


def with_held_releases(
    evaluation: Evaluation,
    repository: Repository,
    source: Source,
    known: Container[Key] = (),
) -> Evaluation:
    """Return the evaluation with a finding for each held release, with its cause.

    Args:
        evaluation: The evaluation.
        repository: The repository.
        source: The files of the revision.
        known: Claims whose release the base of a change holds back already.
    """
    held = [it for it in held_releases(evaluation) if it.claim not in known]
    if not held:
        return evaluation
    told = held[:MAX_LISTED]
    causes = _Causes(repository, source, evaluation)
    taken = causes.of_owners({_owner(item.claim) for item in told})
    found = [_held(item, taken.get(_owner(item.claim), _UNKNOWN)) for item in told]
    if held[MAX_LISTED:]:
        message = f"the release limit holds {len(held) - MAX_LISTED} more releases back"
        found.append(warning("brake-held", Location("."), message))
    return replace(evaluation, findings=ordered([*evaluation.findings, *found]))


def _owner(claim: Key) -> Owner:
    return claim.kind, claim.namespace, claim.name


def _held(item: Allocation, cause: str) -> Finding:
    held = format_short(item.range) if item.range else "nothing"
    message = f"the release limit holds its release back: {item.claim.short} keeps {held}; {cause}"
    return warning("brake-held", Location(item.path, 1, 1), message)


class _Causes:
    """Searches the commits of a revision, the newest first."""

    def __init__(self, repository: Repository, source: Source, evaluation: Evaluation) -> None:
        self._repository, self._source = repository, source
        self._settings = evaluation.tree.settings

    def of_owners(self, owners: Iterable[Owner]) -> dict[Owner, str]:
        """Return the causes of removed and edited claims, by owner."""
        wanted, found = set(owners), dict[Owner, str]()
        reader = reader_of(self._source, self._settings)
        for step in self._steps(self._settings.folders) if wanted else ():
            if len(step.changed) > MAX_FILES:
                continue
            for item in step.changed:
                was, now = (self._named(reader, entry, wanted) for entry in (item.old, item.new))
                for owner in was | now:
                    wanted.discard(owner)
                    found[owner] = self._told(step, item.path, (owner in was, owner in now))
            if not wanted:
                break
        return found

    def _told(self, step: Step, path: str, sides: tuple[bool, bool]) -> str:
        match sides:
            case (True, False):
                return f"{self._who(step)} took it out of {shown(path)}"
            case (True, True):
                return f"{self._who(step)} edited it in {shown(path)}"
        return f"its document in {shown(path)} is as it was: what that names has changed"

    def _steps(self, folders: Iterable[str]) -> Iterator[Step]:
        return islice(self._source.past(list(folders)), MAX_COMMITS)

    def _named(self, reader: Reader, entry: Entry | None, wanted: set[Owner]) -> set[Owner]:
        """Return the wanted owners that a file describes."""
        if entry is None or not entry.is_file or not is_yaml(entry.path):
            return set()
        (data,) = self._source.read([entry])
        near = {owner for owner in wanted if owner[2].encode() in data}
        if not near:
            return set()
        documents = reader.read_source(entry.path, data).documents
        return near & {(it.kind.name, it.namespace, it.name) for it in documents}

    def _who(self, step: Step) -> str:
        """Return the commit and the name of its author."""
        if not step.id:
            return "the work tree"
        name, _, _ = self._repository.made(step.id).author.partition(" <")
        return f"commit {step.id[:12]} of {shown(name)}" if name else f"commit {step.id[:12]}"
