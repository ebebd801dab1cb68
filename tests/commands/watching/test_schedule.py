"""When rounds begin, and for what: no clock but the one that a test says."""

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from reconciler.commands.watching.backoff import LONGEST, Backoff, spelled
from reconciler.commands.watching.events import Cause, Event, Scope
from reconciler.commands.watching.schedule import BURST, MARKS, PATIENCE, QUIET, Schedule

GIT = Event(Cause.GIT)
WEB, SHOP = Event(Cause.DRIFT, "a/web"), Event(Cause.DRIFT, "a/shop")
SERVICES = Event(Cause.SERVICES, "a/web")


def begun(schedule: Schedule, now: float) -> Scope:
    scope = schedule.take(now)
    assert scope is not None
    return scope


def test_a_round_begins_when_it_is_quiet() -> None:
    schedule = Schedule(600)
    schedule.add(GIT, 0.0)
    schedule.add(WEB, 0.04)
    assert schedule.next_at() == 0.04 + QUIET
    assert schedule.take(0.08) is None
    scope = begun(schedule, 0.04 + QUIET)
    assert scope == Scope((Cause.GIT, Cause.DRIFT), True, frozenset({"a/web"}), frozenset(), 0.0)
    assert schedule.next_at() == inf


def test_it_does_not_wait_for_quiet_for_ever() -> None:
    schedule = Schedule(600)
    for step in range(30):
        schedule.add(Event(Cause.DRIFT, "a/web", str(step)), step / 100)
    assert schedule.next_at() == PATIENCE
    assert begun(schedule, PATIENCE).clusters == frozenset({"a/web"})


def test_an_event_that_comes_again_is_waited_for_no_longer_than_the_first() -> None:
    schedule = Schedule(600)
    for step in range(30):
        schedule.add(GIT, step / 100)
    assert schedule.next_at() == PATIENCE


def test_drift_alone_plans_nothing() -> None:
    schedule = Schedule(600)
    schedule.add(WEB, 0.0)
    scope = begun(schedule, 1.0)
    assert (scope.plans, scope.clusters) == (False, frozenset({"a/web"}))


def test_services_are_asked_about_and_their_cluster_is_left_alone_unless_the_plan_changes_it() -> (
    None
):
    schedule = Schedule(600)
    schedule.add(SERVICES, 0.0)
    scope = begun(schedule, 1.0)
    assert (scope.plans, scope.clusters, scope.asked) == (True, frozenset(), frozenset({"a/web"}))


def test_a_whole_round_is_followed_by_one_after_the_resync() -> None:
    schedule = Schedule(600)
    schedule.later(Event(Cause.START), 0.0)
    scope = begun(schedule, 0.0)
    assert (scope.clusters, scope.asked, scope.plans) == (None, None, True)
    assert schedule.next_at() == 600
    schedule.add(Event(Cause.RESYNC), 100.0)  # somebody asks for one
    assert begun(schedule, 101.0).clusters is None
    assert schedule.next_at() == 701


def test_what_is_to_come_later_comes_once_and_at_the_earliest_time() -> None:
    schedule = Schedule(600)
    event = Event(Cause.RETRY, "a/web")
    schedule.later(event, 9.0)
    schedule.later(event, 5.0)
    schedule.later(event, 7.0)
    assert schedule.take(4.9) is None
    assert begun(schedule, 5.0).causes == (Cause.RETRY,)
    assert schedule.take(20.0) is None


def test_what_comes_closely_after_another_by_itself_is_of_its_round() -> None:
    schedule = Schedule(600)
    for name, at in (("a/web", 1.0), ("a/shop", 1.09), ("a/late", 1.2)):
        schedule.later(Event(Cause.AGAIN, name), at)
    assert schedule.next_at() == 1.09
    assert schedule.take(1.05) is None
    assert begun(schedule, 1.09).asked == frozenset({"a/web", "a/shop"})
    assert begun(schedule, 1.2).asked == frozenset({"a/late"})


def test_what_comes_by_itself_without_end_begins_a_round_in_time() -> None:
    schedule = Schedule(600)
    for step in range(100):
        schedule.later(Event(Cause.AGAIN, f"a/{step}"), 1 + step / 20)
    assert PATIENCE - 0.1 < schedule.next_at() - 1 <= PATIENCE


def test_a_retry_of_what_was_planned_plans() -> None:
    schedule = Schedule(600)
    schedule.later(Event(Cause.RETRY, plans=True), 1.0)
    assert begun(schedule, 1.0).plans


def test_the_echo_of_a_write_begins_nothing() -> None:
    schedule = Schedule(600)
    ours, theirs = WEB._replace(mark="7"), SHOP._replace(mark="7")
    schedule.add(ours, 0.0)
    assert schedule.take(1.0, lambda event: event == ours) is None
    schedule.add(ours, 2.0)
    schedule.add(theirs, 2.0)
    scope = schedule.take(3.0, lambda event: event == ours)
    assert scope is not None
    assert scope.clusters == frozenset({"a/shop"})


