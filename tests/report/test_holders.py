"""Holders and events as JSON and CSV."""

import csv

from reconciler.history.commits import CommitCause
from reconciler.history.who import of_ranges
from reconciler.report.queries import event_item, event_rows, holder_rows, holders_document
from tests.history.pasts import RECORD, ROW, happened, run, version
from tests.world import SMALL, evaluation_of, reconciled

STATE = evaluation_of(reconciled(SMALL)).state
(ITEM,) = happened(None, version())
PERSON = ROW._replace(id="c" * 40, author="=cmd() <a@b>", request="#12", is_plan=False)
TOLD = (ITEM, CommitCause(PERSON, "tenants/one.yaml", 3))


def test_a_holder_has_all_that_is_known_and_a_free_address_the_place_of_its_pool() -> None:
    holders = of_ranges(STATE, [run(0, 8)])
    told = holders_document("x", None, holders, {RECORD: TOLD}, None)
    held, free = told["items"]
    assert held["whole"] == {"start": "10.40.0.0", "end": "10.40.0.7"}
    assert held["brought"]["cause"]["path"] == "tenants/one.yaml"
    assert held["document"]["path"] == "tenants/one.yaml"
    assert free["document"]["path"] == "pools/edge.yaml"
    assert (held["before"], held["after"]["state"]) == (None, "free")
    assert free["before"]["holder"] == "team-a/one"
    assert told["history"] is None
    assert holders_document("x", None, [], {}, [TOLD])["history"] == [event_item(TOLD)]


def test_csv_has_a_row_each_and_no_formula() -> None:
    rows = list(csv.DictReader(event_rows([TOLD, (ITEM, None)])))
    assert [row["what"] for row in rows] == ["allocated", "allocated"]
    assert [row["request"] for row in rows] == ["#12", ""]
    assert rows[0]["cause_author"] == "'=cmd() <a@b>"
    assert rows[0]["cause"] == "tenants/one.yaml:3"
    holders = list(csv.DictReader(holder_rows(of_ranges(STATE, [run(0, 8)]), {RECORD: TOLD})))
    assert [row["state"] for row in holders] == ["allocated", "free"]
    assert holders[0]["document"] == "tenants/one.yaml:1"
    assert (holders[0]["commit"], holders[1]["commit"]) == ("a" * 40, "")
