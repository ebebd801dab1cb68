"""Changes with objects that Git, or a checkout, cannot use: an error, or nothing that follows fails."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.world import SMALL, git, repository

LONG = "d" * 200
Entries = Sequence[tuple[str, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", {**SMALL, "README.md": "read me\n"})


def raw_tree(folder: Path, entries: Entries) -> str:
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    return git(folder, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", data=data)


def blob(folder: Path, data: bytes) -> str:
    return git(folder, "hash-object", "-w", "--stdin", data=data)


def listed(folder: Path, tree: str) -> list[tuple[str, str, str]]:
    lines = (it.split(None, 3) for it in git(folder, "ls-tree", tree).splitlines())
    return [(mode.lstrip("0"), name, oid) for mode, _, oid, name in lines]


def with_entry(folder: Path, mode: str, name: str, oid: str) -> str:
    """The tree of main with an entry more, in Git's own order."""
    entries = [*listed(folder, "main^{tree}"), (mode, name, oid)]
    entries.sort(key=lambda it: (it[1] + "/" * (it[0] == "40000")).encode())
    return raw_tree(folder, entries)


def committed(folder: Path, tree: str, parent: str = "main") -> str:
    return git(folder, "commit-tree", "-m", "odd", "-p", parent, tree)


def link(target: bytes) -> Callable[[Path], str]:
    return lambda folder: with_entry(folder, "120000", "l", blob(folder, target))


def named(name: str, mode: str = "100644") -> Callable[[Path], str]:
    return lambda folder: with_entry(folder, mode, name, blob(folder, b"x\n"))


def in_folder(name: str) -> Callable[[Path], str]:
    def tree(folder: Path) -> str:
        below = raw_tree(folder, [("100644", "config", blob(folder, b"x\n"))])
        return with_entry(folder, "40000", name, below)

    return tree


def deep(folder: Path) -> str:
    below = raw_tree(folder, [("100644", "f", blob(folder, b"x\n"))])
    for _ in range(20):
        below = raw_tree(folder, [("40000", LONG, below)])
    return with_entry(folder, "40000", LONG, below)


def unsorted(folder: Path) -> str:
    entries = [("100644", "b", blob(folder, b"x\n")), ("100644", "a", blob(folder, b"y\n"))]
    return with_entry(folder, "40000", "docs", raw_tree(folder, entries))


def twice_below(folder: Path) -> str:
    entries = [("100644", "a", blob(folder, b"x\n")), ("100644", "a", blob(folder, b"y\n"))]
    return with_entry(folder, "40000", "docs", raw_tree(folder, entries))


def of_kind(mode: str, rev: str) -> Callable[[Path], str]:
    return lambda folder: with_entry(folder, mode, "o", git(folder, "rev-parse", rev))


WRONG: dict[str, Callable[[Path], str]] = {
    "a folder .git by another name": in_folder(".g\u200cit"),
    "a folder git~1": in_folder("git~1"),
    "a folder .. ": in_folder(".."),
    "one name twice": named("README.md"),
    "one name twice in a folder that is not read": twice_below,
    "a file and a folder of one name": in_folder("README.md"),
    "names out of order": unsorted,
    "a name with a slash": named("docs/x"),
    "a name without letters": named(""),
    "a backslash and .git": named("a\\.git\\x"),
    ".gitmodules as a link": named(".gitmodules", "120000"),
    ".gitmodules as a link by another name": named("GITMOD~1", "120000"),
    ".gitmodules as a link by a further name": named("gi7eba~1", "120000"),
    "a name of 256 bytes": named("n" * 256),
    "a path of over 4,000 bytes": deep,
    "a link without a target": link(b""),
    "a link with a zero byte": link(b"\0x"),
    "a link that is too long": link(b"a/" * 2_048),
    "a mode that Git does not write": named("a", "100600"),
    "a folder as a file": of_kind("100644", "main^{tree}"),
    "a commit as a file": of_kind("100644", "main"),
    "a submodule of nothing": lambda folder: with_entry(folder, "160000", "s", "0" * 40),
}
RIGHT: dict[str, Callable[[Path], str]] = {
    ".gitmodules with odd names": lambda folder: with_entry(
        folder, "100644", ".gitmodules", blob(folder, b'[submodule "../../x"]\n\tpath = -x\n')
    ),
    ".gitattributes with a line of 3,000 bytes": lambda folder: with_entry(
        folder, "100644", ".gitattributes", blob(folder, b"a" * 3_000 + b" text\n")
    ),
    ".gitattributes as a link": named(".gitattributes", "120000"),
    "a link of 4,095 bytes": link(b"a/" * 2_047 + b"a"),
    "a folder .git without files": lambda folder: with_entry(
        folder, "40000", ".git", raw_tree(folder, [])
    ),
    "names in Latin-1": lambda folder: git(
        folder,
        *("hash-object", "-t", "tree", "-w", "--literally", "--stdin"),
        data=b"".join(
            b"100644 " + name + b"\0" + bytes.fromhex(blob(folder, b"x\n"))
            for name in (b"\xe8", b"\xe9")
        ),
    ),
}


