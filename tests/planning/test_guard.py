"""Brakes and capacity gates."""

import pytest
from msgspec.structs import replace

from reconciler.model.plan import Release
from reconciler.planning.evaluate import evaluate, let_pass
from tests.planning.outcome import after_removal, codes, without
from tests.world import (
    AHEAD,
    CLOCK,
    SMALL,
    evaluation_of,
    pool,
    provider,
    raw,
    reconciled,
    tenant,
    tree_of,
)


def settings(**spec: object) -> str:
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec:\n"
    return f"{head}{lines}"


def fleet(tenants: int) -> dict[str, str | bytes]:
    files = {
        "pools/edge.yaml": pool(cidr="10.40.0.0/16"),
        "providers/default.yaml": provider(),
        **{f"tenants/{at:03}.yaml": tenant(f"t{at:03}") for at in range(tenants)},
    }
    return reconciled(files)


def leaving(files: dict[str, str | bytes], count: int) -> dict[str, str | bytes]:
    return without(files, *(f"tenants/{at:03}.yaml" for at in range(count)))


def braked(files: dict[str, str | bytes], allowed: int | None = None) -> str:
    brake = evaluate(replace(tree_of(files), allow_release=allowed)).brake
    return brake.message if brake else ""


def test_nothing_expires_by_a_date_that_is_ahead_and_a_gate_says_so() -> None:
    files = after_removal(SMALL, "tenants/one.yaml")
    later = tree_of(files, CLOCK + 86_400)
    assert [type(item).__name__ for item in evaluate(later).plan.decisions] == ["Expire"]
    found = evaluate(replace(later, clock_ahead=AHEAD))
    assert (found.plan.decisions, found.changes) == ((), ())
    assert [(item.code, item.message) for item in found.gates] == [
        (
            "clock-ahead",
            "the commit is dated 2099-01-01T00:00:00Z, more than an hour in the future, so nothing expires (records use 2026-02-16T10:00:30Z)",
        )
    ]
    assert found.findings == ()


def test_what_expires_later_is_still_held_while_the_date_is_ahead() -> None:
    files = after_removal(SMALL, "tenants/one.yaml")
    tree = tree_of({**files, "tenants/two.yaml": tenant("two")}, CLOCK + 86_400)
    (changed,) = evaluate(replace(tree, clock_ahead=AHEAD)).changes
    assert b"startAddress: 10.40.0.8\n" in raw(changed.data or b"")


def test_no_brake_counts_what_a_look_proved_to_be_gone() -> None:
    evaluation = evaluate(tree_of(leaving(fleet(10), 4)))
    seen = frozenset(("butler", "TenantCluster", "team-a", f"t00{at}") for at in range(2))
    found = let_pass(evaluate(replace(evaluation.tree, gone=seen)))
    assert (evaluation.brake is not None, found.brake, found.gates) == (True, None, ())
    assert len([it for it in found.plan.decisions if isinstance(it, Release)]) == 4
    tight = settings(brakes="{maxReleasePercent: 5}")
    tree = tree_of({**leaving(fleet(10), 4), "ipam.yaml": tight})
    some = evaluate(replace(tree, gone=seen))
    assert some.brake is not None
    assert "release 2 of 10 allocated records" in some.brake.message
    passed = [it.claim.name for it in let_pass(some).plan.decisions if isinstance(it, Release)]
    assert passed == ["t000", "t001"]


def test_a_release_of_more_than_the_share_is_braked_with_the_number_to_allow() -> None:
    files = leaving(fleet(10), 4)
    found = evaluate(tree_of(files)).brake
    assert found is not None
    assert found.message == (
        "this plan would release 4 of 10 allocated records (40.0%), more than brakes.maxReleasePercent (30%), so all releases are held back"
    )
    assert (
        found.hint
        == "restore the documents; if the releases are intended, merge an Override with kind: brake, releases: 4, or run ipam reconcile --allow-release 4"
    )
    assert codes(files) == [("gate", "brake")]


def test_releasing_everything_is_always_braked() -> None:
    assert braked(leaving(fleet(1), 1)) == (
        "this plan would release all records: 1 of 1 allocated records (100.0%), so all releases are held back"
    )


def filled(now: int, before: int = 0, **spec: object) -> dict[str, str | bytes]:
    """A pool of 20: some addresses held before, some asked for now."""
    files: dict[str, str | bytes] = {
        "pools/edge.yaml": pool(tenantAllocation="{start: 10.40.0.1, end: 10.40.0.20}"),
        "providers/default.yaml": provider(),
        "ipam.yaml": settings(**spec) if spec else settings(retention="1h"),
    }
    if before:
        files["tenants/old.yaml"] = tenant("old", networking=f"{{lbPoolSize: {before}}}")
        files = reconciled(files)
    if now:
        files["tenants/new.yaml"] = tenant("new", networking=f"{{lbPoolSize: {now}}}")
    return files


def test_a_plan_that_takes_a_pool_to_the_gate_is_stopped_at_the_pool() -> None:
    (found,) = evaluation_of(filled(19)).gates
    assert found.code == "capacity"
    assert str(found.location) == "pools/edge.yaml:5"
    assert (
        found.message
        == "pool edge would go from 0.0% to 95.0% (19 of 20), past its capacity limit of 95% (exhausted)"
    )
    assert found.hint == "widen the pool, add another one, or merge an Override of kind gate"


@pytest.mark.parametrize(("gate", "size"), [("warning", 14), ("critical", 17), ("exhausted", 19)])
def test_the_gate_is_reached_exactly_at_its_threshold(gate: str, size: int) -> None:
    assert [item.code for item in evaluation_of(filled(size, gate=gate)).gates] == ["capacity"]
    assert evaluation_of(filled(size - 1, gate=gate)).gates == ()


def test_a_pool_that_was_as_full_before_stops_nobody() -> None:
    assert evaluation_of(filled(0, before=20)).gates == ()


def test_a_full_pool_that_is_filled_further_is_stopped() -> None:
    assert [item.code for item in evaluation_of(filled(1, before=19)).gates] == ["capacity"]


def test_releasing_from_a_full_pool_is_not_stopped() -> None:
    files = without(filled(1, before=19), "tenants/new.yaml", "tenants/old.yaml")
    assert [item.code for item in evaluation_of(files, CLOCK).gates] == ["brake"]


def test_a_refused_claim_is_a_gate_at_its_claim() -> None:
    files = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}
    (found,) = evaluation_of(files).gates
    assert (found.code, str(found.location)) == ("request-too-large", "tenants/one.yaml:1")
    assert found.message.startswith("team-a/one (loadbalancer): needs 8")
