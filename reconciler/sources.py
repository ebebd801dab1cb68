"""What source folders may hold, and how one file of them is read."""

from collections.abc import Callable
from functools import partial

from reconciler.documents.document import Kind
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.families import families, judge
from reconciler.model.settings import Settings
from reconciler.overrides import HOME, OVERRIDE
from reconciler.settings import CLUSTER_TARGET, SETTINGS
from reconciler.settings import PATH as SETTINGS_PATH


def source_kinds() -> Kinds:
    """All kinds that source folders may hold."""
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET]
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME}
    return Kinds(kinds, {(kind.api_version, kind.name): path for kind, path in homes.items()})


def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """What reads one source file, by its path and bytes and nothing else."""
    return partial(load, kinds=source_kinds(), judge=partial(judge, settings=settings))


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
