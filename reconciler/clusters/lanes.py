"""Which steps may be taken side by side: those of one kind that do not wait for each other.

Kinds come one after the other: an address before its claim, and both before what names them.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from reconciler.clusters.decision import Action
from reconciler.clusters.steps import Abreast, Apply, Own, Patch, Step, Tell
from reconciler.model.resource import Ref, Resource

_Lane = tuple[Step, ...]
_IDLE = (Action.SKIP, Action.REFUSE)


def abreast(steps: Sequence[Step]) -> Iterator[Step]:
    """The same steps: those of one kind that stand together are lanes, one for each object."""
    found: list[_Lane] = []
    taken: set[Ref | None] = set()
    kind: Resource | None = None
    for ref, group in groupby(steps, _about):
        lane = tuple(group)
        needed = {ref, *(need for step in lane for need in _needs(step))}
        if ref is None or ref.resource != kind or needed & taken:
            yield from _joined(found)
            found, taken = [], set()
        found.append(lane)
        taken.add(ref)
        kind = None if ref is None else ref.resource
    yield from _joined(found)


def asks(lane: _Lane) -> bool:
    """Taking the steps asks something of the cluster, as far as the plan knows."""
    return not all(isinstance(step, Apply) and _is_idle(step) for step in lane)


def _is_idle(step: Apply) -> bool:
    action = step.decision.action
    return action in _IDLE or (action is Action.KEEP and step.status is None)


def _joined(lanes: list[_Lane]) -> Iterator[Step]:
    if len(lanes) > 1:
        yield Abreast(tuple(lanes))
    else:
        yield from (step for lane in lanes for step in lane)


def _about(step: Step) -> Ref | None:
    """The object that a step is about; None for one that others wait for, whatever they do."""
    if isinstance(step, Tell):
        return step.desired.ref
    return step.ref if isinstance(step, Apply | Own | Patch) else None


def _needs(step: Step) -> tuple[Ref, ...]:
    """The objects that have to be written before."""
    match step:
        case Apply(unless_failed=Ref() as ref):
            return (ref,)
        case Patch():
            return step.rests_on
        case Own():
            return tuple(ref for ref, _ in step.owners)
        case _:
            return ()
