"""Results on stdout and in files, notes on stderr, and progress."""

import codecs
import io
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import ELOOP
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from reconciler.cli.options import QUIET, Decorator, F, color, gathered, option
from reconciler.documents.findings import Finding, Severity
from reconciler.model.errors import UsageError
from reconciler.report.formats import json_text, yaml_text
from reconciler.report.text.table import Painter, findings_text

_ASCII = dict(zip("▓▒░╵·▁▂▃▄▅▆▇█│─×", "#=.^.0123456#|-x", strict=True))  # noqa: RUF001 - signs
_ASCII |= {"✓": "ok", "✗": "x", "→": "->", "…": "..."}


def _in_ascii(failed: UnicodeError) -> tuple[str, int]:
    """Return signs in ASCII, and other characters as JSON escapes, so documents stay valid."""
    if not isinstance(failed, UnicodeEncodeError):
        raise failed
    there = failed.object[failed.start : failed.end]
    return "".join(_ASCII.get(it) or json.dumps(it)[1:-1] for it in there), failed.end


def prepare() -> None:
    """Discard output to closed streams, and replace characters that the terminal cannot show."""
    codecs.register_error("ipam", _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            is_plain = os.environ.get("LC_ALL") in ("C", "POSIX") and stream.isatty()
            stream.reconfigure(encoding="ascii" if is_plain else None, errors="ipam")
        elif stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until exit
            setattr(sys, name, nowhere)


def silence() -> None:
    """Stop writing to stdout, even at exit, because its reader ended or the disk is full."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def emit(text: str, *, flushes: bool = False) -> None:
    """Print a result on stdout. A reader that ends early, such as `head`, is not a failure."""
    try:
        sys.stdout.write(text)
        if flushes:
            sys.stdout.flush()
    except BrokenPipeError:
        silence()


def painter(color: str) -> Painter:
    """Return colors for a terminal, or as `--color`, `NO_COLOR`, and `FORCE_COLOR` request."""
    if color != "auto":
        return Painter(is_on=color == "always")
    if os.environ.get("NO_COLOR"):
        return Painter(is_on=False)
    if os.environ.get("FORCE_COLOR"):
        return Painter(is_on=True)
    return Painter(is_on=sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def emit_document(document: Mapping[str, Any], form: str) -> None:
    """Print a machine-readable result on stdout, as JSON or else as YAML."""
    emit(json_text(document) if form == "json" else yaml_text(document))


class Result(Struct, frozen=True):
    """Format and colors of a result."""

    output: str
    color: str

    @property
    def is_document(self) -> bool:
        """Whether the format is machine-readable."""
        return self.output in ("json", "yaml")

    @property
    def brush(self) -> Painter:
        """The colors."""
        return painter(self.color)

    def show(
        self, text: Callable[[Painter], str], document: Callable[[], Mapping[str, Any]]
    ) -> None:
        """Print a result as text or as a document."""
        if self.is_document:
            emit_document(document(), self.output)
        else:
            emit(text(self.brush))


def options(*forms: str) -> Decorator[Any]:
    """Add `-o` (default: the first format), `--color`, and the options of all commands."""
    choice = {"type": click.Choice(forms), "default": forms[0], "show_default": True}
    form = option("-o", "--output", help="Print the result in this format.", **choice)
    return gathered("result", Result, form, color)


def tell(text: str) -> None:
    """Print a message that is not the result on stderr."""
    click.echo(text, file=sys.stderr, nl=not text.endswith("\n"))


def note(text: str) -> None:
    """Print a note on stderr, unless notes are suppressed."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(QUIET):
        tell(text)


def tell_errors(findings: Iterable[Finding], brush: Painter) -> None:
    """Print the errors among some findings on stderr."""
    errors = [found for found in findings if found.severity is Severity.ERROR]
    if errors:
        tell(findings_text(errors, brush))


class Out(Struct, frozen=True):
    """Output file and its format."""

    form: str
    path: Path


def file(*forms: str) -> Callable[[F], F]:
    """Return `--output-file` with some formats, whose values are passed as `outs`."""

    def parse(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> tuple[Out, ...]:
        outs = []
        for value in values:
            form, _, path = value.partition("=")
            if form not in forms:
                wrong = f"{form!r} is not a format; use one of {', '.join(forms)}."
                raise click.BadParameter(wrong, ctx, param)
            if path in ("", "-"):
                hint = f"Name a file, as in {form}=result.{form}; -o sets the format of stdout."
                raise click.BadParameter(f"{value!r} names no file. {hint}", ctx, param)
            outs.append(Out(form, Path(path)))
        return tuple(outs)

    return option(
        *("--output-file", "outs"),
        callback=parse,
        multiple=True,
        metavar="FORMAT=FILE",
        help="Also write the result to a file. Repeatable.",
    )


def write_texts(name: str, texts: Iterable[tuple[Path, str]]) -> None:
    """Write files that an option names, never behind links. One failure does not stop the others."""
    failed = []
    for path, text in texts:
        inside = () if path.is_absolute() else path.parents
        try:
            # A change under review can contain links.
            if path.parent != Path("/dev") and any(it.is_symlink() for it in (path, *inside)):
                raise OSError(ELOOP, "is a symlink, or in a symlinked folder")
            path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        except OSError as failure:
            failed.append(f"{path}: {failure.strerror}")
    if failed:
        hint = "pass writable files in existing folders"
        raise UsageError(f"{name} cannot be written: {', '.join(failed)}", hint)


_CLEAR = "\r\x1b[K"


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Print the current step and its duration if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    start = time.monotonic()

    def show(number: int, frame: object) -> None:
        del number, frame
        sys.stderr.write(f"{_CLEAR}{doing} … {time.monotonic() - start:.0f} s")
        sys.stderr.flush()

    before = signal.signal(signal.SIGALRM, show)
    signal.setitimer(signal.ITIMER_REAL, 1.0, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
