"""Whether a daemon does its work, for those who ask by HTTP."""

from typing import NamedTuple


class Health(NamedTuple):
    """What is answered, and whether it means well.

    Attributes:
        lines: What is in the way; or, when nothing is, what is worth knowing.
    """

    is_well: bool = True
    lines: tuple[str, ...] = ()
