"""`check`: all that was found, and what it comes to."""

from collections.abc import Sequence

from reconciler.addresses.notation import format_short
from reconciler.engine.due import retention_end
from reconciler.evaluate import Evaluation, is_held
from reconciler.findings import Finding
from reconciler.model.cause import Cause
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Release
from reconciler.report.capped import gravest_first
from reconciler.report.causes import blocks, sentence_of
from reconciler.report.escape import escape
from reconciler.report.found import verdict, within_sentence
from reconciler.report.text.findings import findings_text
from reconciler.report.text.plan import counted, moves_text, pools_text, transfers_text
from reconciler.report.text.table import Cell, Colour, Painter, table
from reconciler.report.together import sentences_of, title_of
from reconciler.review.other_changes import Together
from reconciler.review.result import Compared

MOST_CAUSES = 20
"""So many decisions are told with why they are none of the change's own documents."""
MOST_RELEASES = 10
"""So many releases are shown each; of others how many there are."""
MOST_INHERITED = 10
"""So many findings of the base are shown beside those of the change."""


def check_text(
    evaluation: Evaluation,
    painter: Painter,
    inherited: Sequence[Finding] = (),
    base: str = "",
    beside: Compared | None = None,
) -> str:
    """What moves, goes to another owner or comes free, all findings and gates, those of the base, the verdict.

    Causes, and what other changes have to do with it, are no part of the verdict.
    """
    found = [*evaluation.findings, *evaluation.gates]
    ahead = moves_text(evaluation, painter) + transfers_text(evaluation, painter)
    ahead += _releases(evaluation, painter)
    pools = pools_text(_changed(evaluation), evaluation, painter)
    told = f"{ahead}{findings_text(found, painter)}{inherited_text(inherited, base, painter)}"
    told += _compared(beside, painter) if beside is not None else ""
    return f"{told}{pools}{verdict_text(evaluation, painter, len(inherited))}"


def _releases(evaluation: Evaluation, painter: Painter) -> str:
    """What comes free, and until when it is held at least; a row each, of the first few."""
    found = [it for it in evaluation.plan.decisions if isinstance(it, Release)]
    rows: list[list[Cell]] = []
    for decision in found[:MOST_RELEASES]:
        record, claim = decision.allocation, decision.claim
        held = format_short(record.range) if record.range else "nothing"
        row = [claim._replace(slot="").short, claim.slot, f"{held} of {record.pool.name}"]
        rows.append([("-", Colour.RED), *row, _until(decision, evaluation)])
    if not rows:
        return ""
    head = painter.paint(
        f"{len(found)} {'release' if len(found) == 1 else 'releases'}", Colour.BOLD
    )
    more = len(found) - len(rows)
    rest = f"  and {more} more: ipam plan lists them\n" if more else ""
    lines = "".join(f"  {line}\n" for line in table((), rows, painter).splitlines())
    return f"{head}\n{lines}{rest}"


def _until(decision: Release, evaluation: Evaluation) -> str:
    """Who merges later releases later: what is known is the earliest end."""
    if is_held(decision, evaluation):
        return "held back by a brake"
    end = retention_end(decision.allocation, evaluation.state)
    return f"held until {format_instant(end)} at the earliest" if end is not None else "held"


def _compared(compared: Compared, painter: Painter) -> str:
    """What of the change causes what it decides, and what other changes have to do with it."""
    others = "".join(_beside(item, painter) for item in compared.also)
    within = within_sentence(compared.within_contract)
    said = f"{escape(within)}\n" if within else ""
    return f"{causes_text(compared.causes, painter)}{others}{said}"


def causes_text(causes: Sequence[Cause], painter: Painter) -> str:
    """What is decided that the document of its claim does not tell: a line each."""
    if not causes:
        return ""

    lines = []
    for title, found in blocks(causes):
        lines.append(painter.paint(f"{title}:", Colour.BOLD))
        lines += [f"  {escape(sentence_of(it))}" for it in found[:MOST_CAUSES]]
        if more := len(found[MOST_CAUSES:]):
            lines.append(f"  and {more} more; -o json has them")
    return "".join(f"{line}\n" for line in lines)


def _beside(item: Together, painter: Painter) -> str:
    """What another change that waits for its merge has to do with this one."""
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
