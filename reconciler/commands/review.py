"""Check and plan: one evaluation of a revision, beside its base when there is one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial

from reconciler.commands.causes import with_causes
from reconciler.commands.handwork import records_beside, records_since
from reconciler.commands.last_made import LastMade, last_made
from reconciler.commands.putting_back import Anchor, with_records_since
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.overrides import overrides_beside
from reconciler.commands.reading.settings import folder_with_records, has_records, read_own_settings
from reconciler.commands.reading.terms import Terms
from reconciler.commands.sightings import Beside, with_sightings
from reconciler.comparison import Base, Compared, compare, left_over
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, cut_off, ordered, warning
from reconciler.model.plan import Grant, Release
from reconciler.model.settings import Settings
from reconciler.observed import is_observed
from reconciler.overrides import told
from reconciler.ports import Changed, Facts, Repository, Source
from reconciler.settings import PATH
from reconciler.strictness import changed, held_to
from reconciler.withheld import held_releases, with_known


def review(
    source: Source,
    repository: Repository | None = None,
    base: str | None = None,
    facts: Facts | None = None,
) -> Compared:
    """Evaluate a revision, and compare it with its base.

    Args:
        source: The files of the revision.
        repository: Where the base is; needed with `base` only.
        base: The revision that the change is made to. Its Settings judge the change; only the
            folders are those of the change.
        facts: The cache that spares reading what is settled.
    """
    if base is None or repository is None:
        return Compared(with_overrides(_alone(source, repository, facts)))
    return _beside(source, repository, base, facts)


def _beside(source: Source, repository: Repository, base: str, facts: Facts | None) -> Compared:
    """The same beside a base."""
    # A plan of a revision by itself is made far more often, and needs none of these.
    from reconciler.commands import carried as carrying
    from reconciler.commands.judging import (
        described_beside,
        judging_contracts,
        judging_settings,
        with_last_good,
    )
    from reconciler.commands.uncommitted import changed_since

    base_source = repository.source(base)
    judging, loose = judging_settings(repository, base_source, facts)
    own = read_own_settings(source, judging).settings
    # Where files are is a matter of the change itself; what may pass is one of the base.
    settings = replace(judging, sources=own.sources, records=own.records, observed=own.observed)
    both = replace(settings, sources=tuple(dict.fromkeys([*own.sources, *judging.folders])))
    changes, is_contained = changed_since(repository, base_source, source, both)
    then, now = described_beside((base_source, judging), (source, settings), changes)
    planned = cache(partial(_planned, base_source, repository, facts))
    contracts = judging_contracts(planned, (then, now), changes)
    terms = Terms(settings, overrides_beside(base_source, source), contracts=contracts)
    evaluation = evaluate_incrementally(source, facts, terms)
    history = carrying.carried(repository, base_source, source, (own.records, own.observed), facts)
    is_made = (made := source.revision()) is not None and history.own == made.id
    records = replace(
        records_beside((base_source, judging), (source, settings), changes, facts, is_made=is_made),
        made=history.newest if is_contained else "",
    )
    stranded, left = _elsewhere((base_source, judging), (source, own))
    read = Base(
        name=base,
        records=records,
        settings_changed=any(change.path == PATH for change in changes),
        settings_said=tuple(changed(judging, own)),
        is_shorter=own.retention < judging.retention,
        is_contained=is_contained,
        stranded=stranded,
        left=left,
        described=then,
        described_now=now,
    )
    read = with_last_good(read, base_source, judging, facts)
    compared = _compared(read, (judging, own), evaluation, {it.path for it in changes})
    evaluation = compared.evaluation
    releases = is_contained and any(isinstance(it, Release) for it in evaluation.plan.decisions)
    found = [
        *loose,
        *carrying.told(history, base, releases=releases),
        *_strays(repository, source, evaluation, base_source, facts),
    ]
    evaluation = with_causes(
        _beside_plan(read, planned, _with(evaluation, found)), repository, source
    )
    if not is_made:
        sides = Beside(base, (base_source, judging), (source, settings), is_base=True)
        evaluation = with_sightings(evaluation, sides, changes, facts)
    compared = replace(compared, evaluation=with_overrides(evaluation))
    return _told_apart(compared, read, planned, changes, (repository, base_source, source))


def _told_apart(
    compared: Compared,
    base: Base,
    planned: Callable[[], Evaluation],
    changes: Sequence[Changed],
    sides: tuple[Repository, Source, Source],
) -> Compared:
    """A comparison with what its base has already, and with what of the change causes the rest."""
    from reconciler.commands.caused import line_of, with_caused
    from reconciler.commands.freed_before import with_freed_before
    from reconciler.commands.inherited import with_inherited
    from reconciler.commands.within import with_within

    compared = with_inherited(compared, planned, changes)
    compared = with_freed_before(compared, planned, *sides[:2])
    paths = [it.path for it in changes]
    compared = with_caused(compared, base, planned, paths, line_of(*sides))
    return with_within(compared, base, sides)


def _strays(
    repository: Repository,
    source: Source,
    evaluation: Evaluation,
    base: Source | None = None,
    facts: Facts | None = None,
) -> list[Finding]:
    """What is said of a root that was moved; nearly always nothing is asked.

    Without a base reconcile never went over it.
    """
    settings, now = evaluation.tree.settings, source.revision()
    decisions, before = evaluation.plan.decisions, base.revision() if base is not None else None
    anew = [it.claim for it in decisions if isinstance(it, Grant) and it.replaces is None]
    begins = now is not None and not has_records(source, settings.records)
    if now is None or not (begins or (anew and before is not None and before != now)):
        return []
    from reconciler.commands.strays import Move, stray_records

    if base is not None:
        begins = begins and last_made(repository, now, facts).commit is None
    move = Move(now.id, settings, before.id if before is not None else None, anew, begins=begins)
    return stray_records(repository, move)


def _alone(source: Source, repository: Repository | None, facts: Facts | None) -> Evaluation:
    """The evaluation of a revision beside what reconcile made last, with causes."""
    if repository is None:
        return evaluate_incrementally(source, facts)
    return with_causes(_planned(source, repository, facts), repository, source)


def _planned(source: Source, repository: Repository, facts: Facts | None) -> Evaluation:
    """The evaluation of a revision beside what reconcile made last."""
    evaluation = evaluate_incrementally(source, facts)
    return with_changes_by_hand(repository, source, evaluation, facts)


def _beside_plan(
    base: Base, planned: Callable[[], Evaluation], evaluation: Evaluation
) -> Evaluation:
    """The evaluation of a change beside the plan of its base.

    What a brake holds back on the base already, and what clusters lose by it, is nothing that the
    change did. The base is planned only where a brake holds the change, or clusters lose something.
    """
    from reconciler.announced import with_losses

    return with_losses(base, with_base_brake(base.name, planned, evaluation), planned)


def with_base_brake(
    name: str, planned: Callable[[], Evaluation], evaluation: Evaluation
) -> Evaluation:
    """The evaluation of a change without what a brake holds back on its base already.

    That is nothing that the change did. The base is planned only where a brake holds the change.
    """
    if evaluation.brake is None:
        return evaluation
    base = planned()
    held = len(held_releases(base))
    if base.brake is None or not held:
        return evaluation
    message = f"{name} has a brake already, which holds {held} releases back: they count there,"
    message += " and not for this change"
    told_of_base = [warning("brake-held", base.brake.location, message)]
    return _with(with_known(evaluation, base), told_of_base)


def _compared(
    base: Base, settings: tuple[Settings, Settings], evaluation: Evaluation, changed: set[str]
) -> Compared:
    """What a change makes of its base; settings are those of the base, and those of the change."""
    from reconciler.additions import gated_by_base, with_additions
    from reconciler.lookalikes import with_renames
    from reconciler.resizing import with_sizes_of_base
    from reconciler.takeovers import with_takeovers
    from reconciler.vanishing import with_vanished

    compared = compare(base, gated_by_base(base, evaluation))
    compared = with_vanished(base, with_additions(base, settings, compared), changed)
    return with_sizes_of_base(base, with_takeovers(base, with_renames(base, compared)))


def _elsewhere(base: tuple[Source, Settings], change: tuple[Source, Settings]) -> tuple[str, str]:
    """The base's records folder, if the change names another: that has none; some stay behind."""
    folder, other = base[1].records, change[1].records
    if folder == other:
        return "", ""
    is_stranded = not change[0].entries([other]) and bool(base[0].entries([folder]))
    is_left = has_records(change[0], folder)
    return folder if is_stranded else "", folder if is_left else ""


