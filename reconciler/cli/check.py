"""`check`: what is wrong with a change, and what would run full."""

from pathlib import Path

import click

from reconciler.cli.shared.evaluating import reviewed
from reconciler.cli.shared.formats import Checked, Out, check_in, review_options, write_outs
from reconciler.cli.shared.options import at_option, base_option, reading_options
from reconciler.cli.shared.output import emit, painter
from reconciler.commands.exit_codes import exit_code


@click.command()
@reading_options
@base_option
@at_option
@review_options
def check(
    repo: Path,
    rev: str,
    worktree: bool,
    base: str | None,
    at: str | None,
    output: str,
    outs: tuple[Out, ...],
    color: str,
) -> int:
    """Find what is wrong, and what would run full.

    With --base the Settings of that revision judge the change. Exit code 1: the content is wrong;
    3: it is right, but a gate stops it.
    """
    # Each file is a test of its own in JUnit, also one that the cache knows nothing is wrong with.
    whole = "junit" in (output, *(out.form for out in outs))
    # What judges a change believes nothing that another job may have left in a shared cache.
    trusts = base is None
    compared = reviewed(repo, rev, base, worktree=worktree, whole=whole, trusts=trusts, at=at)
    checked = Checked(compared, base, exit_code(compared.evaluation))
    emit(check_in(output, checked, painter(color)))
    write_outs(outs, checked)
    return checked.code
