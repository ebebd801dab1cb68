"""Trees that no checkout can write: each such path is one finding, and none of it is read."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reconciler.gitio.repository import open_repository
from tests.world import ENVIRONMENT, SMALL, git, repository

LONG = "a" * 256


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "r", SMALL)


def raw_tree(folder: Path, entries: Sequence[tuple[str, str, str]]) -> str:
    """Write a tree, whatever Git thinks of it."""
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    return git(folder, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", data=data)


def findings(folder: Path, tree: str) -> list[tuple[str, str]]:
    made = git(folder, "commit-tree", "-m", "odd", "-p", "HEAD", tree)
    source = open_repository(folder, ENVIRONMENT).source(made)
    assert [entry.path for entry in source.entries(["pools"])] == ["pools/z.yaml"]
    return [(item.code, item.location.path) for item in source.findings()]


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".git ", ".git.", ".git:x", LONG])
def test_a_name_that_no_checkout_can_write_is_a_finding(folder: Path, name: str) -> None:
    blob = git(folder, "hash-object", "-w", "--stdin", data=b"a: 1\n")
    pools = raw_tree(folder, [("100644", name, blob), ("100644", "z.yaml", blob)])
    found = findings(folder, raw_tree(folder, [("40000", "pools", pools)]))
    assert found == [("path-invalid", f"pools/{name}")]


def test_a_name_that_occurs_twice_is_a_finding(folder: Path) -> None:
    one = git(folder, "hash-object", "-w", "--stdin", data=b"a: 1\n")
    two = git(folder, "hash-object", "-w", "--stdin", data=b"a: 2\n")
    entries = [("100644", "a.yaml", one), ("100644", "a.yaml", two), ("100644", "z.yaml", one)]
    pools = raw_tree(folder, entries)
    found = findings(folder, raw_tree(folder, [("40000", "pools", pools)]))
    assert found == [("path-invalid", "pools/a.yaml")]


def test_a_path_that_is_too_long_is_a_finding(folder: Path) -> None:
    blob = git(folder, "hash-object", "-w", "--stdin", data=b"a: 1\n")
    below = raw_tree(folder, [("100644", "a.yaml", blob)])
    for _ in range(20):
        below = raw_tree(folder, [("40000", "d" * 200, below)])
    entries = [("40000", "d", below), ("100644", "z.yaml", blob)]
    found = findings(folder, raw_tree(folder, [("40000", "pools", raw_tree(folder, entries))]))
    assert [code for code, _ in found] == ["path-invalid"]