def with_overrides(evaluation: Evaluation) -> Evaluation:
    """The evaluation with what each Override lets pass, or that it does not, at the very end."""
    return _with(evaluation, told(evaluation.tree.overrides))


def with_changes_by_hand(
    repository: Repository, source: Source, evaluation: Evaluation, facts: Facts | None = None
) -> Evaluation:
    """The evaluation with what people did to records since the newest reconcile commit.

    Before the first one all of them are.
    """
    revision, settings, first = source.revision(), evaluation.tree.settings, evaluation.findings
    made = LastMade(None) if revision is None else last_made(repository, revision, facts)
    last, cut = made.commit, _cut(repository, source, settings, made)
    changes: list[Changed] = []
    if revision is not None and last is not None and last != revision.id:
        paths = [PATH, settings.records, settings.observed]
        changes, _ = repository.changed(last, revision.id, paths, settings.limits)
    is_set_anew = any(change.path == PATH for change in changes)
    doubts = [
        *made.findings,
        *([cut] if cut else []),
        *(_strays(repository, source, evaluation) if last is None else []),
    ]
    # Where reconcile went on, no record was left elsewhere.
    if last is None or is_set_anew:
        folder = folder_with_records(source, settings)
        doubts += [left_over(settings, folder)] if folder else []
    evaluation = replace(_with(evaluation, doubts), cut=cut)
    if last is None or revision is None or not changes:
        return evaluation
    before = repository.source(last)
    before.bound(settings.limits)
    theirs = read_own_settings(before, settings).settings if is_set_anew else settings
    evaluation = held_to(evaluation, theirs, last[:12])
    between = partial(repository.changed, last, revision.id, limits=settings.limits)
    if theirs.observed != settings.observed:
        # What was moved along with the folder is what stood in the earlier one.
        changes += between([theirs.observed])[0]
    if any(it.new is None and _is_of_either(it.path, theirs, settings) for it in changes):
        # People may describe by now what was observed.
        changes += between(settings.sources)[0]
    # Of what stood before anything that reconcile made, records may have been brought in.
    if not made.is_proven and not has_records(before, theirs.records):
        return evaluation
    sides = Beside(last[:12], (before, theirs), (source, settings))
    evaluation = with_sightings(evaluation, sides, changes)
    records = records_since(sides.before, sides.now, changes)
    told_of = tuple(item for item in evaluation.findings if item not in first)
    anchor = Anchor(last, theirs, made.is_proven, told_of)
    return with_records_since(evaluation, source, records, anchor)


def _is_of_either(path: str, *settings: Settings) -> bool:
    """The path is that of a file of what was observed, by one of the Settings."""
    return any(is_observed(it, path) for it in settings)


def _cut(
    repository: Repository, source: Source, settings: Settings, made: LastMade
) -> Finding | None:
    """What is said where the clone ends before the newest commit that is known to be reconcile's."""
    is_told = made.is_proven or source.revision() is None or not repository.is_shallow()
    if is_told or not has_records(source, settings.records):
        return None
    message = "the clone is too shallow to tell what people did to records"
    return cut_off(Location(settings.records), message)


def _with(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    listed = list(found)
    if not listed:
        return evaluation
    return replace(evaluation, findings=ordered([*evaluation.findings, *listed]))
