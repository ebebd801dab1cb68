"""Records that were left where a root once was: whoever moves it without them gives all out anew."""

from collections.abc import Iterable, Iterator
from contextlib import closing

from reconciler.commands.reading.settings import has_records
from reconciler.documents.load import is_yaml
from reconciler.findings import Finding, Location, error
from reconciler.model.settings import Settings
from reconciler.ports import Repository, Source
from reconciler.records.layout import place_of
from reconciler.settings import PATH

STRAY = "records-left"
MOST_LISTED = 250_000
"""With more files nothing is told: a tree that is in itself again and again has no end."""


def stray_records(
    repository: Repository, source: Source, settings: Settings, *, is_made: bool
) -> list[Finding]:
    """What is said of a root without records, where others are whose own root is not there any more.

    Nothing is looked for where reconcile ever went over the root. A folder that has documents or
    Settings is a root of its own, which this one is beside.

    Args:
        repository: Where they are.
        source: A revision.
        settings: Those of the root.
        is_made: Reconcile went over it before.

    Raises:
        GitError: Git fails.
    """
    revision = source.revision()
    if is_made or revision is None or has_records(source, settings.records):
        return []
    own = repository.place
    with closing(repository.everywhere(revision.id)) as paths:
        found = _left(paths, settings, own)
    return [_told(found, own, settings.records)] if found is not None else []


def _left(paths: Iterable[str], settings: Settings, own: str) -> str | None:
    """The first folder with records, and without documents and Settings; None for none.

    Args:
        paths: All files of the repository, from its top.
        settings: Those of the root, whose folders others have, too.
        own: The root.
    """
    records = settings.records
    holding: dict[str, None] = {}
    described = set[str]()  # asked, never listed
    for listed, path in enumerate(paths):
        if listed == MOST_LISTED:
            return None  # whether a root lives cannot be told from a part
        if not is_yaml(path):
            continue
        if path.rpartition("/")[2] == PATH:
            described.add(path.rpartition("/")[0])
        for folder in settings.sources:
            described.update(_roots_of(path, folder))
        for root in _roots_of(path, records):
            if root != own and _is_record(path, root, records):
                holding[root] = None
    return next((root for root in holding if root not in described), None)


def _roots_of(path: str, folder: str) -> Iterator[str]:
    """Each folder that has one of this name in which a file is."""
    whole, mark = f"/{path}", f"/{folder}/"
    at = whole.find(mark)
    while at >= 0:
        yield whole[1:at]
        at = whole.find(mark, at + 1)


def _is_record(path: str, root: str, records: str) -> bool:
    """Its path is that of a record, and of nothing else that somebody keeps in such a folder."""
    inside = path.removeprefix(f"{root}/") if root else path
    return place_of(records, inside).claim is not None


def _told(left: str, own: str, records: str) -> Finding:
    old, new = (f"{root}/{records}" if root else records for root in (left, own))
    message = f"this root has no records, but {old}/ at the top of the repository has some of a"
    message += " root that is not there any more: all addresses would be given out anew"
    hint = f"git mv {old} {new} in the same commit, so that everybody keeps what he holds; what"
    hint += f" nobody uses any more: git rm -r {old}"
    return error(STRAY, Location(records), message, hint)
