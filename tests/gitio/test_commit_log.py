"""The commit log of a real repository: changed files of each commit, including merges."""

from pathlib import Path

import pytest

from reconciler.gitio.history import CommitLog
from reconciler.gitio.interface import CommitRow
from reconciler.gitio.repository import open_repository
from tests.world import CLOCK, ENVIRONMENT, commit, git, repository, write

PATHS = ["allocations", "tenants"]


def log_of(folder: Path) -> CommitLog:
    return CommitLog(open_repository(folder, ENVIRONMENT).git)


def rows(folder: Path, rev: str = "HEAD") -> list[CommitRow]:
    return list(log_of(folder).line(git(folder, "rev-parse", rev), PATHS))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A merge of a change of two commits, a commit elsewhere, and one that removes."""
    folder = repository(tmp_path / "repo", {"tenants/a.yaml": "a: 1\n", "README.md": "x\n"})
    git(folder, "checkout", "-q", "-b", "change")
    for number in (2, 3):
        write(folder, {"tenants/a.yaml": f"a: {number}\n", f"allocations/{number}.yaml": "r: 1\n"})
        commit(folder, f"step {number}", CLOCK + number)
    git(folder, "checkout", "-q", "main")
    merge = "Merge pull request #12 from x/change\n\nBody\n"
    git(folder, "merge", "-q", "--no-ff", "-m", merge, "change", clock=CLOCK + 10)
    write(folder, {"README.md": "y\n"})
    commit(folder, "elsewhere", CLOCK + 20)
    (folder / "allocations/2.yaml").unlink()
    commit(folder, "remove\n\n:100644 looks like a file", CLOCK + 30)
    return folder


def test_each_commit_of_the_line_that_touched_something_is_told_newest_first(repo: Path) -> None:
    found = rows(repo)
    assert [row.subject for row in found] == [
        "remove",
        "Merge pull request #12 from x/change",
        "first",
    ]
    assert [[touch.path for touch in row.touched] for row in found] == [
        ["allocations/2.yaml"],
        ["allocations/2.yaml", "allocations/3.yaml", "tenants/a.yaml"],
        ["tenants/a.yaml"],
    ]
    assert [row.request for row in found] == ["", "#12", ""]
    assert (found[0].clock, found[0].author) == (CLOCK + 30, "A Person <person@example.com>")
    removed, (changed,) = found[0].touched[0], found[2].touched
    assert (removed.new, changed.old) == ("", "")
    assert removed.old == git(repo, "rev-parse", "HEAD~1:allocations/2.yaml")


def test_settings_of_the_repository_change_nothing(repo: Path) -> None:
    expected = rows(repo)
    for name, value in (
        ("log.showRoot", "false"),
        ("log.diffMerges", "off"),
        ("diff.renames", "copies"),
    ):
        git(repo, "config", name, value)
    assert rows(repo) == expected


def test_what_is_no_file_counts_as_none(repo: Path) -> None:
    (repo / "tenants/link.yaml").symlink_to("a.yaml")
    commit(repo, "link", CLOCK + 40)
    (touch,) = rows(repo)[0].touched
    assert (touch.path, touch.old, touch.new) == ("tenants/link.yaml", "", "")


def test_a_very_long_message_is_cut_and_breaks_nothing(repo: Path) -> None:
    write(repo, {"tenants/b.yaml": "b: 1\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-F", "-", data=b"long\n\n" + b"word " * 400_000, clock=CLOCK + 50)
    write(repo, {"tenants/b.yaml": "b: 2\n"})
    commit(repo, "after", CLOCK + 60)
    assert [row.subject for row in rows(repo)][:3] == ["after", "long", "remove"]


@pytest.mark.parametrize(
    ("committer", "says", "clock"),
    [
        (f"P <p@x> {CLOCK + 50} +0000", "\nencoding UTF-16", CLOCK + 50),
        (f"P <p@x> {CLOCK + 50} +0000", "\nencoding IBM037", CLOCK + 50),
        (f"P <p@x> {CLOCK + 50} +0000", "\nencoding nonsense", CLOCK + 50),
        ("P <p@x>", "", 0),
        ("P <p@x> -5 +0000", "", 0),
    ],
)
def test_a_commit_that_git_cannot_read_as_it_says_is_read_as_it_is(
    repo: Path, committer: str, says: str, clock: int
) -> None:
    write(repo, {"tenants/b.yaml": "b: 1\n"})
    git(repo, "add", "-A")
    tree, parent = git(repo, "write-tree"), git(repo, "rev-parse", "HEAD")
    head = f"tree {tree}\nparent {parent}\nauthor P <p@x> 0 +0000\ncommitter {committer}{says}"
    # Of an odd number of bytes git says itself that it is no UTF-16.
    data = f"{head}\n\nSay so (#12)\n".encode()
    data += b"\n" * (len(data) % 2)
    odd = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=data)
    git(repo, "reset", "-q", "--hard", odd)
    write(repo, {"tenants/b.yaml": "b: 2\n"})
    commit(repo, "after", CLOCK + 60)
    after, found, *older = rows(repo)
    assert (after.subject, older[0].subject) == ("after", "remove")
    assert found[:5] == (odd, clock, "P <p@x>", "Say so (#12)", "#12")
    assert [touch.path for touch in found.touched] == ["tenants/b.yaml"]


def test_where_a_clone_is_cut_off_what_its_oldest_commit_touched_is_not_told(
    repo: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--depth=3", f"file://{repo}", "shallow")
    found = rows(tmp_path / "shallow")
    assert [(row.subject[:5], row.is_cut, len(row.touched)) for row in found] == [
        ("remov", False, 1),
        ("Merge", True, 0),
    ]
    assert log_of(tmp_path / "shallow").is_cut()
    assert not log_of(repo).is_cut()


def test_a_moment_means_the_newest_commit_that_is_not_later(repo: Path) -> None:
    log = log_of(repo)
    for after, name in ((0, "HEAD~3"), (3, "HEAD~3"), (10, "HEAD~2"), (29, "HEAD~1"), (99, "HEAD")):
        found = log.before("HEAD", CLOCK + after)
        assert found is not None
        assert found.id == git(repo, "rev-parse", name), after
    assert log.before("HEAD", CLOCK - 1) is None
