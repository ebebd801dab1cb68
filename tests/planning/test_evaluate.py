import pytest
from msgspec.structs import replace

from reconciler.documents.findings import Location, Severity
from reconciler.planning.evaluate import evaluate
from tests.planning.outcome import codes, outcome, record_paths
from tests.world import SMALL, evaluation_of, pool, raw, reconciled, request, tenant, tree_of

LB = "team-a/one (loadbalancer)"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
CLAIM_LINE = "    gitops-ipam.dev/claim: butler/TenantCluster/team-a/one/loadbalancer\n"


def test_of_two_new_documents_for_one_object_the_first_by_path_counts_and_gives_nothing() -> None:
    files = {**SMALL, "pools/zebra.yaml": pool(cidr="10.99.0.0/24")}
    assert outcome(files)[LB] == "refuse pool-frozen"
    (found,) = evaluation_of(files).findings
    assert (found.code, str(found.location)) == ("document-duplicate", "pools/zebra.yaml:1")
    assert found.message == "NetworkPool butler-system/edge is already defined at pools/edge.yaml:1"


def without_claim(data: str | bytes) -> str:
    return raw(data).decode().replace(f"  annotations:\n{CLAIM_LINE}", "")


def test_a_record_that_names_no_claim_is_that_of_its_tenant_and_type() -> None:
    files = reconciled(SMALL)
    files[RECORD] = without_claim(files[RECORD])
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}
    assert reconciled(files)[RECORD] == reconciled(SMALL)[RECORD]


def test_it_is_that_of_a_request_when_there_is_one_of_its_name() -> None:
    files = reconciled(SMALL)
    files[RECORD] = without_claim(files[RECORD])
    text = request("team-a-one-lb", count=8).replace("type: nodes", "type: loadbalancer")
    files["tenants/lb.yaml"] = text.replace("Ref: {name: team-a-one-lb,", "Ref: {name: one,")
    assert outcome(files) == {
        "butler-system/team-a-one-lb (request)": "keep 10.40.0.0-10.40.0.7 of edge"
    }
    assert codes(files) == [("warning", "record-misplaced")]
    moved = reconciled(files)
    assert record_paths(moved) == [
        "allocations/NetworkPool/butler-system.edge/butler-system/team-a-one-lb.request.yaml"
    ]


def test_a_record_beside_one_that_names_no_claim_stays_what_it_is() -> None:
    files = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
    files[RECORD] = without_claim(files[RECORD])
    assert len(outcome(files)) == 2


def test_a_record_at_another_path_is_moved_with_a_warning() -> None:
    files = reconciled(SMALL)
    other = RECORD.replace("/one.", "/1.")
    files[other] = files.pop(RECORD)
    (found,) = evaluation_of(files).findings
    assert (found.code, found.message) == (
        "record-misplaced",
        f"record is at the wrong path; ipam reconcile will move it to {RECORD}",
    )
    assert record_paths(reconciled(files)) == [RECORD]


def test_findings_and_gates_come_by_place_and_each_once() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.5/24"),
        "a.yaml": "",
        "pools/a.yaml": "[",
    }
    found = evaluation_of(files).findings
    assert list(found) == sorted(found, key=lambda item: item.location)
    twice = evaluate(replace(tree_of(files), findings=(found[0], found[0])))
    assert twice.findings == found


def test_a_wrong_cluster_target_protects_only_its_own_records() -> None:
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {name: X}\n"
    files = {**reconciled(SMALL), "clusters/x.yaml": text}
    assert evaluation_of(files).state.protected == {("plain", "ClusterTarget", "", "X")}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}


def test_a_cluster_target_may_not_be_called_as_the_management_cluster_is() -> None:
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata:\n  name: "
    files = {**reconciled(SMALL), "clusters/x.yaml": f"{text}management\n"}
    (found,) = evaluation_of(files).findings
    assert (found.code, found.severity) == ("name-reserved", Severity.ERROR)
    assert found.location == Location("clusters/x.yaml", 4, 9, "/metadata/name")
    assert found.message == "ClusterTarget management has the name of the management cluster"
    assert found.hint == "choose another name"
    files["clusters/x.yaml"] = f"{text}edge-1\n"
    assert evaluation_of(files).findings == ()


def test_two_cluster_targets_may_not_have_one_uid() -> None:
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {name: "
    files = {f"clusters/{name}.yaml": f"{text}{name}}}\nspec: {{uid: one}}\n" for name in "ab"}
    (found,) = evaluation_of({**reconciled(SMALL), **files}).findings
    assert (found.code, found.severity) == ("field-value", Severity.ERROR)
    assert found.location == Location("clusters/b.yaml", 4, 13, "/spec/uid")
    assert found.message == "spec.uid is one, which is already the uid of ClusterTarget a"


@pytest.mark.parametrize("asked", ["{lbPoolSize: 300}", "{lbPoolSize: 8}"])
def test_a_record_that_holds_nothing_makes_way_at_once_where_another_belongs(asked: str) -> None:
    """Its claim is refused again, or gets a range by now."""
    files = reconciled({**SMALL, "tenants/ant.yaml": tenant("ant", networking="{lbPoolSize: 300}")})
    copied = "allocations/NetworkPool/butler-system.edge/team-a/bee.loadbalancer.yaml"
    files[copied] = files["allocations/_unplaced/team-a/ant.loadbalancer.yaml"]
    files["tenants/bee.yaml"] = tenant("bee")
    files["tenants/ant.yaml"] = tenant("ant", networking=asked)
    files = reconciled(files)
    assert b"bee/loadbalancer" in raw(files[copied])
    assert evaluation_of(files).changes == ()
