"""A tree beside the base that it changes: what a review must know that one tree does not tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from reconciler.addresses.notation import format_range
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, error, ordered, warning
from reconciler.gathering import Described
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.records.recall import Recalled
from reconciler.settings import PATH as SETTINGS_PATH


@dataclass(frozen=True, slots=True)
class Base:
    """The parts of a base revision that a change touches, and what it makes of them.

    An evaluation may have left out what is settled: of what changed nothing is taken from there
    but what the plan decides.

    Attributes:
        name: The revision, as it was asked for.
        pools: Pools that changed and removed files describe in the base.
        pools_now: Pools that changed and new files describe in the change.
        records: Changed, removed and new records by path, as they are in the base; None for those
            that the base does not have.
        records_now: The same as they are in the change; None for removed ones.
        is_contained: The change contains the whole base.
        stranded: The folder of the base's records, when the change names another one that has
            none; else empty.
        described: All that changed and removed files describe in the base.
        described_now: All that changed and new files describe in the change.
    """

    name: str
    pools: Mapping[Key, Pool]
    pools_now: Mapping[Key, Pool]
    records: Mapping[str, Recalled | None]
    records_now: Mapping[str, Recalled | None]
    settings_changed: bool
    is_contained: bool
    stranded: str = ""
    described: Described = field(default_factory=Described)
    described_now: Described = field(default_factory=Described)


@dataclass(frozen=True, slots=True)
class Compared:
    """An evaluation with the findings of a comparison, and how many claims the change moves."""

    evaluation: Evaluation
    moved: int


def compare(base: Base, evaluation: Evaluation) -> Compared:
    """Compare a change with its base."""
    after = _ranges_after(base, evaluation)
    findings = [*_shrunk(base), *_record_changes(base, after)]
    start = evaluation.tree.settings.location
    if start.path != SETTINGS_PATH:  # the base has none: what is changed is that there are some
        start = Location(SETTINGS_PATH, 1, 1)
    if base.settings_changed:
        message = f"Settings are changed; this check goes by those of {base.name}"
        findings.append(warning("settings-changed", start, message))
    if base.stranded:
        findings.append(left_behind(evaluation.tree.settings, base.stranded))
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


def with_record_changes(base: Base, evaluation: Evaluation) -> Evaluation:
    """An evaluation with what was done to records since the base."""
    changes = _record_changes(base, _ranges_after(base, evaluation))
    return replace(evaluation, findings=ordered([*evaluation.findings, *changes]))


def left_behind(settings: Settings, folder: str) -> Finding:
    """What is said of Settings that name a folder without records, which are in another one."""
    message = (
        f"no record is in {settings.records}/, which spec.records names: they are in {folder}/"
    )
    hint = f"set it back to {folder}, or git mv {folder} {settings.records}"
    return error("settings-changed", settings.location, message, hint)


def _ranges_after(base: Base, evaluation: Evaluation) -> dict[Key, Allocation]:
    """What each claim that may be touched holds once the plan is committed."""
    stated = (item.allocation for item in base.records_now.values() if item is not None)
    return {item.claim: item for item in stated if item is not None} | {
        decision.claim: decision.allocation
        for decision in evaluation.plan.decisions
        if isinstance(decision, Keep | Grant | Refuse) and decision.allocation is not None
    }


def _shrunk(base: Base) -> Iterable[Finding]:
    """Pools whose network lost addresses (Butler's webhook refuses it, `butler.md` §6)."""
    for key, old in base.pools.items():
        new = base.pools_now.get(key)
        if new is None or not old.extent - new.extent:
            continue
        before = ", ".join(format_range(item) for item in old.extent)
        hint = "a pool's network may grow; keep the old addresses and reserve what is not used"
        message = f"{key.kind} {key.name} no longer contains all of {before} of {base.name}"
        yield error("pool-shrunk", new.source, message, hint)


def _record_changes(base: Base, after: Mapping[Key, Allocation]) -> Iterable[Finding]:
    """Records that the change writes, edits or removes: they belong to the reconciler."""
    for path in sorted(base.records):
        before, now = base.records[path], base.records_now[path]
        if now is not None and now.unreadable is not None:
            continue
        old = before.allocation if before else None
        new = now.allocation if now else None
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
