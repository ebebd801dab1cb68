"""No file outside a family's folder speaks of its API: a further family changes no other file."""

import ast
import re
from pathlib import Path

import pytest

from reconciler.families import families
from tests.caches import ROOT

PACKAGE = ROOT / "reconciler"
# The kind that records are written as is no family's, though it bears the name of one: its words
# have this one home, and everybody takes them from there.
HOME = "model/record_kind.py"

# What still has to lose a family's words. A file that is clean must be taken from this list.
OWED: tuple[str, ...] = (
    "cli/author.py",
    "cli/demo.py",
    "cli/inspect.py",
    "cli/review.py",
    "clusters/events.py",
    "clusters/infrastructure.py",
    "clusters/intent.py",
    "clusters/resources.py",
    "clusters/rights.py",
    "commands/applying/access.py",
    "commands/applying/memory.py",
    "commands/applying/pool_events.py",
    "commands/applying/targets.py",
    "commands/doctor_cluster.py",
    "commands/simulate.py",
    "report/listing.py",
)

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
    return groups, odd, frozenset(kind.kind for kind in kinds) - odd


def spoken(path: Path) -> list[str]:
    """The words of families in a file.

    A group or a kind like `NetworkPool` counts wherever it stands, in code, text and comment, also
    in the plural. A plain word like `Team` counts only where it is a value.
    """
    text = path.read_text(encoding="utf-8")
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
    found = spoken(PACKAGE / name)
    if name in OWED:
        assert found, f"{name} is clean: take it from the list of what is owed"
    else:
        assert not found


def test_what_is_owed_is_there_and_the_record_has_one_home() -> None:
    assert set(OWED) <= set(FILES)
    assert spoken(PACKAGE / HOME) == ["IPAllocation", "butler.butlerlabs.dev"]
