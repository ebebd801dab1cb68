"""The table of resources: paths, references as text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.kube.resources import ADDRESS_POOL, IP_ALLOCATION, parse_ref
from reconciler.model.objects import CONFIG_MAP, CRD, NAMESPACE, NODE, Ref, Resource

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
        ("metallb.io/ConfigMap/a/b", KeyError),
        ("ConfigMap/a", ValueError),
        ("Node/a/b", ValueError),
    ],
)
def test_what_is_no_reference_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_ref(text)
