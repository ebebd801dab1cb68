"""What a bug planted by hand is."""

from collections.abc import Sequence
from typing import NamedTuple

QUICK = ("tests/engine", "tests/golden", "tests/addresses", "tests/records", "tests/properties",
         "tests/commands", "tests/test_comparison.py")  # fmt: skip
PROTECTION = ("tests/engine/test_protection.py",)
LAST_GOOD = ("tests/commands/reading/test_last_good.py",)
SERVERS = ("tests/applying/", "tests/faults/")


class Mutant(NamedTuple):
    """A bug: what stands in a file of the package, once, and what stands there instead.

    Attributes:
        tests: The tests that have to notice it; those of `SERVERS` need real API servers.
    """

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str] = QUICK
