"""Commits that fail git fsck: formats of old tools are accepted, misleading objects are not."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

WHO = "A Person <a@example.com>"
# Author or committer with date. Each is an error of `git fsck --strict`.
ODD = {
    "badTimezone": (f"{WHO} {CLOCK + 10} +051800", f"{WHO} {CLOCK + 10} +0000"),
    "badTimezone of who committed": (f"{WHO} {CLOCK + 10} +0000", f"{WHO} {CLOCK + 10} -7"),
    "missingSpaceBeforeDate": (f"{WHO}{CLOCK + 10} +0000", f"{WHO}{CLOCK + 10} +0000"),
    "missingSpaceBeforeEmail": (f"A<a@x> {CLOCK + 10} +0000", f"A<a@x> {CLOCK + 10} +0000"),
    "missingNameBeforeEmail": (f"<a@x> {CLOCK + 10} +0000", f"<a@x> {CLOCK + 10} +0000"),
    "badEmail": (f"A <a<x> {CLOCK + 10} +0000", f"A <a<x> {CLOCK + 10} +0000"),
    "zeroPaddedDate": (f"{WHO} 0{CLOCK + 10} +0000", f"{WHO} 0{CLOCK + 10} +0000"),
    "multipleAuthors": (
        f"{WHO} {CLOCK} +0000\nauthor {WHO} {CLOCK} +0000", f"{WHO} {CLOCK + 10} +0000",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


def literally(folder: Path, kind: str, data: bytes) -> str:
    return git(folder, "hash-object", "-t", kind, "-w", "--stdin", "--literally", data=data)


def add(folder: Path, author: str, committer: str, tree: str = "HEAD^{tree}") -> None:
    ids = git(folder, "rev-parse", tree, "HEAD").split()
    head = f"tree {ids[0]}\nparent {ids[1]}\nauthor {author}\ncommitter {committer}\n\nold\n"
    git(folder, "update-ref", "refs/heads/main", literally(folder, "commit", head.encode()))


def padded(folder: Path) -> str:
    """The tree of the branch, with modes as some tools wrote them."""
    lines = git(folder, "ls-tree", "HEAD").splitlines()
    parts = [(line.split("\t")[1], *line.split("\t")[0].split(" ")) for line in lines]
    entries = (
        b"0%s %s\0%s" % (mode.encode(), name.encode(), bytes.fromhex(oid))
        for name, mode, _, oid in parts
    )
    return literally(folder, "tree", b"".join(entries))


def remote(folder: Path) -> Path:
    """Return a bare repository with all objects, as from a server without checks."""
    made = folder.parent / "remote.git"
    git(folder, "clone", "-q", "--bare", "-c", "core.hooksPath=/dev/null", str(folder), str(made))
    return made


def test_a_history_with_what_old_tools_wrote_is_fetched(folder: Path) -> None:
    git(folder, "clone", "-q", "--bare", str(folder), str(folder.parent / "before.git"))
    for author, committer in ODD.values():
        add(folder, author, committer)
    add(folder, *ODD["badTimezone"], tree=padded(folder))
    git(folder, "reset", "-q", "--hard")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "new", CLOCK + 60)
    bare = remote(folder)
    clone = folder.parent / "clone"
    git(folder.parent, "clone", "-q", str(folder.parent / "before.git"), str(clone))
    git(clone, "remote", "set-url", "origin", str(bare))
    assert run(["reconcile", "--repo", str(clone)]) == 0
    assert run(["doctor", "--remote", str(bare)]) == 0


@pytest.mark.parametrize(
    "name", [".git", ".GIT", "git~1", ".git ", ".git.", ".git:x", "..", "edge.yaml", "n" * 256]
)
def test_names_that_no_checkout_can_write_are_findings(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    blob = bytes.fromhex(git(folder, "rev-parse", "HEAD:pools/edge.yaml"))
    entries = sorted(b"100644 %s\0%s" % (it.encode(), blob) for it in ("edge.yaml", name))
    pools = literally(folder, "tree", b"".join(entries))
    kept = bytes.fromhex(git(folder, "rev-parse", "HEAD:tenants"))
    odd = b"40000 pools\0%s40000 tenants\0%s" % (bytes.fromhex(pools), kept)
    when = f"{WHO} {CLOCK + 10} +0000"
    add(folder, when, when, tree=literally(folder, "tree", odd))
    served = remote(folder)
    head = git(served, "rev-parse", "main")
    assert run(["reconcile", "--remote", str(served)]) == 1
    assert "error path-invalid" in capsys.readouterr().err
    assert git(served, "rev-parse", "main") == head
