"""Findings about addresses that clusters lose by a change."""

import pytest

from reconciler.documents.findings import Finding
from reconciler.model.settings import Overrides
from reconciler.planning.evaluate import DescribedFiles
from reconciler.review.announcements import lost_announcements
from tests.hostile.test_announced import BASE, extra
from tests.moving import letting
from tests.planning.outcome import Files, without
from tests.planning.test_renaming import formerly
from tests.review.sides import change_of
from tests.world import provider, reconciled, settings, tenant

DONE = reconciled(BASE)
MINE = "tenants/more.yaml"
KEY = "butler/IPAllocation/butler-system/more/request"
TO_TWO: Files = {**DONE, MINE: extra(owner="two", spec="  count: 4\n")}


def as_findings(
    head: Files, base: Files = DONE, overrides: Overrides | None = None
) -> list[Finding]:
    return list(lost_announcements(change_of(base, head, overrides or Overrides())))


def test_what_goes_to_another_cluster_at_once_is_a_gate_at_the_request() -> None:
    (item,) = as_findings(TO_TWO)
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert str(item.location) == f"{MINE}:1"
    assert item.message == (
        "10.40.0.112-10.40.0.115 (4 addresses) would move from cluster team-a/one to team-a/two in one step"
    )
    assert item.hint.endswith(
        f"or merge an Override of kind move for {KEY} first; Services that use the addresses lose connectivity"
    )


def test_an_override_that_lets_the_claim_move_makes_it_a_warning() -> None:
    (item,) = as_findings(TO_TWO, overrides=letting(KEY))
    assert (item.code, item.severity) == ("announcement-moved", "warning")
    assert item.message.endswith("; an Override permits this")


