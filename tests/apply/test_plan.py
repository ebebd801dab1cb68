"""A plan is a value: what is read, what is asked for, and in which order it is done."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from reconciler.apply.inventory import Inventory, InventoryEntry
from reconciler.apply.plan import ClusterPlan, Progress, foresee_all
from reconciler.apply.plan_tenant import plan_tenant
from reconciler.apply.snapshot import (
    ClusterAnswer,
    Live,
    Query,
    Snapshot,
    Tolerates,
    Unanswered,
    live_of,
)
from reconciler.apply.steps import Apply, Delete, Note, Step, Try
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    CONFIGURATION_STATE,
    DesiredObject,
    desired_object,
)
from reconciler.model.objects import BINDING, POLICY, SERVICE, Ref, Resource

HERE = "metallb-system"
LABEL = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
Pools = Mapping[str, str]


def manifest(name: str, *addresses: str) -> dict[str, Any]:
    kind = {"apiVersion": ADDRESS_POOL.api_version, "kind": ADDRESS_POOL.kind}
    named = {"name": name, "namespace": HERE}
    return {**kind, "metadata": named, "spec": {"addresses": list(addresses)}}


def living(wanted: DesiredObject) -> Live:
    """An object as the server has it after we applied it."""
    body = wanted.body or {}
    own = {"uid": f"uid-{wanted.ref.name}", "resourceVersion": "7", "generation": 1}
    managed = {"managedFields": [{"manager": "gitops-ipam"}]}
    return live_of({**body, "metadata": {**body["metadata"], **own, **managed}})


def answers(
    live: Iterable[Live], *services: Live, unknown: tuple[Resource, ...] = ()
) -> dict[Query, ClusterAnswer]:
    return {
        Query(resource, namespace): ClusterAnswer(
            {item.ref: item for item in [*live, *services] if item.ref.resource == resource},
            is_unknown=resource in unknown,
        )
        for resource, namespace in (
            (ADDRESS_POOL, HERE),
            (ADVERTISEMENT, HERE),
            (CONFIGURATION_STATE, HERE),
            (SERVICE, ""),
        )
    }


def planned(before: Pools, after: Pools, **options: Any) -> ClusterPlan:
    """The plan from pools that we made to others."""
    made = [desired_object(manifest(name, text)) for name, text in before.items()]
    entries = {str(item.ref): InventoryEntry(f"uid-{item.ref.name}", item.hash) for item in made}
    wanted = tuple(desired_object(manifest(name, text)) for name, text in after.items())
    snapshot = Snapshot(answers(map(living, made)), 7)
    inventory = Inventory("uid", "a" * 40, entries)
    return plan_tenant(Target("a/b", wanted), snapshot, inventory, ApplyOptions(**options), None)


def describe(steps: Iterable[Step]) -> list[str]:
    """Steps in words."""
    return [_describe(step) for step in steps]


def _describe(step: Step) -> str:
    match step:
        case Apply():
            addresses = (step.desired.body or {})["spec"].get("addresses", "")
            return f"{step.decision.action} {step.ref.name} {''.join(addresses)}".strip()
        case Delete():
            return f"delete {step.live.ref.name}"
        case Note():
            return f"note {step.name.rpartition('/')[2]} {step.entry and step.entry.hash}"
        case _:
            return type(step).__name__.lower()


ONE, TWO, BOTH = "10.0.0.0-10.0.0.3", "10.0.0.4-10.0.0.7", "10.0.0.0-10.0.0.7"


def test_what_gives_shrinks_before_what_gets_grows() -> None:
    plan = planned({"young": ONE, "old": BOTH.replace("0.0-", "0.4-")}, {"old": ONE, "young": TWO})
    assert describe(plan.steps) == [
        "delete young",
        "delete old",
        "confirm",
        "look",
        f"create old {ONE}",
        f"create young {TWO}",
        "confirm",
    ]
    plan = planned({"old": BOTH}, {"old": ONE, "young": TWO})
    assert describe(plan.steps) == [
        f"configure old {ONE}",
        "confirm",
        "look",
        f"keep old {ONE}",
        f"create young {TWO}",
        "confirm",
    ]


def test_what_nothing_asks_for_goes_before_others_grow() -> None:
    plan = planned({"old": ONE}, {"young": ONE})
    assert describe(plan.steps) == ["delete old", f"create young {ONE}", "confirm"]
    outcomes = foresee_all(Progress({}), plan.steps).outcomes
    assert [str(item.result) for item in outcomes] == ["deleted", "created"]


def test_a_plan_asks_for_what_it_needs_and_for_no_more() -> None:
    """Services only when something would be withdrawn; policies only with a word on them."""

    def asked(known: Mapping[Query, ClusterAnswer], **options: Any) -> tuple[Query, ...]:
        inventory = Inventory("uid", "a" * 40)
        with pytest.raises(Unanswered) as more:
            plan_tenant(Target("a/b"), Snapshot(known), inventory, ApplyOptions(**options), None)
        return more.value.queries

    assert asked({}) == (Query(ADDRESS_POOL, HERE),)
    assert [query.resource for query in asked({}, policies=True)] == [POLICY]
    pools = {Query(ADDRESS_POOL, HERE): ClusterAnswer()}
    assert asked(pools) == (Query(ADVERTISEMENT, HERE),)
    nothing = {**pools, Query(ADVERTISEMENT, HERE): ClusterAnswer()}
    assert asked(nothing) == (Query(CONFIGURATION_STATE, HERE),)
    ours = living(desired_object(manifest("old", ONE)))
    held = {**nothing, Query(ADDRESS_POOL, HERE): ClusterAnswer({ours.ref: ours})}
    assert asked(held) == (Query(SERVICE),)


def test_policies_that_others_hold_are_not_taken_away() -> None:
    """Those that no inventory knows are ours by label and manager; others are not."""
    named = {"apiVersion": POLICY.api_version, "kind": POLICY.kind}
    ours, theirs = (
        live_of({**named, "metadata": {"name": name, "uid": "u", "labels": labels, **by}})
        for name, labels, by in (
            ("gitops-ipam-owned", LABEL, {"managedFields": [{"manager": "gitops-ipam"}]}),
            ("gitops-ipam-pools", {}, {"managedFields": [{"manager": "helm"}]}),
        )
    )
    policies, bindings = (Query(it, tolerates=Tolerates.REFUSAL) for it in (POLICY, BINDING))
    known = {**answers([]), policies: ClusterAnswer({ours.ref: ours, theirs.ref: theirs})}
    known |= {bindings: ClusterAnswer()}
    home = Ref(ADDRESS_POOL, HERE, "any")
    plan = plan_tenant(
        Target("a/b"), Snapshot(known), Inventory(), ApplyOptions(policies=False), home
    )
    (attempt,) = [step for step in plan.steps if isinstance(step, Try)]
    assert describe(attempt.steps) == [
        "note gitops-ipam-owned -",
        "delete gitops-ipam-owned",
        "awaitpolicies",
    ]
