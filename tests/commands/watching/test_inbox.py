"""Events that nobody took yet: no cluster fills the memory with them, however long a round takes."""

from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.schedule import MARKS
from tests.commands.watching.times import Moved

WEB, SHOP = Event(Cause.SERVICES, "a/web"), Event(Cause.SERVICES, "a/shop")


def test_a_cluster_that_tells_without_end_is_kept_as_one_event_more_than_are_told_apart() -> None:
    time = Moved()
    inbox = Inbox(time)
    for number in range(5 * MARKS):
        time.now += 1
        inbox.put(WEB._replace(mark=str(number)))
    inbox.put(SHOP._replace(mark="7"))
    found = inbox.drain()
    assert len(found) == MARKS + 2
    assert found[WEB] == MARKS + 1, "the oldest of them is as old as it was"
    assert SHOP._replace(mark="7") in found
    assert inbox.drain() == {}


def test_what_was_taken_counts_no_more() -> None:
    inbox = Inbox(Moved())
    for turn in range(2):
        for number in range(MARKS):
            inbox.put(WEB._replace(mark=f"{turn} {number}"))
            inbox.put(WEB._replace(mark=f"{turn} {number}"))
        assert WEB not in inbox.drain()


def test_who_is_woken_just_before_it_waits_does_not_wait() -> None:
    """That a Lease is ours, or not any more, is no event: nobody would tell it again."""
    time = Moved()
    inbox = Inbox(time)
    inbox.wake()
    inbox.wait(600)
    assert time.waited == []
    inbox.wait(600)
    assert time.waited == [600]
