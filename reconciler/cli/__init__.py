"""Command line: arguments, output, and exit codes."""

from reconciler.cli.entry import main, run

__all__ = ["main", "run"]
