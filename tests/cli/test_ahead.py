"""What is asked of git while the program is loaded changes nothing but when it is asked."""

import json
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from reconciler.adapters.children import Ended
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.repository import GitRepository
from reconciler.cli.shared import ahead
from tests.cli.running import environment, given_out, ipam
from tests.world import SMALL, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
# A run that notes which modules another thread than the first one loads.
NOTED = """
import builtins, json, sys, threading
from reconciler.cli import run
found, load = [], builtins.__import__
def noted(name, *how):
    before = set(sys.modules)
    module = load(name, *how)
    if threading.current_thread() is not threading.main_thread():
        found.extend(it for it in set(sys.modules) - before if not it.startswith("encodings"))
    return module
builtins.__import__ = noted
code = run(sys.argv[1:])
print(json.dumps([code, found]), file=sys.stderr)
"""


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A repository whose newest commit adds a tenant."""
    folder = given_out(tmp_path / "repo", SMALL)
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    return folder


def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The calls of git from now on."""
    calls: list[tuple[str, ...]] = []
    start = GitProcess._start

    def noted(self: GitProcess, arguments: Any, **how: Any) -> Any:
        calls.append(tuple(arguments))
        return start(self, arguments, **how)

    monkeypatch.setattr(GitProcess, "_start", noted)
    return calls


@pytest.mark.parametrize("is_merge", [False, True])
def test_nothing_is_asked_that_is_not_asked_without(
    is_merge: bool, changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    if is_merge:
        git(changed, "switch", "-q", "-c", "change", "HEAD")
        git(changed, "switch", "-q", "main")
        git(changed, "reset", "-q", "--hard", "HEAD~1")
        git(changed, "merge", "-q", "--no-ff", "-m", "merge", "change")
    calls = started(monkeypatch)
    words = ("check", "--base", "HEAD^1", "--repo", changed)
    first = ipam(capsys, *words)
    with_ahead, calls[:] = Counter(calls), []
    monkeypatch.setattr(ahead, "asked_ahead", lambda *_, **__: nullcontext())
    assert ipam(capsys, *words) == first
    assert with_ahead <= Counter(calls), with_ahead - Counter(calls)


@pytest.mark.parametrize("failure", [OSError("gone"), Ended(15), AssertionError()])
def test_what_goes_wrong_ahead_is_met_by_who_asks_later(
    failure: BaseException, changed: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    words = ("check", "--base", "HEAD^1", "--repo", changed)
    whole = ipam(capsys, *words)
    changed_since, asked = GitRepository.changed, list[object]()

    def broken(self: GitRepository, *of: Any) -> Any:
        asked.append(of)
        if len(asked) == 1:
            raise failure
        return changed_since(self, *of)

    monkeypatch.setattr(GitRepository, "changed", broken)
    assert ipam(capsys, *words) == whole
    assert len(asked) > 1


def test_a_base_that_is_not_there_is_told_once(changed: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "check", "--base", "nobody", "--repo", changed)
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.count("no commit 'nobody' in the repository") == 1


def test_of_many_files_none_is_fetched_before_it_is_known_which_are_read(
    changed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    git(changed, "config", "uploadpack.allowFilter", "true")
    fetched = {}
    for most in (1_000, 0):
        monkeypatch.setattr(ahead, "MOST", most)
        folder = tmp_path / f"clone-{most}"
        git(tmp_path, "clone", "-q", "--filter=blob:none", "-n", f"file://{changed}", folder.name)
        calls = started(monkeypatch)
        ran = ipam(capsys, "check", "--base", "HEAD^1", "--fetch-missing", "--repo", folder)
        fetched[most] = ran, sum(call[0] == "fetch" for call in calls)
    assert fetched[0][0].out == fetched[1_000][0].out
    assert fetched[0][1] >= fetched[1_000][1] >= 1


def test_a_thread_loads_nothing_of_the_program(changed: Path) -> None:
    """Who loads the same meanwhile could find half of it."""
    words = ("check", "--base", "HEAD^1", "--repo", str(changed))
    done = subprocess.run(
        [sys.executable, "-c", NOTED, *words], capture_output=True, check=True, env=environment()
    )
    assert json.loads(done.stderr.decode().splitlines()[-1]) == [0, []]
