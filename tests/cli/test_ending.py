"""A daemon ends after its current round, within 20 seconds of simulated time."""

import os
import shlex
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reconciler.cli.daemon import GRACE_SECONDS, ShutdownSignals, handling
from reconciler.daemon.lease import Elector
from tests.e2e.daemon import daemon
from tests.reconcile.watching.test_lease import Hall
from tests.world import SMALL, git, repository


@dataclass
class Process:
    """A process that is asked to end. Its threads run when a test lets them."""

    log: list[object] = field(default_factory=list)
    threads: list[Callable[[], None]] = field(default_factory=list)
    release: Callable[[], None] = lambda: None

    def ending(self) -> ShutdownSignals:
        def given_back() -> None:
            self.log.append("release")
            self.release()

        def exit_with(code: int) -> None:
            self.log.append(("exit", code))

        def stop() -> None:
            self.log.append("stop")

        return ShutdownSignals(stop, given_back, self.log.append, exit_with, self.threads.append)

    def go(self) -> None:
        while self.threads:
            self.threads.pop(0)()


@pytest.fixture
def process() -> Process:
    return Process()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_after_a_signal_no_round_begins_and_one_that_takes_over_20_seconds_is_cut_with_code_0(
    process: Process, number: signal.Signals
) -> None:
    process.ending().receive(number)
    assert process.log == []  # a handler of signals itself does nothing
    process.go()
    assert GRACE_SECONDS == 20
    assert process.log == ["stop", 20, "release", ("exit", 0)]


def test_a_second_signal_cuts_it_off_at_once_with_its_number(process: Process) -> None:
    asked = process.ending()
    asked.receive(signal.SIGTERM)
    process.threads.clear()  # they wait for the round
    asked.receive(signal.SIGINT)
    process.go()
    assert process.log == ["release", ("exit", 130)]


@pytest.mark.parametrize("seconds", [0, 3])
def test_the_lease_is_given_back_also_where_the_round_is_cut_off(
    process: Process, seconds: int
) -> None:
    hall = Hall()
    one: Elector = hall.elector("one")
    one.step()
    hall.time.now += seconds
    process.release = one.release
    process.ending().receive(signal.SIGTERM)
    process.go()
    assert hall.spec["holderIdentity"] == ""
    two = hall.elector("two")
    two.step()
    assert two.leads()


def test_what_cannot_be_given_back_keeps_nobody_from_leaving(process: Process) -> None:
    def broken() -> None:
        raise OSError("no way")

    process.release = broken
    process.ending().receive(signal.SIGTERM)
    process.go()
    assert process.log[-1] == ("exit", 0)


def test_signals_are_answered_while_the_block_runs_and_not_after_it(process: Process) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with handling(process.ending()):
        os.kill(os.getpid(), signal.SIGTERM)
        process.go()
    assert (process.log[0], signal.getsignal(signal.SIGTERM)) == ("stop", before)


def _hangs(remote: Path) -> tuple[Path, Path]:
    """A push to a remote reports over a pipe that it waits, and continues after a write to another."""
    here, further = remote / "here", remote / "further"
    for pipe in (here, further):
        os.mkfifo(pipe)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    says, waits = (shlex.quote(str(pipe)) for pipe in (here, further))
    hook.write_text(f"#!/bin/sh\necho here > {says}\ncat {waits}\n", encoding="utf-8")
    hook.chmod(0o755)
    return here, further


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Background jobs of a shell ignore SIGINT, as do all processes that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("is_asked_twice", [False, True])
def test_a_daemon_in_the_middle_of_a_push_ends_it_first_and_asked_twice_leaves_it(
    tmp_path: Path, is_asked_twice: bool
) -> None:
    made = repository(tmp_path / "made", SMALL)
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(made), str(remote))
    here, further = _hangs(remote)
    with daemon(tmp_path, tmp_path / "cache", "--remote", f"file://{remote}") as running:
        assert here.read_text(encoding="ascii") == "here\n"
        running.process.send_signal(signal.SIGTERM)
        if is_asked_twice:
            running.process.send_signal(signal.SIGINT)
            assert running.process.wait(60) in (
                130,
                143,
            )  # the scheduler decides which one is second
        else:
            further.write_text("go on\n", encoding="ascii")
            assert running.process.wait(60) == 0
    moved = git(remote, "rev-parse", "main") != git(made, "rev-parse", "HEAD")
    assert moved is not is_asked_twice
