"""Files of a work tree that a verb writes for a person, who reviews and commits them."""

from pathlib import Path

from reconciler.model.change import Change
from reconciler.ports import UsageError


def write_edit(root: Path | None, change: Change, hint: str, *, is_new: bool = False) -> None:
    """Write a file into a work tree; one that is there is not written over by a new one.

    Args:
        root: The work tree; opening it refuses a repository without one.
        change: The file; nothing is removed.
        hint: What to do where it cannot be written.
        is_new: It is not to be there yet, or so already.

    Raises:
        UsageError: It cannot be written.
    """
    assert root is not None  # noqa: S101 - opening it refuses one without  # nosec B101
    assert change.data is not None  # noqa: S101 - nothing is removed  # nosec B101
    path = root / change.path
    try:
        if not is_new:
            path.write_bytes(change.data)
        elif not path.exists() or path.read_bytes() != change.data:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(change.data)
    except OSError as failure:
        message = f"{change.path} cannot be written: {failure.strerror}"
        raise UsageError(message, hint) from failure
