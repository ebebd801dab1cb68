"""A plan is a value: in which order pools of one cluster are written."""

from collections.abc import Mapping
from typing import Any

from reconciler.apply.inventory import Inventory, InventoryEntry
from reconciler.apply.plan import ClusterPlan, Progress, foresee_all
from reconciler.apply.plan_tenant import plan_tenant
from reconciler.apply.snapshot import ClusterAnswer, Live, Query, Snapshot, live_of
from reconciler.apply.steps import Apply, Delete
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube.resources import DesiredObject, desired_object
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, ADVERTISEMENT, CONFIGURATION_STATE
from reconciler.model.objects import SERVICE
from tests.apply.execution.site import address_pool

HERE = "metallb-system"
ONE, TWO, BOTH = "10.0.0.0-10.0.0.3", "10.0.0.4-10.0.0.7", "10.0.0.0-10.0.0.7"
Pools = Mapping[str, str]


def pools(named: Pools) -> list[DesiredObject]:
    return [desired_object(address_pool(name, text)) for name, text in named.items()]


def living(wanted: DesiredObject) -> Live:
    """An object as the server has it after we applied it."""
    body: Any = wanted.body
    own = {"uid": f"uid-{wanted.ref.name}", "resourceVersion": "7", "generation": 1}
    managed = {"managedFields": [{"manager": "gitops-ipam"}]}
    return live_of({**body, "metadata": {**body["metadata"], **own, **managed}})


def planned(before: Pools, after: Pools) -> ClusterPlan:
    """The plan from pools that we made to others."""
    entries = {str(it.ref): InventoryEntry(f"uid-{it.ref.name}", it.hash) for it in pools(before)}
    known = {Query(it, HERE): ClusterAnswer() for it in (ADVERTISEMENT, CONFIGURATION_STATE)}
    there = {live.ref: live for live in map(living, pools(before))}
    known |= {Query(ADDRESS_POOL, HERE): ClusterAnswer(there), Query(SERVICE): ClusterAnswer()}
    target = Target("a/b", tuple(pools(after)))
    inventory = Inventory("uid", "a" * 40, entries)
    return plan_tenant(target, Snapshot(known, 7), inventory, ApplyOptions(), None)


def steps(plan: ClusterPlan) -> list[str]:
    """Steps in words."""
    return [_describe(step) for step in plan.steps]


def _describe(step: object) -> str:
    match step:
        case Apply():
            body: Any = step.desired.body
            return f"{step.decision.action} {step.ref.name} {''.join(body['spec']['addresses'])}"
        case Delete():
            return f"delete {step.live.ref.name}"
        case _:
            return type(step).__name__.lower()


def test_what_gives_shrinks_before_what_gets_grows() -> None:
    swap = steps(planned({"young": ONE, "old": TWO}, {"old": ONE, "young": TWO}))
    assert swap[:4] == ["delete young", "delete old", "confirm", "look"]
    assert swap[4:] == [f"create old {ONE}", f"create young {TWO}", "confirm"]
    cut = steps(planned({"old": BOTH}, {"old": ONE, "young": TWO}))
    assert cut[:3] == [f"configure old {ONE}", "confirm", "look"]
    assert cut[3:] == [f"keep old {ONE}", f"create young {TWO}", "confirm"]


def test_what_nothing_asks_for_goes_before_others_grow() -> None:
    plan = planned({"old": ONE}, {"young": ONE})
    assert steps(plan) == ["delete old", f"create young {ONE}", "confirm"]
    outcomes = foresee_all(Progress({}), plan.steps).outcomes
    assert [str(item.result) for item in outcomes] == ["deleted", "created"]
