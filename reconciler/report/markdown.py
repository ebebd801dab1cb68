"""Markdown for pull requests."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from html import escape as html
from typing import NamedTuple
from urllib.parse import quote

from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.findings import Finding, Severity
from reconciler.documents.text import escape
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Cause, Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.model.pool import Tier
from reconciler.model.settings import PATH
from reconciler.planning.digest import action_name, actions, digest, is_ahead, is_reported
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.planning.pool_map import PoolMap
from reconciler.report.findings import all_listed, gravest_first, verdict, within_sentence
from reconciler.report.json import sentences_of, title_of
from reconciler.report.maps import changed_lines
from reconciler.report.markup import Section, bar, code, cut, fence, fitted, prose
from reconciler.report.moves import blocks, moves_of, range_of, room_of, sentence_of, transfers_of
from reconciler.report.text.plan import (
    commit_of,
    counted,
    growth,
    own_documents,
    renamed_words,
    whence,
)
from reconciler.review.preview import NOTHING, ClusterChange, Preview
from reconciler.review.result import Compared, Together

MAX_CLUSTERS = 40
"""Maximum number of shown clusters. The others are only counted."""
_CONTEXT = 3
_LINE = 300


class _Block(NamedTuple):
    """Lines in a fence that can be truncated, between a head and an end."""

    head: str
    language: str
    lines: Sequence[str]
    end: str

    @property
    def size(self) -> int:
        return sum(len(line) + 1 for line in self.lines)


def with_preview(sections: Sequence[Section], preview: Preview, room: int) -> list[str]:
    """Return sections and then a preview in at most `room` characters, at least half for each."""
    asked = sum(map(len, previewed(preview, room // 2)))
    parts = fitted(sections, room - asked)
    return [*parts, *previewed(preview, room - sum(map(len, parts)))]


def previewed(preview: Preview, room: int) -> list[str]:
    """Return the sections of a preview in at most `room` characters."""
    blocks = [_map(*found) for found in preview.maps]
    # The objects of the management cluster repeat the tables, so they come last.
    shown = sorted(preview.applied, key=lambda it: it.cluster == MANAGEMENT)[:MAX_CLUSTERS]
    blocks += [_cluster(found) for found in shown]
    texts = _fitted(blocks, room)
    count = len(preview.maps)
    parts = []
    if preview.maps:
        parts.append("\n".join(["#### Maps, before → after\n", *texts[:count]]))
    if preview.applied or preview.why:
        listed = ["#### What clusters get\n", *texts[count:]]
        if more := len(preview.applied) - len(shown):
            listed.append(f"*{more} more clusters do not fit here; `ipam render` has them.*\n")
        if preview.why:
            listed.append(f"*{preview.why}*\n")
        parts.append("\n".join(listed))
    return parts


def _map(before: PoolMap, after: PoolMap) -> _Block:
    return _Block("", "text", [_line(it) for it in changed_lines(before, after)], "")


def _cluster(found: ClusterChange) -> _Block:
    paths = sorted(
        path
        for path in found.before.keys() | found.after.keys()
        if found.before.get(path) != found.after.get(path)
    )
    lines = [_line(it) for path in paths for it in _diff(path, found)]
    many = "1 object changes" if len(paths) == 1 else f"{len(paths)} objects change"
    title = f"<code>{html(cut(escape(found.cluster), _LINE))}</code>: {many}"
    return _Block(f"<details><summary>{title}</summary>\n\n", "diff", lines, "\n</details>\n")


def _diff(path: str, found: ClusterChange) -> Iterator[str]:
    old, new = found.before.get(path), found.after.get(path)
    was = f"a/{path}" if old is not None else "/dev/null"
    now = f"b/{path}" if new is not None else "/dev/null"
    sides = ((old or "").splitlines(), (new or "").splitlines())
    return unified_diff(*sides, was, now, lineterm="", n=_CONTEXT)


def _line(text: str) -> str:
    return cut(escape(text), _LINE)


def _fitted(blocks: Sequence[_Block], room: int) -> list[str]:
    """Return blocks in at most `room` characters. Short blocks leave their space to others."""
    texts = {}
    by_size = sorted(range(len(blocks)), key=lambda at: blocks[at].size)
    for done, at in enumerate(by_size):
        texts[at] = _rendered(blocks[at], room // (len(blocks) - done))
        room -= len(texts[at]) + 1
    return [texts[at] for at in range(len(blocks))]


def _rendered(block: _Block, room: int) -> str:
    marks = fence(block.lines)
    left = room - len(block.head) - len(block.end) - 2 * len(marks) - 120
    fitting = 0
    for line in block.lines:
        left -= len(line) + 1
        if left < 0:
            break
        fitting += 1
    lines = [f"{marks}{block.language}", *block.lines[:fitting], marks]
    omitted = len(block.lines) - fitting
    more = f"\n*{omitted} more lines do not fit here.*\n" if omitted else ""
    return block.head + "\n".join(lines) + "\n" + more + block.end


# CI jobs find and update the existing comment by this marker.
MARKER = "<!-- ipam -->"
# GitHub accepts 65,536. CI jobs add text around the comment.
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
    """Return the comment of a change in at most `LIMIT` characters.

    It has the verdict, moves and transfers, findings, exact addresses, and capacity. If known, maps
    and the objects of clusters follow.

    Args:
        compared: The evaluation.
        verb: The command that printed it, for the command line in the footer.
        base: The base revision, as the user named it.
        keeps: Whether unchanged allocations are listed.
        preview: Result of the merge.
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
    # Findings that stop a change come first, warnings last.
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
        if (keeps or is_reported(decision, evaluation)) and not is_ahead(decision, evaluation)
    ]


