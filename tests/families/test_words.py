"""What only a family knows stands in its folder: nobody else names its kinds, or imports it."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.families._family import Family
from tests.documentation import ROOT
from tests.families.test_conformance import every_family

PROGRAM = ROOT / "reconciler"
RECORDS = (IP_ALLOCATION.kind, IP_ALLOCATION.group)
"""Records have a kind of Butler's API, which is nobody's: `contract.md` §3."""


def words(family: Family) -> frozenset[str]:
    """Kinds and groups of a family."""
    kinds = [(kind.name, kind.api_version.partition("/")[0]) for kind in family.kinds]
    served = [(kind.kind, kind.group) for kind in family.objects.resources]
    return frozenset(word for found in (*kinds, *served) for word in found).difference(RECORDS)


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """All modules of the program, by path."""
    return tuple(
        (path.relative_to(PROGRAM).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(PROGRAM.rglob("*.py"))
    )


def others(family: Family) -> Iterator[tuple[str, ast.Module]]:
    """The modules outside its folder."""
    return (item for item in modules() if not item[0].startswith(f"families/{family.name}/"))


def texts(module: ast.Module) -> Iterator[str]:
    """All texts of a module but those that only explain something."""
    explaining = {
        id(node.value)
        for node in ast.walk(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(module):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and id(node) not in explaining:
            yield value


@every_family
def test_nobody_else_names_its_kinds(family: Family) -> None:
    own = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in sorted(words(family))))
    found = [(path, text) for path, module in others(family) for text in texts(module)
             if own.search(text)]  # fmt: skip
    assert found == []


@every_family
def test_nobody_else_imports_it(family: Family) -> None:
    own = re.compile(rf"reconciler\.families\.{family.name}\b")
    found = [
        (path, node.module)
        for path, module in others(family)
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and own.match(node.module or "")
    ]
    assert found == []


def test_the_whole_program_is_looked_at() -> None:
    rooms = {path.partition("/")[0] for path, _ in modules()}
    assert {"cli", "clusters", "commands", "families", "records", "report"} <= rooms
