"""What a replay says of a commit."""

from enum import StrEnum


class Verdict(StrEnum):
    """What planning the base of a commit once more shows.

    `SAME`: all bytes are equal. `DIFFERENT`: this version makes others. `NOT_COMPARABLE`: another
    version made it, and this one writes other bytes. `FOREIGN`: reconcile did not make it. `NOT_HERE`:
    its base is behind the end of the clone.
    """

    SAME = "same"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not-comparable"
    FOREIGN = "foreign"
    NOT_HERE = "not-here"
