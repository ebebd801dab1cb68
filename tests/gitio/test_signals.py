"""A signal ends `ipam` and all processes that it started."""

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.gitio.command import Command
from tests.world import git

Popen = subprocess.Popen[bytes]
SAID = "; run the command again to continue"
SIGNALS = {
    signal.SIGTERM: "ended by SIGTERM",
    signal.SIGHUP: "ended by SIGHUP",
    signal.SIGINT: "interrupted",
}
# A process started by git reports that it runs, and waits for permission to continue.
_HOLDING = """#!/bin/sh
case " $* " in
*refs/ipam/last*) exec "{git}" "$@" ;;
*" push "*) sh -c 'echo ready > "{told}"; read -r word < "{held}"; "{git}" "$@"' sh "$@" ;;
*) exec "{git}" "$@" ;;
esac
"""
_PATIENCE_SECONDS = 60


class Push:
    """A push that waits in a process started by git."""

    def __init__(self, command: Command) -> None:
        self.told, self.held = command.root / "told", command.root / "held"
        os.mkfifo(self.told)
        os.mkfifo(self.held)
        # Stays open, so that the reporting process does not block.
        self.reading = os.open(self.told, os.O_RDONLY | os.O_NONBLOCK)
        shim = command.root / "shims" / "git"
        shim.parent.mkdir()
        text = _HOLDING.format(told=self.told, held=self.held, git=shutil.which("git"))
        shim.write_text(text)
        shim.chmod(0o755)
        command.variables["PATH"] = f"{shim.parent}:{os.environ['PATH']}"

    def wait(self) -> None:
        assert select.select([self.reading], [], [], _PATIENCE_SECONDS)[0], "no push began"

    def is_there(self) -> bool:
        """Return whether a process still waits, and let it continue."""
        with suppress(OSError):  # no process reads there
            os.close(os.open(self.held, os.O_WRONLY | os.O_NONBLOCK))
            return True
        return False


@pytest.fixture
def push(command: Command) -> Iterator[Push]:
    made = Push(command)
    yield made
    made.is_there()
    os.close(made.reading)


@pytest.fixture(autouse=True)
def _signals_as_at_a_terminal() -> Iterator[None]:
    """Restore signals that a shell ignores for background jobs and their children."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def started(start: Callable[[], Popen]) -> Iterator[Popen]:
    """Start a process, and end it with the test."""
    process = start()
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_push_ends_with_the_run_that_began_it(
    remote: Path, command: Command, push: Push, number: signal.Signals
) -> None:
    head = git(remote, "rev-parse", "main")
    with started(lambda: command.start("reconcile", "--remote", str(remote))) as process:
        push.wait()
        process.send_signal(number)
        out, err = process.communicate(timeout=_PATIENCE_SECONDS)
    assert not push.is_there()
    assert git(remote, "rev-parse", "main") == head
    assert process.returncode == 128 + number
    assert (out, err.decode()) == (b"", f"{SIGNALS[number]}{SAID}\n")
    command.variables.clear()
    assert command.run("reconcile", "--remote", str(remote)).code == 0


def test_what_nohup_has_it_ignore_is_ignored(remote: Path, command: Command, push: Push) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with started(lambda: command.start("reconcile", "--remote", str(remote))) as process:
        push.wait()
        process.send_signal(signal.SIGHUP)
        with push.held.open("w") as held:
            held.write("go on\n")
        process.communicate(timeout=_PATIENCE_SECONDS)
    assert process.returncode == 0
