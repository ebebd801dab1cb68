"""What source folders may hold, and how one file of them is read.

A reviewer is asked by folder (CODEOWNERS): a pool in the folder of a tenant would be nobody's to
review but the tenant's. So Settings say which kinds a folder holds; where they do not, a kind in
the usual folder of others is a warning.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

from reconciler.documents import yaml
from reconciler.documents.document import Document, GroupKind, Kind
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.documents.names import is_meant
from reconciler.families import families, judge, role_of
from reconciler.families._demand import DEMAND, judge_demand
from reconciler.findings import Finding, Location, article_list, error, few, nearest, warning
from reconciler.model.settings import OVERRIDES, Settings
from reconciler.model.settings import PATH as SETTINGS_PATH
from reconciler.observed import is_observed, odd
from reconciler.overrides import HOME, OVERRIDE
from reconciler.settings import CLUSTER_TARGET, SETTINGS, within

OWN_KINDS = (SETTINGS, OVERRIDE, DEMAND)
"""Kinds of no family, which have places of their own."""
_LIKENESS = 0.8
# Whose documents each of the default folders holds; those of tenants have two.
_ROLES = {"pools": "pool", "providers": "provider", "teams": "team", "tenants": "", "clusters": ""}


def source_kinds(settings: Settings | None = None) -> Kinds:
    """All kinds that people's folders may hold."""
    observed = (settings or Settings()).observed
    demand = f"{observed}/{DEMAND.name}.{DEMAND.id.group}/, where ipam reconcile alone writes"
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME, DEMAND: demand}
    homes_of = {(kind.api_version, kind.name): path for kind, path in homes.items()}
    return Kinds([*_of_families(), CLUSTER_TARGET], homes_of)


def _of_families() -> Iterator[Kind]:
    return (kind for family in families() for kind in family.kinds)


def observed_kinds() -> Kinds:
    """All kinds that the folder of what was observed may hold."""
    kinds = [DEMAND, *_of_families()]
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME}
    return Kinds(kinds, {(kind.api_version, kind.name): path for kind, path in homes.items()})


@lru_cache(maxsize=16)
def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """What reads one source file, by its path and bytes and nothing else."""
    written = partial(load, kinds=source_kinds(settings), judge=partial(_judge, settings=settings))
    judged = partial(_judge_observed, settings=settings)
    seen = partial(load, kinds=observed_kinds(), judge=judged)
    return partial(_read, settings=settings, written=written, seen=seen)


def _read(
    path: str,
    data: bytes,
    settings: Settings,
    written: Callable[[str, bytes], Loaded],
    seen: Callable[[str, bytes], Loaded],
) -> Loaded:
    return (seen if is_observed(settings, path) else written)(path, data)


