"""A tenant whose cluster cannot be asked, in figures: nobody is told that all is well."""

import logging

import pytest
from msgspec.structs import replace

from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.metering import Metering
from reconciler.ports import ClusterError, UnauthorizedError
from tests.commands.looking.country import ONE, TWO
from tests.commands.watching.town import Town
from tests.fake_cluster import HUB
from tests.meters import Shown

REFUSED = UnauthorizedError(
    "read Namespace/kube-system: the server does not accept the credentials", "put a new token in"
)


class Told:
    """A town whose daemon tells a registry."""

    def __init__(self, *names: str) -> None:
        self.town, self.shown = Town(*names), Shown()
        self.here = self.town.daemon
        told = Metering(self.shown.registry, lambda: 7.0)
        site = self.here.work.site
        self.here.work.site = replace(
            site, looked_at=told.looked_at, looked=told.looked, demand_seen=told.demand_seen
        )
        self.here.daemon.observer = told
        self.round(Event(Cause.RESYNC))

    def round(self, event: Event) -> None:
        """The daemon works until it has nothing to do."""
        self.here.inbox.put(event)
        self.here.rounds(1)
        self.town.tenants.serve()

    def up(self, cluster: str) -> float | None:
        return self.shown.value("gitops_ipam_cluster_up", cluster=cluster)

    def unasked(self) -> float | None:
        labels = {"code": "demand-unasked", "severity": "warning"}
        return self.shown.value("gitops_ipam_findings_by_code", **labels)

    def demand(self) -> set[str]:
        return {tenant for _, tenant in self.shown.of("gitops_ipam_demand_addresses")}


def test_a_dead_token_is_told_until_there_is_another_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told = Told("one", "two")
    faults = told.here.clusters.faults
    assert (told.up(ONE), told.unasked(), told.demand()) == (1, None, {ONE, TWO})
    faults[ONE] = lambda _verb, _what: REFUSED
    told.town.tenants.ask("c", ONE)
    for event in (Event(Cause.SERVICES, ONE), Event(Cause.KUBECONFIG, ONE), Event(Cause.RESYNC)):
        with caplog.at_level(logging.WARNING):
            told.round(event)
        assert (told.up(ONE), told.up(TWO), told.up(HUB)) == (0, 1, 1), event
        assert (told.unasked(), told.demand()) == (1, {TWO}), event
    assert told.shown.value("gitops_ipam_findings", severity="warning") == 1
    (line,) = [it.message for it in caplog.records if "cannot be asked" in it.message]
    assert line == f"{ONE} cannot be asked: {REFUSED}; put a new token in"
    del faults[ONE]
    told.round(Event(Cause.KUBECONFIG, ONE))
    told.round(Event(Cause.SERVICES, ONE))
    assert (told.up(ONE), told.unasked(), told.demand()) == (1, None, {ONE, TWO})


def test_a_management_cluster_that_cannot_be_asked_is_not_the_fault_of_its_tenants() -> None:
    told = Told("one", "two")
    told.here.clusters.faults[HUB] = lambda _verb, _what: REFUSED
    told.round(Event(Cause.RESYNC))
    assert (told.up(HUB), told.up(ONE), told.up(TWO)) == (0, 1, 1)
    assert (told.unasked(), told.demand()) == (1, set())


def test_a_cluster_that_a_look_alone_cannot_ask_is_down() -> None:
    told = Told("one")
    told.here.clusters.faults[ONE] = lambda verb, what: (
        ClusterError("forbidden")
        if (verb, getattr(what, "kind", "")) == ("list", "Service")
        else None
    )
    told.round(Event(Cause.SERVICES, ONE))
    told.round(Event(Cause.DRIFT, ONE))
    assert (told.up(ONE), told.unasked(), told.demand()) == (0, 1, set())
