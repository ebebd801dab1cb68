"""Markdown for pull requests."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from html import escape as html
from urllib.parse import quote

from msgspec.structs import replace

from reconciler.documents.findings import Finding, Severity, plural
from reconciler.documents.text import escape
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Cause, Decision, Expire, Grant, Keep, Refuse, Release
from reconciler.model.pool import Tier
from reconciler.model.settings import Settings
from reconciler.planning.digest import action_name, actions, digest
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.report.findings import (
    all_listed,
    gravest_first,
    place_of,
    verdict,
    where,
    within_sentence,
)
from reconciler.report.maps import changed_lines
from reconciler.report.markup import Fenced, Section, bar, code, cut, fitted, prose
from reconciler.report.text import plan as plans
from reconciler.review.preview import NOTHING, ClusterChange, Preview
from reconciler.review.result import Compared

MAX_CLUSTERS = 40
_CONTEXT = 3
_LINE = 300


def with_preview(sections: Sequence[Section], preview: Preview, room: int) -> list[str]:
    """Return sections and then a preview in at most `room` characters, at least half for each."""
    asked = sum(map(len, previewed(preview, room // 2)))
    parts = fitted(sections, room - asked)
    return [*parts, *previewed(preview, room - sum(map(len, parts)))]


def previewed(preview: Preview, room: int) -> list[str]:
    """Return the sections of a preview in at most `room` characters."""
    blocks = [
        Fenced("", "text", [_line(it) for it in changed_lines(*found)], "")
        for found in preview.maps
    ]
    # The objects of the management cluster repeat the tables, so they come last.
    shown = sorted(preview.applied, key=lambda it: it.cluster == MANAGEMENT)[:MAX_CLUSTERS]
    blocks += [_cluster(found) for found in shown]
    texts = fitted(blocks, room, gap=1)
    count = len(preview.maps)
    parts = []
    if preview.maps:
        parts.append("\n".join(["#### Maps, before → after\n", *texts[:count]]))
    if preview.applied or preview.why:
        listed = ["#### Objects in clusters\n", *texts[count:]]
        if more := len(preview.applied) - len(shown):
            listed.append(
                f"*{plural(more, 'more cluster')} left out. Run `ipam render` to see all.*\n"
            )
        if preview.why:
            listed.append(f"*{preview.why}*\n")
        parts.append("\n".join(listed))
    return parts


def _cluster(found: ClusterChange) -> Fenced:
    paths = sorted(
        path
        for path in found.before.keys() | found.after.keys()
        if found.before.get(path) != found.after.get(path)
    )
    lines = [_line(it) for path in paths for it in _diff(path, found)]
    many = f"{plural(len(paths), 'object')} changed"
    title = f"<code>{html(cut(escape(found.cluster), _LINE))}</code>: {many}"
    return Fenced(f"<details><summary>{title}</summary>\n\n", "diff", lines, "\n</details>\n")


def _diff(path: str, found: ClusterChange) -> Iterator[str]:
    old, new = found.before.get(path), found.after.get(path)
    was = f"a/{path}" if old is not None else "/dev/null"
    now = f"b/{path}" if new is not None else "/dev/null"
    sides = ((old or "").splitlines(), (new or "").splitlines())
    return unified_diff(*sides, was, now, lineterm="", n=_CONTEXT)


def _line(text: str) -> str:
    return cut(escape(text), _LINE)


# CI jobs find and update the existing comment by this marker.
MARKER = "<!-- ipam -->"
# GitHub accepts 65,536. CI jobs add text around the comment.
LIMIT = 60_000
_AROUND = 2_000
_VERDICT = {Severity.ERROR: "❌", Severity.GATE: "⛔", None: "✅"}
_SEVERITY = {Severity.ERROR: "❌", Severity.GATE: "⛔", Severity.WARNING: "⚠️", Severity.INFO: "📝"}
_ACTION = {Keep: "▫️", Grant: "🟢", Release: "🟠", Expire: "⚪", Refuse: "🔴"}
_TIER = {Tier.OK: "🟢", Tier.WARNING: "🟡", Tier.CRITICAL: "🟠", Tier.EXHAUSTED: "🔴"}
_ALLOCATIONS = "| Change | Claim | Pool | Addresses | Count | Source |\n| :--- | :--- | :--- | :--- | ---: | :--- |\n"
_MOVES = "| Claim | From | To | Old range | Pools after |\n| :--- | :--- | :--- | :--- | :--- |\n"
_TRANSFERS = "| Claim | Addresses | From | To | Source |\n| :--- | :--- | :--- | :--- | :--- |\n"
_CAPACITY = "| Pool | Usage | Before → after | Free | Largest range | Level |\n| :--- | :--- | :--- | ---: | ---: | :--- |\n"


def markdown_text(
    compared: Compared,
    verb: str,
    *,
    base: str | None = None,
    keeps: bool = False,
    preview: Preview = NOTHING,
) -> str:
    """Return the comment of a change in at most `LIMIT` characters."""
    evaluation = compared.evaluation
    worst, says, listed = verdict(evaluation, len(compared.inherited))
    moves, transfers = _moves(evaluation), _transfers(evaluation)
    moved = f"**{len(moves)} moved**" if moves else "0 moved"
    head = f"{says}: {listed}; {plans.counted(evaluation)}, {moved}"
    own = plans.own_documents(compared.causes)
    listed_rows = plans.listed_decisions(evaluation, keeps=keeps)
    allocations = [_allocation(it, evaluation, own) for it in listed_rows]
    sections = [
        Section("Addresses", _ALLOCATIONS, allocations),
        Section("Capacity", _CAPACITY, _capacity(evaluation)),
    ]
    settings = evaluation.tree.settings
    findings = Section(
        "Findings", "", [_finding(item, settings) for item in all_listed(evaluation)]
    )
    # Findings that stop a change come first, warnings last.
    sections.insert(0 if worst else len(sections), findings)
    sections.insert(0, Section(plural(len(transfers), "transfer"), _TRANSFERS, transfers))
    sections.insert(0, Section(plural(len(moves), "move"), _MOVES, moves))
    inherited = [
        f"- **{it.code}** at {code(str(it.location))}: {prose(it.message)}"
        for it in gravest_first(compared.inherited)
    ]
    sections.append(Section("Already in the base", "", inherited))
    for title, found in plans.blocks(compared.causes):
        sections.append(Section(title, "", [f"- {prose(it)}" for it in found]))
    also = [
        "<br>".join([f"- {code(plans.title_of(it))}", *map(prose, plans.sentences_of(it))])
        for it in compared.also
    ]
    sections.append(Section("With other open pull requests", "", also))
    parts = [f"{MARKER}\n### {_VERDICT[worst]} {head}\n"]
    if not (allocations or moves or transfers):
        parts.append("This change does not affect any addresses.\n")
    if within := within_sentence(compared.within_contract):
        parts.append(f"{prose(within)}\n")
    shown = [section for section in sections if section.rows]
    parts += with_preview(shown, preview, LIMIT - _AROUND)
    parts.append(_footer(evaluation, verb, base, preview.base))
    return "\n".join(parts)


def _moves(evaluation: Evaluation) -> list[str]:
    rows = []
    for move in plans.moves_of(evaluation):
        sides = move.old, move.new
        pools = dict.fromkeys(it.pool for it in sides)
        rooms = "; ".join(f"{code(it.name)} {plans.pool_usage(evaluation, it)}" for it in pools)
        claim = f"{code(plans.owner_name(move.claim))} {prose(move.claim.slot)}"
        old, new = (f"{code(plans.range_of(it))} in pool {code(it.pool.name)}" for it in sides)
        until = move.until or "**free at once**"
        if move.giver is not None:
            new += f"<br>{code(move.giver.short)} → {code(move.new.owner.short)}"
        rows.append(f"| 🟠 {claim} | {old} | {new} | {until} | {rooms} |")
    return rows


def _transfers(evaluation: Evaluation) -> list[str]:
    rows = []
    for decision, giver in plans.transfers_of(evaluation):
        record = decision.allocation
        claim, source = record.claim, evaluation.state.claims[record.claim].source
        cells = (
            f"🟠 {code(plans.owner_name(claim))} {prose(claim.slot)}",
            f"{code(plans.range_of(record))} in pool {code(record.pool.name)}",
            ", ".join([code(giver.short), *map(prose, plans.renamed_words(decision, evaluation))]),
            code(record.owner.short),
            code(str(source)),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _allocation(decision: Decision, evaluation: Evaluation, own: Mapping[Key, Cause]) -> str:
    claim = decision.claim
    claimed = evaluation.state.claims.get(claim)
    place = prose(plans.origin(claim, evaluation, own))
    if claimed is not None:
        commit = own[claim].commit[:12] if claim in own else ""
        place = f"{code(str(claimed.source))} {commit}".rstrip()
    if isinstance(decision, Refuse):
        asked = evaluation.state.claims[claim]
        pools, size = asked.wanted, asked.size
        given = prose(decision.reason)
    else:
        allocation = decision.allocation
        pools, size = (allocation.pool.name,), allocation.size
        given = code(plans.range_of(allocation)) if allocation.range else "nothing"
        if words := plans.growth(decision, evaluation):
            given += f"<br>{words}"
    is_back = is_held(decision, evaluation)
    does = "held back by the release limit" if is_back else action_name(decision, evaluation)
    action = ", ".join([does, *map(prose, plans.renamed_words(decision, evaluation))])
    cells = (
        f"{'🟡' if is_back else _ACTION[type(decision)]} {action}",
        f"{code(plans.owner_name(claim))} {prose(claim.slot)}",
        ", ".join(code(name) for name in pools),
        given,
        str(size),
        place,
    )
    return f"| {' | '.join(cells)} |"


def _capacity(evaluation: Evaluation) -> list[str]:
    rows = []
    for key, after in evaluation.plan.after.items():
        before, tier = evaluation.plan.before[key], after.tier.value
        if after == before and after.tier is Tier.OK:
            continue
        if before.tier is not after.tier:
            tier = f"{before.tier.value} → **{tier}**"
        used = bar(before.percent, after.percent), *plans.changed_usage(before, after)
        rows.append(f"| {' | '.join((code(key.name), *used, f'{_TIER[after.tier]} {tier}'))} |")
    return rows


def _finding(item: Finding, settings: Settings) -> str:
    url = settings.url_of(item.code)
    name = f"[{item.code}]({url})" if url else item.code
    at = f" at {code(where(item.location))}" if item.location.path != "." else ""
    hint = f"<br>💡 {prose(item.hint)}" if item.hint else ""
    return f"- {_SEVERITY[item.severity]} **{name}**{at}<br>{prose(item.message)}{hint}"


def _footer(evaluation: Evaluation, verb: str, base: str | None, commit: str = "") -> str:
    revision = evaluation.tree.revision
    named = f" ({code(commit[:12])})" if commit and base != commit else ""
    parts = [
        f"Revision {code(revision)}" if revision else "The work tree",
        *([f"base {code(base)}{named}"] if base else []),
        f"digest `{digest(actions(evaluation))}`",
    ]
    # HEAD is another commit in the reader's clone, and a branch moves on.
    onto = commit[:12] or base or ""
    if revision and not onto.startswith("HEAD"):
        words = ["ipam", verb, *(["--base", onto] if onto else []), "--rev", revision[:12]]
        command = " ".join(words)
        parts.append(f"reproduce: {code(command)}")
    return f"<sub>{' · '.join(parts)}</sub>\n"


def at_top(compared: Compared, root: str) -> Compared:
    """Return the comparison with paths relative to the top, except for those in messages."""
    if not root:
        return compared
    evaluation, tree = compared.evaluation, compared.evaluation.tree
    sources = tuple(replace(item, path=f"{root}/{item.path}") for item in tree.sources)
    return replace(
        compared,
        evaluation=replace(
            evaluation,
            findings=tuple(_placed(item, root) for item in evaluation.findings),
            gates=tuple(_placed(item, root) for item in evaluation.gates),
            tree=replace(tree, sources=sources),
        ),
        inherited=tuple(_placed(item, root) for item in compared.inherited),
        causes=tuple(
            replace(it, place=it.place and replace(it.place, path=f"{root}/{it.place.path}"))
            for it in compared.causes
        ),
    )


def marked(text: str, root: str) -> str:
    """Return a Markdown comment with a marker that distinguishes it from comments of other roots."""
    return text.replace(MARKER, MARKER.replace("ipam", f"ipam {quote(root)}"), 1) if root else text


def _placed(found: Finding, root: str) -> Finding:
    place = replace(place_of(found), line=found.location.line)
    return replace(found, location=replace(place, path=f"{root}/{place.path}"))
