"""The table of resources: paths, references as text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.kube.resources import ADDRESS_POOL, IP_ALLOCATION, by_group, parse_ref
from reconciler.model.objects import CONFIG_MAP, CRD, EVER, NAMESPACE, NODE, Ref, Resource

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


def test_a_kind_that_two_families_describe_otherwise_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Claim of a\.io is described in two ways"):
        by_group([CLAIM, CLAIM._replace(plural="others")])
