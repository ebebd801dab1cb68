"""What one run asks git twice is asked once, and objects are looked up by one process."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reconciler.adapters.git.desk import MOST_BYTES, Desk
from reconciler.adapters.git.failing import Result
from reconciler.adapters.git.objects import headers, read_objects
from reconciler.adapters.git.opening import open_repository
from reconciler.adapters.git.process import GitProcess
from tests.world import ENVIRONMENT, SMALL, commit, git, repository

MISSING = "f" * 40


@pytest.fixture
def author(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that git was started with."""
    found: list[str] = []
    start = GitProcess._start

    def noted(self: GitProcess, arguments: Sequence[str], **how: Any) -> Any:
        found.append(" ".join(arguments))
        return start(self, arguments, **how)

    monkeypatch.setattr(GitProcess, "_start", noted)
    return found


@pytest.fixture
def asking(author: Path) -> GitProcess:
    """Git on the repository, with a desk."""
    return replace(open_repository(author, ENVIRONMENT).git, desk=Desk())


def lookups(asking: GitProcess) -> dict[str, Any]:
    assert asking.desk is not None
    return asking.desk._open


def test_what_is_asked_twice_is_asked_of_git_once(asking: GitProcess, started: list[str]) -> None:
    assert asking.check("rev-list", "HEAD") == asking.check("rev-list", "HEAD")
    pieces = [b"".join(asking.parts("ls-tree", "-z", "HEAD", memory=1 << 28)) for _ in range(2)]
    assert pieces[0] == pieces[1] != b""
    assert started == ["rev-list HEAD", "ls-tree -z HEAD"]


def test_what_failed_is_remembered_with_its_words(asking: GitProcess, started: list[str]) -> None:
    ran = [asking.run("rev-list", MISSING) for _ in range(2)]
    assert ran[0] == ran[1]
    assert ran[0].status != 0
    assert MISSING in ran[0].err
    assert len(started) == 1


def test_what_is_left_early_is_not_taken_for_the_answer(asking: GitProcess) -> None:
    early = asking.parts("ls-tree", "-z", "HEAD", memory=1 << 28)
    next(early)
    early.close()
    assert asking.desk is not None
    assert asking.desk.known(("ls-tree", "-z", "HEAD"), None) is None


def test_what_writes_is_done_each_time(asking: GitProcess, started: list[str]) -> None:
    for _ in range(2):
        asking.check("hash-object", "-w", "--stdin", data=b"text")
    assert len(started) == 2


def test_a_long_answer_is_not_kept() -> None:
    desk = Desk()
    question = ("ls-tree", "HEAD")
    desk.note(question, None, Result(0, b"x" * (MOST_BYTES + 1), ""))
    assert desk.known(question, None) is None
    said = [b"x" * MOST_BYTES, b"y"]
    assert list(desk.pieces(question, None, said)) == said
    assert desk.known(question, None) is None


def test_one_process_looks_up_all_objects_also_behind_one_that_is_missing(
    asking: GitProcess, author: Path, started: list[str]
) -> None:
    blob = git(author, "rev-parse", "HEAD:pools/edge.yaml")
    found = [headers(asking, names) for names in (["HEAD"], [MISSING, blob], ["HEAD^{tree}"])]
    assert [it.kind if it else None for part in found for it in part] == [
        "commit",
        None,
        "blob",
        "tree",
    ]
    (first,) = read_objects(asking, [blob])
    missing, again = read_objects(asking, [MISSING, blob])
    assert first is not None
    assert first.data == (author / "pools/edge.yaml").read_bytes()
    assert (missing, again) == (None, first)
    assert started == ["cat-file --batch-check", "cat-file --batch"]


def test_an_object_that_is_longer_than_a_pipe_is_read_whole(
    asking: GitProcess, author: Path
) -> None:
    (author / "large").write_bytes(os.urandom(200_000))
    commit(author, "large")
    names = ["HEAD:large", "HEAD:pools/edge.yaml"]
    read = read_objects(asking, names)
    assert [it.data if it else None for it in read] == [
        (author / name.partition(":")[2]).read_bytes() for name in names
    ]


def test_where_the_process_has_ended_another_one_is_asked(
    asking: GitProcess, started: list[str]
) -> None:
    headers(asking, ["HEAD"])
    (lookup,) = lookups(asking).values()
    lookup._process.kill()
    lookup._process.wait()
    (head,) = headers(asking, ["HEAD"])
    assert head is not None
    assert started[1:] == ["cat-file --batch-check --buffer"]
    assert lookups(asking) == {}


def test_many_names_are_asked_by_files(asking: GitProcess, started: list[str]) -> None:
    assert headers(asking, [MISSING] * 1_000) == [None] * 1_000
    assert started == ["cat-file --batch-check --buffer"]


def test_a_forked_process_does_not_speak_into_the_pipes_of_the_first(
    asking: GitProcess, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    headers(asking, ["HEAD"])
    (lookup,) = lookups(asking).values()
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        headers(asking, ["HEAD"])
        assert asking.desk is not None
        asking.desk.close()
    assert lookup._process.poll() is None
    assert started == ["cat-file --batch-check", "cat-file --batch-check --buffer"]


def test_a_desk_that_is_closed_leaves_no_process(asking: GitProcess) -> None:
    assert asking.desk is not None
    apart = replace(asking, desk=asking.desk.apart())
    headers(asking, ["HEAD"])
    headers(apart, ["HEAD"])
    processes = [it._process for git in (asking, apart) for it in lookups(git).values()]
    asking.desk.close()
    assert [it.poll() for it in processes] == [0, 0]


def test_a_desk_that_nobody_has_any_more_leaves_no_process(asking: GitProcess) -> None:
    headers(asking, ["HEAD"])
    (lookup,) = lookups(asking).values()
    process = lookup._process
    del lookup
    object.__setattr__(asking, "desk", None)
    assert process.poll() == 0