def check(folder: Path, rev: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = run(["check", "--repo", str(folder), "--base", "main", "--rev", rev])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out + said.err


@pytest.mark.parametrize("form", WRONG)
def test_a_tree_that_no_checkout_can_write_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    made = committed(folder, WRONG[form](folder))
    back = committed(folder, "main^{tree}", made)
    for rev in (made, back):  # also if the next commit of the change removes it
        code, said = check(folder, rev, capsys)
        assert code != 0, said
        assert "path-invalid" in said or code == 4, said


@pytest.mark.parametrize(
    "message", [b"a\0b\n", b"a" * (1 << 20) + b"b"], ids=["zero byte", "too long"]
)
def test_a_commit_message_that_git_cuts_off_or_that_has_no_end_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str], message: bytes
) -> None:
    text = git(folder, "cat-file", "commit", committed(folder, "main^{tree}")).encode()
    head = text.partition(b"\n\n")[0]
    how = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
    made = git(folder, *how, data=head + b"\n\n" + message)
    for rev in (made, committed(folder, "main^{tree}", made)):
        code, said = check(folder, rev, capsys)
        assert code == 1, said
        assert "a message " in said


@pytest.mark.parametrize("form", RIGHT)
def test_what_check_passes_makes_nothing_fail_that_follows(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    tree = RIGHT[form](folder)
    if "Latin" in form:
        tree = with_entry(folder, "40000", "docs", tree)
    made = committed(folder, tree)
    code, said = check(folder, made, capsys)
    assert code == 0, said
    bare, clone = tmp_path / "bare.git", tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--bare", str(folder), str(bare))
    git(tmp_path, "clone", "-q", str(bare), str(clone))
    git(folder, "push", "-q", str(bare), f"{made}:refs/heads/main")
    assert run(["reconcile", "--no-apply", "--repo", str(clone)]) == 0
    assert run(["reconcile", "--no-apply", "--remote", f"file://{bare}"]) == 0
    assert run(["check", "--repo", str(clone)]) == 0
    git(tmp_path, "clone", "-q", str(bare), str(tmp_path / "new"))


def test_what_the_base_has_already_is_not_an_error_of_a_change_or_of_a_merge_of_the_base(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = git(folder, "rev-parse", "main")
    odd = committed(folder, twice_below(folder))
    git(folder, "update-ref", "refs/heads/main", odd)
    own = committed(folder, git(folder, "rev-parse", f"{before}^{{tree}}"), before)
    merge = git(folder, "commit-tree", "-m", "m", "-p", own, "-p", odd, f"{odd}^{{tree}}")
    top = committed(folder, with_entry(folder, "100644", "x", blob(folder, b"x\n")), merge)
    code, said = check(folder, top, capsys)
    assert code == 0, said


def test_a_file_outside_of_the_root_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = {f"infra/ipam/{path}": text for path, text in SMALL.items()}
    folder = repository(tmp_path / "repo", inside)
    made = committed(folder, named("n" * 256)(folder))
    capsys.readouterr()
    code = run(
        ["check", "--repo", str(folder), "--root", "infra/ipam", "--base", "main", "--rev", made]
    )
    said = capsys.readouterr().out
    assert code == 1
    assert f"{'n' * 256}: the path has a name of more than 255 bytes" in said
