"""Whom a round looks at: those whom something bears on, at once, and nobody else."""

import logging

import pytest

from reconciler.clusters.resources import CONFIGURATION_STATE, SERVICE
from reconciler.commands.rounds import Round
from reconciler.commands.watching.attention import Attention
from reconciler.commands.watching.events import Cause, Event
from reconciler.model.resource import Ref
from reconciler.ports import ClusterError
from tests.commands.looking.country import ELASTIC, ONE, TWO
from tests.commands.watching.town import Town
from tests.fake_cluster import HUB
from tests.world import pool, provider

GIT = Event(Cause.GIT)
STATE = Ref(CONFIGURATION_STATE, "metallb-system", "controller")
TIGHT = "{maxLoadBalancerIPs: 2}"


def asks(town: Town, *names: str, cluster: str = ONE) -> list[Round]:
    """Services are made, and their watch says so."""
    for name in names:
        town.tenants.ask(name, cluster)
    return town.round(Event(Cause.SERVICES, cluster))


def provided(mode: str = ELASTIC, quota: str = "{maxLoadBalancerIPs: 4}") -> dict[str, str]:
    more = {"loadBalancer": mode, "quotaPerTenant": quota}
    return {"providers/default.yaml": provider("default", "[{name: edge}]", **more)}


def served(town: Town, cluster: str = ONE) -> bool:
    return all(town.tenants.services(cluster).values())


def codes(rounds: list[Round]) -> list[str]:
    return [it.code for it in rounds[-1].done.evaluation.findings]


def test_who_lacks_addresses_gets_them_with_the_commit_that_raises_the_quota() -> None:
    town = Town(quotaPerTenant=TIGHT)
    asks(town, "c")
    assert not served(town)
    town.commit(provided())
    town.round(GIT)
    assert served(town)


def test_a_tenant_that_may_grow_now_is_looked_at_with_the_commit_that_says_so() -> None:
    static = "{allocationMode: static, defaultPoolSize: 2}"
    town = Town(loadBalancer=static)
    asks(town, "c")
    assert not served(town)
    town.commit(provided())
    town.round(GIT)
    assert served(town)


def test_a_larger_pool_begins_a_look_of_those_who_lack_something() -> None:
    town = Town(cidr="10.0.0.0/31")
    asks(town, "c")
    assert not served(town)
    town.commit({"pools/edge.yaml": pool("edge", "10.0.0.0/30")})
    town.round(GIT)
    assert served(town)


def test_what_one_tenant_gives_back_another_gets_in_the_same_round() -> None:
    town = Town("one", "two", cidr="10.0.0.0/30")
    asks(town, "c")
    assert not served(town)
    for name in "ab":
        town.tenants.leave(name, TWO)
    town.commit({"tenants/two.yaml": None})
    town.round(GIT)
    town.round(GIT)
    assert served(town)


def test_nobody_is_looked_at_whom_nothing_bears_on() -> None:
    town = Town("one", "two", quotaPerTenant=TIGHT)
    asks(town, "c")
    assert town.looks() == 1
    town.commit({"README.md": "words"})
    town.round(GIT)
    assert (town.looks(ONE), town.looks(TWO)) == (0, 0)
    town.round(Event(Cause.SERVICES, TWO))
    assert (town.looks(ONE), town.looks(TWO)) == (0, 1)


def test_a_commit_of_ours_begins_no_look_of_those_whom_it_serves() -> None:
    town = Town("one", "two")
    asks(town, "c")
    assert served(town)
    town.round(GIT)
    assert (town.looks(ONE), town.looks(TWO)) == (0, 0)


def test_addresses_that_others_take_are_no_reason_to_try_again() -> None:
    town = Town("one", "two", cidr="10.0.0.0/29", quotaPerTenant="{maxLoadBalancerIPs: 3}")
    asks(town, "c", "d")
    asks(town, "c", cluster=TWO)
    assert served(town, TWO)
    assert town.looks(ONE) == 0


def no_services(verb: str, what: object) -> ClusterError | None:
    del verb
    is_meant = what == SERVICE
    return ClusterError("list services: 503") if is_meant else None


def test_a_look_that_failed_is_told_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    town = Town()
    town.daemon.clusters.faults[ONE] = no_services
    with caplog.at_level(logging.WARNING):
        found = asks(town, "c")
        again = asks(town)
    assert "demand-unasked" in codes(found)
    assert "demand-unasked" in codes(again)
    told = [record for record in caplog.records if "cannot be asked" in record.message]
    assert [getattr(record, "cluster", "") for record in told] == [ONE]
    assert town.later() == {ONE: 1.0}
    del town.daemon.clusters.faults[ONE]
    assert "demand-unasked" not in codes(asks(town))
    assert served(town)
    assert town.later() == {}


