"""A brake that the base of a change has: after the merge it holds the change back, too.

Reconcile counts what people did on the base together with what the change does. So a change is
planned as its merge will be, and is red for its own part alone.
"""

from collections.abc import Callable

from msgspec.structs import replace

from reconciler.commands.by_hand import with_changes_by_hand
from reconciler.commands.freed_before import BY_HAND
from reconciler.evaluate import Evaluation, is_held
from reconciler.findings import Finding, Location, ordered, warning
from reconciler.model.plan import Release
from reconciler.ports import Repository, Source
from reconciler.withheld import held_releases, of_base


def as_merged(
    repository: Repository,
    base: Source,
    source: Source,
    evaluation: Evaluation,
) -> Evaluation:
    """The evaluation of a change with the records that a brake puts back once it is merged.

    A claim whose record they took away moves, if it gets another range. What people did to those on the base is told as the base's, and not here.

    Args:
        repository: Where its base is.
        base: Its base.
        source: The change, merged in thought.
        evaluation: Of the change, beside a base whose records people touched.
    """
    merged = with_changes_by_hand(repository, source, evaluation, base)
    if merged.brake is None:
        # What a claim had before somebody took its record away is a move after the merge, too.
        return replace(evaluation, moves=merged.moves)
    told = [it for it in merged.findings if it.code not in BY_HAND or it in evaluation.findings]
    return replace(merged, findings=ordered(told))


def with_base_brake(
    name: str, planned: Callable[[], Evaluation], evaluation: Evaluation
) -> Evaluation:
    """The evaluation of a change without what a brake holds back on its base already.

    That is nothing that the change did. What the change itself releases waits with it. The base is
    planned only where a brake holds the change.

    Args:
        name: What the base is called.
        planned: The evaluation of the base.
        evaluation: Of the change, as its merge will be.
    """
    if evaluation.brake is None:
        return evaluation
    base = planned()
    found = of_base(evaluation, base)
    if base.brake is None:
        return found
    told = _told(name, base, base.brake.location, found)
    return replace(found, findings=ordered([*found.findings, told]))


def _told(name: str, base: Evaluation, place: Location, evaluation: Evaluation) -> Finding:
    """What is said of the brake of the base, and of what waits with it."""
    held, back = len(held_releases(base)), len(base.put_back)
    does = [f"holds {_count(held, 'release')} back"] if held else []
    does += [f"puts {_count(back, 'record')} back"] if back else []
    message = f"{name} has a brake already, which {' and '.join(does) or 'stops everything'}:"
    message += " they count there, and not for this change"
    waiting = sum(
        isinstance(it, Release) and it.claim not in evaluation.known and is_held(it, evaluation)
        for it in evaluation.plan.decisions
    )
    if evaluation.brake is None and waiting:
        is_one = waiting == 1
        message += f"; until that is settled {_count(waiting, 'release')} of this change"
        message += f" {'is' if is_one else 'are'} held back with them"
    if evaluation.is_freed:
        message += "; until that is settled nothing at all is carried out"
    return warning("brake-held", place, message)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
