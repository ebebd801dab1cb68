"""Result of a review."""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    article_list,
    error,
    info,
    join_limited,
    ordered,
)
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import Source
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Usage
from reconciler.model.pool import Within
from reconciler.model.settings import OVERRIDES
from reconciler.planning.evaluate import Evaluation


class Compared(Struct, frozen=True):
    """A reviewed revision; only findings of the evaluation fail the change, not `inherited` ones.

    Attributes:
        also: The change next to other open changes.
        causes: The cause of each shown decision, in the order of the plan.
        within: Whether the change stays in the contract of one team. None without team folders.
    """

    evaluation: Evaluation
    inherited: tuple[Finding, ...] = ()
    also: "tuple[Together, ...]" = ()
    causes: tuple[Cause, ...] = ()
    within: Within | None = None

    @property
    def within_contract(self) -> Within | None:
        """Return whether the change is in one team's contract. Findings need a reviewer."""
        codes = sorted({it.code for it in (*self.evaluation.findings, *self.evaluation.gates)})
        if self.within is None or not codes:
            return self.within
        return Within("", (*self.within.reasons, f"findings {join_limited(codes)}"))

    def whole(self, base: str) -> Evaluation:
        """Return the evaluation with the findings of the base, as warnings at most."""
        softened = [
            replace(
                item,
                severity=Severity.INFO if item.severity is Severity.INFO else Severity.WARNING,
                message=f"{item.message} (also in {base})",
            )
            for item in self.inherited
        ]
        findings = ordered([*self.evaluation.findings, *softened])
        return replace(self.evaluation, findings=findings) if softened else self.evaluation


def with_emptiness(source: Source, compared: Compared, *, allows: bool) -> Compared:
    """Return a review with a finding if the tree has no document, an error unless `allows`."""
    evaluation = compared.evaluation
    if evaluation.state.pools or evaluation.plan.decisions:  # without reading files
        return compared
    settings, code, place = evaluation.tree.settings, "nothing-to-check", Location(".")
    there = source.entries([*settings.folders, settings.records, OVERRIDES])
    if any(is_yaml(entry.path) for entry in there):
        return compared
    listed = article_list([f"{folder}/" for folder in settings.sources])
    found = info(code, place, f"nothing to check yet: no document in {listed}")
    if not there and not allows:
        hint = "pass the right folder with --repo or --root, or list the folders in spec.sources of Settings; if the repository is new, use ipam check --allow-empty"
        found = error(code, place, f"nothing to check: no file in {listed}", hint)
    every = ordered([*evaluation.findings, found])
    return replace(compared, evaluation=replace(evaluation, findings=every))


class Both(NamedTuple):
    """Addresses that a claim of the change, and one of the other change, both get."""

    ours: Key
    theirs: Key
    pool: Key
    range: IPRange


class Second(NamedTuple):
    """A claim that gets another range, or is refused, if its change is merged second."""

    claim: Key
    alone: IPRange
    then: IPRange | None
    reason: str = ""


class Fuller(NamedTuple):
    """A pool that both changes together bring into a worse tier than each of them."""

    pool: Key
    alone: Usage
    together: Usage


class Together(Struct, frozen=True):
    """A change with another one; `ours` and `theirs` get another range if merged second.

    Attributes:
        both: Addresses that both allocate.
        wrong: Errors, and a release limit, that only both together have; by place.
    """

    name: str
    revision: str = ""
    why: str = ""
    conflicts: tuple[str, ...] = ()
    both: tuple[Both, ...] = ()
    ours: tuple[Second, ...] = ()
    theirs: tuple[Second, ...] = ()
    pools: tuple[Fuller, ...] = ()
    wrong: tuple[Finding, ...] = ()

    @property
    def is_told(self) -> bool:
        """Return whether the comparison has a result that a review of one change does not show."""
        seen = (self.both, self.ours, self.theirs, self.pools, self.wrong)
        return bool(self.why or self.conflicts or any(seen))
