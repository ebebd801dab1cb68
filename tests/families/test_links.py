"""What a document bears on: documents that share nothing of it may be planned apart."""

import pytest

from reconciler.families._family import Links, name_node, owner_node, pool_node
from reconciler.families.butler.linking import links
from reconciler.model.key import Key
from tests.engine.outcome import span
from tests.world import pool, provider, request, tenant, tree_of

DEFAULT = ("ProviderConfig butler-system/default", "ProviderConfig butler-system/")


def of(text: str) -> Links:
    (source,) = tree_of({"pools/x.yaml": text}).sources
    return links(source.documents[0])


def test_a_pool_bears_on_itself_and_its_addresses_in_its_space() -> None:
    edge = "NetworkPool butler-system/edge"
    assert of(pool()) == Links((edge,), (("default", span("10.40.0.0-10.40.0.255")),))
    lab = pool().replace(
        "{name: edge,", "{annotations: {gitops-ipam.dev/address-space: lab}, name: edge,"
    )
    assert of(lab).ranges == (("lab", span("10.40.0.0-10.40.0.255")),)


def test_a_pool_whose_network_cannot_be_read_bears_on_no_addresses() -> None:
    assert of(pool(cidr="10.40.0.5/24")).ranges == ()


def test_a_provider_bears_on_its_pools() -> None:
    assert of(provider(pools="[{name: b}, {name: a}]")).nodes == (
        "ProviderConfig butler-system/default",
        "NetworkPool butler-system/b",
        "NetworkPool butler-system/a",
    )
    assert of(provider().partition("  network:")[0]).nodes == (DEFAULT[0],)


def test_a_tenant_bears_on_its_provider_or_on_the_default_one() -> None:
    assert of(tenant("one")) == Links(("TenantCluster team-a/one", "name team-a-one"), (), DEFAULT)
    named = of(tenant("one", providerConfigRef="{name: x, namespace: y}"))
    assert named.nodes[-1] == "ProviderConfig y/x"
    assert named.default is None
    assert of(tenant("one", providerConfigRef="{name: x}")).nodes[-1] == (
        "ProviderConfig butler-system/x"
    )


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        ("10.40.0.1", "10.40.0.9", [("*", "10.40.0.1-10.40.0.9")]),
        ("10.40.0.9", "10.40.0.1", [("*", "10.40.0.1-10.40.0.9")]),
        ("10.40.0.1", "10.40.0.256", []),
        ("10.40.0.1", "2001:db8::1", []),
    ],
)
def test_a_tenant_bears_on_the_range_that_it_set_by_hand(
    start: str, end: str, found: list[tuple[str, str]]
) -> None:
    text = tenant("one", networking=f'{{loadBalancerPool: {{start: "{start}", end: "{end}"}}}}')
    assert list(of(text).ranges) == [(space, span(item)) for space, item in found]


def test_a_request_bears_on_its_pool_its_tenant_and_its_name() -> None:
    assert of(request("one-lb")).nodes == (
        "IPAllocation butler-system/one-lb",
        "NetworkPool butler-system/edge",
        "TenantCluster team-a/one-lb",
        "name one",
    )


def test_a_team_bears_on_everything() -> None:
    text = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: x}\nspec: {}\n"
    assert of(text).is_shared


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("team-a-one-lb", "team-a-one"),
        ("team-a-one-nodes", "team-a-one"),
        ("team-a-one-lb-12", "team-a-one"),
        ("team-a-one", "team-a-one"),
        ("lb", "lb"),
    ],
)
def test_names_of_one_owners_records_have_one_node(name: str, stem: str) -> None:
    assert name_node(name) == f"name {stem}"


def test_owners_and_pools_have_nodes_of_their_kind() -> None:
    claim = Key("butler", "team-a", "one", "nodes", "TenantCluster")
    assert owner_node(claim) == "TenantCluster team-a/one"
    edge = Key("butler", "butler-system", "edge", "", "NetworkPool")
    assert pool_node(edge) == "NetworkPool butler-system/edge"
