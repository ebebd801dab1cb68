"""What people did to records on the base before a change, and who takes what that freed.

Reconcile has not gone over such a record yet. Whoever has the addresses still announces them, and
no retention holds them: the next change that asks would get them, and look harmless.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.commands.cut_before import with_cut_before
from reconciler.commands.handwork import records_since
from reconciler.commands.last_made import said_last
from reconciler.commands.let_go import without_let_go
from reconciler.commands.reading.settings import read_own_settings
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, error, ordered, shown
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant, Keep
from reconciler.model.settings import PATH, Settings
from reconciler.ports import Repository, Source
from reconciler.records.by_hand import Records, lets_pass, losing
from reconciler.review.result import Compared

_HINT = (
    "put the record back as reconcile wrote it, or let reconcile go over it before this change;"
    " if it was meant to go: merge an Override of kind record for it before this change"
)
BY_HAND = ("record-edited", "record-removed", "record-put-back")
"""Codes of what people did to records, and of what becomes of it."""


class Since(Struct, frozen=True):
    """What people did to records of a base since reconcile made a commit of it.

    Attributes:
        commit: Its id.
        records: Those that are not what it left.
    """

    commit: str
    records: Records


def with_freed_before(
    compared: Compared,
    planned: Callable[[], Evaluation],
    base: tuple[Repository, Source, Settings],
    since: Since | None,
) -> Compared:
    """A comparison with what is told of the base's records, and of who takes what they held.

    Args:
        compared: With all else that is told of the change.
        planned: The evaluation of the base. It is asked for only where somebody touched records, or may have.
        base: The base with its Settings, and where it is.
        since: Its records that are not what reconcile left; None where there are none.
    """
    evaluation = compared.evaluation
    if since is None:
        return with_cut_before(compared, planned, base)
    repository, source, settings = base
    allows = partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)
    records = without_let_go(repository, (source, settings), since.commit, since.records, allows)
    before = planned()
    told = {(it.code, it.location) for it in (*evaluation.findings, *compared.inherited)}
    stood = [it for it in before.findings if it.code in BY_HAND]
    apart = [it for it in stood if (it.code, it.location) not in told]
    taken = [*_taken(records, evaluation, before)]
    findings = ordered([*evaluation.findings, *taken])
    return replace(
        compared,
        evaluation=replace(evaluation, findings=findings) if taken else evaluation,
        inherited=tuple(ordered([*compared.inherited, *apart])),
    )


def records_since_made(repository: Repository, base: Source, settings: Settings) -> Since | None:
    """Records of the base that are not what reconcile left; None where there are none.

    What reconcile made last is taken as it says: a check of the base by itself proves it.
    """
    revision = base.revision()
    if revision is None:
        return None
    made = said_last(repository, revision, settings)
    if made is None or made == revision.id:
        return None
    limits = settings.limits
    now = read_own_settings(base, settings).settings
    changes, _ = repository.changed(made, revision.id, [PATH, now.records], limits)
    if all(it.path == PATH for it in changes):
        return None
    before = repository.source(made)
    before.bound(limits)
    theirs = read_own_settings(before, now).settings
    return Since(made, records_since((before, theirs), (base, now), changes))


_Lost = tuple[Key | str, Allocation]


def _taken(records: Records, evaluation: Evaluation, before: Evaluation) -> Iterator[Finding]:
    """What is said of each who gets addresses by the change that somebody else's record held."""
    allows = partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)
    lost = [
        (it.range, (claim, it))
        for claim, _, gone in losing(records)
        for it in gone
        if it.range is not None and not lets_pass(records, claim, it.path, allows)
    ]
    if not lost:
        return
    held, told = Lookup(lost), set[Key | str]()
    for used in (_granted, _used):
        for claim, found in used(held, evaluation, before):
            told.add(claim)
            yield found
    left = [(claim, item, old) for item, (claim, old) in lost if claim not in told]
    yield from _moved(left, evaluation, before)


def _granted(
    held: Lookup[_Lost], evaluation: Evaluation, before: Evaluation
) -> Iterator[tuple[Key | str, Finding]]:
    """Whose addresses a claim is granted."""
    already, pools = {_given(it) for it in before.plan.decisions}, evaluation.state.pools
    for decision in evaluation.plan.decisions:
        given = _given(decision)
        if not isinstance(decision, Grant) or given is None or given in already:
            continue
        space = space_of(pools, decision.allocation)
        for item, (claim, old) in held.overlapping(given[1]):
            if claim != decision.claim and space_of(pools, old) in (space, None):
                told = _told(given[1], decision.claim.short, decision.source, (item, claim, old))
                yield claim, told


def _used(
    held: Lookup[_Lost], evaluation: Evaluation, before: Evaluation
) -> Iterator[tuple[Key | str, Finding]]:
    """Whose addresses somebody uses without a record."""
    stood = {(it.range, it.owner) for it in before.state.blocked}
    for used in evaluation.state.blocked:
        if used.by_hand is None or (used.range, used.owner) in stood:
            continue
        for item, (claim, old) in held.overlapping(used.range):
            if old.owner.short != used.owner:
                yield claim, _told(used.range, used.owner, used.source, (item, claim, old))


def _moved(
    lost: Iterable[tuple[Key | str, IPRange, Allocation]],
    evaluation: Evaluation,
    before: Evaluation,
) -> Iterator[Finding]:
    """What is said of claims that the base gives back what they had, and the change does not."""
    back, now = _ranges(before), _ranges(evaluation)
    for claim, item, old in lost:
        asks = evaluation.state.claims.get(claim) if isinstance(claim, Key) else None
        if asks is None or back.get(asks.key) != item or now.get(asks.key) == item:
            continue
        gets = format_short(new) if (new := now.get(asks.key)) is not None else "nothing"
        message = f"{asks.key.short} held {format_short(item)} until {shown(old.path)} was changed"
        message += f" by hand, and would have it again: with this change it gets {gets}"
        yield error("freed-by-hand", asks.source, message, _HINT)


def _ranges(evaluation: Evaluation) -> dict[Key, IPRange | None]:
    """What each claim has by a plan."""
    decided = (it for it in evaluation.plan.decisions if isinstance(it, Grant | Keep))
    return {it.claim: it.allocation.range for it in decided}


def _told(
    given: IPRange, whose: str, place: Location, lost: tuple[IPRange, Key | str, Allocation]
) -> Finding:
    """What is said of who has addresses that were another's."""
    item, claim, old = lost
    had = claim.short if isinstance(claim, Key) else claim
    message = f"{format_short(given)} of {whose} was {had}'s"
    message += f" ({format_short(item)}) until {shown(old.path)} was changed by hand"
    return error("freed-by-hand", place, message, _HINT)


def _given(decision: object) -> tuple[Key, IPRange] | None:
    """Who gets what, to know it again."""
    if not isinstance(decision, Grant) or decision.allocation.range is None:
        return None
    return decision.claim, decision.allocation.range
