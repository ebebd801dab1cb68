"""`check`: review a revision, or single files."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.cli.opening import Reviewed, asked_root, reviewed
from reconciler.cli.options import (
    F,
    at_option,
    base_option,
    fetch_option,
    option,
    proposed_option,
    reading_options,
    source_at,
    talk_options,
)
from reconciler.cli.output import Out, OutType, emit, painter, progress, tell, write_texts
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.gitio.config import found_root, root_folder
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.settings import PATH as SETTINGS
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.settings import read_settings
from reconciler.reconcile.evaluation import exit_code
from reconciler.reconcile.files import Place, check_alone
from reconciler.report.ci import dotenv_text, github_text, gitlab_text, junit_text, sarif_text
from reconciler.report.json import check_document, json_text, plan_document, yaml_text
from reconciler.report.maps import map_svg
from reconciler.report.markdown import at_top, markdown_text, marked
from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.preview import NOTHING, Preview, evaluated_base, preview
from reconciler.review.result import Compared, with_emptiness

STDIN = "-"
_OF_REVISIONS = ("repo", "rev", "worktree", "base", "at", "allow_empty")
NOT_LOOKED_AT = (
    "note: looked at by itself: not at what it refers to, what is taken, and what runs full;"
    " ipam check --worktree does"
)


def named_alone(files: Sequence[str]) -> Compared:
    """Return the findings of files, without their repository.

    Raises:
        UsageError: An option applies only to revisions, or a file cannot be read.
    """
    context = click.get_current_context()
    for name in _OF_REVISIONS:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            hint = f"leave {option} out, or the files: then the whole repository is checked"
            raise UsageError(f"files are checked by themselves, without {option}", hint)
    named = dict.fromkeys(files)
    places = {_shown(file): place for file in named if (place := _place(file)) is not None}
    return Compared(check_alone({_shown(file): _data(file) for file in named}, places))


def _place(file: str) -> Place | None:
    """Return the place of a file in its root, or None if it is in no root."""
    place, name = Path(file).parent.resolve(), Path(file).name
    top = next((it for it in (place, *place.parents) if (it / ".git").exists()), None)
    if top is None or file == STDIN:
        return None
    asked = asked_root()
    own = root_folder(asked) if asked is not None else found_root(place, top, SETTINGS)
    root = top / own.path
    if not (place / name).is_relative_to(root):
        return None
    path = root / SETTINGS
    settings, _ = read_settings(_data(str(path)) if path.is_file() else None)
    folders = (*settings.folders, settings.records)
    if not (path.is_file() or any((root / it).is_dir() for it in folders)):
        return None  # the checkout is not an ipam root
    return (place / name).relative_to(root).as_posix(), settings


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking on a pipe that has no writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _shown(file: str) -> str:
    """Return the path of a file for findings."""
    return file if file == STDIN else os.path.normpath(file)


def _data(file: str) -> bytes:
    """Return the bytes of a file, or a marker if it is too large."""
    if file == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        return data if len(data) <= MAX_BYTES else Unread(len(data))
    try:
        with open(file, "rb", opener=_at_once) as opened:
            about = os.fstat(opened.fileno())
            if not stat.S_ISREG(about.st_mode):
                hint = "name files; a whole repository is checked by ipam check --worktree"
                raise UsageError(f"{file} is no plain file", hint)
            data = opened.read(MAX_BYTES + 1)
    except OSError as failed:
        raise UsageError(f"{file} cannot be read: {failed.strerror}") from failed
    return data if len(data) <= MAX_BYTES else Unread(max(about.st_size, len(data)))


# Forges use paths relative to the top. People and consumers of JSON use paths relative to the root.
_COMPARING = ("gitlab", "sarif", "junit")
"""Formats of services that determine new findings themselves, so they get all findings."""
_FOR_FORGES = ("github", "gitlab", "sarif", "junit", "markdown")
FORMATS = (
    "text",
    "json",
    "yaml",
    "github",
    "gitlab",
    "sarif",
    "junit",
    "markdown",
    "svg",
    "dotenv",
)
DRAWN = ("markdown", "svg")
"""Formats that show the result of the merge."""


class CheckResult(Struct, frozen=True):
    """Result of a check.

    Attributes:
        root: The root folder, or empty for the top of the repository.
        preview: The result of the merge, or None if no format shows it.
    """

    compared: Compared
    base: str | None
    code: ExitCode
    root: str = ""
    preview: Preview | None = None


def review_options(function: F) -> F:
    """Add `-o` with all formats of a review, `--out`, `--color`, and `--debug`."""
    choice = click.Choice(FORMATS)
    decorators: list[Callable[[F], F]] = [
        talk_options,
        option(
            "--out",
            "outs",
            type=OutType(FORMATS, "junit=ipam.xml", "--format"),
            multiple=True,
            metavar="FORMAT=FILE",
            help="Write the result to a file, too. May be given several times.",
        ),
        option(
            "-o",
            "--format",
            "--output",
            "output",
            type=choice,
            default="text",
            show_default=True,
            help="Form of the result on stdout.",
        ),
    ]
    for decorate in decorators:
        function = decorate(function)
    return function


def check_in(form: str, checked: CheckResult, painter: Painter) -> str:
    """Return a check in one of `FORMATS`. The painter applies only to text."""
    compared, base, root = checked.compared, checked.base, checked.root
    if form == "text":
        return check_text(compared.evaluation, painter, compared.inherited, base or "", compared)
    if form in _FOR_FORGES:
        compared = at_top(compared, root)
    if form in ("markdown", "svg"):
        return _drawn(form, replace(checked, compared=compared))
    if form in _FOR_FORGES:
        evaluation = compared.whole(base or "") if form in _COMPARING else compared.evaluation
        return _for_forge(form, evaluation, root)
    return _document(form, checked)


def _for_forge(form: str, evaluation: Evaluation, root: str) -> str:
    """Return the report for a service."""
    match form:
        case "github":
            return github_text(evaluation)
        case "gitlab":
            return gitlab_text(evaluation)
        case "sarif":
            return sarif_text(evaluation, __version__, root)

    return junit_text(evaluation)


def _drawn(form: str, checked: CheckResult) -> str:
    """Return the result of the merge, as a comment or as a picture."""
    compared, preview = checked.compared, checked.preview or NOTHING
    if form == "markdown":
        text = markdown_text(compared, "check", base=checked.base, preview=preview)
        return marked(text, checked.root)

    return map_svg(preview.maps)


def _document(form: str, checked: CheckResult) -> str:

    compared = checked.compared
    evaluation = compared.evaluation
    plan = plan_document(evaluation, base=checked.base)
    document = check_document(evaluation, plan, checked.code, compared.inherited, compared)
    if form == "dotenv":
        return dotenv_text(document)
    return json_text(document) if form == "json" else yaml_text(document)


def write_outs(outs: Iterable[Out], checked: CheckResult) -> None:
    """Write the files of `--out`.

    Raises:
        UsageError: A file cannot be written.
    """
    plain = Painter(is_on=False)
    write_texts((out.path, check_in(out.form, checked, plain)) for out in outs)


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
        compared = named_alone(files)
        tell(NOT_LOOKED_AT)
        return _describe(
            CheckResult(compared, None, exit_code(compared.evaluation)), output, outs, color
        )
    forms = (output, *(out.form for out in outs))
    is_drawn = any(form in DRAWN for form in forms)
    found = reviewed(
        repo, rev, base,
        worktree=worktree, at=at, also=also, fetches=fetch_missing,
        proposed=proposed,
    )  # fmt: skip

    compared = with_emptiness(found.source, found.compared, allows=allow_empty)
    drawn = _preview(found, base, at) if is_drawn else None
    checked = CheckResult(compared, base, exit_code(compared.evaluation), found.root, drawn)
    return _describe(checked, output, outs, color)


def _preview(found: Reviewed, base: str | None, at: str | None) -> Preview:
    """Return the result of the merge, or only the maps without a base."""
    evaluation, repository = found.compared.evaluation, found.repository
    if base is None:
        return preview(evaluation)
    with progress("comparing"):
        source = source_at(repository.source(base), at)
        drawn = preview(evaluation, partial(evaluated_base, repository, source))
    return drawn._replace(base=repository.resolve(base).id)


def _describe(checked: CheckResult, output: str, outs: tuple[Out, ...], color: str) -> int:
    emit(check_in(output, checked, painter(color)))
    write_outs(outs, checked)
    return checked.code
