"""The table of resources: paths, references as text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.clusters.resources import (
    ADDRESS_POOL,
    CONFIG_MAP,
    CRD,
    IP_ALLOCATION,
    NAMESPACE,
    NODE,
    by_group,
    by_version,
    parse_ref,
    pools_by_ref,
    ref_of,
    resource_of,
)
from reconciler.families.butler.resources import NETWORK_POOL
from reconciler.model.resource import EVER, Ref, Resource
from tests.world import SMALL, evaluation_of

name = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?", fullmatch=True)
resource = st.sampled_from([ADDRESS_POOL, CONFIG_MAP, CRD, IP_ALLOCATION, NAMESPACE, NODE])


@given(resource, name, name)
def test_a_reference_is_read_back_from_its_text(kind: Resource, space: str, own: str) -> None:
    ref = Ref(kind, space if kind.is_namespaced else "", own)
    assert parse_ref(str(ref)) == ref


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", KeyError),
        ("Pod/a/b", KeyError),
        ("metallb.io/ConfigMap/a/b", KeyError),
        ("metallb.io", ValueError),
        ("ConfigMap/a", ValueError),
        ("ConfigMap/a/b/c", ValueError),
        ("Node", ValueError),
        ("Node/a/b", ValueError),
    ],
)
def test_what_is_no_reference_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_ref(text)


def test_a_manifest_says_what_it_is() -> None:
    pool = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "default-pool", "namespace": "metallb-system"},
    }
    assert ref_of(pool) == Ref(ADDRESS_POOL, "metallb-system", "default-pool")
    assert str(ref_of(pool)) == "metallb.io/IPAddressPool/metallb-system/default-pool"
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "one"}}
    assert str(ref_of(node)) == "Node/one"
    with pytest.raises(KeyError):
        resource_of({"apiVersion": "metallb.io/v1", "kind": "IPAddressPool"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (NODE.path(), "/api/v1/nodes"),
        (NODE.path("ignored", "one"), "/api/v1/nodes/one"),
        (CONFIG_MAP.path(), "/api/v1/configmaps"),
        (CONFIG_MAP.path("x", "y"), "/api/v1/namespaces/x/configmaps/y"),
        (
            ADDRESS_POOL.path("metallb-system", "a", "status"),
            "/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/a/status",
        ),
        (CONFIG_MAP.path("x/../y", "?z"), "/api/v1/namespaces/x%2F..%2Fy/configmaps/%3Fz"),
    ],
)
def test_a_path_is_where_the_server_keeps_it(path: str, expected: str) -> None:
    assert path == expected


def test_a_query_has_only_what_is_asked() -> None:
    assert NODE.within("/x", limit="500", labelSelector="") == "/x?limit=500"
    assert NODE.within("/x", fieldManager="a b&c") == "/x?fieldManager=a+b%26c"
    assert NODE.within("/x", labels="") == "/x"


CLAIM = Resource("a.io/v1beta1", "Claim", "claims", versions=("a.io/v1beta2",), fixed_in=EVER)


def test_versions_of_one_kind_are_one_kind() -> None:
    assert by_group([CLAIM, NODE, CLAIM]) == {("a.io", "Claim"): CLAIM, ("", "Node"): NODE}
    assert by_version([CLAIM]) == {
        ("a.io/v1beta1", "Claim"): CLAIM,
        ("a.io/v1beta2", "Claim"): CLAIM,
    }


def test_a_kind_that_two_families_describe_otherwise_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Claim of a\.io is described in two ways"):
        by_group([CLAIM, CLAIM._replace(plural="others")])


def test_a_spec_is_fixed_in_some_phases_or_ever() -> None:
    assert [CLAIM.is_fixed_in(phase) for phase in (None, "Allocated")] == [True, True]
    assert [IP_ALLOCATION.is_fixed_in(phase) for phase in (None, "Failed")] == [False, False]
    assert [IP_ALLOCATION.is_fixed_in(phase) for phase in ("Allocated", "Released")] == [True, True]
    assert not NODE.is_fixed_in(None)


def test_pools_are_known_by_their_objects_and_those_of_no_family_are_left_out() -> None:
    (pool,) = evaluation_of(SMALL).state.pools.values()
    stranger = replace(pool, key=pool.key._replace(family="elsewhere"))
    assert pools_by_ref([pool, stranger]) == {Ref(NETWORK_POOL, "butler-system", "edge"): pool}
