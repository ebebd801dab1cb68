"""Check of single files."""

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType

from msgspec.structs import replace

from reconciler.documents.document import Kind
from reconciler.documents.findings import Finding, ordered
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.families import judge
from reconciler.families.demand import DEMAND, judge_demand
from reconciler.model.objects import CLAIM
from reconciler.model.settings import OVERRIDES, Settings
from reconciler.planning.documents import OWN_KINDS, Tree, elsewhere, is_elsewhere, source_kinds
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.settings import OVERRIDE, SETTINGS, read_override, read_settings
from reconciler.records.parse import parse_record

# Codes that require other documents.
_OF_OTHERS = ("reference-not-found", "demand-unused", "variable-missing")


Place = tuple[str, Settings]
"""The path of a file in its root, and the Settings there."""


def check_alone(
    files: Mapping[str, bytes], places: Mapping[str, Place] = MappingProxyType({})
) -> Evaluation:
    """Return findings about files: each by itself, and compared with each other.

    Args:
        files: The bytes of the files, by path.
        places: The path in its root and the Settings there, of each file that is in a root.

    Returns:
        An evaluation with findings only: it has no plan and no limits.
    """
    read = {path: _read(path, data) for path, data in files.items()}
    sources = tuple(loaded for loaded, _ in read.values())
    tree = Tree(revision=None, clock=0, settings=Settings(), sources=sources, records=())
    together = [item for item in evaluate(tree).findings if item.code not in _OF_OTHERS]
    apart = (_not_read(path, files[path], *place) for path, place in places.items())
    own = (item for _, more in read.values() for item in more)
    found = ordered([*together, *own, *(item for item in apart if item is not None)])
    return replace(_nothing(tree), findings=found)


def _not_read(path: str, data: bytes, place: str, settings: Settings) -> Finding | None:
    """Return the message about a file that is not read at its path."""
    found = elsewhere(place, data, settings) if is_elsewhere(place, settings) else None
    return _at(path, found) if found is not None else None


def _nothing(tree: Tree) -> Evaluation:
    """Return the evaluation of no file, with the names of a tree."""
    nothing = evaluate(replace(tree, sources=()))
    return replace(nothing, tree=replace(tree, sources=tree.sources))


def _read(path: str, data: bytes) -> tuple[Loaded, Iterable[Finding]]:
    """Return a file as a source file, and the findings about a kind of `ipam` in it."""
    own, name = _own_kind(path, data)
    if own is SETTINGS:
        _, found = read_settings(data)
        return _plain(path), [_at(path, item) for item in found]
    if own is OVERRIDE:
        _, wrong = read_override(_home(path, name), data)
        return _plain(path), [_at(path, item) for item in wrong]
    if own is DEMAND:
        return _plain(path), load(path, data, Kinds([DEMAND]), judge_demand).findings
    if CLAIM.encode() in data:
        folder = path.partition("/")[0] if "/" in path else "."
        return _plain(path), parse_record(folder, path, data).findings
    settings = Settings()
    return load(path, data, source_kinds(settings), partial(judge, settings=settings)), ()


def _own_kind(path: str, data: bytes) -> tuple[Kind | None, str]:
    """Return the kind of `ipam` in the file, if it has one, and the name of the document."""
    loaded = load(path, data, Kinds(OWN_KINDS))
    there = [*loaded.broken, *(document.identity for document in loaded.documents)]
    names = {(group, kind): name for group, kind, _, name in reversed(there)}
    for own in OWN_KINDS:
        if (name := names.get((own.id.group, own.id.kind))) is not None:
            return own, name
    return None, ""


def _home(path: str, name: str) -> str:
    """Return the path at which an Override is read. A draft can have any path."""
    folder, _, file = path.rpartition("/")
    is_there = folder.rpartition("/")[2] == OVERRIDES
    return f"{OVERRIDES}/{file if is_there else f'{name}.yaml'}"


def _plain(path: str) -> Loaded:
    """Return a file without documents."""
    return Loaded(path, (), ())


def _at(path: str, found: Finding) -> Finding:
    return replace(found, location=found.location._replace(path=path))
