"""Renames of a base that reconcile has not gone over yet, and a change that undoes them.

By the base its records go on under the new name, and clusters announce them. They still bear the
old one: whoever takes that, or has the new one no more, gets what lives there, or lets it go.
"""

from collections.abc import Iterator
from dataclasses import replace

from reconciler.addresses.notation import format_short
from reconciler.comparison import Compared
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, error, ordered
from reconciler.model.plan import Grant, Keep
from reconciler.renaming.links import REFUSED, links_of

_HINT = "let reconcile go over the base before this change"


def with_renames_before(compared: Compared, name: str, base: Evaluation) -> Compared:
    """A comparison with what is told of renames that the base has, and the change undoes.

    Args:
        compared: With all else that is told of the change.
        name: What the base is called.
        base: Its evaluation, which reconcile has not gone over yet.
    """
    evaluation = compared.evaluation
    found = [*_undone(name, base, evaluation)] if base.state.former else []
    if not found:
        return compared
    findings = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _undone(name: str, base: Evaluation, evaluation: Evaluation) -> Iterator[Finding]:
    """What is said of each claim that does not keep what it would have kept."""
    decided = [it for it in evaluation.plan.decisions if isinstance(it, Grant | Keep)]
    given = {it.claim: it.allocation.range for it in decided}
    heirs = {it.before.owner: it.document.start for it in links_of(evaluation.documents)}
    for kept in base.plan.decisions:
        if not isinstance(kept, Keep) or (held := kept.allocation.range) is None:
            continue
        former, claim = base.state.former.get(kept.allocation.path), kept.claim
        asks = evaluation.state.claims.get(claim)
        place = asks.source if asks is not None else heirs.get(claim.owner)
        if former is None or former.claim is None or place is None or given.get(claim) == held:
            continue
        new = given.get(claim)
        message = f"{claim.short} has {format_short(held)} of {former.claim.short} on {name}, where"
        message += " reconcile has not renamed the record yet: with this change it gets"
        yield error(REFUSED, place, f"{message} {format_short(new) if new else 'nothing'}", _HINT)
