"""The branch, looked at again and again."""

from reconciler.commands.watching.branch import BranchWatch
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.inbox import Inbox
from reconciler.ports import GitError
from tests.commands.watching.times import Moved


class Branch:
    """A branch that a test moves."""

    def __init__(self) -> None:
        self.time = Moved()
        self.inbox = Inbox(self.time)
        self.at, self.known = "a", "a"
        self.failure: Exception | None = None
        self.told: list[str] = []
        look = BranchWatch(self.head, lambda: self.known, 15.0, self.inbox, lambda: 1.0, self.tell)
        self.watch = look

    def head(self) -> str:
        if self.failure is not None:
            raise self.failure
        return self.at

    def tell(self, failure: Exception | None) -> None:
        self.told.append("" if failure is None else str(failure))


def test_a_head_that_no_round_has_seen_is_an_event_once() -> None:
    branch = Branch()
    assert branch.watch.look() is None
    assert branch.inbox.drain() == {}
    branch.at = "b"
    branch.watch.look()
    assert list(branch.inbox.drain()) == [Event(Cause.GIT)]
    branch.watch.look()
    assert branch.inbox.drain() == {}  # the round that it began goes on
    branch.known = "b"
    branch.watch.look()
    branch.at = "a"  # back again
    branch.watch.look()
    assert list(branch.inbox.drain()) == [Event(Cause.GIT)]


def test_before_the_first_round_nothing_is_news() -> None:
    branch = Branch()
    branch.known = ""
    branch.watch.look()
    assert branch.inbox.drain() == {}


def test_it_is_looked_at_every_so_often_and_less_while_that_fails() -> None:
    branch = Branch()

    def fail() -> None:
        branch.failure = GitError("down")

    def nothing() -> None:
        """It is still down."""

    def mend() -> None:
        branch.failure = None

    happens = [nothing, fail, *[nothing] * 6, mend, branch.inbox.stop]
    branch.time.happens = iter(happens)
    branch.watch.run()
    assert branch.told == ["", "", *["down"] * 7, ""]
    assert branch.time.waited == [15, 15, 15, 15, 15, 15, 16, 32, 64, 15]


def test_a_bug_in_a_look_ends_nothing() -> None:
    branch = Branch()
    branch.failure = RuntimeError("broken")
    assert branch.watch.look() is branch.failure
