"""Evaluations as text for a terminal: findings, the plan, how full pools are."""

from collections.abc import Sequence

from reconciler.addresses.notation import format_short
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.model.pool import Tier
from reconciler.report.escape import escape
from reconciler.report.machine import actions, digest, summary
from reconciler.report.table import Cell, Colour, Painter, table

MAX_FINDINGS = 200
_SEVERITY = {
    Severity.ERROR: ("error", Colour.RED),
    Severity.GATE: ("refused", Colour.RED),
    Severity.WARNING: ("warning", Colour.YELLOW),
}
_TIER = {
    Tier.OK: None,
    Tier.WARNING: Colour.YELLOW,
    Tier.CRITICAL: Colour.YELLOW,
    Tier.EXHAUSTED: Colour.RED,
}
_SIGN = {
    Keep: ("=", None),
    Grant: ("+", Colour.GREEN),
    Release: ("-", Colour.RED),
    Expire: ("×", Colour.DIM),  # noqa: RUF001 - a sign, not a letter
    Refuse: ("!", Colour.RED),
}


def findings_text(findings: Sequence[Finding], painter: Painter) -> str:
    """`path:line:column: severity code: message`, and the hint below."""
    lines = []
    for item in findings[:MAX_FINDINGS]:
        place = item.location
        where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
        word, colour = _SEVERITY[item.severity]
        head = painter.paint(f"{word} {item.code}", colour)
        lines.append(f"{escape(where)}: {head}: {escape(item.message)}")
        if item.hint:
            lines.append(painter.paint(f"  hint: {escape(item.hint)}", Colour.DIM))
    if len(findings) > MAX_FINDINGS:
        lines.append(f"and {len(findings) - MAX_FINDINGS} more")
    return "\n".join(lines) + "\n" if lines else ""


def check_text(evaluation: Evaluation, painter: Painter) -> str:
    """All findings and gates, and the verdict."""
    found = [*evaluation.findings, *evaluation.gates]
    counts = dict.fromkeys(Severity, 0)
    for item in found:
        counts[item.severity] += 1
    if counts[Severity.ERROR]:
        verdict = painter.paint("✗ the content is wrong", Colour.RED)
    elif counts[Severity.GATE]:
        verdict = painter.paint("✗ the content is right, but a gate stops it", Colour.RED)
    else:
        verdict = painter.paint("✓ fine", Colour.GREEN)
    plan = summary(evaluation)
    listed = (
        f"{counts[Severity.ERROR]} errors, {counts[Severity.GATE]} refused,"
        f" {counts[Severity.WARNING]} warnings; {plan['allocate']} to allocate,"
        f" {plan['release']} to release, {plan['keep']} kept"
    )
    return f"{findings_text(found, painter)}{verdict}: {listed}\n"


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
    parts.append(_indented(table((), rows, painter, right="4")))
    parts += [
        f"      {painter.paint(escape(line), Colour.DIM)}\n"
        for decision in evaluation.plan.decisions
        if isinstance(decision, Refuse)
        for line in (f"{decision.claim.short}: {decision.message}", f"  hint: {decision.hint}")
    ]
    parts.append(_capacity(evaluation, painter))
    parts.append(_sum(evaluation, painter, moved))
    return "".join(part for part in parts if part)


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
                (after.tier.value, _TIER[after.tier]),
            ]
        )
    shown = table((), rows, painter)
    return f"{painter.paint('Pools', Colour.BOLD)}\n{_indented(shown)}" if shown else ""


def _sum(evaluation: Evaluation, painter: Painter, moved: int) -> str:
    counts = summary(evaluation, moved)
    rewritten = len(evaluation.changes)
    if not rewritten and not counts["refuse"]:
        return f"No changes. {counts['keep']} allocations kept, {moved} moved.\n"
    words = [f"{counts[name]} to {name}" for name in ("allocate", "release", "expire")]
    text = f"Plan: {', '.join(words)}, {counts['keep']} kept, {moved} moved."
    refused = f" {counts['refuse']} refused." if counts["refuse"] else ""
    return f"{painter.paint(text, Colour.BOLD)}{painter.paint(refused, Colour.RED)}\n"


def reconcile_text(said: str, painter: Painter) -> str:
    """What a reconcile did."""
    return f"{painter.paint(escape(said), Colour.BOLD)}\n"


def status_text(evaluation: Evaluation, painter: Painter) -> str:
    """How full each pool is today."""
    rows = [_status_row(key, evaluation.plan.before[key]) for key in evaluation.plan.after]
    headers = ("NAME", "KIND", "TOTAL", "ALLOC", "AVAIL", "COUNT", "FRAG", "USED%", "TIER")
    return table(headers, rows, painter, right="234567") or "No pools found.\n"


def _status_row(key: Key, usage: Usage) -> list[Cell]:
    return [
        key.name,
        key.kind,
        str(usage.total),
        str(usage.allocated),
        str(usage.available),
        str(usage.count),
        str(usage.fragmentation),
        f"{usage.percent:.1f}",
        (usage.tier.value, _TIER[usage.tier]),
    ]


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
