"""Pins of a base that reconcile has not gone over yet, and a change that takes them away.

Such a pin may be of what lives already, and no record says so yet. Whoever changes it before
reconcile comes would let the addresses go to somebody else, and no plan would show it.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.commands.last_made import said_last
from reconciler.comparison import Compared
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, error, ordered, warning
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.model.settings import Settings
from reconciler.ports import Repository, Source

CODE = "pin-withdrawn"
_HINT = "if the addresses are in use: let reconcile go over the base before this change"


def waits_for_reconcile(repository: Repository, base: Source, settings: Settings) -> bool:
    """Documents of a base differ from those that reconcile went over last, as history tells."""
    revision = base.revision()
    if revision is None:
        return False
    made = said_last(repository, revision, settings)
    if made is None or made == revision.id:
        return made is None
    return bool(repository.changed(made, revision.id, settings.sources, settings.limits)[0])


def with_pins_before(compared: Compared, name: str, planned: Callable[[], Evaluation]) -> Compared:
    """A comparison with what is told of pins that the base has, and the change has not.

    Args:
        compared: With all else that is told of the change.
        name: What the base is called.
        planned: The evaluation of the base, which reconcile has not gone over yet.
    """
    evaluation = compared.evaluation
    pinned = {
        it.claim: it
        for it in planned().plan.decisions
        if isinstance(it, Grant) and it.allocation.pinned and it.replaces is None
    }
    given = {it.claim: it for it in evaluation.plan.decisions if isinstance(it, Grant)}
    lost = [it for key, it in pinned.items() if _range(given.get(key)) != it.allocation.range]
    found = [*_withdrawn(name, lost, given), *_taken(name, lost, given, evaluation)]
    if not found:
        return compared
    findings = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _withdrawn(name: str, lost: list[Grant], given: dict[Key, Grant]) -> Iterator[Finding]:
    """What is said at each pin that goes."""
    for old in lost:
        if (held := old.allocation.range) is None:
            continue
        now = _range(given.get(old.claim))
        gets = format_short(now) if now is not None else "nothing"
        message = (
            f"{old.claim.short} is pinned to {format_short(held)} on {name}, and has no record"
        )
        message += f" yet: with this change it gets {gets}"
        yield warning(CODE, old.source, message, _HINT)


def _taken(
    name: str, lost: list[Grant], given: dict[Key, Grant], evaluation: Evaluation
) -> Iterator[Finding]:
    """What is said at each who gets such addresses instead."""
    pools = evaluation.state.pools
    places = [(it.allocation.range, it) for it in lost if it.allocation.range is not None]
    held = Lookup(places)
    for new in given.values() if places else ():
        mine = new.allocation.range
        if mine is None:
            continue
        for _, old in held.overlapping(mine):
            spaces = space_of(pools, new.allocation), space_of(pools, old.allocation)
            if old.claim != new.claim and (spaces[0] == spaces[1] or spaces[1] is None):
                message = f"{format_short(mine)} of {new.claim.short} is pinned by"
                message += f" {old.claim.short} on {name}, which has no record yet"
                yield error(CODE, new.source, message, _HINT)


def _range(decision: Grant | None) -> IPRange | None:
    return decision.allocation.range if decision is not None else None
