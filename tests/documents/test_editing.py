"""One value set in a file of people, where everything else stays as they wrote it."""

import pytest

from reconciler.documents.document import Document
from reconciler.documents.edit import with_value
from reconciler.planning.documents import source_reader
from reconciler.planning.settings import read_settings

POOL = ("spec", "poolRef", "name")
CHOICE = ("metadata", "annotations", "gitops-ipam.dev/loadbalancer-pool")
REQUEST = """# what ops asked for
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: IPAllocation
metadata: {name: more, namespace: butler-system}
spec:
  poolRef:
    name: edge   # until Friday
  tenantClusterRef: {name: one, namespace: team-a}
  type: nodes
"""
TENANT = """apiVersion: butler.butlerlabs.dev/v1alpha1
kind: TenantCluster
metadata:
  # our shop
  name: one
  namespace: team-a
spec: {workers: {replicas: 1}}
"""


def document(text: str, at: int = 0) -> Document:
    read = source_reader(read_settings(None)[0])
    return read("tenants/file.yaml", text.encode()).documents[at]


def edited(text: str, steps: tuple[str, ...], at: int = 0) -> str | None:
    data = with_value(document(text, at), steps, "far")
    return None if data is None else data.decode()


CHOSEN = "gitops-ipam.dev/loadbalancer-pool: far"
QUOTED = [
    REQUEST.replace("poolRef:\n    name: edge   # until", f"poolRef: {{name: {said}}} # until")
    for said in ('"edge"', "'edge'", "edge")
]
FLOW = TENANT.replace(
    "metadata:\n  # our shop\n  name: one\n  namespace: team-a\n",
    "metadata: {name: one, namespace: team-a}\n",
)


def with_annotations(text: str) -> str:
    return TENANT.replace("  name: one", f"  annotations:{text}\n  name: one")


@pytest.mark.parametrize("text", [REQUEST, *QUOTED, REQUEST.replace("\n", "\r\n")])
def test_a_scalar_is_replaced_and_comments_and_layout_stay(text: str) -> None:
    wanted = text.replace("name: edge ", "name: far ")
    for said in ('"edge"', "'edge'", "edge"):
        wanted = wanted.replace(f"{{name: {said}}}", "{name: far}")
    assert edited(text, POOL) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (TENANT, TENANT.replace("  # our", f"  annotations:\n    {CHOSEN}\n  # our")),
        (with_annotations(f"\n    {CHOSEN[:-3]}edge"), with_annotations(f"\n    {CHOSEN}")),
        (with_annotations("\n    a: b"), with_annotations(f"\n    {CHOSEN}\n    a: b")),
        (with_annotations(" {a: b}"), with_annotations(f" {{{CHOSEN}, a: b}}")),
        (FLOW, FLOW.replace("{name", f"{{annotations: {{{CHOSEN}}}, name")),
        (with_annotations(" {}"), None),
        (with_annotations(f"\n    {CHOSEN[:-3]}|-\n      edge"), None),
    ],
)
def test_an_annotation_is_set_or_added_and_what_is_odd_is_left(
    text: str, wanted: str | None
) -> None:
    assert edited(text, CHOICE) == wanted


def test_of_several_documents_only_the_one_that_is_meant_changes() -> None:
    text = f"{REQUEST}---\n{REQUEST.replace('more', 'less')}"
    head, _, tail = text.rpartition("name: edge ")
    assert edited(text, POOL, at=1) == f"{head}name: far {tail}"
