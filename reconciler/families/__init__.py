"""The APIs that pools and claims are written in: one module each, found by scanning this folder."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from reconciler.families._family import Family


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
