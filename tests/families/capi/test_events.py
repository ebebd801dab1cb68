"""Events on IPAddressClaims appear only when their condition changes."""

from typing import Any

import pytest

from reconciler.families.capi.kinds import CLUSTERS
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.model.applied import ClusterState
from reconciler.model.errors import ClusterError, UnreachableError
from reconciler.model.objects import EVENT, Ref
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import CP, FILES, INGRESS, asked, hub, person, there
from tests.families.capi.trees import claim, of, pool
from tests.world import CLOCK, reconciled

ONE = pool("vips", "10.0.0.10")


@pytest.fixture
def clusters() -> FakeClusters:
    return person()


def events(clusters: FakeClusters) -> list[tuple[str, str, str, str]]:
    found = clusters.hand(HUB).list(EVENT).items
    return sorted(
        (it["involvedObject"]["name"], it["type"], it["reason"], it["message"]) for it in found
    )


def test_a_run_that_is_cut_off_among_the_records_has_told_of_the_addresses(
    clusters: FakeClusters,
) -> None:
    def away(verb: str, what: Any) -> ClusterError | None:
        is_record = isinstance(what, Ref) and what.resource == IP_ALLOCATION
        return UnreachableError("away") if is_record and verb == "apply" else None

    clusters.faults[HUB] = away
    assert clusters.apply(FILES)["management"].state is ClusterState.UNREACHABLE
    cluster_is_written = there(clusters, CLUSTERS, "shop")["spec"].get("controlPlaneEndpoint")
    assert (cluster_is_written, [name for name, *_ in events(clusters)]) == (
        {"host": "10.0.0.10", "port": 6443},
        [CP, INGRESS],
    )
    clusters.faults.clear()
    assert not hub(clusters).is_failed
    assert len(events(clusters)) == 2


def test_a_claim_of_a_person_is_told_of_each_change_of_its_state(clusters: FakeClusters) -> None:
    for name in ("one", "two"):
        asked(clusters, name)
    files = reconciled(of(ONE, claim("one")))
    full = reconciled({**files, "clusters/09.yaml": claim("two")})
    hub(clusters, full)
    assert events(clusters) == [
        ("one", "Normal", "AddressAllocated", "10.0.0.10 allocated from vips"),
        ("two", "Warning", "PoolExhausted", "needs 1 address; pool vips has 0 of 1 free"),
    ]
    hub(clusters, full, "b")
    assert len(events(clusters)) == 2
    freed = {path: text for path, text in full.items() if "/01." not in path}
    later = reconciled(reconciled(freed, CLOCK + 9), CLOCK + 100_000)
    hub(clusters, later, "c", allow_delete=9)
    told = [(name, reason) for name, _, reason, _ in events(clusters)]
    assert told == [
        ("one", "AddressAllocated"), ("two", "AddressAllocated"), ("two", "PoolExhausted"),
    ]  # fmt: skip
