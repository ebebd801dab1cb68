"""A revision as it was read at another time: its files, and the clock that a plan had then."""

from reconciler.commands.reading.through import Through


class AsOf(Through, frozen=True):
    """A source with a clock of its own; all else is that of the source.

    Attributes:
        seconds: The clock, since 1970.
        ahead: The committer date, if it was found to be ahead then.
    """

    seconds: int
    ahead: int | None = None

    def clock(self) -> int:
        """The clock that is asked for."""
        return self.seconds

    def clock_ahead(self) -> int | None:
        """The committer date, if it was ahead then."""
        return self.ahead

    def passed(self) -> int:
        """The clock that is asked for, or a newer date on the line that was not ahead then."""
        return self.seconds if self.ahead is not None else max(self.seconds, self.of.passed())
