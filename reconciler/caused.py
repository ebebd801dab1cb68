"""What of a change causes each decision of its plan, and why there are others beside them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from reconciler.comparison import Base
from reconciler.digest import is_told
from reconciler.documents.document import Document
from reconciler.evaluate import Evaluation
from reconciler.findings import Location, few
from reconciler.model.cause import Cause
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Refuse
from reconciler.model.settings import PATH


def causes(
    base: Base, evaluation: Evaluation, planned: Callable[[], Evaluation], changed: Iterable[str]
) -> tuple[Cause, ...]:
    """The cause of each decision that a plan tells, in its order.

    Args:
        base: The base.
        evaluation: Of the change.
        planned: The evaluation of the base. It is asked for only where a claim's own document is
            none that the change touches.
        changed: Paths of the files that differ.
    """
    finder = _Finder(base, evaluation, planned, frozenset(changed))
    told = (it for it in evaluation.plan.decisions if is_told(it, evaluation))
    return tuple(finder.cause(decision) for decision in told)


class _Finder:
    """Looks for causes, of the nearest kind first."""

    def __init__(
        self,
        base: Base,
        evaluation: Evaluation,
        planned: Callable[[], Evaluation],
        changed: frozenset[str],
    ) -> None:
        self._base, self._evaluation = base, evaluation
        self._planned, self._changed = planned, changed
        self._then = _places(base.described_now.documents.values())
        self._before = _places(base.described.documents.values())
        self._known: dict[Key, tuple[object, ...]] | None = None

    def cause(self, decision: Decision) -> Cause:
        """Why something is decided on a claim."""
        claim = decision.claim
        if (own := self._own(claim)) is not None:
            return Cause(claim, own)
        if self._is_of_base(decision):
            return Cause(claim, None, f"{self._base.name} has it already", is_caused=False)
        if isinstance(decision, Expire):
            return Cause(claim, None, "its retention has ended", is_caused=False)
        return next(self._others(decision), Cause(claim, None, self._room()))

    def _own(self, claim: Key) -> Location | None:
        """Where the change describes a claim anew, or takes its document away."""
        state = self._evaluation.state.claims.get(claim)
        if state is not None and state.source.path in self._changed:
            return state.source
        owner = (claim.kind, claim.namespace, claim.name)
        place = self._then.get(owner) or self._before.get(owner)
        return place if state is None or place is None else None

    def _is_of_base(self, decision: Decision) -> bool:
        """The plan of the base decides the very same."""
        if self._known is None:
            self._known = {it.claim: _said(it) for it in self._planned().plan.decisions}
        return self._known.get(decision.claim) == _said(decision)

    def _others(self, decision: Decision) -> Iterator[Cause]:
        """What else the change touches that the decision goes by: its pool, then Settings."""
        allocation = decision.allocation
        names = decision.message if isinstance(decision, Refuse) else ""
        for key, pool in {**self._base.pools, **self._base.pools_now}.items():
            is_its = allocation is not None and allocation.pool == key
            if is_its or key.name in names:
                yield Cause(decision.claim, pool.source, f"pool {key.name} is another one by that")
        if PATH in self._changed:
            yield Cause(decision.claim, Location(PATH, 1, 1), "Settings are others by that")

    def _room(self) -> str:
        """What is said where nothing that the claim goes by was touched."""
        touched = few(sorted(self._changed))
        return f"another edit of the change decides it, by what it frees or takes: {touched}"


def _said(decision: Decision) -> tuple[object, ...]:
    """What a decision comes to."""
    if isinstance(decision, Refuse):
        return (Refuse, decision.reason)
    return (type(decision), decision.allocation.pool, decision.allocation.range)


def _places(documents: Iterable[Document]) -> Mapping[tuple[str, str, str], Location]:
    """Where documents stand, by kind, namespace and name."""
    return {(it.kind.name, it.namespace, it.name): it.start for it in documents}
