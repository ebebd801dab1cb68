"""A signal ends `ipam` and all that it started: nothing goes on behind its back."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.gitio.command import Command
from tests.world import git

Popen = subprocess.Popen[bytes]
SAID = "; run it again to continue"
SIGNALS = {
    signal.SIGTERM: "ended by SIGTERM",
    signal.SIGHUP: "ended by SIGHUP",
    signal.SIGINT: "interrupted",
}
# A process of git's own tells that it is there, and goes on when it is let.
_HOLDING = """#!/bin/sh
case " $* " in
*refs/ipam/last*) exec "{git}" "$@" ;;
*" push "*) sh -c 'echo ready > "{told}"; read -r word < "{held}"; "{git}" "$@"' sh "$@" ;;
*) exec "{git}" "$@" ;;
esac
"""
_PATIENCE_SECONDS = 15


class Push:
    """A push that waits, in a process that git started."""

    def __init__(self, command: Command) -> None:
        self.told, self.held = command.root / "told", command.root / "held"
        os.mkfifo(self.told)
        os.mkfifo(self.held)
        # Kept open, so that the process that tells does not wait for us.
        self.reading = os.open(self.told, os.O_RDONLY | os.O_NONBLOCK)
        shim = command.root / "shims" / "git"
        shim.parent.mkdir()
        text = _HOLDING.format(told=self.told, held=self.held, git=shutil.which("git"))
        shim.write_text(text)
        shim.chmod(0o755)
        command.variables["PATH"] = f"{shim.parent}:{os.environ['PATH']}"

    def wait(self) -> None:
        """Until it is under way."""
        assert select.select([self.reading], [], [], _PATIENCE_SECONDS)[0], "no push began"

    def is_there(self) -> bool:
        """Whether some process still waits to go on; it is let."""
        with suppress(OSError):  # nobody reads there
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
    """A shell that runs tests in the background has them ignore some signals, and all that they start."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def started(start: Callable[[], Popen]) -> Iterator[Popen]:
    """A process that ends with the test, whatever becomes of it."""
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


@pytest.mark.parametrize("number", SIGNALS)
def test_a_loop_ends_between_two_runs(
    remote: Path, command: Command, number: signal.Signals
) -> None:
    words = ["reconcile", "--remote", str(remote), "--interval", "1h", "-o", "json"]
    with started(lambda: command.start(*words)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b'{"apiVersion"')
        process.send_signal(number)
        out, err = process.communicate(timeout=_PATIENCE_SECONDS)
    assert (process.returncode, out) == (128 + number, b"")
    last = err.decode().removeprefix("Nothing was applied to clusters: none is named.\n")
    assert last == f"{SIGNALS[number]}{SAID}\n"


def test_what_a_shell_has_it_ignore_is_ignored(remote: Path, command: Command, push: Push) -> None:
    """As `nohup` does."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with started(lambda: command.start("reconcile", "--remote", str(remote))) as process:
        push.wait()
        process.send_signal(signal.SIGHUP)
        with push.held.open("w") as held:
            held.write("go on\n")
        process.communicate(timeout=_PATIENCE_SECONDS)
    assert process.returncode == 0


def _unshare() -> list[str]:
    """A command that makes what follows it the first process of a namespace; none where it may not."""
    for words in (["unshare", "--pid", "--fork", "--kill-child"],
                  ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]):  # fmt: skip
        if (
            shutil.which("unshare")
            and not subprocess.run([*words, "true"], capture_output=True).returncode
        ):
            return words
    return []


def test_the_first_process_of_a_container_obeys_as_well(
    remote: Path, command: Command, push: Push
) -> None:
    """The kernel keeps signals from it that it does not ask for."""
    words = _unshare()
    if not words:
        pytest.skip("no namespace of processes can be made here")
    words += [sys.executable, "-m", "reconciler", "reconcile", "--remote", str(remote)]
    head = git(remote, "rev-parse", "main")

    def start() -> Popen:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            words, cwd=command.root, env=command.environment({}), stdout=pipe, stderr=pipe
        )

    with started(start) as process:
        push.wait()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        os.kill(int(children), signal.SIGTERM)
        _, err = process.communicate(timeout=_PATIENCE_SECONDS)
    assert process.returncode == 143
    assert err.decode() == f"ended by SIGTERM{SAID}\n"
    assert not push.is_there()
    assert git(remote, "rev-parse", "main") == head
