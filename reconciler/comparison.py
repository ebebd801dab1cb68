"""A tree beside the base that it changes: what a review must know that one tree does not tell."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.evaluate import Evaluation, with_freed
from reconciler.findings import Finding, Location, Severity, error, few, ordered, warning
from reconciler.gathering import Described
from reconciler.model.allocation import Allocation
from reconciler.model.cause import Cause
from reconciler.model.contract import Within
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind, Overrides
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.model.pool import Pool
from reconciler.model.settings import PATH as SETTINGS_PATH
from reconciler.model.settings import Settings
from reconciler.records.by_hand import Records, freed, losing, told, unproven
from reconciler.together import Together


class Base(Struct, frozen=True):
    """The parts of a base revision that a change touches, and what it makes of them.

    Attributes:
        name: The revision, as it was asked for.
        records: Changed, removed and new records.
        settings_said: The fields of Settings in which they differ, with what they say.
        is_shorter: Released addresses rest shorter by the change's own Settings.
        is_contained: The change contains the whole base.
        stranded: The folder of the base's records, when the change names another one that has
            none; else empty.
        left: The folder of the base's records, when the change names another one but leaves some
            there; else empty.
        described: All that changed and removed files describe in the base.
        described_now: All that changed and new files describe in the change.
    """

    name: str
    records: Records
    settings_changed: bool
    is_contained: bool
    stranded: str = ""
    left: str = ""
    settings_said: tuple[str, ...] = ()
    is_shorter: bool = False
    described: Described = field(default_factory=Described)
    described_now: Described = field(default_factory=Described)

    @property
    def pools(self) -> Mapping[Key, Pool]:
        """Pools that changed and removed files describe in the base."""
        return self.described.pools

    @property
    def pools_now(self) -> Mapping[Key, Pool]:
        """Pools that changed and new files describe in the change."""
        return self.described_now.pools


class Compared(Struct, frozen=True):
    """An evaluation with the findings of a comparison.

    Attributes:
        evaluation: Its findings and gates are those of the change.
        inherited: What the base says already, and the change leaves as it is. It stops nothing.
        also: The change beside others that wait for their merge. It stops nothing either.
        causes: What of the change causes each decision that is told, in the order of the plan.
        within: Whether the change stays within what one team may do, its findings aside; None where
            no team has a folder of its own.
    """

    evaluation: Evaluation
    inherited: tuple[Finding, ...] = ()
    also: tuple[Together, ...] = ()
    causes: tuple[Cause, ...] = ()
    within: Within | None = None

    @property
    def within_contract(self) -> Within | None:
        """The same with its findings: whatever is told of a change, a person has to look at."""
        codes = sorted({it.code for it in (*self.evaluation.findings, *self.evaluation.gates)})
        if self.within is None or not codes:
            return self.within
        return Within("", (*self.within.reasons, f"there is something to look at: {few(codes)}"))

    def whole(self, base: str) -> Evaluation:
        """The evaluation with all of both, for who compares with the base by himself.

        Args:
            base: The name of the base.
        """
        softened = [_softened(item, base) for item in self.inherited]
        findings = ordered([*self.evaluation.findings, *softened])
        return replace(self.evaluation, findings=findings) if softened else self.evaluation

    @property
    def moved(self) -> int:
        """How many claims get another range than they held."""
        return len(self.evaluation.moves)


def _softened(item: Finding, base: str) -> Finding:
    severity = Severity.INFO if item.severity is Severity.INFO else Severity.WARNING
    return replace(item, severity=severity, message=f"{item.message}; {base} has it already")


def compare(base: Base, evaluation: Evaluation) -> Compared:
    """Compare a change with its base."""
    after = _ranges_after(base.records, evaluation)
    evaluation = _with_moves(base.records, evaluation)
    overrides, allows = evaluation.tree.overrides, _allows(evaluation)
    findings = [*_shrunk(base, overrides), *told(base.records, base.name, after, allows)]
    start = evaluation.tree.settings.location
    if start.path != SETTINGS_PATH:  # the base has none: what is changed is that there are some
        start = Location(SETTINGS_PATH, 1, 1)
    if base.settings_changed:
        said = f": {', '.join(base.settings_said)}" if base.settings_said else ""
        message = f"Settings are changed{said}; this check goes by those of {base.name}"
        hint = "what is released is free sooner than this plan says" if base.is_shorter else ""
        findings.append(warning("settings-changed", start, message, hint))
    if base.left:
        findings.append(left_over(evaluation.tree.settings, base.left))
    elif base.stranded:
        findings.append(left_behind(evaluation.tree.settings, base.stranded))
    if not base.is_contained:
        message = f"{base.name} has commits that this revision lacks"
        hint = "merge it first: until then the plan may differ from what merging makes"
        findings.append(warning("base-ahead", Location("."), message, hint))
    evaluation = with_freed(evaluation, freed(base.records, allows))
    merged = ordered([*evaluation.findings, *findings])
    return Compared(replace(evaluation, findings=merged))


def with_record_changes(name: str, records: Records, evaluation: Evaluation) -> Evaluation:
    """An evaluation with what was done to records since a revision of that name."""
    after = _ranges_after(records, evaluation)
    evaluation = _with_moves(records, evaluation)
    allows = _allows(evaluation)
    changes = told(records, name, after, allows)
    if evaluation.tree.records:  # without any, reconcile stops
        evaluation = with_freed(evaluation, freed(records, allows))
    return replace(
        evaluation,
        findings=ordered([*evaluation.findings, *changes]),
        unproven=unproven(records, allows),
    )


def _with_moves(records: Records, evaluation: Evaluation) -> Evaluation:
    """The evaluation with the claims that get another range because a person touched a record."""
    old = {it.claim: it for _, _, lost in losing(records) for it in reversed(lost)}
    found = {
        decision.claim: old[decision.claim]
        for decision in (evaluation.plan.decisions if old else ())
        if isinstance(decision, Grant | Keep)
        and decision.claim in old
        and decision.allocation.range != old[decision.claim].range
    }
    return replace(evaluation, moves={**found, **evaluation.moves}) if found else evaluation


def _allows(evaluation: Evaluation) -> Callable[[str], bool]:
    """Whether a person let pass what is done to a record.

    A move is no such thing: it leaves the old range announced, and a record that is touched frees it.
    """
    return partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)


def left_behind(settings: Settings, folder: str) -> Finding:
    """What is said of Settings that name a folder without records, which are in another one."""
    message = (
        f"no record is in {settings.records}/, which spec.records names: they are in {folder}/"
    )
    hint = f"set it back to {folder}, or git mv {folder} {settings.records}"
    return error("settings-changed", settings.location, message, hint)


def left_over(settings: Settings, folder: str) -> Finding:
    """What is said of Settings that name another folder than some records still are in."""
    message = f"spec.records names {settings.records}/, but records are left in {folder}/"
    hint = f"git mv all that is left in {folder} in the same commit, or set it back to {folder}"
    return error("settings-changed", settings.location._replace(path=SETTINGS_PATH), message, hint)


def _ranges_after(records: Records, evaluation: Evaluation) -> dict[Key, Allocation]:
    """What each claim that may be touched holds once the plan is committed."""
    now = records.now.values()
    stated = (item.recalled.allocation for item in now if item is not None)
    return {item.claim: item for item in stated if item is not None} | {
        decision.claim: decision.allocation
        for decision in evaluation.plan.decisions
        if isinstance(decision, Keep | Grant | Refuse) and decision.allocation is not None
    }


def _shrunk(base: Base, overrides: Overrides) -> Iterable[Finding]:
    """Pools whose network lost addresses (Butler's webhook refuses it, `butler.md` §6)."""
    for key, old in base.pools.items():
        new = base.pools_now.get(key)
        if new is None or not old.extent - new.extent:
            continue
        before = ", ".join(format_short(item) for item in old.extent)
        hint = "a pool's network may grow; keep the old addresses and reserve what is not used"
        message = f"{key.kind} {key.name} no longer contains all of {before} of {base.name}"
        if overrides.allow(OverrideKind.SHRINK, str(key)):
            message += "; an Override lets it shrink, and what records hold stays held"
            yield warning("pool-shrunk", new.source, message)
        else:
            hint += f", or merge an Override of kind shrink for {key} first"
            yield error("pool-shrunk", new.source, message, hint)
