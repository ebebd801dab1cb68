"""Which time a plan goes by: its revision's committer date, unless that cannot be true yet.

The machine's own clock only tells whether a date is absurd. It is never used as a date itself, so
two machines that agree on what is absurd read the same clock from the same revision.
"""

from msgspec import Struct

from reconciler.adapters.git.process import GitProcess
from reconciler.ports import Revision

# Clocks of people's machines differ by minutes; one that is an hour ahead is set wrong.
AHEAD_SECONDS = 3_600


class Clock(Struct, frozen=True):
    """What a revision's plan takes its time from.

    Attributes:
        seconds: Since 1970.
        ahead: The committer date, when it is too far ahead of the machine's clock; else None.
        latest: The latest date that is not ahead.
    """

    seconds: int
    ahead: int | None
    latest: int


def clock_of(git: GitProcess, revision: Revision, now: float) -> Clock:
    """The clock of a revision.

    Of one whose date is ahead it is the newest date on its first-parent line that is not. Where
    all dates are ahead it is the oldest of them: what is released then is held for too long, not
    given away too early.

    Args:
        git: Where the revision is.
        revision: The revision.
        now: Seconds since 1970 by the machine's clock.

    Raises:
        GitError: The history cannot be read.
    """
    latest = int(now) + AHEAD_SECONDS
    if revision.clock <= latest:
        return Clock(revision.clock, None, latest)
    dates = _dates(git, revision)
    past = [date for date in dates if date <= latest]
    return Clock(max(past) if past else min(dates), revision.clock, latest)


def passed(git: GitProcess, revision: Revision, clock: Clock) -> int:
    """A time that has passed: the clock, or a newer date on the first-parent line.

    Whoever makes a commit may date it back, but not what it stands on.

    Raises:
        GitError: The history cannot be read.
    """
    dates = _dates(git, revision)
    return max([clock.seconds, *(date for date in dates if date <= clock.latest)])


def _dates(git: GitProcess, revision: Revision) -> list[int]:
    """The committer dates of the first-parent line."""
    listed = git.check("rev-list", "--first-parent", "--timestamp", revision.id)
    return [int(line.split(b" ")[0]) for line in listed.splitlines()]
