"""When a mirror is packed: it is ours alone, so nobody else ever does it."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager

from reconciler.adapters.git.failing import failure
from reconciler.adapters.git.process import GitProcess

# Loose objects in one of 256 folders, and packs, from which on a mirror is packed anew.
LOOSE = 16
PACKS = 40

_log = logging.getLogger(__name__)


def tidy(git: GitProcess, alone: Callable[[], AbstractContextManager[None]]) -> None:
    """Pack a mirror when it has piled up objects. Never fails: it is for the next run's sake.

    Args:
        git: Git on the mirror.
        alone: Keeps other runs on it waiting meanwhile.
    """
    try:
        if _is_untidy(git):
            with alone():
                _pack(git)
    except Exception as failed:  # noqa: BLE001 - what is published and applied stays so
        _log.warning("the mirror is not packed: %s", failed)


def _pack(git: GitProcess) -> None:
    result = git.run("gc", "--quiet")
    if result.status != 0:
        raise failure("gc", result)


def _is_untidy(git: GitProcess) -> bool:
    objects = git.git_dir / "objects"
    loose = sum(1 for _ in (objects / "17").glob("*"))
    packs = sum(1 for _ in (objects / "pack").glob("*.pack"))
    return loose >= LOOSE or packs >= PACKS
