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


def test_a_scalar_is_replaced_and_comments_and_layout_stay() -> None:
    assert edited(REQUEST, POOL) == REQUEST.replace("name: edge ", "name: far ")


@pytest.mark.parametrize("said", ['"edge"', "'edge'", "edge"])
def test_a_scalar_in_quotes_or_in_flow_is_replaced(said: str) -> None:
    text = REQUEST.replace(
        "poolRef:\n    name: edge   # until", f"poolRef: {{name: {said}}} # until"
    )
    wanted = text.replace(f"{{name: {said}}}", "{name: far}")
    assert edited(text, POOL) == wanted


def test_an_annotation_is_added_above_what_is_there_and_below_no_comment_of_it() -> None:
    wanted = TENANT.replace(
        "  # our shop\n",
        "  annotations:\n    gitops-ipam.dev/loadbalancer-pool: far\n  # our shop\n",
    )
    assert edited(TENANT, CHOICE) == wanted
    assert edited(wanted.replace(": far", ": edge"), CHOICE) == wanted


def test_an_annotation_is_added_to_others() -> None:
    block = TENANT.replace("  name: one", "  annotations:\n    owner: ops\n  name: one")
    wanted = block.replace(
        "    owner: ops", "    gitops-ipam.dev/loadbalancer-pool: far\n    owner: ops"
    )
    assert edited(block, CHOICE) == wanted
    flow = TENANT.replace("  name: one", "  annotations: {owner: ops}\n  name: one")
    wanted = flow.replace("{owner: ops}", "{gitops-ipam.dev/loadbalancer-pool: far, owner: ops}")
    assert edited(flow, CHOICE) == wanted


def test_an_annotation_is_added_to_metadata_in_flow() -> None:
    flow = TENANT.replace(
        "metadata:\n  # our shop\n  name: one\n  namespace: team-a\n",
        "metadata: {name: one, namespace: team-a}\n",
    )
    wanted = flow.replace(
        "{name: one", "{annotations: {gitops-ipam.dev/loadbalancer-pool: far}, name: one"
    )
    assert edited(flow, CHOICE) == wanted


def test_of_several_documents_only_the_one_that_is_meant_changes() -> None:
    text = f"{REQUEST}---\n{REQUEST.replace('more', 'less')}"
    head, _, tail = text.rpartition("name: edge ")
    assert edited(text, POOL, at=1) == f"{head}name: far {tail}"


def test_line_ends_of_windows_stay() -> None:
    text = REQUEST.replace("\n", "\r\n")
    assert edited(text, POOL) == text.replace("name: edge ", "name: far ")


def test_annotations_without_any_are_not_touched() -> None:
    text = TENANT.replace("  name: one", "  annotations: {}\n  name: one")
    assert edited(text, CHOICE) is None


def test_a_block_scalar_is_not_set() -> None:
    text = TENANT.replace(
        "  name: one",
        "  annotations:\n    gitops-ipam.dev/loadbalancer-pool: |-\n      edge\n  name: one",
    )
    assert edited(text, CHOICE) is None
