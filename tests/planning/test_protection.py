"""Broken documents never release ranges, and unreadable records freeze their pool."""

from tests.planning.outcome import codes, outcome, without
from tests.world import SMALL, evaluation_of, pool, provider, raw, reconciled, request, tenant

ONE, TWO = "team-a/one (loadbalancer)", "team-a/two (loadbalancer)"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
KEEP = "keep 10.40.0.0-10.40.0.7 of edge"
SECOND = {
    "pools/second.yaml": pool("second", "10.41.0.0/24"),
    "providers/other.yaml": provider("other", "[{name: second}]"),
    "tenants/two.yaml": tenant("two", providerConfigRef="{name: other}"),
}


def test_a_tenant_whose_document_is_wrong_keeps_its_record() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 0}")}
    assert outcome(files) == {ONE: KEEP}
    assert [found.code for found in evaluation_of(files).findings] == ["field-value"]


def test_a_file_that_cannot_be_read_at_all_releases_nothing_anywhere() -> None:
    files = {**without(reconciled(SMALL), "tenants/one.yaml"), "tenants/other.yaml": "a: [\n"}
    assert outcome(files) == {ONE: KEEP}
    found = evaluation_of(files).findings[0]
    assert (found.code, found.location.path) == ("release-held", RECORD)
    assert found.message == f"1 record is not released, because a file has errors: {ONE}"


def test_what_only_follows_from_a_file_that_cannot_be_read_is_not_told() -> None:
    files = {**reconciled({**SMALL, "tenants/r.yaml": request("r", count="3")})}
    files["pools/edge.yaml"] = "spec: [\n"
    evaluation = evaluation_of(files)
    assert [found.code for found in evaluation.findings if found.severity == "error"] == [
        "yaml-syntax"
    ]
    assert "record-stale" not in [found.code for found in evaluation.findings]
    assert evaluation.gates == ()
    assert evaluation.changes == ()


def test_nothing_new_is_given_out_of_another_pool_while_the_first_cannot_be_read() -> None:
    files = {
        **SMALL,
        "pools/spare.yaml": pool("spare", "10.50.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: spare, priority: 9}]"),
    }
    files["pools/edge.yaml"] = "spec: [\n"
    assert outcome(files) == {ONE: "refuse pool-frozen"}


def test_a_kind_that_is_not_known_releases_nothing_anywhere() -> None:
    text = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Pod\nmetadata: {name: x}\n"
    files = {**without(reconciled(SMALL), "tenants/one.yaml"), "tenants/other.yaml": text}
    assert outcome(files) == {ONE: KEEP}


def test_wrong_settings_release_nothing_anywhere() -> None:
    files = {**without(reconciled(SMALL), "tenants/one.yaml"), "ipam.yaml": "a: [\n"}
    assert outcome(files) == {ONE: KEEP}


def test_a_wrong_document_of_somebody_else_holds_nobody_back() -> None:
    files = without(reconciled({**SMALL, **SECOND}), "tenants/one.yaml")
    files["tenants/two.yaml"] = tenant("two", networking="{lbPoolSize: 0}")
    assert outcome(files)[ONE].startswith("release")
    assert outcome(files)[TWO].startswith("keep")


def test_an_unreadable_record_holds_what_its_text_lets_guess() -> None:
    files = reconciled(SMALL)
    files[RECORD] = raw(files[RECORD]).replace(b"allocatedCount: 8", b"allocatedCount: 9")
    assert outcome(files) == {ONE: "refuse pool-frozen"}
    assert codes(files) == [("error", "record-unreadable"), ("gate", "pool-frozen")]
    assert evaluation_of(files).changes == ()


def test_nothing_is_given_out_of_its_pool_and_all_of_others() -> None:
    files = reconciled({**SMALL, **SECOND})
    files[RECORD] = "kind: IPAllocation\n"
    files["tenants/new.yaml"] = tenant("new")
    files["tenants/far.yaml"] = tenant("far", providerConfigRef="{name: other}")
    found = outcome(files)
    assert found["team-a/new (loadbalancer)"] == "refuse pool-frozen"
    assert found["team-a/far (loadbalancer)"] == "allocate 10.41.0.8-10.41.0.15 of second"
    assert found[TWO].startswith("keep")


def test_a_record_whose_path_says_no_pool_freezes_them_all() -> None:
    files = {**SMALL, **SECOND, "allocations/stray.yaml": "kind: IPAllocation\n"}
    assert outcome(files) == {ONE: "refuse pool-frozen", TWO: "refuse pool-frozen"}


def test_the_range_that_its_text_names_is_not_pinned_away() -> None:
    path = "allocations/NetworkPool/butler-system.other/team-z/old.loadbalancer.yaml"
    text = "status:\n  startAddress: 10.40.0.0\n  endAddress: 10.40.0.3\n"
    files = {**SMALL, "pools/other.yaml": pool("other", "10.50.0.0/24"), path: text}
    assert outcome(files)[ONE] == "allocate 10.40.0.4-10.40.0.11 of edge"
