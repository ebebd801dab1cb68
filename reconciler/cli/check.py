"""`check`: what is wrong with a change, and what would run full."""

from functools import partial
from pathlib import Path

import click

from reconciler.cli.shared.alone import NOT_LOOKED_AT, named_alone
from reconciler.cli.shared.clock import source_at
from reconciler.cli.shared.formats import DRAWN, Checked, check_in, review_options, write_outs
from reconciler.cli.shared.options import (
    at_option,
    base_option,
    fetch_option,
    option,
    proposed_option,
    reading_options,
)
from reconciler.cli.shared.output import emit, painter, tell
from reconciler.cli.shared.outs import Out
from reconciler.cli.shared.progress import progress
from reconciler.cli.shared.reviewing import Reviewed, reviewed
from reconciler.commands.emptiness import with_emptiness
from reconciler.commands.exit_codes import exit_code
from reconciler.review.preview import Preview, evaluated_base, preview


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@reading_options
@base_option
@at_option
@option("--also", metavar="REV", multiple=True, help="Beside this open change, too. Repeatable.")
@fetch_option
@proposed_option
@option("--allow-empty", is_flag=True, help="It is fine that there is nothing to check.")
@review_options
def check(
    files: tuple[str, ...],
    repo: Path,
    rev: str,
    worktree: bool,
    base: str | None,
    at: str | None,
    also: tuple[str, ...],
    fetch_missing: bool,
    proposed: str | None,
    allow_empty: bool,
    output: str,
    outs: tuple[Out, ...],
    color: str,
) -> int:
    """Find what is wrong, and what would run full.

    With --base the Settings of that revision judge the change. Exit code 1: the content is wrong,
    or there is none; 3: it is right, but a gate stops it. With FILE these alone are looked at, by
    themselves and beside each other; - is stdin. No repository is needed then.
    """
    if files:
        # A revision is looked at far more often.

        compared = named_alone(files)
        tell(NOT_LOOKED_AT)
        return _told(Checked(compared, None, exit_code(compared.evaluation)), output, outs, color)
    forms = (output, *(out.form for out in outs))
    is_drawn = any(form in DRAWN for form in forms)
    found = reviewed(
        repo, rev, base,
        worktree=worktree, at=at, also=also, fetches=fetch_missing,
        proposed=proposed,
    )  # fmt: skip

    compared = with_emptiness(found.source, found.compared, allows=allow_empty)
    drawn = _preview(found, base, at) if is_drawn else None
    checked = Checked(compared, base, exit_code(compared.evaluation), found.root, drawn)
    return _told(checked, output, outs, color)


def _preview(found: Reviewed, base: str | None, at: str | None) -> Preview:
    """What merging comes to; without a base the maps alone."""
    evaluation, repository = found.compared.evaluation, found.repository
    if base is None:
        return preview(evaluation)
    with progress("comparing"):
        source = source_at(repository.source(base), at)
        drawn = preview(evaluation, partial(evaluated_base, repository, source))
    return drawn._replace(base=repository.resolve(base).id)


def _told(checked: Checked, output: str, outs: tuple[Out, ...], color: str) -> int:
    emit(check_in(output, checked, painter(color)))
    write_outs(outs, checked)
    return checked.code
