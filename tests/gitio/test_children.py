"""Processes are ended with all that they started, however a signal comes in between."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import reconciler.gitio.process
from reconciler.gitio.process import SignalReceived, child, end, stop

Popen = subprocess.Popen[bytes]
STUBBORN = "trap '' TERM HUP; "
WAITING = "echo ready; read -r word; exit 3"


@dataclass
class Wrapper:
    """As GitPython's: it has the process."""

    proc: Popen


@pytest.fixture(autouse=True)
def _state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reconciler.gitio.process._state", reconciler.gitio.process._State())


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Wrapper]]:
    """Starts a shell in a group of its own, and waits for its first line."""
    made: list[Popen] = []

    def begin(text: str) -> Wrapper:
        pipe = subprocess.PIPE
        # Without a buffer, which would hide all but the first line from the next reader.
        process = subprocess.Popen(
            ["sh", "-c", text], 0, cwd=tmp_path, stdin=pipe, stdout=pipe, start_new_session=True
        )
        made.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return Wrapper(process)

    yield begin
    for process in made:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


Start = Callable[[str], Wrapper]


def is_there(process: Popen) -> bool:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
            if int(group) == process.pid and state != "Z":
                return True
    return False


def test_who_does_not_listen_is_killed(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reconciler.gitio.process.GRACE_SECONDS", 0.0)
    process = start(f"{STUBBORN}({WAITING})").proc
    end(process)
    assert process.returncode == -signal.SIGKILL
    assert not is_there(process)


def test_a_signal_while_a_process_is_started_waits_until_it_is_known(start: Start) -> None:
    made: list[Wrapper] = []

    def starting() -> Wrapper:
        made.append(start(WAITING))
        assert not stop(signal.SIGTERM)  # it is not known yet
        assert made[0].proc.poll() is None
        return made[0]

    with pytest.raises(SignalReceived) as ended, child(starting):
        pytest.fail("it continued")
    assert ended.value.number == signal.SIGTERM
    assert made[0].proc.returncode == -signal.SIGTERM
    assert reconciler.gitio.process._state.running == set()


def test_what_runs_in_threads_is_told_and_not_believed(start: Start) -> None:
    """An interrupted git command has no result, which does not mean `no`."""
    asked: list[Popen] = []

    def ask() -> str:
        with child(lambda: start(WAITING)) as process:
            asked.append(process)
            assert stop(signal.SIGHUP)  # as the main thread does
            process.wait()
        return "an answer"

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
    with pytest.raises(SignalReceived):
        answer.result()
    assert asked[0].returncode == -signal.SIGTERM
