"""Files of a work tree that a verb writes for a person, who reviews and commits them."""

from pathlib import Path

from reconciler.adapters.ground import FolderGround
from reconciler.model.change import Change
from reconciler.ports import UsageError


def write_edit(root: Path | None, change: Change, hint: str, *, is_new: bool = False) -> None:
    """Write a file into a work tree; one that is there is not written over by a new one.

    No link is followed: it may lead out of the repository.

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
    ground, text = FolderGround(root), change.data.decode("utf-8", "replace")
    try:
        if not is_new:
            ground.rewrite(change.path, change.data)
        elif ground.text(change.path) != text:
            ground.add(change.path, text)
    except FileExistsError as there:
        message = f"{change.path} is there already, and says something else"
        raise UsageError(message, "edit it, or remove it, then run it again") from there
    except OSError as failure:
        message = f"{change.path} cannot be written: {failure.strerror}"
        raise UsageError(message, hint) from failure
