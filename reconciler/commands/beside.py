"""A change beside its base: what reconcile does once it is merged, and what of that is the change's."""

from collections.abc import Callable, Sequence
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler.additions import gated_by_base, with_additions
from reconciler.announced import with_losses
from reconciler.cluster_pools import with_cluster_pools
from reconciler.commands import carried as carrying
from reconciler.commands import judging as judge
from reconciler.commands.braked_base import as_merged, with_base_brake
from reconciler.commands.by_hand import as_reconciled, strays, with_found, with_overrides
from reconciler.commands.caused import with_caused
from reconciler.commands.causes import with_causes
from reconciler.commands.elsewhere import not_read
from reconciler.commands.freed_before import Since, records_since_made, with_freed_before
from reconciler.commands.handwork import records_beside
from reconciler.commands.inherited import with_inherited
from reconciler.commands.pins_before import waits_for_reconcile, with_pins_before
from reconciler.commands.reading.overrides import overrides_beside
from reconciler.commands.reading.reader import EvaluationOptions, evaluate_source
from reconciler.commands.reading.settings import has_records, read_own_settings
from reconciler.commands.renames_before import with_renames_before, with_renames_waiting
from reconciler.commands.sightings import Beside, with_sightings
from reconciler.commands.uncommitted import changed_since, line_of
from reconciler.commands.within import with_within
from reconciler.comparison import Base, Compared, compare
from reconciler.evaluate import Evaluation
from reconciler.formers import with_formers
from reconciler.given_twice import with_given_twice
from reconciler.lingering import with_lingering
from reconciler.lookalikes import with_renames
from reconciler.model.plan import Release
from reconciler.model.settings import PATH, Settings
from reconciler.ports import Changed, Repository, Source
from reconciler.records.by_hand import as_left
from reconciler.replaced import with_replaced
from reconciler.resizing import with_sizes_of_base
from reconciler.strictness import changed
from reconciler.takeovers import with_takeovers
from reconciler.vanishing import with_vanished


class _Sides(Struct, frozen=True):
    """A change and its base, with what is asked of both.

    Attributes:
        changes: The files that differ.
        planned: The evaluation of the base, as reconcile has it; it is made when it is asked for.
        history: What the history of the change holds.
    """

    repository: Repository
    base: tuple[Source, Settings]
    change: tuple[Source, Settings]
    changes: Sequence[Changed]
    planned: Callable[[], Evaluation]
    history: carrying.Carried


def beside(
    source: Source,
    repository: Repository,
    base: str,
    proposed: str | None = None,
) -> Compared:
    """A change, evaluated and compared with its base.

    Args:
        source: The files of the change, merged in thought.
        repository: Where both are.
        base: The name of the base. Its Settings judge the change; only the folders are the change's.
        proposed: A revision that is what reconcile proposes; what that says of itself is so.
    """
    base_source = repository.source(base)
    judging, loose = judge.judging_settings(repository, base_source)
    own = read_own_settings(source, judging).settings
    # Where files are is a matter of the change itself; what may pass is one of the base.
    settings = replace(judging, sources=own.sources, records=own.records, observed=own.observed)
    both = replace(settings, sources=tuple(dict.fromkeys([*own.sources, *judging.folders])))
    changes, is_contained = changed_since(repository, base_source, source, both)
    bases, sides = (base_source, judging), (source, settings)
    then, now = judge.described_beside(bases, sides, changes)
    planned = cache(partial(as_reconciled, base_source, repository))
    contracts = judge.judging_contracts(planned, (then, now), changes)
    terms = EvaluationOptions(settings, overrides_beside(base_source, source), contracts=contracts)
    evaluation = evaluate_source(source, terms)
    since = records_since_made(repository, base_source, judging)
    if since is not None:
        evaluation = as_merged(repository, base_source, source, evaluation)
    tip = repository.resolve(proposed).id if proposed is not None else None
    history = carrying.carried(repository, base_source, source, settings).beside(tip)
    # What reconcile proposes, as plans anew have shown, no person changed.
    records = records_beside(bases, sides, () if history.is_proposed else changes, planned)
    stranded, left = _elsewhere(bases, (source, own))
    read = Base(
        name=base,
        records=replace(
            records,
            made=history.newest if is_contained else "",
            left=as_left(since.records) if since is not None else {},
        ),
        settings_changed=any(change.path == PATH for change in changes),
        settings_said=tuple(changed(judging, own)),
        is_shorter=own.retention < judging.retention,
        is_contained=is_contained,
        stranded=stranded,
        left=left,
        described=then,
        described_now=now,
    )
    read = judge.with_last_good(read, base_source, judging)
    compared = _compared(read, (judging, own), evaluation, {it.path for it in changes})
    releases = is_contained and any(map(_is_release, compared.evaluation.plan.decisions))
    found = [*loose, *carrying.told(history, base, releases=releases)]
    found += [
        *strays(repository, source, compared.evaluation, base_source),
        *not_read(repository, base_source, source, settings),
    ]
    told = replace(compared, evaluation=with_found(compared.evaluation, found))
    both_sides = _Sides(repository, bases, sides, changes, planned, history)
    return _told_apart(_judged(told, read, both_sides), read, both_sides, since)


