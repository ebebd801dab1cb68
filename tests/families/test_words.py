"""What only a family knows stands in its folder: nobody else names its kinds, or imports it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.families._family import Family
from tests.documentation import ROOT
from tests.families.test_conformance import every_family

PROGRAM = ROOT / "reconciler"
ROOMS = ("adapters", "cli", "clusters", "commands", "ports", "report")
RECORDS = (IP_ALLOCATION.kind, IP_ALLOCATION.group)
"""Records have a kind of Butler's API, which is nobody's: `contract.md` §3."""


def words(family: Family) -> frozenset[str]:
    """Kinds and groups of a family."""
    kinds = [(kind.name, kind.api_version.partition("/")[0]) for kind in family.kinds]
    served = [(kind.kind, kind.group) for kind in family.objects.resources]
    return frozenset(word for found in (*kinds, *served) for word in found).difference(RECORDS)


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    return tuple(_sources())


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((PROGRAM / room).rglob("*.py")):
            yield str(path.relative_to(PROGRAM)), ast.parse(path.read_text(encoding="utf-8"))


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
    found = [(path, text) for path, module in sources() for text in texts(module)
             if own.search(text)]  # fmt: skip
    assert found == []


@every_family
def test_nobody_else_imports_it(family: Family) -> None:
    own = re.compile(rf"reconciler\.families\.{family.name}\b")
    found = [
        (path, node.module)
        for path, module in sources()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and own.match(node.module or "")
    ]
    assert found == []


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_looked_at(room: str) -> None:
    assert any(Path(path).parts[0] == room for path, _ in sources())
