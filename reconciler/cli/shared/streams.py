"""The streams of the process: closed ones, ones whose reader went away, ones that lack a sign."""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path


def prepare() -> None:
    """Let output go nowhere when its stream is closed, and let no terminal choke on a sign."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        elif stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until exit
            setattr(sys, name, nowhere)


def silence() -> None:
    """Write nothing more to stdout, not even at exit: its reader is gone, or the disk is full."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write(text: str) -> None:
    """Write to stdout. A reader that went away, as `head` does, is no failure of the verb."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        silence()


def flush() -> None:
    """Write out what is left; a disk that is full is told to the caller."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