def _is_release(decision: object) -> bool:
    return isinstance(decision, Release)


def _judged(compared: Compared, base: Base, sides: _Sides) -> Compared:
    """A comparison with what its base's brake and clusters have to do with it, and with causes."""
    source = sides.change[0]
    evaluation = _beside_plan(base, sides.planned, compared.evaluation)
    evaluation = with_causes(evaluation, sides.repository, source)
    if not sides.history.is_proposed:
        beside = Beside(base.name, sides.base, sides.change, is_base=True)
        evaluation = with_sightings(evaluation, beside, sides.changes)
    return replace(compared, evaluation=with_overrides(evaluation))


def _told_apart(compared: Compared, base: Base, sides: _Sides, since: Since | None) -> Compared:
    """A comparison with what its base has already, and with what of the change causes the rest.

    Args:
        compared: With all else that is told.
        base: The base.
        sides: Both sides.
        since: The records of the base that people touched, or None.
    """
    compared = with_inherited(compared, sides.planned, sides.changes)
    compared = with_freed_before(compared, sides.planned, (sides.repository, *sides.base), since)
    if waits_for_reconcile(sides.repository, *sides.base):
        compared = with_pins_before(compared, base.name, sides.planned)
        compared = with_renames_before(compared, base.name, sides.planned())
    compared = with_renames_waiting(compared, base, sides.planned)
    compared = carrying.with_proposal(compared, sides.history, base.name)
    paths = [it.path for it in sides.changes]
    both = (sides.repository, sides.base[0], sides.change[0])
    compared = with_caused(compared, base, sides.planned, paths, line_of(*both))
    return with_within(_told_twice(compared), base, both)


def _told_twice(compared: Compared) -> Compared:
    """A comparison with what another address space holds of what the change gives out."""
    if len({it.space for it in compared.evaluation.state.pools.values()}) < 2:
        return compared

    return with_given_twice(compared)


def _beside_plan(
    base: Base, planned: Callable[[], Evaluation], evaluation: Evaluation
) -> Evaluation:
    """The evaluation of a change beside the plan of its base.

    What a brake holds back on the base already, and what clusters lose by it, is nothing that the
    change did. The base is planned only where a brake holds the change, or clusters lose something.
    """
    evaluation = with_base_brake(base.name, planned, evaluation)
    return with_replaced(with_losses(base, evaluation, planned))


def _compared(
    base: Base, settings: tuple[Settings, Settings], evaluation: Evaluation, changed: set[str]
) -> Compared:
    """What a change makes of its base; settings are those of the base, and those of the change."""
    compared = compare(base, gated_by_base(base, evaluation))
    compared = with_vanished(base, with_additions(base, settings, compared), changed)
    compared = with_cluster_pools(base, settings, compared)
    compared = with_formers(base, with_renames(base, compared))
    if any(it.code == "reference-not-found" for it in compared.evaluation.findings):
        compared = with_lingering(base, compared)
    return with_sizes_of_base(base, with_takeovers(base, compared))


def _elsewhere(base: tuple[Source, Settings], change: tuple[Source, Settings]) -> tuple[str, str]:
    """The base's records folder, if the change names another: that has none; some stay behind."""
    folder, other = base[1].records, change[1].records
    if folder == other:
        return "", ""
    is_stranded = not change[0].entries([other]) and bool(base[0].entries([folder]))
    is_left = has_records(change[0], folder)
    return folder if is_stranded else "", folder if is_left else ""
