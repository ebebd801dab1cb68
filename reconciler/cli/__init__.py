"""Command line: parse arguments, run a command, print its result, and return its exit code."""

import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from reconciler.cli import failures, output
from reconciler.cli.commands import ipam
from reconciler.cli.failures import describe, without_passwords
from reconciler.gitio.process import clean_environment
from reconciler.gitio.processes import SignalReceived

INTERRUPTED = 130
USAGE = 64
COMPLETE = "_IPAM_COMPLETE"
# Values that click reads as "no" in the environment variable of a flag.
_OFF = ("", "0", "false", "f", "no", "n", "off")


def main() -> NoReturn:
    """Run `ipam` on the arguments of the process."""
    output.prepare()
    failures.install()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run `ipam` and return its exit code (docs/reference/output.md). Every failure is handled here."""
    clean_environment(os.environ)
    debug = "--debug" in arguments or os.environ.get("IPAM_DEBUG", "0").lower() not in _OFF
    code = _run(arguments, debug=debug)
    try:
        output.flush()
    except OSError as failure:
        output.silence()
        return _failed(failure, debug=debug)
    return code


def _run(arguments: Sequence[str], *, debug: bool) -> int:
    try:
        return int(ipam.main(list(arguments), prog_name="ipam", standalone_mode=False) or 0)
    except click.ClickException as wrong:
        said = io.StringIO()
        wrong.show(said)
        click.echo(without_passwords(said.getvalue()), err=True, nl=False)
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; run it again, and it goes on from here", err=True)
        return INTERRUPTED
    except SignalReceived as ended:
        return failures.farewell(ended.number)
    except SystemExit:
        # Raised by click itself, after shell completion or a closed output of help.
        return 0
    except Exception as failure:  # noqa: BLE001 - the last door: no traceback reaches a user
        return _failed(failure, debug=debug)


def _failed(failure: Exception, *, debug: bool) -> int:
    if COMPLETE in os.environ and not debug:
        return 0  # a shell expects candidates, and would print anything else

    if debug:
        steps = "".join(traceback.format_exception(failure))
        click.echo(without_passwords(steps), err=True, nl=False)
    said = describe(failure)
    click.echo(f"ipam: {said.message}", err=True)
    if said.hint:
        click.echo(f"  hint: {said.hint}", err=True)
    return said.code
