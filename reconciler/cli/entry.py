"""Entry point: run a command, handle failures and signals, and return the exit code."""

import _thread
import io
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from reconciler.cli import output
from reconciler.cli.commands import ipam
from reconciler.documents.text import escape
from reconciler.gitio import process
from reconciler.gitio.process import SignalReceived, clean_environment
from reconciler.model.errors import ExitCode, GitError, ReconcilerError

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
_COMPLETE = "_IPAM_COMPLETE"
# Values that click reads as "no" in the environment variable of a flag.
_OFF = ("", "0", "false", "f", "no", "n", "off")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_UNWINDING_SECONDS = 5.0
"""Time for threads to finish. A container is killed ten seconds after the first signal."""
_BETWEEN_WORDS = re.compile(r"([\s'\"(]+)")
_AGAIN = "run the command again to continue"
_farewells = count()


def main() -> NoReturn:
    """Run `ipam` on the arguments of the process."""
    output.prepare()
    install()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run `ipam` and return its exit code (docs/reference/exit-codes.md). Every failure is handled here."""
    clean_environment(os.environ)
    debug = "--debug" in arguments or os.environ.get("IPAM_DEBUG", "0").lower() not in _OFF
    code = _run(arguments, debug=debug)
    try:
        output.emit("", flushes=True)
    except OSError as failure:
        output.silence()
        return _failed(failure, debug=debug)
    return code


def _run(arguments: Sequence[str], *, debug: bool) -> int:
    try:
        return int(ipam.main(list(arguments), prog_name="ipam", standalone_mode=False) or 0)
    except click.ClickException as wrong:
        message = io.StringIO()
        wrong.show(message)
        click.echo(without_passwords(message.getvalue()), file=sys.stderr, nl=False)
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"interrupted; {_AGAIN}", file=sys.stderr)
        return INTERRUPTED
    except SignalReceived as ended:
        return farewell(ended.number)
    except SystemExit:
        # Raised by click itself, after shell completion or a closed output of help.
        return 0
    except Exception as failure:  # noqa: BLE001 - the last door: no traceback reaches a user
        return _failed(failure, debug=debug)


def _failed(failure: Exception, *, debug: bool) -> int:
    if _COMPLETE in os.environ and not debug:
        return 0  # a shell expects candidates, and would print anything else
    if debug:
        steps = "".join(traceback.format_exception(failure))
        click.echo(without_passwords(steps), file=sys.stderr, nl=False)
    described = describe(failure)
    click.echo(f"ipam: {described.message}", file=sys.stderr)
    if described.hint:
        click.echo(f"  hint: {described.hint}", file=sys.stderr)
    return described.code


class FailureMessage(NamedTuple):
    """Failure to print. The hint can be empty."""

    message: str
    hint: str
    code: int

    @property
    def line(self) -> str:
        """The whole failure in one line."""
        text = f"{self.message}; {self.hint}" if self.hint else self.message
        return text.replace("\n    ", "; ")


def describe(failure: Exception) -> FailureMessage:
    """Return the message of an expected failure, or report any other one as a bug."""
    if isinstance(failure, OSError):  # disk full, permissions
        where = f" {failure.filename}" if failure.filename else ""
        hint = "fix this, then run the command again; published commits stay"
        failure = GitError(f"{failure.strerror or failure}{where}", hint)
    if isinstance(failure, ReconcilerError):
        message, hint = (
            "\n    ".join(map(escape, without_passwords(it).splitlines()))
            for it in (str(failure), failure.hint)
        )
        return FailureMessage(message, hint, int(failure.exit_code))
    text = escape(without_passwords(str(failure)))[:300]
    hint = "run the command again with --debug, and report its output"
    return FailureMessage(f"internal error: {type(failure).__name__}: {text}", hint, ExitCode.BUG)


def without_passwords(text: str) -> str:
    """Return a text without the passwords of URLs, including misplaced ones."""
    return "".join(map(_without_password, _BETWEEN_WORDS.split(text)))


def _without_password(word: str) -> str:
    before, at, host = word.rpartition("@")
    return f"***@{host}" if at and ":" in before else word


def install() -> None:
    """Handle signals with an orderly shutdown, except for those that are ignored."""

    def handle(number: int, frame: object) -> None:
        del frame
        for other in _SIGNALS:
            signal.signal(other, signal.SIG_IGN)  # the shutdown is already running, and short
        may_raise = process.stop(number)
        # Not `threading`: the interrupted code can hold one of its locks.
        _thread.start_new_thread(_exit, (number,))
        if may_raise:
            raise SignalReceived(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` sets it
            signal.signal(number, handle)
    sys.unraisablehook = _report_unraisable


def _report_unraisable(lost: "UnraisableHookArgs") -> None:
    # A signal that arrives in a finalizer: the next step ends.
    if not issubclass(lost.exc_type, SignalReceived):
        sys.__unraisablehook__(lost)


def farewell(number: int) -> int:
    """End all remaining work, print the reason, and return the exit code."""
    process.end_all()
    word = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    if next(_farewells) == 0:
        with suppress(OSError):  # the terminal can be closed
            click.echo(f"{word}; {_AGAIN}", file=sys.stderr)
    return 128 + number


def _exit(number: int) -> None:
    time.sleep(_UNWINDING_SECONDS)
    os._exit(farewell(number))
