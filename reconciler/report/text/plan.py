"""`plan`: what it decides, how full it makes the pools, and the sum of it."""

from reconciler.addresses.notation import format_short
from reconciler.digest import actions, digest, summary
from reconciler.evaluate import Evaluation
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release
from reconciler.observed import is_observed
from reconciler.records.layout import UNPLACED
from reconciler.report.escape import escape
from reconciler.report.text.table import TIER_COLOURS, Cell, Colour, Painter, table

_SIGN = {
    Keep: ("=", None),
    Grant: ("+", Colour.GREEN),
    Release: ("-", Colour.RED),
    Expire: ("×", Colour.DIM),  # noqa: RUF001 - a sign, not a letter
    Refuse: ("!", Colour.RED),
}


def plan_text(
    evaluation: Evaluation, painter: Painter, *, moved: int = 0, keeps: bool = False
) -> str:
    """What reconciling does, how full it makes the pools, and the sum of it."""
    tree = evaluation.tree
    marked = digest(actions(evaluation))
    head = f"Plan for {tree.revision[:12] if tree.revision else 'the work tree'}"
    rows = [
        _row(decision, evaluation)
        for decision in evaluation.plan.decisions
        if keeps or not isinstance(decision, Keep)
    ]
    parts = [f"{painter.paint(head, Colour.BOLD)}   {painter.paint(marked, Colour.DIM)}\n"]
    parts.append(_indented(table((), rows, painter, right=(4,))))
    parts.append(_refusals(evaluation, painter))
    parts.append(_capacity(evaluation, painter))
    parts.append(_sum(evaluation, painter, moved))
    return "".join(part for part in parts if part)


def _refusals(evaluation: Evaluation, painter: Painter) -> str:
    """Why claims get nothing, and what would help."""
    lines = []
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Refuse):
            lines.append(f"  {escape(f'{decision.claim.short}: {decision.message}')}\n")
            lines.append(f"  {painter.paint(f'  hint: {escape(decision.hint)}', Colour.DIM)}\n")
    return f"{painter.paint('Refused', Colour.BOLD)}\n{''.join(lines)}" if lines else ""


def _row(decision: Decision, evaluation: Evaluation) -> list[Cell]:
    sign, colour = _SIGN[type(decision)]
    claim = decision.claim
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    if isinstance(decision, Refuse):
        asked = evaluation.state.claims[claim]
        names = ", ".join(asked.wanted)
        place = f"{asked.source.path}:{asked.source.line}"
        return [(sign, colour), owner, claim.slot, names, str(asked.size),
                (decision.reason, colour), place]  # fmt: skip
    allocation = decision.allocation
    claimed = evaluation.state.claims.get(claim)
    place = f"{claimed.source.path}:{claimed.source.line}" if claimed else "no claim"
    text = format_short(allocation.range) if allocation.range else "nothing"
    return [(sign, colour), owner, claim.slot, allocation.pool.name, str(allocation.size),
            (text, colour), place]  # fmt: skip


def _capacity(evaluation: Evaluation, painter: Painter) -> str:
    """Pools that the plan changes, before and after."""
    plan = evaluation.plan
    rows: list[list[Cell]] = []
    for key in evaluation.plan.after:
        before, after = plan.before[key], plan.after[key]
        if before == after:
            continue
        rows.append(
            [
                key.name,
                f"{before.percent}% → {after.percent}% of {after.total}",
                f"{after.available} free, largest run {after.largest}",
                (after.tier.value, TIER_COLOURS[after.tier]),
            ]
        )
    shown = table((), rows, painter)
    return f"{painter.paint('Pools', Colour.BOLD)}\n{_indented(shown)}" if shown else ""


def _sum(evaluation: Evaluation, painter: Painter, moved: int) -> str:
    counts = summary(evaluation, moved)
    rewritten = len(evaluation.changes)
    if not rewritten and not counts["refuse"]:
        return f"No changes. {counts['keep']} allocations kept, {moved} moved.\n"
    text = f"Plan: {counted(evaluation)}, {moved} moved."
    refused = f" {counts['refuse']} refused." if counts["refuse"] else ""
    bold = painter.paint(text, Colour.BOLD)
    return f"{bold}{painter.paint(refused, Colour.RED) if refused else ''}\n"


def counted(evaluation: Evaluation) -> str:
    """What there is to do, and how much stays: `2 to allocate, 1 to release, 12 kept`."""
    counts = summary(evaluation)
    names = [name for name in ("allocate", "release", "expire") if counts[name]]
    words = [f"{counts[name]} to {name}" for name in names]
    settings = evaluation.tree.settings
    records = [item for item in evaluation.changes if not is_observed(settings, item.path)]
    rewritten = [item for item in records if f"/{UNPLACED}/" not in item.path]
    copies = len(evaluation.changes) - len(records)  # which people describe themselves
    if copies:
        words.append(f"{copies} observed to remove")
    if not words and rewritten:
        # Nobody's addresses change, but a team, a place or the form of some record does.
        words = [f"{len(rewritten)} to rewrite"]
    return ", ".join([*words, f"{counts['keep']} kept"])


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
