"""What a clone that ends after reconcile's newest commit cannot tell of records, and whom it stops.

Such a clone is what a job of two commits has wherever main's newest commit is a person's, so it is
no error by itself: nearly every change would be red for want of history alone. It is one where the
base shows by its own files that something is open: a claim has no record there. It may be new, or
somebody removed its record, and its cluster announces what it held.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.commands.last_made import said_last
from reconciler.commands.reading.settings import has_records
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, cut_off, ordered
from reconciler.model.plan import Grant
from reconciler.model.settings import Settings
from reconciler.ports import Repository, Source
from reconciler.review.result import Compared

_Given = tuple[IPRange, Grant]


def with_cut_before(
    compared: Compared,
    planned: Callable[[], Evaluation],
    base: tuple[Repository, Source, Settings],
) -> Compared:
    """A comparison that says so where what reconcile made last is behind the end of this clone.

    Args:
        compared: With all else that is told of the change.
        planned: The evaluation of the base. It is asked for only in such a clone.
        base: The base with its Settings, and where it is.
    """
    repository, source, settings = base
    revision = source.revision()
    if revision is None or not repository.is_shallow():
        return compared
    is_known = said_last(repository, revision, settings) is not None
    if is_known or not has_records(source, settings.records):
        return compared
    evaluation, before = compared.evaluation, planned()
    given = {(it.claim, item) for item, it in _granted(before)}
    taken = [both for both in _granted(evaluation) if (both[1].claim, both[0]) not in given]
    told = [_told(settings.records, taken), *_open(taken, evaluation, before)]
    findings = ordered([*evaluation.findings, *told])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _granted(evaluation: Evaluation) -> list[_Given]:
    """Who gets addresses that no record of its own holds."""
    granted = [it for it in evaluation.plan.decisions if isinstance(it, Grant)]
    return [
        (it.allocation.range, it)
        for it in granted
        if it.allocation.range is not None and not it.is_taken_back
    ]


def _told(records: str, taken: list[_Given]) -> Finding:
    """What was not looked at, and of whose addresses."""
    message = "this clone ends after reconcile's newest commit: what people did to records of the"
    message += " base since then was not looked at"
    if not taken:
        return cut_off(Location(records), f"{message}; nobody gets addresses by this change")
    whose = _named(*taken[0]) + (f" (and of {len(taken) - 1} more)" if taken[1:] else "")
    return cut_off(Location(records), f"{message}, nor whether {whose} were another's until then")


def _open(taken: list[_Given], evaluation: Evaluation, before: Evaluation) -> Iterator[Finding]:
    """What is said of who gets what the base gives to a claim that has no record there.

    That claim still asks: whatever it held, the change gives it something else.
    """
    pools, claims = evaluation.state.pools, evaluation.state.claims
    held = Lookup(
        both for both in _granted(before) if both[1].replaces is None and both[1].claim in claims
    )
    for item, new in taken:
        for _, old in held.overlapping(item):
            spaces = space_of(pools, new.allocation), space_of(pools, old.allocation)
            if old.claim != new.claim and (spaces[0] == spaces[1] or spaces[1] is None):
                message = f"{_named(item, new)} would be {old.claim.short}'s without this change,"
                message += " which has no record: whether somebody removed it was not looked at"
                yield replace(cut_off(new.source, message), severity=Severity.ERROR)


def _named(item: IPRange, grant: Grant) -> str:
    return f"{format_short(item)} of {grant.claim.short}"
