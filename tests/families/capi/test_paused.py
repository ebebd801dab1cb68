"""A pool that is paused allocates nothing and takes nothing back, as the provider has it."""

from typing import Any

import pytest
import yaml

from reconciler.families.capi.kinds import ADDRESSES, CLAIMS
from reconciler.model.objects import Ref, Resource
from reconciler.model.plan import Keep
from reconciler.planning.evaluate import Evaluation
from tests.apply.execution.site import failures, results
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import CP, FILES, SHOP, hub, person, served, there
from tests.families.capi.trees import Files, claim, gets, got, of, pool, said
from tests.world import CLOCK, evaluation_of, reconciled

DAY = 86_400
PAUSE = {"cluster.x-k8s.io/paused": ""}
ONE = "one.address"
PIN = {"gitops-ipam.dev/address": "10.0.0.15"}
RELEASE = "ipam.cluster.x-k8s.io/ReleaseAddress"


def describe(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [(it.code, it.location.path, it.message) for it in evaluation.findings]


def without_claims(files: Files) -> Files:
    return {path: data for path, data in files.items() if not path.startswith("clusters/")}


@pytest.mark.parametrize("annotations", [{}, PIN], ids=["any", "pinned"])
def test_it_gives_out_no_address_not_even_one_that_is_named(annotations: dict[str, str]) -> None:
    texts = pool(annotations=PAUSE), claim(annotations=annotations)
    assert gets(*texts) == {ONE: "pool-frozen"}
    (refused,) = evaluation_of(of(*texts)).plan.decisions
    assert "vips is paused" in getattr(refused, "message", "")


def test_who_holds_an_address_of_it_keeps_it_and_nothing_is_said() -> None:
    files = reconciled(of(pool(), claim()))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    assert got(evaluation_of(files)) == {ONE: "vips:10"}
    assert said(pool(annotations=PAUSE)) == []


def test_what_nobody_asks_for_any_more_is_not_released_until_the_pause_ends() -> None:
    files = without_claims(reconciled(of(pool(), claim("one"), claim("two"))))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    evaluation = evaluation_of(files, CLOCK + 9 * DAY)
    assert all(isinstance(it, Keep) and it.held for it in evaluation.plan.decisions)
    assert evaluation.changes == ()
    assert describe(evaluation) == [
        ("release-held", "pools/00.yaml",
         "GlobalInClusterIPPool vips is paused, so these claims keep addresses: default/one (address) and default/two (address)")
    ]  # fmt: skip
    files["pools/00.yaml"] = pool()
    after = evaluation_of(files, CLOCK + 9 * DAY)
    assert [type(it).__name__ for it in after.plan.decisions] == ["Release", "Release"]


def test_what_is_released_already_is_free_only_when_the_pause_has_ended() -> None:
    files = reconciled(without_claims(reconciled(of(pool(), claim()))))
    files["pools/00.yaml"] = pool(annotations=PAUSE)
    evaluation = evaluation_of(files, CLOCK + 9 * DAY)
    assert evaluation.plan.decisions == ()
    assert [code for code, _, _ in describe(evaluation)] == ["release-held"]
    # Another pool with the same address does not allocate it in the meantime.
    other = {**files, "pools/b.yaml": pool("b", "10.0.0.10-10.0.0.11"),
             "clusters/b.yaml": claim("new", "b")}  # fmt: skip
    assert got(evaluation_of(other, CLOCK + 9 * DAY)) == {"new.address": "b:11"}
    files["pools/00.yaml"] = pool()
    after = evaluation_of(files, CLOCK + 9 * DAY)
    assert [type(it).__name__ for it in after.plan.decisions] == ["Expire"]


def deleted(clusters: FakeClusters, ref: Ref, *finalizers: str) -> None:
    """Somebody deletes an object, which these hold."""
    hand = clusters.hand(HUB)
    hand.merge(ref, {"metadata": {"finalizers": list(finalizers)}}, "in-cluster-provider")
    found: Any = hand.get(ref)
    hand.delete(ref, found["metadata"]["uid"])


def pair(clusters: FakeClusters, name: str) -> dict[Resource, Any]:
    return {kind: there(clusters, kind, name) for kind in (ADDRESSES, CLAIMS)}


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_persons_claim_that_went_from_git_is_neither_made_nor_taken_over(is_gone: bool) -> None:
    clusters = FakeClusters()
    written: dict[str, Any] = yaml.safe_load(claim("one"))
    written["metadata"]["namespace"] = "default"
    clusters.hand(HUB).apply(written, "kubectl")
    held = reconciled(of(pool(), claim("one")))
    assert failures(hub(clusters, held)) == {}
    if is_gone:
        deleted(clusters, Ref(CLAIMS, "default", "one"))
    before = pair(clusters, "one")
    files = without_claims(held) | {"pools/00.yaml": pool(annotations=PAUSE)}
    for _time in range(2):
        assert failures(hub(clusters, files, "b")) == {}
        assert pair(clusters, "one") == before
    assert (before[CLAIMS] is None) == is_gone
    assert before[ADDRESSES] is not None


@pytest.mark.parametrize("finalizers", [(), (RELEASE,), (RELEASE, "x/y")], ids=len)
def test_what_a_cluster_had_that_is_deleted_stays_as_the_provider_has_it(
    finalizers: tuple[str, ...],
) -> None:
    clusters = person()
    hub(clusters)
    served(clusters)
    deleted(clusters, Ref(CLAIMS, "default", CP), *finalizers)
    deleted(clusters, SHOP)
    before = pair(clusters, CP)
    assert (before[CLAIMS] is not None) == bool(finalizers)
    files = {**FILES, "pools/00.yaml": pool(gateway="10.0.0.1", annotations=PAUSE)}
    del files["clusters/02.yaml"]
    for _time in range(2):
        assert not [name for name in results(hub(clusters, files, "b")) if CP in name]
        assert pair(clusters, CP) == before


def test_an_address_that_is_gone_is_made_only_when_it_is_asked_for_again() -> None:
    clusters = person()
    hub(clusters)
    deleted(clusters, Ref(ADDRESSES, "default", CP))
    paused = {**FILES, "pools/00.yaml": pool(gateway="10.0.0.1", annotations=PAUSE)}
    left = {path: data for path, data in paused.items() if path != "clusters/02.yaml"}
    hub(clusters, left, "b")
    assert there(clusters, ADDRESSES, CP) is None
    hub(clusters, paused, "c")
    assert there(clusters, ADDRESSES, CP)["spec"]["address"] == "10.0.0.10"
