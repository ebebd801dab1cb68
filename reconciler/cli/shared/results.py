"""`--results FILE`: what the rounds of `reconcile --watch -o json` told, a document a line."""

from pathlib import Path

from reconciler.asking.served import Served, read_served
from reconciler.ports import UsageError

_MOST_BYTES = 256 * 1024 * 1024


def results_of(file: Path | None) -> list[Served] | None:
    """The growth that was served; None without a file.

    Raises:
        UsageError: It cannot be read, or holds something else.
    """
    if file is None:
        return None
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError(f"--results {file}: it has more than {_MOST_BYTES} bytes")
        return read_served(file.read_bytes())
    except OSError as failed:
        why = failed.strerror or str(failed)
        raise UsageError(f"--results {file}: it cannot be read: {why}") from failed
    except ValueError as wrong:
        hint = "give what ipam reconcile --watch -o json printed"
        raise UsageError(f"--results {file}: {wrong}", hint) from wrong
