"""`check`: all that was found, and what it comes to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding
from reconciler.model.key import Key
from reconciler.report.capped import gravest_first
from reconciler.report.escape import escape
from reconciler.report.found import verdict
from reconciler.report.text.findings import findings_text
from reconciler.report.text.plan import counted, moves_text, pools_text, transfers_text
from reconciler.report.text.table import Colour, Painter

if TYPE_CHECKING:
    from reconciler.together import Together

MOST_INHERITED = 10
"""So many findings of the base are shown beside those of the change."""


def check_text(
    evaluation: Evaluation,
    painter: Painter,
    inherited: Sequence[Finding] = (),
    base: str = "",
    also: "Sequence[Together]" = (),
) -> str:
    """What moves or goes to another owner, all findings and gates, those of the base, the verdict.

    What other changes have to do with it comes before the verdict, and is no part of it.
    """
    found = [*evaluation.findings, *evaluation.gates]
    ahead = moves_text(evaluation, painter) + transfers_text(evaluation, painter)
    pools = pools_text(_changed(evaluation), evaluation, painter)
    told = f"{ahead}{findings_text(found, painter)}{inherited_text(inherited, base, painter)}"
    others = "".join(_beside(item, painter) for item in also)
    return f"{told}{pools}{others}{verdict_text(evaluation, painter, len(inherited))}"


def _beside(item: "Together", painter: Painter) -> str:
    """What another change that waits for its merge has to do with this one."""
    from reconciler.report.together import sentences_of, title_of  # mostly there is none

    lines = [painter.paint(f"Beside {escape(title_of(item))}:", Colour.BOLD)]
    lines += [f"  {escape(sentence)}" for sentence in sentences_of(item)]
    return "".join(f"{line}\n" for line in lines)


def inherited_text(inherited: Sequence[Finding], base: str, painter: Painter) -> str:
    """What a change found as it is and left so: a line each, dim, and the gravest first."""
    if not inherited:
        return ""
    shown = gravest_first(inherited)[:MOST_INHERITED]
    lines = [f"In {escape(base)} already, and left as it is:"]
    lines += [f"  {escape(str(it.location))}: {it.code}: {escape(it.message)}" for it in shown]
    if inherited[MOST_INHERITED:]:
        more = len(inherited) - len(shown)
        lines.append(f"  and {more} more: ipam check --rev {escape(base)}")
    return "".join(f"{painter.paint(line, Colour.DIM)}\n" for line in lines)


def _changed(evaluation: Evaluation) -> list[Key]:
    """Pools that get another size, or come into a worse tier, also one below the gate."""
    plan = evaluation.plan
    return [
        key
        for key, after in plan.after.items()
        if plan.before[key].total != after.total or after.tier.rank > plan.before[key].tier.rank
    ]


def verdict_text(evaluation: Evaluation, painter: Painter, inherited: int = 0) -> str:
    """What a check comes to, on one line."""
    worst, says, listed = verdict(evaluation, inherited)
    sign = (
        painter.paint(f"✗ {says}", Colour.RED)
        if worst
        else painter.paint(f"✓ {says}", Colour.GREEN)
    )
    moved = f", {len(evaluation.moves)} moved" if evaluation.moves else ""
    return f"{sign}: {listed}; {counted(evaluation)}{moved}\n"
