"""Evaluations as Markdown: the comment on a pull request, and the summary of a step."""

from reconciler.addresses.notation import format_short
from reconciler.comparison import Compared
from reconciler.digest import action_name, actions, digest
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.model.pool import Tier
from reconciler.report.found import all_listed, verdict
from reconciler.report.markup import Section, bar, code, fitted, prose
from reconciler.report.text.plan import counted

# By this a job finds the comment that it made before, to write it anew.
MARKER = "<!-- ipam -->"
# GitHub takes 65,536; what a job puts around it needs room, too.
LIMIT = 60_000
_AROUND = 2_000
_VERDICT = {Severity.ERROR: "❌", Severity.GATE: "⛔", None: "✅"}
_SEVERITY = {
    Severity.ERROR: "❌",
    Severity.GATE: "⛔",
    Severity.WARNING: "⚠️",
    Severity.INFO: "📝",
}
_ACTION = {Keep: "▫️", Grant: "🟢", Release: "🟠", Expire: "⚪", Refuse: "🔴"}
_TIER = {Tier.OK: "🟢", Tier.WARNING: "🟡", Tier.CRITICAL: "🟠", Tier.EXHAUSTED: "🔴"}
_ALLOCATIONS = (
    "| Change | Claim | Pool | Addresses | Count | Source |\n"
    "| :--- | :--- | :--- | :--- | ---: | :--- |\n"
)
_CAPACITY = (
    "| Pool | Use | Before → after | Free | Largest run | Tier |\n"
    "| :--- | :--- | :--- | ---: | ---: | :--- |\n"
)


def markdown_text(
    compared: Compared, verb: str, *, base: str | None = None, keeps: bool = False
) -> str:
    """The verdict, findings, exact addresses and capacity, in at most `LIMIT` characters.

    Args:
        compared: The evaluation, and how many claims the change moves.
        verb: The verb that printed it, for the line that tells how to do it again.
        base: The base revision, as it was asked for.
        keeps: Also what stays.
    """
    evaluation = compared.evaluation
    worst, says, listed = verdict(evaluation)
    moved = f"**{compared.moved} moved**" if compared.moved else "0 moved"
    head = f"{says[0].upper()}{says[1:]}: {listed}; {counted(evaluation)}, {moved}"
    allocations = _allocations(evaluation, keeps=keeps)
    sections = [
        Section("Addresses", _ALLOCATIONS, allocations),
        Section("Capacity", _CAPACITY, _capacity(evaluation)),
    ]
    findings = Section("Findings", "", [_finding(item) for item in all_listed(evaluation)])
    # What stops a change is told first; what only warns, last.
    sections.insert(0 if worst else len(sections), findings)
    parts = [f"{MARKER}\n### {_VERDICT[worst]} {head}\n"]
    if not allocations:
        parts.append("No address changes hands.\n")
    told = [section for section in sections if section.rows]
    parts += fitted(told, LIMIT - _AROUND)
    parts.append(_footer(evaluation, verb, base))
    return "\n".join(parts)


def _allocations(evaluation: Evaluation, *, keeps: bool) -> list[str]:
    return [
        _allocation(decision, evaluation)
        for decision in evaluation.plan.decisions
        if keeps or not isinstance(decision, Keep)
    ]


def _allocation(decision: Decision, evaluation: Evaluation) -> str:
    claim = decision.claim
    claimed = evaluation.state.claims.get(claim)
    if isinstance(decision, Refuse):
        asked = evaluation.state.claims[claim]
        pools, size = asked.wanted, asked.size
        given = prose(decision.reason)
    else:
        allocation = decision.allocation
        pools, size = (allocation.pool.name,), allocation.size
        given = code(format_short(allocation.range)) if allocation.range else "nothing"
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    cells = (
        f"{_ACTION[type(decision)]} {action_name(decision)}",
        f"{code(owner)} {prose(claim.slot)}",
        ", ".join(code(name) for name in pools),
        given,
        str(size),
        code(str(claimed.source)) if claimed else "no claim",
    )
    return f"| {' | '.join(cells)} |"


def _capacity(evaluation: Evaluation) -> list[str]:
    """Pools that the plan changes, and those that are filling up."""
    plan = evaluation.plan
    return [
        _pool(key, plan.before[key], after)
        for key, after in plan.after.items()
        if after != plan.before[key] or after.tier is not Tier.OK
    ]


def _pool(key: Key, before: Usage, after: Usage) -> str:
    tier = after.tier.value
    if before.tier is not after.tier:
        tier = f"{before.tier.value} → **{tier}**"
    cells = (
        code(key.name),
        bar(before.percent, after.percent),
        f"{before.percent}% → {after.percent}% of {after.total}",
        str(after.available),
        str(after.largest),
        f"{_TIER[after.tier]} {tier}",
    )
    return f"| {' | '.join(cells)} |"


def _finding(item: Finding) -> str:
    place = item.location
    where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
    at = f" at {code(where)}" if place.path != "." else ""
    hint = f"<br>💡 {prose(item.hint)}" if item.hint else ""
    return f"- {_SEVERITY[item.severity]} **{item.code}**{at}<br>{prose(item.message)}{hint}"


def _footer(evaluation: Evaluation, verb: str, base: str | None) -> str:
    revision = evaluation.tree.revision
    parts = [
        f"Revision {code(revision)}" if revision else "The work tree",
        *([f"base {code(base)}"] if base else []),
        f"digest `{digest(actions(evaluation))}`",
    ]
    # HEAD is another commit for whoever reads this.
    if revision and not (base or "").startswith("HEAD"):
        command = " ".join(
            ["ipam", verb, *(["--base", base] if base else []), "--rev", revision[:12]]
        )
        parts.append(f"again: {code(command)}")
    return f"<sub>{' · '.join(parts)}</sub>\n"
