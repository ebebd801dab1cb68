"""Closed, broken, full, and ASCII streams, colors, and modules loaded at start."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reconciler.cli import output
from tests.cli.running import Capture, environment, ipam, shell
from tests.world import SMALL, pool, repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


class Broken(io.StringIO):
    def write(self, text: str, /) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_reader_that_went_away_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Broken())
    output.emit("x", flushes=True)


def test_closed_streams_go_nowhere_and_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = io.StringIO()
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", narrow)
    output.prepare()
    with sys.stdout as nowhere:
        nowhere.write("✓")
    narrow.write("✓")
    monkeypatch.setattr(sys, "stdout", kept)
    output.prepare()
    assert sys.stdout is kept
    narrow.flush()
    assert narrow.buffer.getvalue() == b"ok"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("ipam status --repo {repo} >&-", 0),
        ("ipam check --repo {repo} --rev x 2>&-", 4),
        ("ipam check --repo {repo} | (exec <&-); exit ${{PIPESTATUS[0]}}", 0),
        ("ipam explain --codes | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}", 0),
        ("ipam --help | (exec <&-); exit ${{PIPESTATUS[0]}}", 0),
        ("ipam status --repo {repo} > /dev/full", 4),
    ],
)
def test_a_stream_that_fails_leaves_no_traceback(repo: Path, command: str, code: int) -> None:
    ran = shell(command.format(repo=repo))
    assert (ran.code, "Traceback" in ran.err) == (code, False)


def test_usage_bars_of_an_ascii_stream_are_not_escaped(repo: Path) -> None:
    full = {"pools/edge.yaml": pool(cidr="10.40.0.0/29")}
    repo = repository(repo.parent / "full", {**SMALL, **full})
    command = f"ipam reconcile --no-apply --repo {repo} >&2; ipam status --repo {repo}"
    ran = shell(command, PYTHONIOENCODING="ascii")
    assert "##########" in ran.out


def test_a_terminal_of_the_c_locale_gets_ascii_and_a_pipe_does_not(repo: Path) -> None:
    command = f"ipam check --repo {repo}"
    assert shell(command, LC_ALL="C").out.startswith("✓ OK")
    ours, theirs = os.openpty()
    arguments = [sys.executable, "-m", "reconciler", "check", "--repo", str(repo)]
    done = subprocess.run(
        arguments, env={**environment(), "LC_ALL": "C", "NO_COLOR": "1"}, stdout=theirs
    )
    os.close(theirs)
    with os.fdopen(ours, "rb") as terminal:
        assert (done.returncode, terminal.read(6)) == (0, b"ok OK:")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_signs_that_a_terminal_lacks_are_ascii_and_other_characters_are_escaped(
    repo: Path, encoding: str
) -> None:
    (repo / "table.csv").write_text("ip,name,Sch\u014dn\n10.40.0.9,web,\n", encoding="utf-8")
    commands = ("check", "plan", "status --bars", "forecast", "doctor", "import csv table.csv")
    for command in commands:
        ran = shell(f"cd {repo}; ipam {command}", PYTHONIOENCODING=encoding)
        assert ran.out
        assert "\\u" not in ran.out.replace("Sch\\u014dn", "")
    assert shell(f"ipam check --repo {repo}", PYTHONIOENCODING=encoding).out.startswith("ok OK")
    ran = shell(f"cd {repo}; ipam import csv Sch\u014dn.csv", PYTHONIOENCODING=encoding)
    assert "Sch\\u014dn.csv: No such file" in ran.err
    ran = shell(f"cd {repo}; ipam import csv table.csv -o json", PYTHONIOENCODING=encoding)
    assert any("Sch\u014dn" in note for note in json.loads(ran.out)["notes"])


@pytest.mark.parametrize(
    ("environment", "options", "coloured"),
    [
        ({}, "", False),
        ({"FORCE_COLOR": "1"}, "", True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "", False),
        ({"NO_COLOR": "1"}, "--color always", True),
        ({"FORCE_COLOR": "1"}, "--color never", False),
        ({"IPAM_COLOR": "always"}, "", True),
    ],
)
def test_colour_is_as_the_person_wants(
    repo: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    options: str,
    coloured: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = ipam(capsys, "check", "--repo", repo, *options.split())
    assert ("\x1b[" in ran.out) is coloured
