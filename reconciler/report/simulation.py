"""What adding tenants leads to, as a value and as JSON."""

from typing import Any

from msgspec import Struct

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding
from reconciler.model.key import Key
from reconciler.model.plan import Refuse
from reconciler.model.pool import Tier
from reconciler.report.machine import API_VERSION


class Step(Struct, frozen=True):
    """A pool once a number of the added tenants have their addresses.

    Attributes:
        held: What released records hold besides; it counts as used.
    """

    tenants: int
    pool: Key
    allocated: int
    held: int
    total: int
    percent: float
    tier: Tier


class Simulation(Struct, frozen=True):
    """What adding tenants leads to.

    Attributes:
        fit: How many of them get all that they ask for.
        passes: How many of those a check lets pass: their plan takes no pool to its gate.
        stopped: What stops one more than these; None when all that fit pass.
        steps: Where each pool stands today, when a tier is reached, and in the end.
        refused: The first refusal, or None.
    """

    requested: int
    fit: int
    passes: int
    steps: tuple[Step, ...]
    refused: Refuse | None
    stopped: Finding | None
    evaluation: Evaluation


def simulation_document(result: Simulation) -> dict[str, Any]:
    """The same as JSON."""
    refused, stopped = result.refused, result.stopped
    return {
        "apiVersion": API_VERSION,
        "kind": "Simulation",
        "requested": result.requested,
        "fit": result.fit,
        "passes": result.passes,
        "steps": [
            {
                "tenants": step.tenants,
                "pool": str(step.pool),
                "allocated": step.allocated,
                "held": step.held,
                "total": step.total,
                "utilizationPercent": step.percent,
                "tier": step.tier.value,
                "tiers": reached_tiers(step.tier),
            }
            for step in result.steps
        ],
        "refused": None
        if refused is None
        else {
            "claim": str(refused.claim),
            "reason": refused.reason,
            "message": refused.message,
            "hint": refused.hint,
        },
        "stopped": None
        if stopped is None
        else {"code": stopped.code, "message": stopped.message, "hint": stopped.hint},
    }


def reached_tiers(tier: Tier) -> str:
    """All tiers that are reached, as the three conditions of a pool would be True."""
    reached = [item.value for item in Tier if 0 < item.rank <= tier.rank]
    return "+".join(reached) or "none"
