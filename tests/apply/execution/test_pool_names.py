"""The name of a pool in a cluster: from Settings, from its document, and unchanged while in use."""

import pytest

from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, ADVERTISEMENT
from tests.apply.execution.site import FIRST, address_pool, failures, world
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


@pytest.mark.parametrize("more", [{"ipam.yaml": SETTINGS}, named("edge")])
def test_a_pool_is_called_as_settings_or_its_cluster_say(
    clusters: FakeClusters, more: dict[str, str]
) -> None:
    clusters.run(world("web", **more))
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3"]}
    assert announces(clusters) == ["edge"]


SIX = "2001:db8::-2001:db8::ff"


@pytest.mark.parametrize("invites", [True, False])
def test_an_adopted_pool_keeps_its_ipv6_and_what_services_use(
    clusters: FakeClusters, invites: bool
) -> None:
    theirs = ("10.0.0.0/30", "10.0.0.64/29", "10.0.0.128/29", "2001:db8::/120")
    found = address_pool("edge", *theirs)
    if invites:
        found["metadata"]["annotations"] = {"gitops-ipam.dev/adopt": "true"}
    clusters.hand(FIRST).put(found)
    clusters.use(FIRST, "10.0.0.65")
    files = world("web", **named("edge"))
    (said,) = failures(clusters.run(files, adopt=not invites)[FIRST]).values()
    assert "Service default/shop uses 10.0.0.65" in said
    kept = ["10.0.0.0-10.0.0.3", "10.0.0.64-10.0.0.71", "10.0.0.128-10.0.0.135", SIX]
    assert pools(clusters) == {"edge": kept}
    clusters.run(files, "b", force_withdraw=True)
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3", SIX]}
    applied = clusters.run(files, "c")[FIRST]
    assert not applied.is_changed
    assert pools(clusters) == {"edge": ["10.0.0.0-10.0.0.3", SIX]}


def test_a_pool_that_services_use_is_not_renamed(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.use(FIRST, "10.0.0.1")
    applied = clusters.run(world("web", **named("edge")), "b")[FIRST]
    assert pools(clusters) == {"default-pool": ["10.0.0.0-10.0.0.3"]}
    assert announces(clusters) == ["default-pool"]
    assert applied.is_failed
    (said,) = failures(applied).values()
    assert said == (
        "IPAddressPool default-pool is not renamed: Service default/shop uses 10.0.0.1, and would"
        " lose it; use the name default-pool in the repository again, or --force-withdraw"
    )
    clusters.run(world("web", **named("edge")), "c", force_withdraw=True)
    assert (list(pools(clusters)), announces(clusters)) == (["edge"], ["edge"])


def test_a_pool_that_nobody_uses_is_renamed(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.run(world("web", **named("edge")), "b")
    assert (list(pools(clusters)), announces(clusters)) == (["edge"], ["edge"])


def advertisements(clusters: FakeClusters) -> list[str]:
    objects = clusters.objects[FIRST]
    return sorted(ref.name for ref in objects if ref.resource == ADVERTISEMENT)


@pytest.mark.parametrize("named_pool", [{}, named("edge")])
def test_no_advertisement_is_kept_where_settings_want_none(
    clusters: FakeClusters, named_pool: dict[str, str]
) -> None:
    metadata = {"name": "by-hand", "namespace": "metallb-system"}
    kind = {"apiVersion": ADVERTISEMENT.api_version, "kind": ADVERTISEMENT.kind}
    clusters.hand(FIRST).put({**kind, "metadata": metadata, "spec": {"ipAddressPools": ["other"]}})
    clusters.run(world("web", **named_pool))
    assert advertisements(clusters) == ["by-hand", "default"]
    none = {"ipam.yaml": SETTINGS.replace("poolName: edge", "advertisement: none")}
    files = world("web", **named_pool, **none)
    outcome = clusters.run(files)
    assert failures(outcome[FIRST]) == {}
    assert advertisements(clusters) == ["by-hand"]
    assert list(pools(clusters).values()) == [["10.0.0.0-10.0.0.3"]]
    clusters.run(world("web", **named_pool))
    assert advertisements(clusters) == ["by-hand", "default"]


def test_a_name_that_no_server_takes_is_an_error() -> None:
    found = evaluation_of(world("web", **named('"No name"'))).findings
    assert [(it.code, it.message) for it in found] == [
        ("annotation-invalid", f"{NAMED} is 'No name', which is not a valid object name")
    ]
