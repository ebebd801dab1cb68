"""The forms in which a review is printed and written to files: `--format` and `--out`."""

from collections.abc import Callable, Iterable

import click
from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.cli.shared.options import F, option, talk_options
from reconciler.cli.shared.outs import Out, OutType, write_texts
from reconciler.evaluate import Evaluation
from reconciler.ports import ExitCode
from reconciler.report.at_top import at_top, marked
from reconciler.report.dotenv import dotenv_text
from reconciler.report.github import github_text
from reconciler.report.gitlab import gitlab_text
from reconciler.report.junit import junit_text
from reconciler.report.machine import check_document, json_text, plan_document, yaml_text
from reconciler.report.map_svg import map_svg
from reconciler.report.markdown import markdown_text
from reconciler.report.sarif import sarif_text
from reconciler.report.text.check import check_text
from reconciler.report.text.table import Painter
from reconciler.review.preview import NOTHING, Preview
from reconciler.review.result import Compared

# Forges know files by their path from the top; people, and who reads JSON, by that from the root.
_COMPARING = ("gitlab", "sarif", "junit")
"""Forms of services that find out by themselves what is new: they are told all there is."""
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
"""Forms that show what a change comes to."""


class Checked(Struct, frozen=True):
    """What a check came to.

    Attributes:
        root: The folder that is the root; empty for the top of the repository.
        preview: What merging comes to; None where nobody sees it.
    """

    compared: Compared
    base: str | None
    code: ExitCode
    root: str = ""
    preview: Preview | None = None


def review_options(function: F) -> F:
    """`-o` with all forms of a review, `--out`, `--color` and `--debug`."""
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


def check_in(form: str, checked: Checked, painter: Painter) -> str:
    """A check in one of `FORMATS`; the painter counts for text."""
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
    """What a service shows; each form loads what it needs alone."""
    match form:
        case "github":
            return github_text(evaluation)
        case "gitlab":
            return gitlab_text(evaluation)
        case "sarif":
            return sarif_text(evaluation, __version__, root)

    return junit_text(evaluation)


def _drawn(form: str, checked: Checked) -> str:
    """What merging comes to, as a comment or as a picture."""
    compared, preview = checked.compared, checked.preview or NOTHING
    if form == "markdown":
        text = markdown_text(compared, "check", base=checked.base, preview=preview)
        return marked(text, checked.root)

    return map_svg(preview.maps)


def _document(form: str, checked: Checked) -> str:

    compared = checked.compared
    evaluation = compared.evaluation
    plan = plan_document(evaluation, base=checked.base)
    document = check_document(evaluation, plan, checked.code, compared.inherited, compared)
    if form == "dotenv":
        return dotenv_text(document)
    return json_text(document) if form == "json" else yaml_text(document)


def write_outs(outs: Iterable[Out], checked: Checked) -> None:
    """Write the files of `--out`.

    Raises:
        UsageError: Some file cannot be written.
    """
    plain = Painter(is_on=False)
    write_texts((out.path, check_in(out.form, checked, plain)) for out in outs)
