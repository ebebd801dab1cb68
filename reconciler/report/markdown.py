"""Evaluations as Markdown: the comment on a pull request, and the summary of a step."""

from collections.abc import Mapping

from reconciler.addresses.notation import format_short
from reconciler.digest import action_name, actions, digest, is_ahead, is_told
from reconciler.evaluate import Evaluation, is_held
from reconciler.findings import Finding, Severity
from reconciler.model.cause import Cause
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.model.pool import Tier
from reconciler.report.capped import gravest_first
from reconciler.report.causes import blocks, sentence_of
from reconciler.report.found import all_listed, verdict, within_sentence
from reconciler.report.markup import Section, bar, code, prose
from reconciler.report.moves import moves_of, range_of, room_of, transfers_of
from reconciler.report.preview import with_preview
from reconciler.report.text.plan import (
    commit_of,
    counted,
    growth,
    own_documents,
    renamed_words,
    whence,
)
from reconciler.report.together import sentences_of, title_of
from reconciler.review.other_changes import Together
from reconciler.review.preview import NOTHING, Preview
from reconciler.review.result import Compared

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
_MOVES = "| Claim | From | To | Old range | Pools then |\n| :--- | :--- | :--- | :--- | :--- |\n"
_TRANSFERS = "| Claim | Addresses | From | To | Source |\n| :--- | :--- | :--- | :--- | :--- |\n"
_CAPACITY = (
    "| Pool | Use | Before → after | Free | Largest run | Tier |\n"
    "| :--- | :--- | :--- | ---: | ---: | :--- |\n"
)


def markdown_text(
    compared: Compared,
    verb: str,
    *,
    base: str | None = None,
    keeps: bool = False,
    preview: Preview = NOTHING,
) -> str:
    """The verdict, what moves or changes hands, findings, exact addresses and capacity, in at most `LIMIT` characters.

    Then maps and what clusters get, where that is known.

    Args:
        compared: The evaluation.
        verb: The verb that printed it, for the line that tells how to do it again.
        base: The base revision, as it was asked for.
        keeps: Also what stays.
        preview: What merging comes to.
    """
    evaluation = compared.evaluation
    worst, says, listed = verdict(evaluation, len(compared.inherited))
    moves, transfers = _moves(evaluation), _transfers(evaluation)
    moved = f"**{len(moves)} moved**" if moves else "0 moved"
    head = f"{says[0].upper()}{says[1:]}: {listed}; {counted(evaluation)}, {moved}"
    allocations = _allocations(compared, keeps=keeps)
    sections = [
        Section("Addresses", _ALLOCATIONS, allocations),
        Section("Capacity", _CAPACITY, _capacity(evaluation)),
    ]
    findings = Section("Findings", "", [_finding(item) for item in all_listed(evaluation)])
    # What stops a change is told first; what only warns, last.
    sections.insert(0 if worst else len(sections), findings)
    many = "" if len(transfers) == 1 else "s"
    sections.insert(0, Section(f"{len(transfers)} transfer{many}", _TRANSFERS, transfers))
    sections.insert(0, Section(f"{len(moves)} moves", _MOVES, moves))
    inherited = [_inherited(item) for item in gravest_first(compared.inherited)]
    sections.append(Section("In the base already, and left as it is", "", inherited))
    for title, found in blocks(compared.causes):
        sections.append(Section(title, "", [f"- {prose(sentence_of(it))}" for it in found]))
    also = [_beside(item) for item in compared.also]
    sections.append(Section("Beside other open changes", "", also))
    parts = [f"{MARKER}\n### {_VERDICT[worst]} {head}\n"]
    if not (allocations or moves or transfers):
        parts.append("No address changes hands.\n")
    if within := within_sentence(compared.within_contract):
        parts.append(f"{prose(within)}\n")
    told = [section for section in sections if section.rows]
    parts += with_preview(told, preview, LIMIT - _AROUND)
    parts.append(_footer(evaluation, verb, base, preview.base))
    return "\n".join(parts)


def _allocations(compared: Compared, *, keeps: bool) -> list[str]:
    evaluation, own = compared.evaluation, own_documents(compared.causes)
    return [
        _allocation(decision, evaluation, own)
        for decision in evaluation.plan.decisions
        if (keeps or is_told(decision, evaluation)) and not is_ahead(decision, evaluation)
    ]


