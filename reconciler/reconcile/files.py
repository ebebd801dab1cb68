"""Check of single files."""

from collections.abc import Iterable, Mapping
from functools import partial

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


def check_alone(files: Mapping[str, bytes], places: Mapping[str, Place]) -> Evaluation:
    """Return findings of files by themselves and compared; `places` are paths in their roots."""
    read = {path: _read(path, data) for path, data in files.items()}
    sources = tuple(loaded for loaded, _ in read.values())
    tree = Tree(revision=None, clock=0, settings=Settings(), sources=sources, records=())
    together = [item for item in evaluate(tree).findings if item.code not in _OF_OTHERS]
    apart = [
        _at(path, found)
        for path, (place, settings) in places.items()
        if is_elsewhere(place, settings)
        and (found := elsewhere(place, files[path], settings)) is not None
    ]
    own = [item for _, more in read.values() for item in more]
    nothing = evaluate(replace(tree, sources=()))
    return replace(nothing, tree=tree, findings=ordered([*together, *own, *apart]))


def _read(path: str, data: bytes) -> tuple[Loaded, Iterable[Finding]]:
    own, name = _own_kind(path, data)
    plain = Loaded(path, (), ())
    if own is SETTINGS:
        _, found = read_settings(data)
        return plain, [_at(path, item) for item in found]
    if own is OVERRIDE:
        # A draft can have any path.
        folder, _, file = path.rpartition("/")
        is_there = folder.rpartition("/")[2] == OVERRIDES
        home = f"{OVERRIDES}/{file if is_there else f'{name}.yaml'}"
        _, wrong = read_override(home, data)
        return plain, [_at(path, item) for item in wrong]
    if own is DEMAND:
        return plain, load(path, data, Kinds([DEMAND]), judge_demand).findings
    if CLAIM.encode() in data:
        folder = path.partition("/")[0] if "/" in path else "."
        return plain, parse_record(folder, path, data).findings
    settings = Settings()
    return load(path, data, source_kinds(settings), partial(judge, settings=settings)), ()


def _own_kind(path: str, data: bytes) -> tuple[Kind | None, str]:
    loaded = load(path, data, Kinds(OWN_KINDS))
    there = [*loaded.broken, *(document.identity for document in loaded.documents)]
    names = {(group, kind): name for group, kind, _, name in reversed(there)}
    for own in OWN_KINDS:
        if (name := names.get((own.id.group, own.id.kind))) is not None:
            return own, name
    return None, ""


def _at(path: str, found: Finding) -> Finding:
    return replace(found, location=replace(found.location, path=path))
