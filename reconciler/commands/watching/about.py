"""Which round a line of the log is about, where the code that writes it knows of none."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_round: ContextVar[int | None] = ContextVar("round", default=None)


@contextmanager
def in_round(number: int) -> Iterator[None]:
    """What is logged by this thread while the block runs is of a round."""
    token = _round.set(number)
    try:
        yield
    finally:
        _round.reset(token)


def round_in_hand() -> int | None:
    """The number of the round that this thread works at; None for none."""
    return _round.get()
