"""The plan of an import: new errors, moves, and long files."""

from reconciler.importing.assembling import MAX_BYTES, ImportDocument, files_of, outcome
from reconciler.importing.sources import MAX_NAMING, fitted, slug
from reconciler.model.key import is_label
from tests.importing.sources import conflicts, imported, lines, netbox, table, texts
from tests.world import SMALL, evaluation_of, planned, pool, reconciled, tenant

KINDS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {kinds: {tenants: [TenantCluster]}}\n"
)


def test_an_error_that_the_files_would_bring_is_a_conflict() -> None:
    result = imported(table("ip,name\n10.0.0.5,web\n"), {"ipam.yaml": KINDS})
    (found,) = result.conflicts
    assert found.message.startswith("kind-in-wrong-folder: ")
    assert found.location.path == "tenants/default/web.yaml"


def test_an_error_that_was_there_before_is_not_of_the_import() -> None:
    files = {"pools/bad.yaml": pool("bad", "10.9.0.1/24"), "pools/e.yaml": pool("e", "10.0.0.0/24")}
    assert conflicts(imported(table("ip,name\n10.0.0.5,web\n"), files)) == []


def test_what_a_pool_reserves_is_refused_and_told_at_the_row() -> None:
    files = {"pools/e.yaml": pool("e", "10.0.0.0/24", reserved="[{cidr: 10.0.0.0/28}]")}
    result = imported(table("ip,name\n10.0.0.5,web\n"), files)
    assert lines(result) == ["default/web nodes e 10.0.0.5 -"]
    (found,) = result.conflicts
    assert str(found.location) == "a.csv:2"
    assert found.message.endswith("(pin-reserved)")


def test_a_record_that_would_not_stay_is_a_conflict() -> None:
    before = planned(evaluation_of(SMALL))
    after = evaluation_of({**reconciled(SMALL), "tenants/one.yaml": tenant("other")})
    _, (found,) = outcome(before, after, (), (), "")
    assert found.message == "team-a/one (loadbalancer) would not keep its addresses"


def test_records_and_other_claims_stay_as_they_are() -> None:
    files = {**reconciled(SMALL), "tenants/two.yaml": tenant("two")}
    result = imported(table("ip,name\n10.40.0.77,web\n"), files)
    before, after = evaluation_of(files).plan.decisions, result.after.plan.decisions
    assert [item for item in after if item.claim.slot != "request"] == list(before)


def test_files_are_split_before_they_are_too_long() -> None:
    body = {"kind": "X", "text": "x" * (MAX_BYTES // 2)}
    found = files_of([ImportDocument("tenants", "a/b", body)] * 3, ("other",))
    assert list(found) == ["other/a/b.yaml", "other/a/b.2.yaml", "other/a/b.3.yaml"]


def test_names_are_labels_and_long_ones_stay_apart() -> None:
    one, other = slug("x" * 70 + "a"), slug("x" * 70 + "b")
    assert one != other
    assert all(is_label(name) and len(name) == MAX_NAMING for name in (one, other))
    assert fitted("short") == "short"
    assert slug("Web_Server 01 (old)") == "web-server-01-old"


def test_what_a_source_says_becomes_a_comment_that_is_no_yaml() -> None:
    hostile = '"x: y\nkind: Y\n--- ##vso[x]\u202e\x1b[31m"'
    result = imported(table(f"ip,name\n10.0.0.5,{hostile}\n"))
    (text,) = (it for path, it in texts(result).items() if path.startswith("tenants/"))
    assert text.count("\nkind:") == 1
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "##" not in text
    assert conflicts(result) == []


def test_an_address_space_of_its_own_is_written() -> None:
    result = imported(netbox('[{"prefix": "10.0.1.0/24", "vrf": {"name": "Blue"}}]'))
    assert "gitops-ipam.dev/address-space: blue" in texts(result)["pools/net-10-0-1-0-24.yaml"]
