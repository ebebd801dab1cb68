"""A record with contradictory owners, or without a name, keeps its range and is not applied."""

import pytest

from reconciler.records.parse import parse_record
from tests.records.examples import EXAMPLE, FOLDER, POOL, record
from tests.records.test_adopting import NODES

REQUEST = EXAMPLE.replace(
    "butler/TenantCluster/team-backend/my-cluster/loadbalancer",
    "butler/IPAllocation/butler-system/mine/request",
)
CLAIM = "    gitops-ipam.dev/claim: butler/TenantCluster/team-backend/my-cluster/loadbalancer\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    name: my-cluster\n", "    name: thief\n",
         "spec.tenantClusterRef is team-backend/thief, expected butler/TenantCluster/team-backend/my-cluster/loadbalancer"),
        ("    namespace: team-backend\n", "    namespace: team-x\n", "spec.tenantClusterRef is team-x/my-cluster,"),
        ("    namespace: team-backend\n", "    namespace: team.x\n", "is not a valid RFC 1123 name"),
        ("  type: loadbalancer\n", "  type: nodes\n", "spec.type is 'nodes', expected loadbalancer for butler/TenantCluster/team-backend/my-cluster/loadbalancer"),
        ("  name: team-backend-my-cluster-lb\n", "  name: ../x\n", "metadata.name is '../x', which is not"),
        ("  namespace: butler-system\n", "  namespace: a.b\n", "metadata.namespace is 'a.b', which is not"),
        (f"  annotations:\n{CLAIM}", "", None),
        ("my-cluster/loadbalancer", "other/loadbalancer", ", expected"),
    ],
)  # fmt: skip
def test_a_record_that_contradicts_its_claim_is_held(old: str, new: str, told: str | None) -> None:
    assert EXAMPLE.count(old) == 1
    found = parse_record(FOLDER, record().path, EXAMPLE.replace(old, new).encode())
    if told is None:
        assert found.allocation == record(pristine=False, adopted=True)
        return
    assert (found.allocation, found.unreadable and found.unreadable.pool) == (None, POOL)
    (finding,) = found.findings
    assert told in finding.message


def test_a_text_of_one_tenant_at_the_path_of_another_one_is_nobodys() -> None:
    path = f"{FOLDER}/NetworkPool/butler-system.vlan40-pool/team-backend/other.nodes.yaml"
    (finding,) = parse_record(FOLDER, path, NODES.encode()).findings
    assert (
        "the content is for butler/TenantCluster/team-backend/my-cluster/nodes," in finding.message
    )
    assert "the path is for butler/TenantCluster/team-backend/other/nodes" in finding.message


def test_a_request_says_itself_of_what_type_and_whose_it_is() -> None:
    path = record().path.replace(
        "team-backend/my-cluster.loadbalancer", "butler-system/mine.request"
    )
    for text in (REQUEST, REQUEST.replace("type: loadbalancer", "type: nodes")):
        found = parse_record(FOLDER, path, text.encode()).allocation
        assert found is not None
        assert found.owner.pair == ("team-backend", "my-cluster")
        assert f"type: {found.type}" in text
    wrong = REQUEST.replace("  type: loadbalancer", "  type: vip")
    (finding,) = parse_record(FOLDER, path, wrong.encode()).findings
    assert "spec.type is 'vip'," in finding.message


def test_a_role_that_the_slot_does_not_have_is_not_believed() -> None:
    text = EXAMPLE.replace("role: initial", "role: growth")
    found = parse_record(FOLDER, record().path, text.encode())
    assert found.allocation == record(pristine=False)
    assert [item.code for item in found.findings] == ["record-edited"]
