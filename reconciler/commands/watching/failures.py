"""What is kept of a failure, by those who keep one for long."""

from typing import TypeVar

E = TypeVar("E", bound=BaseException)


def alone(failure: E) -> E:
    """A failure without the way that it took, and without what came before it.

    Its way holds all that was at hand there: the connections of a session, the list that was read.
    """
    failure.__cause__ = failure.__context__ = None
    return failure.with_traceback(None)
