"""What rounds leave out, tell and remember, and what does not wait for the resync."""

from msgspec.structs import replace

from reconciler.clusters.outcome import State
from reconciler.commands.exit_codes import reconciled_code
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.observer import Ending
from reconciler.model.builtin import EVENT
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import ClusterError, ExitCode, UnreachableError
from tests.applying.test_intake import COPY, SETTINGS, fill
from tests.commands.looking.country import ONE, TWO
from tests.commands.watching.country import Country
from tests.commands.watching.town import OWN, Town
from tests.fake_cluster import HUB
from tests.families.capi.hub import SHOP, shop

BLOCKED = "IPAMGrowthBlocked"
TIGHT = "{maxLoadBalancerIPs: 2}"


def events(town: Town) -> int:
    """How many Events tell that growth is blocked."""
    there = town.daemon.clusters.objects[HUB].items()
    return sum(ref.resource == EVENT and item["reason"] == BLOCKED for ref, item in there)


def test_a_cluster_that_is_known_to_be_silent_is_not_asked_by_any_round() -> None:
    town = Town("one", "two")
    down = frozenset([ONE])
    town.tenants.ask("c", ONE)
    town.tenants.ask("c", TWO)
    (found, *_) = town.round(Event(Cause.RESYNC), down=down)
    assert town.asked(ONE) == 0
    assert all(town.tenants.services(TWO).values())
    assert not any(item.cluster == ONE for item in found.applied or ())


def test_what_a_silent_cluster_may_announce_is_held_without_asking_it() -> None:
    town = Town("one", "two")
    down = frozenset([ONE])
    town.commit({"tenants/one.yaml": None})
    for _ in range(3):
        town.pass_by(60)
        found = town.round(Event(Cause.GIT), down=down)
        assert town.asked(ONE) == 0
    evaluation = found[-1].done.evaluation
    held = [item.message for item in evaluation.findings if item.code == "expiry-held"]
    assert any(f"{ONE} cannot be asked" in message for message in held)
    text = b"".join(data for path, data in town.daemon.branch.files().items() if "one" in path)
    assert b"phase: Released" in text


def test_a_round_without_the_management_cluster_says_so() -> None:
    town = Town()
    found = town.round(Event(Cause.SERVICES, ONE), down=frozenset([MANAGEMENT]))
    (own,) = found[-1].applied or ()
    assert (own.cluster, own.state) == (MANAGEMENT, State.UNREACHABLE)
    done = found[-1].done
    assert reconciled_code(done.code, done.evaluation, [own]) is ExitCode.CLUSTER
    assert town.daemon.clusters.opened == []


def test_the_daemon_is_not_ready_while_the_management_cluster_does_not_answer() -> None:
    here = Town().daemon
    here.clusters.faults[HUB] = lambda _verb, _what: UnreachableError("connection refused")
    here.watches._ups(HUB, here.watches._topics[HUB][0], UnreachableError("connection refused"))
    assert here.daemon.health.ready().reasons == {"management": "connection refused"}
    here.inbox.put(Event(Cause.SERVICES, ONE))
    here.rounds(1)
    assert [done.ending for done in here.told[-1:]] == [Ending.PARTIAL]
    del here.clusters.faults[HUB]
    here.watches._ups(HUB, here.watches._topics[HUB][0], None)
    here.rounds(1)
    assert [done.ending for done in here.told[-1:]] == [Ending.OK]
    assert here.daemon.health.ready().is_ready


def test_one_kind_that_fails_keeps_nobody_from_his_address() -> None:
    town = Town()
    here, kind = town.daemon, town.daemon.watches._topics[HUB][-1]
    here.watches._ups(HUB, kind, ClusterError("the conversion webhook is unavailable"))
    town.tenants.ask("c")
    town.round(Event(Cause.SERVICES, ONE), down=here.watches.down())
    assert all(town.tenants.services().values())