def _moves(evaluation: Evaluation) -> list[str]:
    """The claims that move: a row each."""
    rows = []
    for move in moves_of(evaluation):
        pools = dict.fromkeys((move.old.pool, move.new.pool))
        rooms = "; ".join(f"{code(it.name)} {room_of(evaluation, it)}" for it in pools)
        owner = code(move.claim._replace(slot="").short)
        old, new = (f"{code(range_of(it))} of {code(it.pool.name)}" for it in (move.old, move.new))
        until = "until nobody uses it" if move.stays else "**free at once**"
        if move.giver is not None:
            new += f"<br>{code(move.giver.short)} → {code(move.new.owner.short)}"
        rows.append(f"| 🟠 {owner} {prose(move.claim.slot)} | {old} | {new} | {until} | {rooms} |")
    return rows


def _transfers(evaluation: Evaluation) -> list[str]:
    """The ranges that go to another owner: a row each."""
    rows = []
    for transfer in transfers_of(evaluation):
        record = transfer.decision.allocation
        claim, source = record.claim, evaluation.state.claims[record.claim].source
        cells = (
            f"🟠 {code(claim._replace(slot='').short)} {prose(claim.slot)}",
            f"{code(range_of(record))} of {code(record.pool.name)}",
            ", ".join(
                [
                    code(transfer.giver.short),
                    *map(prose, renamed_words(transfer.decision, evaluation)),
                ]
            ),
            code(record.owner.short),
            code(str(source)),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _allocation(decision: Decision, evaluation: Evaluation, own: Mapping[Key, Cause]) -> str:
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
        if words := growth(decision, evaluation):
            given += f"<br>{words}"
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    is_back = is_held(decision, evaluation)
    does = "held back by a brake" if is_back else action_name(decision, evaluation)
    action = ", ".join([does, *map(prose, renamed_words(decision, evaluation))])
    cells = (
        f"{'🟡' if is_back else _ACTION[type(decision)]} {action}",
        f"{code(owner)} {prose(claim.slot)}",
        ", ".join(code(name) for name in pools),
        given,
        str(size),
        " ".join(filter(None, (code(str(claimed.source)), commit_of(claim, own))))
        if claimed
        else prose(whence(claim, evaluation, own)),
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
    use = f"{before.percent}% → {after.percent}% of {after.total}"
    free, largest = str(after.available), str(after.largest)
    if before.total != after.total:
        use = f"{before.percent}% of {before.total} → {after.percent}% of {after.total}"
        free, largest = f"{before.available} → {free}", f"{before.largest} → {largest}"
    cells = (
        code(key.name),
        bar(before.percent, after.percent),
        use,
        free,
        largest,
        f"{_TIER[after.tier]} {tier}",
    )
    return f"| {' | '.join(cells)} |"


def _finding(item: Finding) -> str:
    place = item.location
    where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
    at = f" at {code(where)}" if place.path != "." else ""
    hint = f"<br>💡 {prose(item.hint)}" if item.hint else ""
    return f"- {_SEVERITY[item.severity]} **{item.code}**{at}<br>{prose(item.message)}{hint}"


def _inherited(item: Finding) -> str:
    return f"- **{item.code}** at {code(str(item.location))}: {prose(item.message)}"


def _beside(item: Together) -> str:
    said = "".join(f"<br>{prose(sentence)}" for sentence in sentences_of(item))
    return f"- {code(title_of(item))}{said}"


def _footer(evaluation: Evaluation, verb: str, base: str | None, commit: str = "") -> str:
    """What was compared, its digest, and the command that does it again."""
    revision = evaluation.tree.revision
    parts = [
        f"Revision {code(revision)}" if revision else "The work tree",
        *([f"base {code(base)}{_of(base, commit)}"] if base else []),
        f"digest `{digest(actions(evaluation))}`",
    ]
    # HEAD is another commit for whoever reads this, and so is a branch later.
    named = commit[:12] or base or ""
    if revision and not named.startswith("HEAD"):
        words = ["ipam", verb, *(["--base", named] if named else []), "--rev", revision[:12]]
        command = " ".join(words)
        parts.append(f"again: {code(command)}")
    return f"<sub>{' · '.join(parts)}</sub>\n"


def _of(base: str, commit: str) -> str:
    """The commit that a base is, unless it was named by it."""
    return f" ({code(commit[:12])})" if commit and base != commit else ""
