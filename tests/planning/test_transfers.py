"""A record that is kept for another owner than it names: the plan shows it, and its digest knows it."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.planning.digest import actions, digest, summary
from reconciler.planning.documents import LastGood
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.report.markdown import markdown_text
from reconciler.report.text.plan import plan_text, transfers_of
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.hostile.test_announced import extra
from tests.moving import moving
from tests.planning.outcome import Files, without
from tests.planning.test_renaming import formerly
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant, tree_of

MORE = "tenants/more.yaml"
KEY = "butler/IPAllocation/butler-system/more/request"
RECORD = "allocations/NetworkPool/butler-system.edge/butler-system/more.request.yaml"
COUNT = "  count: 4\n"
BASE: Files = {**SMALL, "tenants/two.yaml": tenant("two"), MORE: extra(spec=COUNT)}
DONE = reconciled(BASE)
GIVEN: Files = {**DONE, MORE: extra(owner="two", spec=COUNT)}
UNO: Files = {
    **without(DONE, "tenants/one.yaml"),
    "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one"),
    MORE: extra(owner="uno", spec=COUNT),
}
NOTHING = digest([])
PLAIN = Painter(is_on=False)


def published(evaluation: Evaluation) -> str:
    return digest(actions(evaluation))


def action_of(evaluation: Evaluation) -> dict[str, Any]:
    (found,) = (it for it in actions(evaluation) if it["claim"] == KEY)
    return found


def test_a_record_for_another_owner_is_an_action_that_says_from_whom_to_whom() -> None:
    evaluation = evaluation_of(GIVEN)
    (found,) = actions(evaluation)
    assert found == {
        "action": "transfer", "claim": KEY, "record": RECORD,
        "pool": "butler/NetworkPool/butler-system/edge",
        "start": "10.40.0.16", "end": "10.40.0.19", "count": 4, "cidr": "10.40.0.16/30",
        "reason": None, "message": None, "source": {"path": MORE, "line": 1},
        "from": {"owner": "team-a/one"}, "owner": "team-a/two",
    }  # fmt: skip
    assert summary(evaluation) == {
        "keep": 2, "allocate": 0, "release": 0, "expire": 0, "refuse": 0, "moved": 0,
        "transferred": 1,
    }  # fmt: skip
    assert [it.path for it in evaluation.changes] == [RECORD]
    assert published(evaluation_of(reconciled(GIVEN))) == NOTHING


def edited(old: str, new: str) -> Files:
    """Return the record as a person or an earlier version of `ipam` wrote it."""
    text = DONE[RECORD]
    text = text if isinstance(text, str) else text.decode()
    assert old in text
    return {**DONE, RECORD: text.replace(old, new)}


REWRITES: dict[str, Files] = {
    "another team": {**DONE, "tenants/one.yaml": tenant("one", teamRef="{name: other}")},
    "another type": {**DONE, MORE: extra(kind="nodes", spec=COUNT)},
    "an edited label": edited("team: team-a", "team: team-b"),
    "an edited status": edited("4 IPs allocated from edge", "all is well"),
    "another form": edited("spec:\n", "# as it was written once\nspec:\n"),
}


@pytest.mark.parametrize("name", REWRITES)
def test_other_rewrites_are_no_decisions(name: str) -> None:
    evaluation = evaluation_of(REWRITES[name])
    assert evaluation.changes
    assert actions(evaluation) == []
    assert published(evaluation) == NOTHING
    assert "transferred" not in summary(evaluation)


def test_what_is_kept_as_it_is_because_something_cannot_be_read_goes_to_nobody_yet() -> None:
    halted = evaluate(replace(tree_of(GIVEN), last_good=LastGood(halted="ipam.yaml")))
    assert halted.state.givers
    assert (halted.changes, actions(halted)) == ((), [])


def test_a_request_that_goes_along_with_a_renamed_tenant_is_told_without_an_alarm() -> None:
    evaluation = evaluation_of(UNO)
    assert [it["action"] for it in actions(evaluation)] == ["transfer", "keep"]
    assert action_of(evaluation)["from"] == {"owner": "team-a/one"}
    assert "announcement-moved" not in [it.code for it in evaluation.findings]
    other = evaluation_of({**UNO, MORE: extra(owner="two", spec=COUNT)})
    assert "announcement-moved" in [it.code for it in other.findings]


def test_a_pool_that_is_renamed_hides_nobody() -> None:
    rim = {"pools/rim.yaml": formerly(pool("rim"), "butler-system/edge")}
    named = str(GIVEN[MORE]).replace("name: edge", "name: rim")
    evaluation = evaluation_of({**without(GIVEN, "pools/edge.yaml"), **rim, MORE: named})
    assert action_of(evaluation)["action"] == "transfer"
    assert "announcement-moved" in [it.code for it in evaluation.findings]


def test_a_claim_that_moves_and_goes_to_another_owner_says_both_in_one_action() -> None:
    far = {"pools/far.yaml": pool("far", "10.50.0.0/24")}
    named = str(GIVEN[MORE]).replace("name: edge", "name: far")
    evaluation = moving({**GIVEN, **far, MORE: named}, KEY)
    found = action_of(evaluation)
    assert (found["action"], found["owner"]) == ("move", "team-a/two")
    assert (found["from"]["owner"], found["from"]["start"]) == ("team-a/one", "10.40.0.16")
    assert transfers_of(evaluation) == []
    assert "transferred" not in summary(evaluation)
    assert "team-a/one → team-a/two\n" in plan_text(evaluation, PLAIN)
    assert "<br>`team-a/one` → `team-a/two` |" in markdown_text(Compared(evaluation), "plan")
    same = moving({**DONE, **far, MORE: named.replace("name: two", "name: one")}, KEY)
    assert "owner" not in action_of(same)["from"]
    assert published(same) != published(evaluation)
