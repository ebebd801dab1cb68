"""Settings that a change edits or loosens."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reconciler.commands.reading.settings import has_records, left_behind, left_over
from reconciler.engine import guard
from reconciler.evaluate import Evaluation, with_brake
from reconciler.findings import Finding, Location, ordered, shown, warning
from reconciler.model.plan import Plan
from reconciler.model.pool import Pool, Thresholds
from reconciler.model.settings import HOUR, PATH, Settings, stricter_gate
from reconciler.review.pools import tiered

if TYPE_CHECKING:
    from reconciler.review.change import Change

CODE = "settings-changed"
_FIELDS = {
    "branch": "branch",
    "retention": "retention",
    "gate": "gate",
    "thresholds": "thresholds",
    "max_release_percent": "brakes.maxReleasePercent",
    "min_records": "brakes.minRecords",
    "sources": "sources",
    "kinds": "kinds",
    "records": "records",
    "observed": "observed",
    "overlap_is_error": "poolOverlap",
    "address_spaces": "addressSpaces",
    "metallb_pool": "metallb.poolName",
    "elastic": "elastic",
    "intake": "intake",
    "applies_documents": "apply.documents",
    "committer": "committer",
    "skips_ci": "commit.skipCi",
    "limits": "limits",
}
"""Fields of Settings with their names in `ipam.yaml`, the most important first."""


def settings_changed(change: "Change") -> Iterator[Finding]:
    """Report edits of Settings, and records that the named folder does not have."""
    base, own = change.base_settings, change.own_settings
    if PATH in change.paths:
        start = change.settings.location
        if start.path != PATH:  # the base has no Settings
            start = Location(PATH, 1, 1)
        said = ", ".join(changed(base, own))
        message = f"Settings are changed{said and f': {said}'}; this check goes by those of"
        hint = "what is released is free sooner than this plan says"
        is_shorter = own.retention < base.retention
        yield warning(CODE, start, f"{message} {change.name}", hint if is_shorter else "")
    if base.records != own.records:
        if has_records(change.head, base.records):
            yield left_over(change.settings, base.records)
        elif not change.head.entries([own.records]) and change.base.entries([base.records]):
            yield left_behind(change.settings, base.records)


def settings_loosened(change: "Change") -> Iterator[Finding]:
    """Report Settings of the base that are looser than in the last reconcile commit."""
    yield from change.loosened


def held_to(evaluation: Evaluation, earlier: Settings, name: str) -> Evaluation:
    """Return an evaluation by the stricter of its own limits and earlier ones.

    Args:
        evaluation: The evaluation by its own Settings.
        earlier: The Settings of the last reconcile commit.
        name: The id of that commit.
    """
    tree, state, plan = evaluation.tree, evaluation.state, evaluation.plan
    own, strict = tree.settings, tree.settings.held_to(earlier)
    if strict == own:
        return evaluation
    judged = {key: _judged(pool, own, strict) for key, pool in state.pools.items()}
    there = {key: pool for key, pool in judged.items() if key in plan.after}
    full = Plan(plan.decisions, plan.before, tiered(plan.after, there))
    capacity = guard.capacity(replace(state, pools=judged), full, strict, tree.overrides)
    others = (item for item in evaluation.gates if item.code != guard.CAPACITY)
    settings = replace(
        own, max_release_percent=strict.max_release_percent, min_records=strict.min_records
    )
    found = replace(
        evaluation,
        tree=replace(tree, settings=settings),
        gates=ordered([*others, *capacity]),
        findings=ordered([*evaluation.findings, *loosened(own, earlier, name)]),
    )
    return with_brake(found)


def loosened(own: Settings, earlier: Settings, name: str) -> Iterator[Finding]:
    """Return the finding for Settings that are looser than in the last reconcile commit."""
    strict = own.held_to(earlier)
    fields = (
        ("brakes.maxReleasePercent", own.max_release_percent, strict.max_release_percent),
        ("brakes.minRecords", own.min_records, strict.min_records),
        ("gate", own.gate or "never", strict.gate or "never"),
        ("thresholds", _listed(own.thresholds), _listed(strict.thresholds)),
    )
    told = [f"{field} {now} (there {then})" for field, now, then in fields if now != then]
    if told:
        place = own.location if own.location.path == PATH else Location(PATH, 1, 1)
        yield warning(
            "settings-loosened",
            place,
            f"looser than in commit {name}, the newest reconcile commit: {', '.join(told)};"
            " the stricter counts until reconcile has committed something by these",
            "to let something pass now: an Override, or ipam reconcile --allow-release",
        )


def changed(earlier: Settings, own: Settings) -> Iterator[str]:
    """Return the fields in which Settings differ, with both values of the short ones."""
    for name, field in _FIELDS.items():
        before, now = getattr(earlier, name), getattr(own, name)
        if before != now:
            values = [_value(name, it) for it in (before, now)]
            yield f"{field} from {values[0]} to {values[1]}" if all(values) else field


def _value(name: str, value: object) -> str:
    """Return a short value as in `ipam.yaml`; empty for a list or a mapping."""
    if name == "retention" and isinstance(value, int):
        return f"{value}s" if value % HOUR or not value else f"{value // HOUR}h"
    if name == "gate":
        return str(value or "never")
    if isinstance(value, str):
        return shown(value) if value else "none"
    return str(value).lower() if isinstance(value, int) else ""


def _judged(pool: Pool, own: Settings, strict: Settings) -> Pool:
    """Return a pool with the stricter Settings for all limits that are not its own."""
    gate = stricter_gate(pool.gate, strict.gate) if pool.gate is own.gate else pool.gate
    levels = zip(
        pool.thresholds.levels, own.thresholds.levels, strict.thresholds.levels, strict=True
    )
    thresholds = Thresholds(*(then if now == of else now for now, of, then in levels))
    return replace(pool, gate=gate, thresholds=thresholds)


def _listed(levels: Thresholds) -> str:
    return "/".join(map(str, levels.levels))
