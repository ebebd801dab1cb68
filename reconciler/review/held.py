"""Releases that a release limit holds back, with the commits that caused them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.commands.reading.files import Reader, reader_of
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, ordered, shown, warning
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.ports import Entry, Repository, Source, Step
from reconciler.withheld import held_releases

MAX_LISTED, MAX_COMMITS, MAX_FILES = 50, 200, 2_000
"""The number of releases that are listed, and of commits and files that are searched."""

_UNKNOWN = f"who asked for it is not among the last {MAX_COMMITS} commits of its folders"

Owner = tuple[str, str, str]
"""Kind, namespace, and name of an owner of claims."""


def with_held_releases(
    evaluation: Evaluation, repository: Repository, source: Source
) -> Evaluation:
    """Return the evaluation with a finding for each held release, with its cause."""
    if evaluation.brake is None:
        return evaluation
    held = held_releases(evaluation)
    told = held[:MAX_LISTED]
    causes = _Causes(repository, source, evaluation)
    taken = causes.of_owners({_owner(item.claim) for item in told})
    found = [_held(item, taken.get(_owner(item.claim), _UNKNOWN)) for item in told]
    if held[MAX_LISTED:]:
        message = f"a brake holds {len(held) - MAX_LISTED} more releases back"
        found.append(warning("brake-held", Location("."), message))
    files = causes.of_files(path for path in islice(evaluation.put_back, MAX_LISTED))
    findings = [_with_cause(item, files) for item in evaluation.findings]
    return replace(evaluation, findings=ordered([*findings, *found]))


def _owner(claim: Key) -> Owner:
    return claim.kind, claim.namespace, claim.name


def _held(item: Allocation, cause: str) -> Finding:
    held = format_short(item.range) if item.range else "nothing"
    message = f"a brake holds its release back: {item.claim.short} keeps {held}; {cause}"
    return warning("brake-held", Location(item.path, 1, 1), message)


def _with_cause(item: Finding, files: Mapping[str, str]) -> Finding:
    cause = files.get(item.location.path) if item.code == "record-put-back" else None
    return item if cause is None else replace(item, message=f"{item.message}; {cause}")


class _Causes:
    """Searches the commits of a revision, the newest first."""

    def __init__(self, repository: Repository, source: Source, evaluation: Evaluation) -> None:
        self._repository, self._source = repository, source
        self._settings = evaluation.tree.settings

    def of_files(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the causes of removed and edited records, by path."""
        wanted, found = set(paths), dict[str, str]()
        for step in self._steps([self._settings.records]) if wanted else ():
            for item in step.changed:
                if item.path in wanted:
                    wanted.discard(item.path)
                    how = "took it away" if item.new is None else "edited it"
                    found[item.path] = f"{self._who(step)} {how}"
            if not wanted:
                break
        return found

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