def test_whose_metallb_is_not_well_is_looked_at_again_by_itself() -> None:
    town = Town()
    kind = {"apiVersion": CONFIGURATION_STATE.api_version, "kind": CONFIGURATION_STATE.kind}
    metadata = {"name": STATE.name, "namespace": STATE.namespace}
    status = {"result": "Invalid", "errorSummary": "pools overlap"}
    town.daemon.clusters.hand(ONE).put({**kind, "metadata": metadata, "status": status})
    asks(town, "c")
    pauses: list[float] = []
    for _ in range(12):
        pauses.append(town.later()[ONE])
        town.round(Event(Cause.SERVICES, ONE))
    assert pauses[:4] == pytest.approx([0.5, 1.0, 2.0, 4.0])
    assert max(pauses) == pytest.approx(150.0)
    del town.daemon.clusters.objects[ONE][STATE]
    town.round(Event(Cause.SERVICES, ONE))
    assert served(town)
    assert town.later() == {}


def test_who_answers_again_is_looked_at() -> None:
    town = Town()
    down = frozenset([ONE])
    town.tenants.ask("c")
    found = town.round(Event(Cause.SERVICES, ONE), down=down)
    assert "demand-unasked" in codes(found)
    assert (town.asked(ONE), town.later()) == (0, {})
    town.round(Event(Cause.UP, ONE))
    assert served(town)


def test_all_whom_nobody_could_ask_are_looked_at_when_the_management_cluster_answers() -> None:
    town = Town("one", "two")
    for cluster in (ONE, TWO):
        town.tenants.ask("c", cluster)
        found = town.round(Event(Cause.SERVICES, cluster), down=frozenset([HUB]))
    assert codes(found).count("demand-unasked") == 1
    assert (town.daemon.clusters.opened, town.later()) == ([], {})
    town.round(Event(Cause.UP, HUB))
    assert served(town, ONE)
    assert served(town, TWO)


def test_who_was_not_well_is_looked_at_as_soon_as_something_was_mended_there() -> None:
    town = Town()
    mine = town.daemon.clusters.objects[ONE]
    (at,) = [ref for ref in mine if ref.resource.kind == "IPAddressPool"]
    mine[at]["spec"]["addresses"] = ["10.0.0.0/32"]
    asks(town, "c")
    assert not served(town)
    town.round(Event(Cause.DRIFT, ONE))
    assert town.later() == {ONE: 0.0}
    town.round(Event(Cause.SERVICES, ONE))
    assert served(town)


def test_many_who_fail_at_once_come_back_at_once() -> None:
    town = Town("one", "two")
    chances = iter([0.25, 0.75])
    town.daemon.work._attention.chance = lambda: next(chances)
    for cluster in (ONE, TWO):
        town.daemon.clusters.faults[cluster] = no_services
    town.round(Event(Cause.RESYNC))
    assert town.later() == {ONE: 0.25, TWO: 0.25}
    town.round(Event(Cause.RESYNC))
    assert town.later() == {ONE: 1.5, TWO: 1.5}


def test_of_tenants_that_are_gone_nothing_is_kept() -> None:
    town = Town("one", "two", quotaPerTenant=TIGHT)
    asks(town, "c")
    town.daemon.clusters.faults[TWO] = no_services
    asks(town, "c", cluster=TWO)
    kept = town.daemon.work._attention
    assert (set(kept._lacking), set(kept.unasked)) == ({ONE}, {TWO})
    town.commit({"tenants/one.yaml": None, "tenants/two.yaml": None})
    town.round(GIT)
    assert town.later() == {}
    assert (kept.words, kept._seen, kept._lacking, kept.unasked, kept._failures) == (
        *({}, {}, {}, {}, {}),
    )


def test_a_round_that_never_looks_forgets_nothing() -> None:
    town = Town(quotaPerTenant=TIGHT)
    asks(town, "c")
    before = dict(town.daemon.work._attention._lacking)
    assert before
    town.commit({"ipam.yaml": "kind: Settings\napiVersion: gitops-ipam.dev/v1alpha1\nspec: no\n"})
    town.round(GIT)
    assert town.daemon.work._attention._lacking == before
    assert isinstance(town.daemon.work._attention, Attention)


def test_growth_that_is_blocked_is_a_warning_once_and_its_end_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    town = Town(quotaPerTenant="{maxLoadBalancerIPs: 2}")
    caplog.set_level(logging.INFO, "reconciler.commands.watching")
    asks(town, "c")
    town.round(Event(Cause.AGAIN, ONE))
    asks(town, "d")  # now two are
    town.tenants.leave("c")
    town.tenants.leave("d")
    town.round(Event(Cause.SERVICES, ONE))
    town.round(Event(Cause.AGAIN, ONE))
    told = [(it.levelname, it.__dict__["cluster"], it.getMessage()[:37]) for it in caplog.records]
    assert told == [
        ("WARNING", ONE, "IPAMGrowthBlocked: 1 more address is "),
        ("WARNING", ONE, "IPAMGrowthBlocked: 2 more addresses a"),
        ("INFO", ONE, "nothing is in the way of its growth a"),
    ]
    claim = "butler/TenantCluster/team-a/one/loadbalancer-1"
    assert [it.__dict__.get("claim") for it in caplog.records] == [claim, claim, None]