def test_growth_that_is_blocked_is_told_in_the_round_that_finds_it_and_when_it_is_over() -> None:
    town = Town(quotaPerTenant=TIGHT)
    assert town.ready()[0] == "Ready"
    town.tenants.ask("c")
    town.round(Event(Cause.SERVICES, ONE))
    assert town.ready()[0] == BLOCKED
    assert events(town) == 1
    town.round(Event(Cause.DEPENDANTS, HUB))  # it looks at no tenant
    assert town.ready()[0] == BLOCKED
    town.round(Event(Cause.SERVICES, ONE))
    assert town.asked(ONE) == town.looks(), "nothing is new: only the look reaches it"
    town.tenants.leave("c")
    town.round(Event(Cause.SERVICES, ONE))
    assert town.ready()[0] == "Ready"
    assert events(town) == 1


def test_what_could_not_be_told_is_told_the_next_time() -> None:
    town = Town(quotaPerTenant=TIGHT)
    town.tenants.ask("c")
    town.daemon.clusters.faults[HUB] = lambda _verb, what: (
        ClusterError("no") if what == OWN else None
    )
    town.round(Event(Cause.SERVICES, ONE))
    assert town.ready()[0] == "Ready"
    del town.daemon.clusters.faults[HUB]
    town.round(Event(Cause.SERVICES, ONE))
    assert town.ready()[0] == BLOCKED


def seconds(town: Town) -> list[float]:
    """After how many seconds growth was served."""
    told: list[float] = []
    work = town.daemon.work
    work.site = replace(work.site, growth_served=lambda _name, after: told.append(after))
    return told


def refuse_writes(town: Town) -> None:
    """The cluster of the tenant is read, and takes nothing."""
    town.daemon.clusters.faults[ONE] = lambda verb, _what: (
        ClusterError("no") if verb in ("apply", "merge") else None
    )


def test_a_need_that_ended_by_itself_counts_no_hours() -> None:
    town = Town()
    told = seconds(town)
    town.tenants.ask("c")
    refuse_writes(town)
    town.round(Event(Cause.SERVICES, ONE))
    assert town.daemon.work._pending
    town.tenants.leave("c")
    town.round(Event(Cause.SERVICES, ONE))
    assert not town.daemon.work._pending
    del town.daemon.clusters.faults[ONE]
    town.pass_by(7200)
    town.round(Event(Cause.RESYNC))
    assert told == []


def test_growth_that_is_applied_late_counts_from_its_first_need() -> None:
    town = Town()
    told = seconds(town)
    town.tenants.ask("c")
    refuse_writes(town)
    town.round(Event(Cause.SERVICES, ONE))
    town.pass_by(30)
    town.round(Event(Cause.SERVICES, ONE))  # it is in flight: nobody needs more
    del town.daemon.clusters.faults[ONE]
    town.pass_by(30)
    town.round(Event(Cause.RESYNC))
    assert told == [60.0]


def test_what_is_missing_is_looked_for_again_after_ten_minutes_whatever_the_resync() -> None:
    here = Country({"ipam.yaml": SETTINGS})
    hand = here.clusters.hand(HUB)
    fill(hand)
    more = shop()
    hand.put({**more, "metadata": {**more["metadata"], "name": "more"}})
    here.start()
    assert COPY in here.branch.files()
    here.daemon.schedule.resync = 7200.0
    here.daemon.schedule._later.clear()
    hand.delete(SHOP, str(hand.objects[SHOP]["metadata"]["uid"]))
    here.inbox.put(Event(Cause.DUE))  # a round that applies to nobody remembers it, too
    assert here.rounds(1)
    assert not here.told[-1].applied
    assert COPY in here.branch.files()
    here.clusters.clock += 600
    (ended,) = here.rounds(1, until=3600)
    assert 600 <= ended <= 601
    assert here.told[-1].causes == (Cause.INTAKE,)
    assert COPY not in here.branch.files()
