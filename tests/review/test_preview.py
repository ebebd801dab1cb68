"""The preview of a merge equals the output of `render` after reconcile."""

import pytest

from reconciler.apply.render import rendered
from reconciler.model.errors import GitError
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import carried_out
from reconciler.review import preview as previewing
from reconciler.review.preview import NOTHING, preview
from tests.golden.cases import ROOT, cases, read
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

CHANGE = {**reconciled(SMALL), "tenants/two.yaml": tenant("two")}


@pytest.mark.parametrize("case", cases())
def test_what_is_carried_out_in_thought_is_what_reconcile_commits(case: str) -> None:
    files = read(ROOT / case / "tree")
    after = rendered(evaluation_of(reconciled(files)))
    assert rendered(carried_out(evaluation_of(files))) == after


def test_each_cluster_that_gets_something_else_is_told_and_no_other() -> None:
    before, after = evaluation_of(reconciled(SMALL)), evaluation_of(CHANGE)
    found = preview(after, lambda: before)
    assert [it.cluster for it in found.applied] == ["management", "team-a.two"]
    (_, two) = found.applied
    assert two.before == {}
    pool_file = "IPAddressPool/metallb-system.default-pool.yaml"
    assert set(two.after) == {pool_file, "L2Advertisement/metallb-system.default.yaml"}
    assert "10.40.0.8-10.40.0.15" in two.after[pool_file]


def test_a_base_that_is_not_reconciled_yet_counts_as_if_it_were() -> None:
    pending = evaluation_of(SMALL)
    found = preview(evaluation_of({**SMALL, "notes.yaml": ""}), lambda: pending)
    assert found.applied == ()


def test_what_only_says_when_it_was_looked_at_is_no_change() -> None:
    files = reconciled(SMALL)
    before, after = evaluation_of(files), evaluation_of(files, 1_771_200_000)
    assert preview(after, lambda: before).applied == ()


def test_a_change_that_no_record_shows_is_told() -> None:
    smaller = pool(reserved="[{cidr: 10.40.0.240/28}]")
    files = {**reconciled(SMALL), "pools/edge.yaml": smaller}
    found = preview(evaluation_of(files), lambda: evaluation_of(reconciled(SMALL)))
    assert (len(found.maps), [it.cluster for it in found.applied]) == (0, ["management"])
    (management,) = found.applied
    path = "NetworkPool/butler-system.edge.yaml"
    assert "totalIPs: 240" in management.after[path]
    assert "totalIPs: 256" in management.before[path]


def test_what_is_wrong_is_mended_first_and_comes_to_something_else_then() -> None:
    wrong = {**CHANGE, "tenants/three.yaml": tenant("three", workers="{replicas: many}")}
    assert preview(evaluation_of(wrong), lambda: evaluation_of(SMALL)) == NOTHING


def test_of_very_many_records_the_maps_alone_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previewing, "MAX_RECORDS", 1)
    found = preview(evaluation_of(CHANGE), lambda: evaluation_of(SMALL))
    assert (len(found.maps), found.applied) == (1, ())
    assert found.why == "Not shown with more than 1 records. Run ipam render to see it."


def test_a_base_that_cannot_be_read_stops_nothing() -> None:
    def broken() -> Evaluation:
        raise GitError("too large")

    found = preview(evaluation_of(CHANGE), broken)
    assert (len(found.maps), found.applied) == (1, ())
    assert found.why.startswith("Not shown: the base cannot be read")
