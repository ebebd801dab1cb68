"""The result of a review."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity, few, ordered
from reconciler.model.contract import Within

if TYPE_CHECKING:
    from reconciler.model.cause import Cause
    from reconciler.review.other_changes import Together


class Compared(Struct, frozen=True):
    """A reviewed revision.

    Attributes:
        evaluation: The evaluation of the change, with the findings of all checks.
        inherited: Findings that the base has already. They do not fail the change.
        also: The change next to other open changes. They do not fail the change either.
        causes: The cause of each decision that is shown, in the order of the plan.
        within: Whether the change stays within the contract of one team, findings aside. None if
            no team has a folder of its own.
    """

    evaluation: Evaluation
    inherited: tuple[Finding, ...] = ()
    also: "tuple[Together, ...]" = ()
    causes: "tuple[Cause, ...]" = ()
    within: Within | None = None

    @property
    def within_contract(self) -> Within | None:
        """Whether the change stays within the contract of one team; any finding needs a reviewer."""
        codes = sorted({it.code for it in (*self.evaluation.findings, *self.evaluation.gates)})
        if self.within is None or not codes:
            return self.within
        return Within("", (*self.within.reasons, f"there is something to look at: {few(codes)}"))

    def whole(self, base: str) -> Evaluation:
        """Return the evaluation with the findings of the base, as warnings at most.

        Args:
            base: The name of the base.
        """
        softened = [_softened(item, base) for item in self.inherited]
        findings = ordered([*self.evaluation.findings, *softened])
        return replace(self.evaluation, findings=findings) if softened else self.evaluation

    @property
    def moved(self) -> int:
        """The number of claims that get another range."""
        return len(self.evaluation.moves)


def _softened(item: Finding, base: str) -> Finding:
    severity = Severity.INFO if item.severity is Severity.INFO else Severity.WARNING
    return replace(item, severity=severity, message=f"{item.message}; {base} has it already")
