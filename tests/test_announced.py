"""What clusters that stay lose by a change: told at its place, as a warning or as a gate."""

from dataclasses import replace

from reconciler.announced import with_losses
from reconciler.evaluate import Evaluation, evaluate
from reconciler.findings import Finding
from reconciler.model.override import Overrides
from tests.engine.outcome import Files, without
from tests.hostile.test_announced import BASE, extra
from tests.moving import letting
from tests.test_comparison import base_of
from tests.test_renaming import formerly
from tests.world import evaluation_of, provider, reconciled, tenant, tree_of

DONE = reconciled(BASE)
MINE = "tenants/more.yaml"
KEY = "butler/IPAllocation/butler-system/more/request"
TO_TWO: Files = {**DONE, MINE: extra(owner="two", spec="  count: 4\n")}


def told(head: Files, base: Files = DONE, overrides: Overrides | None = None) -> list[Finding]:
    """What is said of a change beside what its base does by itself."""
    tree = replace(tree_of(head), overrides=overrides or Overrides())
    alone = evaluate(tree)
    found = with_losses(base_of(base, head), alone, lambda: evaluation_of(base))
    return [it for it in all_of(found) if it not in all_of(alone)]


def all_of(evaluation: Evaluation) -> list[Finding]:
    return [*evaluation.findings, *evaluation.gates]


def test_what_goes_to_another_cluster_at_once_is_a_gate_at_the_request() -> None:
    (item,) = told(TO_TWO)
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert str(item.location) == f"{MINE}:1"
    assert item.message == (
        "cluster team-a/one stays, and 10.40.0.112-10.40.0.115 (4 addresses) would go from it to"
        " team-a/two at once"
    )
    assert item.hint.endswith(f"or merge an Override of kind move for {KEY} first")


def test_an_override_that_lets_the_claim_move_makes_it_a_warning() -> None:
    (item,) = told(TO_TWO, overrides=letting(KEY))
    assert (item.code, item.severity) == ("announcement-moved", "warning")
    assert item.message.endswith("; an Override lets it go")


def test_what_nobody_announces_any_more_is_a_warning_where_it_stands() -> None:
    (item,) = told({**DONE, MINE: extra(kind="nodes", spec="  count: 4\n")})
    assert (item.code, str(item.location)) == ("announcement-lost", f"{MINE}:1")
    assert item.message == (
        "cluster team-a/one stays, and no longer announces 10.40.0.112-10.40.0.115 (4 addresses)"
    )
    (item,) = told(without(DONE, MINE))
    assert item.location.path.endswith("/butler-system/more.request.yaml")
    own = provider("own").replace("mode: ipam", "mode: cloud")
    (item,) = told({**DONE, "providers/own.yaml": own})
    assert item.location.path.endswith("/team-a/three.loadbalancer.yaml")


def test_a_range_set_by_hand_that_goes_is_told_at_its_tenant() -> None:
    (item,) = told({**DONE, "tenants/b.yaml": extra("b", "old", spec="  count: 2\n")})
    assert (item.code, item.location.path) == ("announcement-lost", "tenants/old.yaml")
    assert "10.70.0.0-10.70.0.19 (20 addresses)" in item.message


def test_what_the_base_does_by_itself_and_who_goes_is_no_loss_of_the_change() -> None:
    assert told(TO_TWO, TO_TWO) == []
    assert told(without(DONE, MINE, "tenants/one.yaml")) == []
    assert told(DONE) == []


def test_a_range_that_somebody_takes_out_of_a_document_is_lost_and_one_that_is_new_is_not() -> None:
    bare = tenant("old", providerConfigRef="{name: cloud}")
    (item,) = told({**DONE, "tenants/old.yaml": bare})
    assert (item.code, str(item.location)) == ("announcement-lost", "tenants/old.yaml:1")
    (item,) = told(
        {**DONE, "tenants/old.yaml": str(BASE["tenants/old.yaml"]).replace("0.19", "0.9")}
    )
    assert "10.70.0.10-10.70.0.19 (10 addresses)" in item.message
    new = str(BASE["tenants/old.yaml"]).replace("name: old,", "name: new,").replace("70.0", "71.0")
    assert told({**DONE, "tenants/new.yaml": new, "tenants/x.yaml": extra("x", "new")}) == []


def test_what_somebody_gets_who_stays_of_one_that_goes_is_said_by_the_plan_alone() -> None:
    head = without(TO_TWO, "tenants/one.yaml")
    assert told(head) == []
    (item,) = (it for it in evaluation_of(head).findings if it.code == "announcement-moved")
    assert item.message == "10.40.0.112-10.40.0.115 of edge goes from team-a/one to team-a/two"


def test_a_range_set_by_hand_that_another_gets_is_a_gate() -> None:
    bare = tenant("old", providerConfigRef="{name: cloud}")
    new = str(BASE["tenants/old.yaml"]).replace("name: old,", "name: new,")
    (item,) = told({**DONE, "tenants/old.yaml": bare, "tenants/new.yaml": new})
    assert (item.code, item.severity, str(item.location)) == (
        "announcement-moved", "gate", "tenants/old.yaml:1",
    )  # fmt: skip
    assert "would go from it to team-a/new at once" in item.message


def test_a_cluster_that_is_renamed_stays_and_loses_what_it_no_longer_announces() -> None:
    uno = {
        **without(DONE, "tenants/one.yaml"),
        "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one"),
    }
    kept = {**uno, MINE: extra(owner="uno", spec="  count: 4\n")}
    assert told(kept) == []
    (item,) = told({**uno, MINE: extra(owner="two", spec="  count: 4\n")})
    assert (item.code, item.severity) == ("announcement-moved", "gate")
    assert item.message.startswith("cluster team-a/uno stays, and 10.40.0.112-10.40.0.115 (4")
