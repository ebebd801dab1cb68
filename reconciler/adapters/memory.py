"""What a process that runs on gives back to the machine.

The C library keeps what threads let go of, in an arena for each few of them: a process whose
threads come and go holds ever more, of which nothing is in use.
"""

import ctypes
import gc

ARENAS = 2
"""Arenas of the C library: one for each processor that a daemon is expected to have."""

MANY = 10_000
"""Objects that come together until those in cycles are dropped, while a round goes on."""

_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's mallopt."""


def keep_little() -> bool:
    """Keep little, and have the C library keep little; False where it cannot be told.

    It is called before threads begin.
    """
    gc.set_threshold(MANY, 10, 10)
    ask = _function("mallopt")
    return ask is not None and bool(ask(_ARENA_MAX, ARENAS))


def drop_waste() -> None:
    """Drop what is in cycles: the connections of a round, and the ways of its failures.

    They stay until somebody looks for them. In a process that goes on they fill memory, and what
    comes meanwhile and stays holds it in pieces. What was there when `give_back` was called is not
    looked at: in a large fleet that would take seconds.
    """
    gc.collect()


def give_back() -> bool:
    """Give back what is not in use any more; False where that cannot be asked for."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    ask = _function("malloc_trim")
    if ask is not None:
        ask(0)
    return ask is not None


def _function(name: str) -> "ctypes._FuncPointer | None":
    """A function of the C library; None where it has another one."""
    try:
        found: ctypes._FuncPointer | None = getattr(ctypes.CDLL(None), name, None)
    except OSError:  # a program without one
        return None
    return found