def _moves(evaluation: Evaluation) -> list[str]:
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
    """Return the pools that the plan changes, and those that are nearly full."""
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
    """Return the compared revisions, the digest, and the command that repeats the output."""
    revision = evaluation.tree.revision
    parts = [
        f"Revision {code(revision)}" if revision else "The work tree",
        *([f"base {code(base)}{_of(base, commit)}"] if base else []),
        f"digest `{digest(actions(evaluation))}`",
    ]
    # HEAD is another commit in the reader's clone, and a branch moves on.
    named = commit[:12] or base or ""
    if revision and not named.startswith("HEAD"):
        words = ["ipam", verb, *(["--base", named] if named else []), "--rev", revision[:12]]
        command = " ".join(words)
        parts.append(f"again: {code(command)}")
    return f"<sub>{' · '.join(parts)}</sub>\n"


def _of(base: str, commit: str) -> str:
    """Return the commit of a base, or empty if the base was named by its commit."""
    return f" ({code(commit[:12])})" if commit and base != commit else ""


WHOLE = "."
"""The path of findings about the whole repository."""


def at_top(compared: Compared, root: str) -> Compared:
    """Return the comparison with the paths of findings and files relative to the top.

    Paths in messages and hints stay relative to the root, in which users work.

    Args:
        compared: The comparison, relative to the root.
        root: The root folder, or empty for the top.
    """
    if not root:
        return compared
    return replace(
        compared,
        evaluation=_moved(compared.evaluation, root),
        inherited=tuple(_placed(item, root) for item in compared.inherited),
        causes=tuple(_caused(item, root) for item in compared.causes),
    )


def marked(text: str, root: str) -> str:
    """Return a Markdown comment with a marker that distinguishes it from those of other roots."""
    return text.replace(MARKER, MARKER.replace("ipam", f"ipam {quote(root)}"), 1) if root else text


def _placed(found: Finding, root: str) -> Finding:
    path = found.location.path
    inside = PATH if path == WHOLE else path
    return replace(found, location=found.location._replace(path=f"{root}/{inside}"))


def _caused(cause: Cause, root: str) -> Cause:
    place = cause.place
    if place is None:
        return cause
    return replace(cause, place=place._replace(path=f"{root}/{place.path}"))


def _moved(evaluation: Evaluation, root: str) -> Evaluation:
    tree = evaluation.tree
    sources = tuple(replace(item, path=f"{root}/{item.path}") for item in tree.sources)
    return replace(
        evaluation,
        findings=tuple(_placed(item, root) for item in evaluation.findings),
        gates=tuple(_placed(item, root) for item in evaluation.gates),
        tree=replace(tree, sources=sources),
    )
