"""The APIs that pools and claims are written in: one module each, found by scanning this folder."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from reconciler.documents.document import Document
from reconciler.families._family import Family
from reconciler.findings import Finding
from reconciler.model.settings import Settings


@cache
def families() -> tuple[Family, ...]:
    """All families, by the names of their modules.

    Raises:
        ValueError: Two families claim one kind.
    """
    found: list[Family] = []
    seen: dict[tuple[str, str], str] = {}
    for module in sorted(iter_modules(__path__), key=lambda item: item.name):
        if module.name.startswith("_"):
            continue
        family: Family = import_module(f"{__name__}.{module.name}").FAMILY
        for kind in family.kinds:
            other = seen.setdefault((kind.api_version, kind.name), family.name)
            if other != family.name:
                raise ValueError(f"{other} and {family.name} both read {kind.name}")
        found.append(family)
    return tuple(found)


def judge(document: Document, settings: Settings) -> list[Finding]:
    """What contradicts itself in a document of any family; empty when it can be read."""
    family = _by_kind().get((document.kind.api_version, document.kind.name))
    return family.judge(document, settings) if family is not None else []


@cache
def _by_kind() -> dict[tuple[str, str], Family]:
    return {(kind.api_version, kind.name): family for family in families() for kind in family.kinds}


@cache
def shared_kinds() -> tuple[str, ...]:
    """Kinds whose documents bear on all others."""
    return tuple(kind.name for family in families() for kind in family.kinds if kind.is_shared)
