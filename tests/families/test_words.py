"""No file outside a family's folder speaks of its API: a further family changes no other file."""

import ast
import re
from pathlib import Path

import pytest

from reconciler.families import families
from reconciler.families._family import Family
from tests.caches import ROOT

PACKAGE = ROOT / "reconciler"
# The kind that records are written as is no family's, though it bears the name of one: its words
# have this one home, and everybody takes them from there.
HOME = "model/record_kind.py"
# A kind may be called by a word that others have, too: Kubernetes calls a scope so, and we a port.
COMMON = frozenset({"Cluster"})
# So does the library that reads addresses.
LIBRARY = "netaddr.IPAddress"

FILES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if not path.is_relative_to(PACKAGE / "families") or path.parent == PACKAGE / "families"
)


def words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Groups; kinds whose names are like no other word; kinds that are called by a plain word."""
    kinds = [kind.id for family in families() for kind in family.kinds]
    groups = frozenset(kind.group for kind in kinds)
    odd = frozenset(kind.kind for kind in kinds if re.search(r"[a-z][A-Z]|[A-Z]{2}", kind.kind))
    return groups, odd, frozenset(kind.kind for kind in kinds) - odd - COMMON


def spoken(path: Path) -> list[str]:
    """The words of families in a file.

    A group or a kind like `NetworkPool` counts wherever it stands, in code, text and comment, also
    in the plural. A plain word like `Team` counts only where it is a value.
    """
    text = path.read_text(encoding="utf-8").replace(LIBRARY, "netaddr.its")
    groups, odd, plain = words()
    found = [group for group in groups if group in text]
    found += [kind for kind in odd if re.search(rf"\b{kind}(?:s|List)?\b", text)]
    values = {
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return sorted([*found, *(plain & values)])


@pytest.mark.parametrize("name", [name for name in FILES if name != HOME])
def test_a_file_outside_the_folders_of_families_names_none_of_their_words(name: str) -> None:
    assert spoken(PACKAGE / name) == []


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_nobody_outside_the_folder_of_a_family_imports_it(family: Family) -> None:
    own = re.compile(rf"reconciler\.families\.{family.name}\b")
    found = [name for name in FILES if own.search((PACKAGE / name).read_text(encoding="utf-8"))]
    assert found == []


def test_the_record_has_one_home() -> None:
    assert spoken(PACKAGE / HOME) == ["IPAllocation", "butler.butlerlabs.dev"]
