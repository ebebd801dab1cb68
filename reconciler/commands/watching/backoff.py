"""How long is waited before what failed is tried again: with full jitter, at most five minutes."""

from collections.abc import Callable
from dataclasses import dataclass

LONGEST = 300.0
FIRST = 1.0
_DOUBLINGS = 20
_SHORT = 10.0


@dataclass(slots=True)
class Backoff:
    """The pauses of one thing that fails.

    Attributes:
        chance: Gives a number in [0, 1).
        failures: How often it failed in a row.
    """

    chance: Callable[[], float]
    failures: int = 0

    def pause(self) -> float:
        """Seconds to wait, after one more failure: anything up to twice what it was before."""
        most = min(LONGEST, FIRST * 2.0 ** min(self.failures, _DOUBLINGS))
        self.failures += 1
        return most * self.chance()

    def reset(self) -> None:
        """It works again."""
        self.failures = 0


def spelled(pause: float) -> str:
    """A pause as a log tells it: a short one with its fractions, since none at all is no pause."""
    return f"{pause:.2f} s" if pause < _SHORT else f"{pause:.0f} s"
