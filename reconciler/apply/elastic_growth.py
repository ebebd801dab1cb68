"""Growth that clusters need."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from reconciler.apply.elastic import Figures, GrowthOutcome, StatusMessage
from reconciler.families import families
from reconciler.families.demand import DEMAND, LAST, MAX_DEMAND, DemandEntry, growth_index
from reconciler.families.interface import Grower
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Refusal
from reconciler.model.plan import BLOCKED
from reconciler.planning.documents import path_of
from reconciler.planning.evaluate import Evaluation

_ROUNDS = 16
_NO_RUN = ("pool-exhausted", "pool-fragmented", "quota-exceeded", "request-too-large")
"""Refusals after which a smaller request can succeed."""


class GrowthRequest(NamedTuple):
    """The request of one tenant.

    Attributes:
        back: Entries that come back, each as a whole.
        size: The number of additional addresses, contiguous if possible.
        first: The number of the first new entry.
    """

    back: tuple[DemandEntry, ...]
    size: int
    first: int


class Fitted(NamedTuple):
    """The entries that one tenant gets, and the refusal of the rest; None if all is granted."""

    back: tuple[DemandEntry, ...]
    new: tuple[DemandEntry, ...]
    refusal: Refusal | None


RefusedGrowth = Callable[[Mapping[str, tuple[DemandEntry, ...]]], Mapping[tuple[str, int], Refusal]]
"""Returns the refused entries, by tenant and number, of the requested entries by tenant."""


def fitted(wishes: Mapping[str, GrowthRequest], refused: RefusedGrowth) -> dict[str, Fitted]:
    """Return entries that are all granted.

    A request without a contiguous range is halved, down to single addresses. All tenants are
    planned at once, so the number of plans does not depend on the number of requests.

    Args:
        wishes: The request of each tenant.
        refused: Returns the entries that the planner would refuse.
    """
    lots = {name: [wish.size] if wish.size else [] for name, wish in wishes.items()}
    back = {name: wish.back for name, wish in wishes.items()}
    why: dict[str, Refusal] = {}
    rounds = 0
    while found := _asked(wishes, back, lots, refused):
        rounds += 1
        for name in sorted({name for name, _ in found}):
            here = {index: it for (other, index), it in found.items() if other == name}
            why[name] = here[min(here)]
            back[name] = tuple(it for it in back[name] if it.index not in here)
            is_last = rounds >= _ROUNDS
            lots[name] = _halved(wishes[name].first, lots[name], here, is_last=is_last)
    return {
        name: Fitted(back[name], _numbered(wish.first, lots[name]), why.get(name))
        for name, wish in wishes.items()
    }


def _asked(
    wishes: Mapping[str, GrowthRequest],
    back: Mapping[str, tuple[DemandEntry, ...]],
    lots: Mapping[str, list[int]],
    refused: RefusedGrowth,
) -> Mapping[tuple[str, int], Refusal]:
    """Return the refused entries of the current sizes."""
    asked = {
        name: (*back[name], *_numbered(wish.first, lots[name]))
        for name, wish in wishes.items()
        if back[name] or lots[name]
    }
    return refused(asked) if asked else {}


def _numbered(first: int, sizes: list[int]) -> tuple[DemandEntry, ...]:
    return tuple(DemandEntry(first + at, size) for at, size in enumerate(sizes))


def _halved(
    first: int, sizes: list[int], refused: Mapping[int, Refusal], *, is_last: bool
) -> list[int]:
    """Return the sizes with refused ones in halves. Single addresses are left out."""
    found: list[int] = []
    for at, size in enumerate(sizes):
        refusal = refused.get(first + at)
        if refusal is None:
            found.append(size)
        elif size > 1 and refusal.reason in _NO_RUN and not is_last:
            found += [size - size // 2, size // 2]
    return found


class Settled(NamedTuple):
    """The resulting demand of a tenant.

    Attributes:
        entries: The new entries.
        words: The messages.
    """

    entries: tuple[DemandEntry, ...]
    figures: Figures
    words: tuple[StatusMessage, ...]


def settled(outcome: GrowthOutcome, got: Fitted, stays: Collection[int] = ()) -> Settled:
    """Return the resulting demand of a tenant.

    Args:
        outcome: The growth that follows from the state of its cluster.
        got: The granted part of its request.
        stays: Numbers of entries whose records must not change now.
    """
    refused = {entry.index for entry in outcome.back} - {entry.index for entry in got.back}
    going = {entry.index for entry in outcome.going if entry.index not in stays}
    kept = [it for it in outcome.entries if it.index not in refused | going]
    room = max(0, MAX_DEMAND - len(kept))
    new = tuple(entry for entry in got.new if entry.index <= LAST)[:room]
    lacks = max(0, outcome.needed - sum(entry.count for entry in new))
    blocked = outcome.figures.blocked + lacks
    words = list(outcome.words)
    if blocked:
        told = [outcome.why] if outcome.why else []
        if len(new) < len(got.new):
            told.append(
                f"its Demand has room for {MAX_DEMAND} entries up to number {LAST}; delete Services"
            )
        elif lacks and got.refusal is not None:
            told.append(f"{got.refusal.message}; {got.refusal.hint}")
        words.insert(
            0, StatusMessage(BLOCKED, _blocked(blocked, outcome.names, ". Besides, ".join(told)))
        )
    return Settled(
        tuple(sorted([*kept, *new])), outcome.figures._replace(blocked=blocked), tuple(words)
    )


def _blocked(count: int, names: str, why: str) -> str:
    what = "1 more address is" if count == 1 else f"{count} more addresses are"
    return f"{what} needed for {names}: {why}"


def document_of(
    before: tuple[DemandEntry, ...] | None,
    after: tuple[DemandEntry, ...],
    stated: tuple[DemandEntry, ...],
    records: Iterable[Allocation],
) -> tuple[DemandEntry, ...] | None:
    """Return the entries of the new Demand document; None for no document.

    An empty document states that nothing is needed. It is removed when no growth is left to
    release.

    Args:
        before: The entries of the existing document; None without one.
        after: The new entries.
        stated: The entries that count without a document.
        records: The records of its growth, in any phase.
    """
    if after == (stated if before is None else tuple(sorted(before))):
        is_over = before is not None and not after and not any(True for _ in records)
        return None if is_over else before
    return after


def all_growers(evaluation: Evaluation) -> Iterator[Grower]:
    """Return the elastic tenants of all families, by the documents of a complete tree."""
    for family in families():
        if family.objects.growers is not None:
            yield from family.objects.growers(evaluation.documents, evaluation.tree.settings)


def abandoned(evaluation: Evaluation) -> Iterator[FileChange]:
    """Return removals of Demands whose owner is removed and has no growth.

    Otherwise, a later owner of the same name would start with the old demand.
    """
    if evaluation.state.unclear or evaluation.state.halted:
        return
    grown = {
        (record.claim.namespace, record.claim.name)
        for record in evaluation.state.records
        if growth_index(record)
    }
    documents, folder = evaluation.documents, evaluation.tree.settings.observed
    for demand in documents.of(DEMAND.id):
        name = demand.namespace, demand.name
        path = path_of(folder, (DEMAND.id.group, DEMAND.name, *name))
        if name in grown or demand.doubt or demand.file != path:
            continue
        owns = (family.objects.may_own for family in families())
        if not any(may_own(documents, *name) for may_own in owns if may_own is not None):
            yield FileChange(path, None)
