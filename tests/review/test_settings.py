"""After a change loosens Settings, the stricter limits of old and new Settings apply."""

import pytest

from reconciler.documents.findings import Location
from reconciler.model.pool import Thresholds, Tier
from reconciler.model.settings import Settings
from reconciler.planning.evaluate import Evaluation, held_to, loosened
from tests.planning.test_guard import fleet, leaving, settings
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

HOME = Location("ipam.yaml", 1, 1)
OWN = Settings(location=HOME)


def filled(spec: str) -> dict[str, str | bytes]:
    window = "{start: 10.40.0.1, end: 10.40.0.20}"
    return {
        **SMALL,
        "pools/edge.yaml": pool(tenantAllocation=window),
        "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 15}"),
        "ipam.yaml": settings(gate=spec),
    }


def gates(evaluation: Evaluation) -> list[str]:
    return [item.code for item in evaluation.gates]


def test_each_brake_and_each_threshold_is_the_lower_one_and_all_else_is_its_own() -> None:
    own = Settings(max_release_percent=10, min_records=50, thresholds=Thresholds(60, 85, 99))
    earlier = Settings(max_release_percent=40, min_records=5, thresholds=Thresholds(70, 80, 95), retention=1)  # fmt: skip
    held = own.held_to(earlier)
    assert (held.max_release_percent, held.min_records) == (10, 5)
    assert (held.thresholds, held.retention) == (Thresholds(60, 80, 95), own.retention)


def test_what_was_not_loosened_changes_nothing_and_is_no_news() -> None:
    evaluation = evaluation_of(fleet(3))
    assert held_to(evaluation, evaluation.tree.settings, "abc") is evaluation
    assert list(loosened(OWN, Settings(max_release_percent=90), "abc")) == []


def test_what_was_loosened_is_told_field_by_field() -> None:
    own = Settings(gate=None, thresholds=Thresholds(80, 90, 99), location=HOME)
    (found,) = loosened(own, Settings(), "abc")
    assert found.message == (
        "Settings are less strict than in the newest reconcile commit abc: gate from exhausted to never, thresholds from 70/85/95 to 80/90/99; the stricter values apply until the next reconcile commit"
    )
    (found,) = loosened(Settings(min_records=20), Settings(), "abc")
    assert str(found.location) == "ipam.yaml:1"  # the finding names the path of the missing file
    assert found.message.startswith(
        "Settings are less strict than in the newest reconcile commit abc: brakes.minRecords"
    )


def test_a_brake_goes_by_the_stricter_share() -> None:
    files = {**leaving(fleet(10), 4), "ipam.yaml": settings(brakes="{maxReleasePercent: 90}")}
    evaluation = evaluation_of(files)
    held = held_to(evaluation, Settings(), "abc")
    assert (evaluation.brake, gates(held)) == (None, ["brake"])
    assert held.brake is not None
    assert "more than brakes.maxReleasePercent" in held.brake.message
    assert [item.code for item in held.findings] == ["settings-loosened"]


@pytest.mark.parametrize(
    ("edge", "gated"),
    [
        ({}, True),
        ({"annotations": "{gitops-ipam.dev/gate: exhausted}"}, False),
        ({"annotations": "{gitops-ipam.dev/warning: '76'}"}, False),
    ],
)
def test_a_pool_goes_by_the_stricter_gate_but_for_what_it_has_of_its_own(
    edge: dict[str, str], *, gated: bool
) -> None:
    files = filled("critical")
    if edge:
        text = str(files["pools/edge.yaml"])
        files["pools/edge.yaml"] = text.replace("metadata: {", f"metadata: {{annotations: {edge['annotations']}, ")  # fmt: skip
    evaluation = evaluation_of(files)
    held = held_to(evaluation, Settings(gate=Tier.WARNING), "abc")
    assert (gates(evaluation), gates(held)) == ([], ["capacity"] if gated else [])
    assert held.plan == evaluation.plan  # pools show the values from before


def test_thresholds_that_were_raised_gate_as_they_did() -> None:
    files = {**filled("exhausted"), "ipam.yaml": settings(thresholds="{exhausted: 100}")}
    files["tenants/one.yaml"] = tenant("one", networking="{lbPoolSize: 19}")
    evaluation = evaluation_of(files)
    assert gates(evaluation) == []
    assert gates(held_to(evaluation, Settings(), "abc")) == ["capacity"]
    assert gates(held_to(evaluation_of(reconciled(files)), Settings(), "abc")) == []
