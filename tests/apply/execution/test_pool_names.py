"""What our pool is called in a cluster: by Settings, by its document, and as it is while in use."""

import pytest

from reconciler.kube.resources import ADDRESS_POOL, ADVERTISEMENT
from reconciler.model.objects import Resource
from tests.apply.execution.site import FIRST, failures, world
from tests.fake_clusters import FakeClusters
from tests.world import evaluation_of, tenant

NAMED = "gitops-ipam.dev/metallb-pool"
SETTINGS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {metallb: {poolName: edge}}\n"
)


def named(name: str) -> dict[str, str]:
    """A tenant whose document names its pool."""
    text = tenant("web").replace("{name: web,", f"{{annotations: {{{NAMED}: {name}}}, name: web,")
    return {"tenants/web.yaml": text}


def pools(clusters: FakeClusters) -> dict[str, list[str]]:
    objects = clusters.hand(FIRST).objects
    found = {ref.name: item for ref, item in objects.items() if ref.resource == ADDRESS_POOL}
    return {name: list(item["spec"]["addresses"]) for name, item in found.items()}


def announces(clusters: FakeClusters) -> list[str]:
    objects = clusters.hand(FIRST).objects
    (found,) = (item for ref, item in objects.items() if ref.resource == ADVERTISEMENT)
    return list(found["spec"]["ipAddressPools"])


def put(clusters: FakeClusters, kind: str, name: str, **more: object) -> None:
    if kind == "Service":
        api, namespace = "v1", "default"
    else:
        api, namespace = "metallb.io/v1beta1", "metallb-system"
    metadata = {"name": name, "namespace": namespace}
    clusters.hand(FIRST).put({"apiVersion": api, "kind": kind, "metadata": metadata, **more})


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()


@pytest.mark.parametrize("more", [{"ipam.yaml": SETTINGS}, named("edge")])
def test_a_pool_is_called_as_settings_or_its_cluster_say(
    clusters: FakeClusters, more: dict[str, str]
) -> None:
    clusters.run(world("web", **more))
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3"]}
    assert announces(clusters) == ["edge"]


def test_a_pool_of_others_of_that_name_is_adopted_with_consent(clusters: FakeClusters) -> None:
    put(clusters, "IPAddressPool", "edge", spec={"addresses": ["10.0.0.0/30"]})
    files = world("web", **named("edge"))
    applied = clusters.run(files)[FIRST]
    assert "--adopt takes it over" in str(failures(applied))
    assert pools(clusters) == {"edge": ["10.0.0.0/30"]}
    clusters.run(files, "b", adopt=True)
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3"]}


SIX = "2001:db8::-2001:db8::ff"


@pytest.mark.parametrize("invites", [True, False])
def test_an_adopted_pool_keeps_its_ipv6_and_what_services_use(
    clusters: FakeClusters, invites: bool
) -> None:
    spec = {"addresses": ["10.0.0.0/30", "10.0.0.64/29", "10.0.0.128/29", "2001:db8::/120"]}
    put(clusters, "IPAddressPool", "edge", spec=spec)
    if invites:
        ref = next(it for it in clusters.hand(FIRST).objects if it.name == "edge")
        clusters.hand(FIRST).objects[ref]["metadata"]["annotations"] = {
            "gitops-ipam.dev/adopt": "true"
        }
    ingress = {"loadBalancer": {"ingress": [{"ip": "10.0.0.65"}]}}
    put(clusters, "Service", "front", spec={"type": "LoadBalancer"}, status=ingress)
    files = world("web", **named("edge"))
    (said,) = failures(clusters.run(files, adopt=not invites)[FIRST]).values()
    assert "Service default/front uses 10.0.0.65" in said
    found = {"edge": ["10.0.0.0-10.0.0.3", "10.0.0.64-10.0.0.71", "10.0.0.128-10.0.0.135", SIX]}
    assert pools(clusters) == found
    clusters.run(files, "b", force_withdraw=True)
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3", SIX]}
    applied = clusters.run(files, "c")[FIRST]
    assert not applied.is_changed
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3", SIX]}


def test_a_pool_of_others_in_the_way_is_told_with_both_ways_out(clusters: FakeClusters) -> None:
    put(clusters, "IPAddressPool", "main", spec={"addresses": ["10.0.0.0/30"]})
    (said,) = failures(clusters.run(world("web"), adopt=True)[FIRST]).values()
    assert said == (
        "10.0.0.0-10.0.0.3 is also in IPAddressPool main, which is not ours; remove it there,"
        " or keep its name (gitops-ipam.dev/metallb-pool: main) and --adopt"
    )


def test_a_pool_that_services_use_is_not_renamed(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    ingress = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    put(clusters, "Service", "front", spec={"type": "LoadBalancer"}, status=ingress)
    applied = clusters.run(world("web", **named("edge")), "b")[FIRST]
    assert pools(clusters) == {"default-pool": ["10.0.0.0-10.0.0.3"]}
    assert announces(clusters) == ["default-pool"]
    assert applied.is_failed
    (said,) = failures(applied).values()
    assert said == (
        "IPAddressPool default-pool is not renamed: Service default/front uses 10.0.0.1, and would"
        " lose it; name it default-pool in the repository again, or --force-withdraw"
    )
    clusters.run(world("web", **named("edge")), "c", force_withdraw=True)
    assert (list(pools(clusters)), announces(clusters)) == (["edge"], ["edge"])


def test_a_pool_that_nobody_uses_is_renamed(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.run(world("web", **named("edge")), "b")
    assert (list(pools(clusters)), announces(clusters)) == (["edge"], ["edge"])


def test_a_name_that_no_server_takes_is_an_error() -> None:
    found = evaluation_of(world("web", **named('"No name"'))).findings
    assert [(it.code, it.message) for it in found] == [
        ("annotation-invalid", f"{NAMED}: 'No name' is not a valid object name")
    ]


@pytest.mark.parametrize("named_pool", [{}, named("edge")])
def test_no_advertisement_is_kept_where_settings_want_none(
    clusters: FakeClusters, named_pool: dict[str, str]
) -> None:
    put(clusters, "L2Advertisement", "by-hand", spec={"ipAddressPools": ["other"]})
    clusters.run(world("web", **named_pool))
    kinds = ref_names(clusters, ADVERTISEMENT)
    assert kinds == ["by-hand", "default"]
    none = {"ipam.yaml": SETTINGS.replace("poolName: edge", "advertisement: none")}
    files = world("web", **named_pool, **none)
    outcome = clusters.run(files)
    assert failures(outcome[FIRST]) == {}
    assert ref_names(clusters, ADVERTISEMENT) == ["by-hand"]
    assert list(pools(clusters).values()) == [["10.0.0.0-10.0.0.3"]]
    clusters.run(world("web", **named_pool))
    assert ref_names(clusters, ADVERTISEMENT) == ["by-hand", "default"]


def ref_names(clusters: FakeClusters, resource: Resource) -> list[str]:
    return sorted(ref.name for ref in clusters.hand(FIRST).objects if ref.resource == resource)
