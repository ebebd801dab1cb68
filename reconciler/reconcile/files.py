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

# What only other documents tell.
_OF_OTHERS = ("reference-not-found", "demand-unused", "variable-missing")


Place = tuple[str, Settings]
"""The path of a file in its root, and the Settings there."""


def check_alone(
    files: Mapping[str, bytes], places: Mapping[str, Place] = MappingProxyType({})
) -> Evaluation:
    """What is wrong with some files by themselves, and beside each other.

    Args:
        files: Their bytes, by path.
        places: Where those are that stand in a root, by path.

    Returns:
        An evaluation with findings alone: it plans nothing, and no gate judges it.
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
    """What is said of a file that counts for nothing where it stands."""
    found = elsewhere(place, data, settings) if is_elsewhere(place, settings) else None
    return _at(path, found) if found is not None else None


def _nothing(tree: Tree) -> Evaluation:
    """The evaluation of no file, which names those of a tree all the same."""
    nothing = evaluate(replace(tree, sources=()))
    return replace(nothing, tree=replace(tree, sources=tree.sources))


def _read(path: str, data: bytes) -> tuple[Loaded, Iterable[Finding]]:
    """A file as one of a source folder; and what is wrong with one that stands elsewhere."""
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
    """Which of our own kinds the file holds, if it does, and the name of that document."""
    loaded = load(path, data, Kinds(OWN_KINDS))
    there = [*loaded.broken, *(document.identity for document in loaded.documents)]
    names = {(group, kind): name for group, kind, _, name in reversed(there)}
    for own in OWN_KINDS:
        if (name := names.get((own.id.group, own.id.kind))) is not None:
            return own, name
    return None, ""


def _home(path: str, name: str) -> str:
    """Where an Override is read as if it stood there: a draft may stand anywhere by any name."""
    folder, _, file = path.rpartition("/")
    is_there = folder.rpartition("/")[2] == OVERRIDES
    return f"{OVERRIDES}/{file if is_there else f'{name}.yaml'}"


def _plain(path: str) -> Loaded:
    """A file that holds nothing which people describe."""
    return Loaded(path, (), ())


def _at(path: str, found: Finding) -> Finding:
    return replace(found, location=found.location._replace(path=path))
