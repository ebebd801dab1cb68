"""What became of the branch that gets what reconcile made, for a pull request."""

from enum import StrEnum


class Proposed(StrEnum):
    """What became of it.

    Attributes:
        NOTHING: There was nothing to do, and nothing there that waits for a merge.
        STANDS: It holds the very same already.
        BROUGHT: It holds now what is to be merged.
        WITHDRAWN: It is removed: nothing is left to be done of what it held.
    """

    NOTHING = "nothing"
    STANDS = "stands"
    BROUGHT = "brought"
    WITHDRAWN = "withdrawn"
