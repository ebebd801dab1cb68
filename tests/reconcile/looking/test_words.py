"""The condition of a tenant shows why it does not grow, and one Event reports it."""

from typing import Any

import pytest

from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.model.objects import EVENT, Ref
from tests.fake_cluster import HUB
from tests.reconcile.looking.country import Country, country

OWN = Ref(TENANT_CLUSTER, "team-a", "one")


@pytest.fixture
def here() -> Country:
    found = country(quotaPerTenant="{maxLoadBalancerIPs: 2}")
    hub = found.clusters.hand(HUB)
    hub.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    hub.put(
        {
            "apiVersion": TENANT_CLUSTER.api_version,
            "kind": TENANT_CLUSTER.kind,
            "metadata": {"name": "one", "namespace": "team-a"},
            "spec": {"workers": {"replicas": 1}},
        }
    )
    found.run()
    return found


def ready(here: Country) -> tuple[str, str, str]:
    conditions = here.clusters.objects[HUB][OWN]["status"]["conditions"]
    (found,) = [it for it in conditions if it["type"] == "NetworkReady"]
    return found["status"], found["reason"], found["message"]


def events(here: Country) -> list[dict[str, Any]]:
    return [
        dict(item)
        for ref, item in here.clusters.objects[HUB].items()
        if ref.resource == EVENT and item["involvedObject"]["kind"] == TENANT_CLUSTER.kind
    ]


def test_growth_that_is_blocked_is_told_and_taken_back_when_it_is_not(here: Country) -> None:
    assert ready(here)[:2] == ("True", "Ready")
    here.ask("c")
    here.run()
    status, reason, message = ready(here)
    assert (status, reason) == ("True", "IPAMGrowthBlocked")
    assert message.startswith("1 more address is needed for default/c: the quota")
    (event,) = events(here)
    assert (event["type"], event["reason"], event["message"]) == ("Warning", reason, message)
    assert event["involvedObject"]["name"] == "one"
    here.leave("c")
    here.run()
    assert ready(here)[:2] == ("True", "Ready")
    assert len(events(here)) == 1


def test_the_message_is_cut_and_holds_nothing_that_a_terminal_takes(here: Country) -> None:
    here.ask("c", loadBalancerIP="\x1b[31m" + "x" * 5_000)
    here.run()
    assert "\x1b" not in ready(here)[2]
    assert len(ready(here)[2]) <= 1_024
