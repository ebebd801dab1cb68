"""IPAddressClaims: one address of the pool that they name, pins, other providers, Clusters that rest."""

import pytest

from tests.families.capi.trees import claim, cluster, gets, got, of, pool, said
from tests.world import CLOCK, evaluation_of, reconciled

ONE = "one.address"
OWN = "InClusterIPPool"


def test_a_claim_gets_the_lowest_free_address_of_the_pool_that_it_names() -> None:
    texts = (pool("vips", "10.0.0.20-10.0.0.22", "10.0.0.12"), claim("one"), claim("two"))
    assert gets(*texts) == {ONE: "vips:12", "two.address": "vips:20"}


def test_a_pool_of_a_namespace_is_that_of_the_claim() -> None:
    there = pool("vips", namespace="default")
    assert gets(there, claim(kind=OWN)) == {ONE: "vips:10"}
    assert gets(pool("vips", namespace="other"), claim(kind=OWN)) == {ONE: "pool-not-found"}
    assert gets(there, claim()) == {ONE: "pool-not-found"}


def test_a_claim_that_names_its_address_gets_that_one_or_none() -> None:
    pinned = claim(annotations={"gitops-ipam.dev/address": "10.0.0.15"})
    assert gets(pool(), pinned, claim("two")) == {ONE: "vips:15", "two.address": "vips:10"}
    wrong = claim(annotations={"gitops-ipam.dev/address": "10.0.0.99"})
    assert gets(pool(), wrong) == {ONE: "pin-outside-pool"}
    (found,) = evaluation_of(
        of(pool(), claim(annotations={"gitops-ipam.dev/address": "x"}))
    ).findings
    assert (found.code, found.location.line) == ("address-invalid", 6)


@pytest.mark.parametrize(
    ("kind", "group"), [("Metal3IPPool", "ipam.metal3.io"), ("InfobloxIPPool", "ipam.cluster.x-k8s.io"),
                        ("ExamplePool", "ipam.example.org")],
)  # fmt: skip
def test_a_claim_of_another_providers_pool_is_left_to_it(kind: str, group: str) -> None:
    assert gets(pool(), claim(kind=kind, group=group)) == {}
    (found,) = evaluation_of(of(pool(), claim(kind=kind, group=group))).findings
    assert (found.severity, found.location.pointer) == ("warning", "/spec/poolRef/kind")
    assert found.hint.endswith("kind: InClusterIPPool or GlobalInClusterIPPool")


def test_a_claim_that_changes_its_pool_is_told_and_keeps_what_it_holds() -> None:
    files = reconciled(of(pool(), pool("more", "10.0.0.40"), claim()))
    files["clusters/02.yaml"] = claim(pool="more")
    assert got(evaluation_of(files)) == {ONE: "record-stale"}


@pytest.mark.parametrize(("grace", "days"), [(0, 1), (3_600, 1), (3 * 86_400, 3)])
def test_an_address_is_kept_from_others_for_the_longer_of_grace_and_retention(
    grace: int, days: int
) -> None:
    there = pool(addressReuseGracePeriodSeconds=grace)
    files = reconciled(of(there, claim()))
    del files["clusters/01.yaml"]
    files = reconciled(files)
    before = evaluation_of(files, CLOCK + days * 86_400 - 1)
    assert before.plan.decisions == ()
    after = evaluation_of(files, CLOCK + days * 86_400)
    assert [type(item).__name__ for item in after.plan.decisions] == ["Expire"]


def test_a_paused_claim_or_one_of_a_paused_cluster_gets_nothing_new() -> None:
    paused = claim(annotations={"cluster.x-k8s.io/paused": "true"})
    assert gets(pool(), paused) == {}
    resting = cluster(class_="", paused=True)
    assert gets(pool(), resting, claim(clusterName="shop")) == {}
    assert [message for _, message in said(pool(), resting, claim(clusterName="shop"))] == [
        "IPAddressClaim default/one belongs to a Cluster that is paused, so it gets no address"
    ]
    both = claim(annotations={"cluster.x-k8s.io/paused": "true"}, clusterName="shop")
    assert [message for _, message in said(pool(), resting, both)] == [
        "IPAddressClaim default/one is paused, so it gets no address"
    ]
    assert gets(pool(), cluster(class_=""), claim(clusterName="shop")) == {ONE: "vips:10"}
    assert gets(pool(), claim(clusterName="shop")) == {ONE: "vips:10"}
    files = reconciled(of(pool(), claim()))
    files["clusters/01.yaml"] = paused
    assert got(evaluation_of(files)) == {ONE: "vips:10"}


def test_a_pool_that_cannot_be_read_gives_its_claims_nothing() -> None:
    files = {
        **of(pool(), claim("one"), claim("two", "more")),
        "pools/z.yaml": pool("more", "10.0.0.999"),
    }
    assert got(evaluation_of(files)) == {ONE: "vips:10", "two.address": "pool-frozen"}


def test_names_that_only_look_like_a_clusters_are_claims_of_their_own() -> None:
    assert gets(pool(), claim("vip-cp-nobody"), claim("vip-x")) == {
        "vip-cp-nobody.address": "vips:10",
        "vip-x.address": "vips:11",
    }
