"""A tree beside the base that it changes: what a review must know that one tree does not tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from reconciler.addresses.notation import format_range
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, error, ordered, warning
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.model.pool import Pool
from reconciler.records.recall import Recalled
from reconciler.settings import PATH as SETTINGS_PATH


@dataclass(frozen=True, slots=True)
class Base:
    """The parts of a base revision that a change touches.

    Attributes:
        name: The revision, as it was asked for.
        pools: Pools that changed and removed files describe in the base.
        records: Changed and removed records by path, as they are in the base; None for records
            that the base does not have.
        is_contained: The change contains the whole base.
        stranded: The folder of the base's records, when the change names another one that has
            none; else empty.
    """

    name: str
    pools: Mapping[Key, Pool]
    records: Mapping[str, Recalled | None]
    settings_changed: bool
    is_contained: bool
    stranded: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """An evaluation with the findings of a comparison, and how many claims the change moves."""

    evaluation: Evaluation
    moved: int


def compare(base: Base, evaluation: Evaluation) -> Compared:
    """Compare a change with its base."""
    after = _ranges_after(evaluation)
    findings = [*_shrunk(base, evaluation), *_record_changes(base, evaluation)]
    start = evaluation.tree.settings.location
    if start.path != SETTINGS_PATH:  # the base has none: what is changed is that there are some
        start = Location(SETTINGS_PATH, 1, 1)
    if base.settings_changed:
        message = f"Settings are changed; this check goes by those of {base.name}"
        findings.append(warning("settings-changed", start, message))
    if base.stranded:
        message = f"spec.records names another folder, but the records stand in {base.stranded}/"
        hint = f"git mv {base.stranded} {evaluation.tree.settings.records} in the same change"
        findings.append(error("settings-changed", start, message, hint))
    if not base.is_contained:
        message = f"{base.name} has commits that this revision lacks"
        hint = "merge it first: until then the plan may differ from what merging makes"
        findings.append(warning("base-ahead", Location("."), message, hint))
    moved = sum(
        1
        for recalled in base.records.values()
        if recalled is not None
        and (old := recalled.allocation) is not None
        and old.is_live
        and (new := after.get(old.claim)) is not None
        and new.range != old.range
    )
    merged = ordered([*evaluation.findings, *findings])
    return Compared(replace(evaluation, findings=merged), moved)


def _ranges_after(evaluation: Evaluation) -> dict[Key, Allocation]:
    """What each claim holds once the plan is committed."""
    return {
        decision.claim: decision.allocation
        for decision in evaluation.plan.decisions
        if isinstance(decision, Keep | Grant | Refuse) and decision.allocation is not None
    }


def _shrunk(base: Base, evaluation: Evaluation) -> Iterable[Finding]:
    """Pools whose network lost addresses (Butler's webhook refuses it, `butler.md` §6)."""
    for key, old in base.pools.items():
        new = evaluation.state.pools.get(key)
        if new is None or not old.extent - new.extent:
            continue
        before = ", ".join(format_range(item) for item in old.extent)
        hint = "a pool's network may grow; keep the old addresses and reserve what is not used"
        message = f"{key.kind} {key.name} no longer contains all of {before} of {base.name}"
        yield error("pool-shrunk", new.source, message, hint)


def _record_changes(base: Base, evaluation: Evaluation) -> Iterable[Finding]:
    """Records that the change writes, edits or removes: they belong to the reconciler."""
    now = {record.path: record for record in evaluation.state.records}
    damaged = {item.path for item in evaluation.state.unreadable}
    after = _ranges_after(evaluation)
    for path in sorted(base.records.keys() - damaged):
        before = base.records[path]
        old = before.allocation if before else None
        new = now.get(path)
        place = Location(path, 1, 1)
        if old is not None and new is None:
            yield _removed(place, old, after.get(old.claim))
        elif new is not None and before is None:
            held = format_range(new.range) if new.range else "nothing"
            message = f"is added by hand: {new.claim.short} holds {held}"
            hint = "right for an import; ipam reconcile writes records of its own"
            yield warning("record-edited", place, message, hint)
        elif new is not None and old is not None and _facts(new) != _facts(old):
            held = format_range(old.range) if old.range else "nothing"
            message = f"is edited by hand: {old.claim.short} holds {held} in {base.name}"
            hint = "revert the change; to move a claim, delete its record"
            yield error("record-edited", place, message, hint)


def _removed(place: Location, old: Allocation, new: Allocation | None) -> Finding:
    held = format_range(old.range) if old.range else "nothing"
    if new is not None and new.range is not None:
        gets = f"it gets {format_range(new.range)}"
    else:
        gets = "the addresses are free at once, without retention"
    message = f"is removed by hand: {old.claim.short} held {held}; {gets}"
    return warning("record-removed", place, message, "revert the removal unless that is meant")


def _facts(record: Allocation) -> tuple[object, ...]:
    return record.claim, record.pool, record.range, record.phase