def _judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document of a right shape, where it stands."""
    return [*misplaced(document, settings), *judge(document, settings)]


def _judge_observed(document: Document, settings: Settings) -> list[Finding]:
    """The same of one that was observed."""
    found = judge_demand(document) if document.kind.id == DEMAND.id else judge(document, settings)
    return [*found, *odd(document, settings.observed)]


def misplaced(document: Document, settings: Settings) -> list[Finding]:
    """A kind in a folder of others: an error where Settings name the folder, else a warning."""
    folder, _, _ = document.path.rpartition("/")
    wrong = _wrong(folder, document.kind, settings.sources, settings.kinds)
    if wrong is None:
        return []
    say, where, hint = wrong
    place = document.at("kind")
    return [say("kind-in-wrong-folder", place, f"{document.title} is in {where}", hint)]


@lru_cache(maxsize=4_096)
def _wrong(
    folder: str,
    kind: Kind,
    sources: tuple[str, ...],
    kinds: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[Callable[..., Finding], str, str] | None:
    """What is said of a kind in a folder, where that is, and the hint: once for all its documents."""
    named = [name for name, _ in kinds if within(folder, name)]
    if named:
        return _forbidden(max(named, key=len), kind.name, dict(kinds))  # the innermost
    source = max((name for name in sources if within(folder, name)), key=len, default="")
    role = role_of(kind)
    homes = [f"{name}/" for name in sources if _ROLES.get(name) == role]
    if _ROLES.get(source, role) == role or not homes:
        return None
    hint = f"move it to {article_list(homes)}; spec.kinds of Settings says what a folder holds"
    return warning, f"{source}/, where nobody looks for it", hint


def _forbidden(
    folder: str, kind: str, kinds: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[..., Finding], str, str] | None:
    if kind in kinds[folder]:
        return None
    only = f"{article_list(kinds[folder], 'and')} only" if kinds[folder] else "nothing"
    homes = [f"{name}/" for name, allowed in kinds.items() if kind in allowed]
    hint = f"move it to {article_list(homes)}" if homes else "see spec.kinds of Settings"
    return error, f"{folder}/, which holds {only}", hint


def is_elsewhere(path: str, settings: Settings) -> bool:
    """A file that nobody reads where it stands, though its name is one of those that are read.

    A hidden folder is some other program's.
    """
    folders = (*settings.folders, settings.records, OVERRIDES)
    is_ours = path == SETTINGS_PATH or any(within(path, folder) for folder in folders)
    return is_meant(path) and not is_ours and not f"/{path}".count("/.")


def is_suspect(path: str, data: bytes) -> bool:
    """Whether a file may hold a document of a kind that is known; costs less than to read it."""
    del path
    return any(group in data for group in _groups())


@lru_cache(maxsize=1)
def _groups() -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(kind.group.encode() for kind in _every_kind()))


@lru_cache(maxsize=1)
def _every_kind() -> dict[GroupKind, Kind]:
    return {kind.id: kind for kind in (*_of_families(), CLUSTER_TARGET, *OWN_KINDS)}


def elsewhere(path: str, data: bytes, settings: Settings) -> Finding | None:
    """What is said of a file outside of the folders that are read, where it holds known kinds.

    Of what is no YAML nothing is said: it is no file of ours.
    """
    lines: dict[Kind, int] = {}
    for kind, line in _held(data) if is_suspect(path, data) else ():
        lines.setdefault(kind, line)
    if not lines:
        return None
    names, folders = few([kind.name for kind in lines]), [f"{it}/" for it in settings.sources]
    message = f"it holds {names}, and counts for nothing: only what is in {few(folders)} is read"
    kind, line = next(iter(lines.items()))
    return warning("file-not-read", Location(path, line, 1), message, _way_in(path, kind, settings))


def _held(data: bytes) -> Iterator[tuple[Kind, int]]:
    """Known kinds of the documents that can be read, each with its line."""
    for parsed in yaml.read(data).documents:
        body = parsed.value if isinstance(parsed.value, dict) else {}
        version, name = body.get("apiVersion"), body.get("kind")
        if isinstance(version, str) and isinstance(name, str):
            kind = _every_kind().get(GroupKind(version.rpartition("/")[0], name))
            if kind is not None:
                yield kind, parsed.line


def _way_in(path: str, kind: Kind, settings: Settings) -> str:
    """Where a document counts: in the folder that seems to be meant, else in that of its kind."""
    own = source_kinds(settings).elsewhere.get((kind.api_version, kind.name))
    if own is not None:
        return f"move it to {own}"
    parts = path.lower().split("/")[:-1]
    near = (nearest(part, settings.sources, _LIKENESS) for part in parts)
    if meant := next(filter(None, near), ""):
        is_so = meant in parts
        return f"move it to {meant}/ at the top" if is_so else f"did you mean {meant}/?"
    homes = [f"{it}/" for it in settings.sources if _ROLES.get(it) == role_of(kind)]
    named = "spec.sources of Settings names the folders"
    return f"move it to {article_list(homes)}; {named}" if homes else named


def schema_files() -> dict[str, str]:
    """The schema of each kind that people write, as `Kind.schema` names it, by kind.

    A name that two kinds or versions share is followed by version and group, as kubectl takes it:
    `Kind.v1.example.org`.
    """
    kinds = [*_of_families(), CLUSTER_TARGET, *OWN_KINDS]
    names = [kind.name for kind in kinds]
    found = {
        kind.name if names.count(kind.name) == 1 else _told_apart(kind): kind.schema
        for kind in kinds
    }
    return dict(sorted(found.items()))


def _told_apart(kind: Kind) -> str:
    _, _, version = kind.api_version.rpartition("/")
    return f"{kind.name}.{version}.{kind.id.group}"
