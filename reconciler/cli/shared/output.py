"""What a verb prints: its result on stdout, all else on stderr, in colour where that is wanted."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click

from reconciler.cli.shared import streams
from reconciler.cli.shared.options import QUIET
from reconciler.findings import Finding, Severity
from reconciler.report.machine import json_text, yaml_text
from reconciler.report.text.findings import findings_text
from reconciler.report.text.table import Painter


def painter(color: str) -> Painter:
    """Colour on a terminal, or as `--color`, `NO_COLOR` and `FORCE_COLOR` say."""
    if color != "auto":
        return Painter(is_on=color == "always")
    if os.environ.get("NO_COLOR"):
        return Painter(is_on=False)
    if os.environ.get("FORCE_COLOR"):
        return Painter(is_on=True)
    return Painter(is_on=sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def emit(text: str) -> None:
    """Print a result on stdout."""
    streams.write(text)


def emit_document(document: Mapping[str, Any], output: str) -> None:
    """Print a result for machines on stdout: as `json`, or else as YAML."""
    emit(json_text(document) if output == "json" else yaml_text(document))


def is_plain() -> bool:
    """A terminal without UTF-8: signs are ASCII."""
    return "utf" not in (sys.stdout.encoding or "").lower()


def tell(text: str) -> None:
    """Print something that is not the result, on stderr."""
    click.echo(text, err=True, nl=not text.endswith("\n"))


def note(text: str) -> None:
    """Print something on stderr that is good to know, unless only what is wrong is wanted."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(QUIET):
        tell(text)


def tell_errors(findings: Iterable[Finding], brush: Painter) -> None:
    """Print the errors among some findings on stderr; nothing when there are none."""
    errors = [found for found in findings if found.severity is Severity.ERROR]
    if errors:
        tell(findings_text(errors, brush))