def test_what_nobody_announces_any_more_is_a_warning_where_it_stands() -> None:
    (item,) = as_findings({**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")})
    assert (item.code, str(item.location)) == ("announcement-lost", f"{MINE}:1")
    assert item.message == (
        "cluster team-a/one would stop announcing 10.40.0.112-10.40.0.115 (4 addresses)"
    )
    (item,) = as_findings(without(DONE, MINE))
    assert item.location.path.endswith("/butler-system/more.request.yaml")
    own = provider("own").replace("mode: ipam", "mode: cloud")
    (item,) = as_findings({**DONE, "providers/own.yaml": own})
    assert item.location.path.endswith("/team-a/three.loadbalancer.yaml")


def test_settings_that_end_all_advertisements_name_the_clusters() -> None:
    silent: Files = {**DONE, "ipam.yaml": settings("{metallb: {advertisement: none}}")}
    (item,) = as_findings(silent)
    assert (item.code, str(item.location)) == ("announcement-lost", "ipam.yaml:1")
    assert "the L2Advertisement is removed from team-a/old, team-a/one, team-a/t0," in item.message
    assert as_findings(silent, silent) == []


def test_what_the_base_does_by_itself_and_who_goes_is_no_loss_of_the_change() -> None:
    assert as_findings(TO_TWO, TO_TWO) == []
    assert as_findings(without(DONE, MINE, "tenants/one.yaml")) == []
    assert as_findings(DONE) == []


def test_a_range_set_by_hand_that_another_gets_is_a_gate() -> None:
    (item,) = as_findings({**DONE, "tenants/old.yaml": BARE, "tenants/new.yaml": NEW})
    assert (item.severity, str(item.location)) == ("gate", "tenants/old.yaml:1")
    assert "would move from cluster team-a/old to team-a/new in one step" in item.message


def test_a_cluster_that_is_renamed_stays_and_loses_what_it_no_longer_announces() -> None:
    uno = {**without(DONE, "tenants/one.yaml"), "tenants/uno.yaml": UNO}
    kept = {**uno, MINE: extra(owner="uno", spec="  count: 4\n")}
    assert as_findings(kept) == []
    (item,) = as_findings({**uno, MINE: extra(owner="two", spec="  count: 4\n")})
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert item.message.startswith("10.40.0.112-10.40.0.115 (4")


OLD = str(BASE["tenants/old.yaml"])
BARE = tenant("old", providerConfigRef="{name: cloud}")
NEW = OLD.replace("name: old,", "name: new,")


def was_old(text: str) -> Files:
    text = text.replace("name: old,", "name: new,")
    return {**without(DONE, "tenants/old.yaml"), "tenants/new.yaml": formerly(text, "team-a/old")}


def test_a_renamed_tenant_keeps_its_range_set_by_hand_or_loses_it() -> None:
    assert as_findings(was_old(OLD)) == []
    (item,) = as_findings(was_old(BARE))
    assert (item.code, str(item.location)) == ("announcement-lost", "tenants/new.yaml:1")


def test_a_renamed_tenant_with_a_record_announced_that_and_not_its_range_set_by_hand() -> None:
    both = tenant("one", networking="{loadBalancerPool: {start: 10.40.0.64, end: 10.40.0.71}}")
    base = reconciled({**BASE, "tenants/one.yaml": both})
    uno = formerly(both.replace("name: one", "name: uno"), "team-a/one")
    head = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": uno}
    assert as_findings({**head, MINE: extra(owner="uno", spec="  count: 4\n")}, base) == []


UNO = formerly(tenant("uno"), "team-a/one")
TO_UNO = {**DONE, "tenants/uno.yaml": UNO, MINE: extra(owner="uno", spec="  count: 4\n")}
NOT_RENAMED: dict[str, Files] = {
    "the first still exists": {
        **TO_UNO, "tenants/one.yaml": str(BASE["tenants/one.yaml"]) + "# a note\n"
    },
    "another team": {
        **without(TO_UNO, "tenants/one.yaml"),
        "tenants/uno.yaml": formerly(tenant("uno", teamRef="{name: red}"), "team-a/one"),
    },
    "it was there before": {
        **without(TO_TWO, "tenants/one.yaml"), "tenants/two.yaml": formerly(tenant("two"), "team-a/one")
    },
    "two say so": {**without(TO_UNO, "tenants/one.yaml"), "tenants/x.yaml": formerly(tenant("x"), "team-a/one")},
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_RENAMED)
def test_what_is_no_rename_hides_no_loss(name: str) -> None:
    found = [it for it in as_findings(NOT_RENAMED[name]) if it.code == "announcement-moved"]
    assert [it.severity for it in found] == ["gate"]
    assert found[0].message.startswith(
        "10.40.0.112-10.40.0.115 (4 addresses) would move from cluster team-a/one"
    )


def test_what_another_gets_of_one_that_goes_is_a_gate_and_an_override_lets_it_go() -> None:
    head = without(TO_TWO, "tenants/one.yaml")
    (item,) = as_findings(head)
    assert (item.severity, str(item.location)) == ("gate", f"{MINE}:1")
    assert item.message.startswith("10.40.0.112-10.40.0.115 (4 addresses)")
    assert "formerly" not in item.hint
    (item,) = as_findings(head, overrides=letting(KEY))
    assert (item.severity, item.message[-26:]) == ("warning", "; an Override permits this")


def test_a_range_set_by_hand_of_one_that_goes_which_another_gets_is_a_gate() -> None:
    head = {**without(DONE, "tenants/old.yaml"), "tenants/new.yaml": NEW}
    (item,) = as_findings(head)
    assert (item.severity, str(item.location)) == ("gate", "tenants/new.yaml:1")
    assert item.message.startswith("10.70.0.0-10.70.0.19 (20 addresses)")
    assert item.hint.startswith(
        "add the annotation gitops-ipam.dev/formerly: team-a/old to team-a/new if it is the same cluster; otherwise remove the range in its own change first,"
    )
    assert as_findings(without(DONE, "tenants/old.yaml")) == []


def test_of_a_cluster_that_no_document_describes_none_says_that_it_stays() -> None:
    base = reconciled({**BASE, MINE: extra(owner="nobody", spec="  count: 4\n")})
    (item,) = as_findings({**base, MINE: extra(owner="two", spec="  count: 4\n")}, base)
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert item.message.startswith(
        "10.40.0.112-10.40.0.115 (4 addresses) would move from cluster team-a/nobody (without a document)"
    )
    (item,) = as_findings(
        {**base, MINE: extra(owner="nobody", kind="nodes", spec="  count: 4\n")}, base
    )
    assert item.message.startswith(
        "cluster team-a/nobody (without a document) would stop announcing 10.40.0.112-10.40.0.115"
    )


def test_a_cluster_of_which_a_document_is_there_that_never_could_be_read_stays() -> None:
    broken = tenant("nobody").replace("workers:", "wrokers:")
    head = {**DONE, MINE: extra(owner="nobody", spec="  count: 4\n")}
    base = {**reconciled(head), "tenants/nobody.yaml": broken}
    head = {**base, MINE: extra(owner="two", spec="  count: 4\n")}
    change = change_of(base, head)
    change.before = DescribedFiles()
    (item,) = lost_announcements(change)
    assert item.message.startswith(
        "10.40.0.112-10.40.0.115 (4 addresses) would move from cluster team-a/nobody to team-a/two"
    )


def test_what_a_renamed_request_loses_is_told_where_that_stands() -> None:
    new = formerly(extra("other", "two", spec="  count: 4\n"), "butler-system/more")
    (item,) = as_findings({**without(DONE, MINE), "tenants/other.yaml": "# a note\n---\n" + new})
    assert (item.severity, str(item.location)) == ("gate", "tenants/other.yaml:3")
    scope = KEY.replace("/more/", "/other/")
    assert item.hint.endswith(
        f"or merge an Override of kind move for {scope} first; Services that use the addresses lose connectivity"
    )


def test_what_the_base_loses_already_is_none_of_a_rename() -> None:
    base = {**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")}
    head = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": UNO}
    nodes = extra(owner="uno", kind="nodes", spec="  count: 4\n")
    assert as_findings({**head, MINE: nodes}, base) == []


def test_what_went_to_a_type_that_nobody_announces_and_was_not_reconciled_is_a_gate_then() -> None:
    nodes = {**DONE, MINE: extra(owner="two", kind="nodes", spec="  count: 4\n")}
    (item,) = as_findings(TO_TWO, nodes)
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert as_findings(reconciled(TO_TWO), reconciled(nodes)) == []


def test_a_rename_that_comes_late_keeps_what_it_keeps() -> None:
    base = without(reconciled(without(BASE, MINE)), "tenants/one.yaml")
    assert as_findings({**base, "tenants/uno.yaml": UNO}, base) == []


def test_who_was_there_and_says_late_that_it_had_a_name_gets_nothing_without_a_gate() -> None:
    two = tenant("two", providerConfigRef="{name: cloud}")
    base = {**without(BASE, MINE), "tenants/two.yaml": two}
    base = without(reconciled(base), "tenants/one.yaml")
    (item,) = as_findings({**base, "tenants/two.yaml": formerly(tenant("two"), "team-a/one")}, base)
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert item.message.startswith(
        "10.40.0.0-10.40.0.7 (8 addresses) would move from cluster team-a/one (without a document)"
    )
