"""How often a request is repeated, and how long is waited before each time."""

from reconciler.adapters.kube.answers import Again, Trouble
from reconciler.ports import UnauthorizedError

RETRIES = 4
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0


def may_repeat(found: Trouble, tries: int, *, is_repeatable: bool) -> bool:
    """Whether to ask once more.

    Args:
        found: What became of the last try.
        tries: How often it was repeated already.
        is_repeatable: Carrying it out twice does no harm.
    """
    if tries == RETRIES or isinstance(found.error, UnauthorizedError):
        return False
    return found.again is Again.ALWAYS or (found.again is Again.IF_REPEATABLE and is_repeatable)


def pause_before(found: Trouble, tries: int, chance: float) -> float:
    """Seconds to wait before the next try: never before the server wishes it, nor all at once.

    Args:
        found: What became of the last try.
        tries: How often it was repeated already.
        chance: A number in [0, 1).
    """
    longest: float = min(FIRST_PAUSE * 2**tries, LONGEST_PAUSE)
    pause = longest * (0.5 + chance / 2)
    if found.after_seconds > pause:
        return found.after_seconds + longest * (1 - chance) / 2
    return pause