def test_a_cluster_that_is_never_quiet_begins_one_round_a_second_and_keeps_nobody_waiting() -> None:
    schedule = Schedule(600)
    rounds, now = [], 0.0
    while now < 100:
        schedule.add(SERVICES._replace(mark=str(now)), now)
        now += QUIET
        if scope := schedule.take(now):
            rounds.append(scope)
    assert BURST + 90 <= len(rounds) <= BURST + 102
    schedule.add(SHOP, now)
    assert schedule.next_at() <= now + QUIET


def test_no_event_of_a_busy_cluster_is_lost() -> None:
    schedule = Schedule(600)
    for step in range(int(BURST) + 1):
        schedule.add(WEB, float(step) / 1000)
        scope = schedule.take(1.0)
    assert scope is None
    assert begun(schedule, schedule.next_at()).clusters == frozenset({"a/web"})


def test_more_states_than_are_told_apart_are_news() -> None:
    schedule = Schedule(600)
    for number in range(MARKS + 50):
        schedule.add(WEB._replace(mark=str(number)), 0.0)
    scope = schedule.take(1.0, lambda event: bool(event.mark))
    assert scope is not None


def test_of_a_cluster_that_is_gone_nothing_is_waited_for() -> None:
    schedule = Schedule(600)
    schedule.add(WEB, 0.0)
    schedule.later(Event(Cause.RETRY, "a/web"), 5.0)
    schedule.forget("a/web")
    assert schedule.next_at() == inf


@given(
    st.lists(st.tuples(st.sampled_from([GIT, WEB, SHOP, SERVICES]), st.floats(0, 10)), min_size=1)
)
def test_each_event_is_answered_within_the_patience_or_the_turn_of_its_cluster(
    history: list[tuple[Event, float]],
) -> None:
    schedule, left = Schedule(600), sorted(history, key=lambda item: item[1])
    waiting: dict[Event, float] = {}
    while left or waiting:
        at = schedule.next_at()
        if left and left[0][1] <= at:
            event, now = left.pop(0)
            schedule.add(event, now)
            waiting.setdefault(event, now)
            continue
        scope = schedule.take(at)
        if scope is None:
            continue
        for event, came in list(waiting.items()):
            if event.cause in scope.causes and event.cluster in {
                "",
                *(scope.clusters or ()),
                *(scope.asked or ()),
            }:
                assert at - came <= PATIENCE + 1.0 + 1e-6
                del waiting[event]


def test_pauses_grow_up_to_five_minutes_and_begin_anew_when_it_works() -> None:
    backoff = Backoff(lambda: 0.999)
    pauses = [backoff.pause() for _ in range(12)]
    assert pauses == sorted(pauses)
    assert pauses[0] < 1 < pauses[1] < 2
    assert pauses[-1] == LONGEST * 0.999
    backoff.reset()
    assert backoff.pause() < 1


def test_no_two_come_back_at_once() -> None:
    assert Backoff(lambda: 0.0, failures=40).pause() == 0.0
    assert Backoff(lambda: 0.5, failures=40).pause() == LONGEST / 2


def test_a_pause_is_never_told_as_none_at_all() -> None:
    assert [spelled(it) for it in (0.04, 0.4, 1.26, 9.99, 10.0, 299.6)] == [
        "0.04 s", "0.40 s", "1.26 s", "9.99 s", "10 s", "300 s",
    ]  # fmt: skip


def test_a_cluster_that_rests_begins_nothing_by_whatever_it_tells_and_is_asked_then() -> None:
    schedule = Schedule(600)
    schedule.rest("a/web", 30.0)
    for cause in (Cause.UP, Cause.RETRY, Cause.KUBECONFIG, Cause.SERVICES, Cause.DRIFT):
        schedule.add(Event(cause, "a/web", "7"), 1.0)
    schedule.add(SHOP, 1.0)
    assert begun(schedule, 2.0).clusters == frozenset({"a/shop"})
    assert schedule.next_at() == 30.0
    scope = begun(schedule, 30.0)
    assert set(scope.causes) >= {Cause.UP, Cause.SERVICES}
    schedule.rest("a/web", 60.0)
    schedule.forget("a/web")
    assert schedule.next_at() == inf


def test_a_round_says_why_and_where_and_a_look_that_comes_back_has_its_own_word() -> None:
    schedule = Schedule(600)
    schedule.add(GIT, 0.0)
    assert str(begun(schedule, 1.0)) == "git"
    schedule.add(Event(Cause.AGAIN, "a/web"), 2.0)
    schedule.add(Event(Cause.RETRY, "a/shop"), 2.0)
    scope = begun(schedule, 3.0)
    assert str(scope) == "again, retry of a/shop and a/web"
    assert scope.plans
    assert (scope.clusters, scope.asked) == (frozenset(["a/shop"]), frozenset(["a/web"]))
