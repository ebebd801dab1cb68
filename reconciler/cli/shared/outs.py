"""Files that get a result beside stdout: what `--out` takes, and how they are written."""

from collections.abc import Iterable, Sequence
from errno import ELOOP
from pathlib import Path

import click
from msgspec import Struct

from reconciler.cli.shared.options import option
from reconciler.ports import UsageError

_DEVICES = Path("/dev")


class Out(Struct, frozen=True):
    """A file that gets the result, and the form in which."""

    form: str
    path: Path


class OutType(click.ParamType[Out]):
    """`FORMAT=FILE`, of the forms that a verb has."""

    name = "format=file"

    def __init__(self, forms: Sequence[str], example: str, stdout: str) -> None:
        """Take the forms, how a file is named, and the option for the form on stdout."""
        self._forms, self._hint = forms, f"as in {example}; {stdout} chooses what goes to stdout."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Out:
        """The form and the file."""
        form, _, path = str(value).partition("=")
        if form not in self._forms:
            self.fail(f"{form!r} is no format; use one of {', '.join(self._forms)}.", param, ctx)
        if path in ("", "-"):
            self.fail(f"{value!r} names no file. Name a file, {self._hint}", param, ctx)
        return Out(form, Path(path))


result_outs_option = option(
    "--out",
    "outs",
    type=OutType(("json", "yaml"), "json=result.json", "-o"),
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write the result to a file, too. May be given several times.",
)


def write_texts(texts: Iterable[tuple[Path, str]]) -> None:
    """Write the files of `--out`: all that can be, whatever becomes of one.

    Raises:
        UsageError: Some file cannot be written.
    """
    failed = []
    for path, text in texts:
        try:
            write_file(path, text)
        except OSError as failure:
            failed.append(f"{path}: {failure.strerror}")
    if failed:
        hint = "name files that you may write to, in folders that are there"
        raise UsageError(f"--out cannot be written: {', '.join(failed)}", hint)


def write_file(path: Path, text: str) -> None:
    """Write a file. A change may hold a link of its name, or on the way to it: none is followed."""
    inside = () if path.is_absolute() else path.parents
    if path.parent != _DEVICES and any(place.is_symlink() for place in (path, *inside)):
        raise OSError(ELOOP, "is a link, or behind one")
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
