"""What source folders may hold, and how one file of them is read.

A reviewer is asked by folder (CODEOWNERS): a pool in the folder of a tenant would be nobody's to
review but the tenant's. So Settings say which kinds a folder holds; where they do not, a kind in
the usual folder of others is a warning.
"""

from collections.abc import Callable
from functools import partial

from reconciler.documents.document import Document, Kind
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.families import families, judge, role_of
from reconciler.findings import Finding, article_list, error, warning
from reconciler.model.settings import Settings
from reconciler.overrides import HOME, OVERRIDE
from reconciler.settings import CLUSTER_TARGET, SETTINGS, within
from reconciler.settings import PATH as SETTINGS_PATH

# Whose documents each of the default folders holds; those of tenants have two.
_ROLES = {"pools": "pool", "providers": "provider", "teams": "team", "tenants": "", "clusters": ""}


def source_kinds() -> Kinds:
    """All kinds that source folders may hold."""
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET]
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME}
    return Kinds(kinds, {(kind.api_version, kind.name): path for kind, path in homes.items()})


def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """What reads one source file, by its path and bytes and nothing else."""
    return partial(load, kinds=source_kinds(), judge=partial(_judge, settings=settings))


def _judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document of a right shape, where it stands."""
    return [*misplaced(document, settings), *judge(document, settings)]


def misplaced(document: Document, settings: Settings) -> list[Finding]:
    """A kind in a folder of others: an error where Settings name the folder, else a warning."""
    kind = document.kind.name
    named = [folder for folder, _ in settings.kinds if within(document.path, folder)]
    if named:  # the innermost
        folder = max(named, key=len)
        allowed = dict(settings.kinds)[folder]
        if kind in allowed:
            return []
        only = f"{article_list(allowed, 'and')} only" if allowed else "nothing"
        message = f"{document.title} is in {folder}/, which holds {only}"
        homes = [f"{name}/" for name, kinds in settings.kinds if kind in kinds]
        hint = f"move it to {article_list(homes)}" if homes else "see spec.kinds of Settings"
        return [error("kind-in-wrong-folder", document.at("kind"), message, hint)]
    source = max((it for it in settings.sources if within(document.path, it)), key=len, default="")
    role = role_of(document.kind)
    homes = [f"{name}/" for name in settings.sources if _ROLES.get(name) == role]
    if _ROLES.get(source, role) == role or not homes:
        return []
    message = f"{document.title} is in {source}/, where nobody looks for it"
    hint = f"move it to {article_list(homes)}; spec.kinds of Settings says what a folder holds"
    return [warning("kind-in-wrong-folder", document.at("kind"), message, hint)]


def schema_files() -> dict[str, str]:
    """The schema of each kind that people write, as `Kind.schema` names it, by kind.

    A name that two kinds or versions share is followed by version and group, as kubectl takes it:
    `Kind.v1.example.org`.
    """
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET]
    kinds += [SETTINGS, OVERRIDE]
    names = [kind.name for kind in kinds]
    found = {
        kind.name if names.count(kind.name) == 1 else _told_apart(kind): kind.schema
        for kind in kinds
    }
    return dict(sorted(found.items()))


def _told_apart(kind: Kind) -> str:
    _, _, version = kind.api_version.rpartition("/")
    return f"{kind.name}.{version}.{kind.id.group}"
