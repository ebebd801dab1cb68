"""Text of plans and checks."""

from collections.abc import Mapping, Sequence

from reconciler.addresses import IPRange, format_short
from reconciler.documents.findings import Finding, join_limited
from reconciler.documents.text import escape
from reconciler.families import known_as
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Decision, Expire, Grant, Keep, Refuse, Release
from reconciler.planning.digest import (
    actions,
    digest,
    former_of,
    growth_of,
    is_ahead,
    is_reported,
    summary,
)
from reconciler.planning.documents import is_observed
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.planning.retention import retention_end
from reconciler.records.layout import UNPLACED
from reconciler.report.findings import gravest_first, verdict, within_sentence
from reconciler.report.json import sentences_of, title_of
from reconciler.report.moves import (
    blocks,
    change_of_owner,
    moves_of,
    place_of,
    range_of,
    room_of,
    sentence_of,
    transfers_of,
)
from reconciler.report.text.table import TIER_COLOURS, Cell, Colour, Painter, findings_text, table
from reconciler.review.result import Compared, Together

_SIGN = {
    Keep: ("=", None),
    Grant: ("+", Colour.GREEN),
    Release: ("-", Colour.RED),
    Expire: ("×", Colour.DIM),  # noqa: RUF001 - a sign, not a letter
    Refuse: ("!", Colour.RED),
}


def plan_text(
    evaluation: Evaluation, painter: Painter, *, keeps: bool = False, causes: Sequence[Cause] = ()
) -> str:
    """What moves, what else reconciling does, how full it makes the pools, and the sum of it.

    Args:
        evaluation: The evaluation.
        painter: Colours.
        keeps: Also what stays.
        causes: What of a change causes each decision: it knows where documents stood that are gone.
    """
    own = own_documents(causes)
    tree = evaluation.tree
    marked = digest(actions(evaluation))
    head = f"Plan for {tree.revision[:12] if tree.revision else 'the work tree'}"
    rows = [
        _row(decision, evaluation, own)
        for decision in evaluation.plan.decisions
        if (keeps or is_reported(decision, evaluation)) and not is_ahead(decision, evaluation)
    ]
    parts = [f"{painter.paint(head, Colour.BOLD)}   {painter.paint(marked, Colour.DIM)}\n"]
    parts.append(moves_text(evaluation, painter))
    parts.append(transfers_text(evaluation, painter))
    parts.append(_indented(table((), rows, painter, right=(4,))))
    parts.append(_refusals(evaluation, painter))
    parts.append(_capacity(evaluation, painter))
    parts.append(_sum(evaluation, painter))
    return "".join(part for part in parts if part)


def moves_text(evaluation: Evaluation, painter: Painter) -> str:
    """How many claims move, and each from where to where; empty for none."""
    if not evaluation.moves:
        return ""

    moves = moves_of(evaluation)
    rows: list[list[Cell]] = []
    for move in moves:
        old, new = (
            f"{range_of(it)} of {it.pool.name} ({room_of(evaluation, it.pool)})"
            for it in (move.old, move.new)
        )
        owner = move.claim._replace(slot="").short
        whose = [change_of_owner(move.giver, move.new)] if move.giver is not None else []
        cells: list[Cell] = [owner, move.claim.slot, old, "→", (new, Colour.YELLOW), *whose]
        rows.append([("~", Colour.YELLOW), *cells])
    if not moves:
        return ""
    left = [(range_of(move.old), move.stays) for move in moves]
    head = painter.paint(f"{len(moves)} moves", Colour.BOLD, Colour.YELLOW)
    return f"{head}\n{_indented(table((), rows, painter))}{_afterwards(left)}"


def transfers_text(evaluation: Evaluation, painter: Painter) -> str:
    """How many ranges go to another owner, and each from whom to whom; empty for none."""
    if not evaluation.state.givers:
        return ""

    rows: list[list[Cell]] = []
    for transfer in transfers_of(evaluation):
        record = transfer.decision.allocation
        claim, source = record.claim, evaluation.state.claims[record.claim].source
        words = renamed_words(transfer.decision, evaluation)
        place = ", ".join([f"{source.path}:{source.line}", *words])
        held = f"{range_of(record)} of {record.pool.name}"
        named = [claim._replace(slot="").short, claim.slot, place]
        rows.append(
            [("~", Colour.YELLOW), "transfer", held, (transfer.words, Colour.YELLOW), *named]
        )
    if not rows:
        return ""
    head = painter.paint(
        f"{len(rows)} transfer{'' if len(rows) == 1 else 's'}", Colour.BOLD, Colour.YELLOW
    )
    return f"{head}\n{_indented(table((), rows, painter))}"


def _afterwards(left: Sequence[tuple[str, bool]]) -> str:
    """What becomes of the ranges that are left, each with whether it stays announced."""
    stays, free = (
        join_limited([text for text, is_kept in left if is_kept is it]) for it in (True, False)
    )
    told = f"  {stays}: announced until nobody uses it\n" if stays else ""
    return f"{told}  {free}: free at once, whoever uses it\n" if free else told


def _refusals(evaluation: Evaluation, painter: Painter) -> str:
    """Why claims get nothing, and what would help."""
    lines = []
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Refuse):
            lines.append(f"  {escape(f'{decision.claim.short}: {decision.message}')}\n")
            lines.append(f"  {painter.paint(f'  hint: {escape(decision.hint)}', Colour.DIM)}\n")
    return f"{painter.paint('Refused', Colour.BOLD)}\n{''.join(lines)}" if lines else ""


def own_documents(causes: Sequence[Cause]) -> Mapping[Key, Cause]:
    """Those that stand, or stood, in the document of the claim itself."""
    return {it.claim: it for it in causes if it.place is not None and not it.reason}


def _row(decision: Decision, evaluation: Evaluation, own: Mapping[Key, Cause]) -> list[Cell]:
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
    place = whence(claim, evaluation, own)
    place += "".join(f", {words}" for words in renamed_words(decision, evaluation))
    text = format_short(allocation.range) if allocation.range else "nothing"
    if is_held(decision, evaluation):
        sign, colour, place = "=", Colour.YELLOW, f"{place}  held back by a brake"
    if words := growth(decision, evaluation):
        place = f"{place}  {words}"
    return [(sign, colour), owner, claim.slot, allocation.pool.name, str(allocation.size),
            (text, colour), place]  # fmt: skip


def whence(claim: Key, evaluation: Evaluation, own: Mapping[Key, Cause]) -> str:
    """Where a claim is asked for; of one that nobody asks for any more, what became of its document.

    Args:
        claim: The claim.
        evaluation: The evaluation.
        own: As `own_documents` gives them.
    """
    asked = evaluation.state.claims.get(claim)
    if asked is not None:
        place, commit = f"{asked.source.path}:{asked.source.line}", commit_of(claim, own)
        return f"{place} ({commit})" if commit else place
    kind = known_as(claim.family, claim.kind)
    document = evaluation.documents.find(kind, claim.namespace, claim.name)
    if document is not None:
        return f"{document.path}:{document.start.line} asks for none"
    gone = f"its {claim.kind or 'claim'} is gone"
    if claim not in own:
        return gone

    return f"{gone}: {place_of(own[claim])}"


def commit_of(claim: Key, own: Mapping[Key, Cause]) -> str:
    """The commit of a change that wrote the document of a claim, in short; empty where none did.

    Args:
        claim: The claim.
        own: As `own_documents` gives them.
    """
    return own[claim].short if claim in own else ""


def growth(decision: Decision, evaluation: Evaluation) -> str:
    """`grow 8 → 16: + 10.60.1.52-59` where a grant adds to what its owner has; else empty."""
    grown = growth_of(decision, evaluation)
    if grown is None or isinstance(decision, Refuse) or decision.allocation.range is None:
        return ""
    return f"grow {grown[0]} → {grown[1]}: + {_brief(decision.allocation.range)}"


def _brief(item: IPRange) -> str:
    """A range with the last part alone of its end, where the other parts are those of its start."""
    first, _, last = format_short(item).partition("-")
    network, _, end = last.rpartition(".")
    return f"{first}-{end}" if network and first.startswith(f"{network}.") else format_short(item)


def renamed_words(decision: Decision, evaluation: Evaluation) -> list[str]:
    """What a record was called before: `renamed from team-a/one`, `pool renamed from edge`."""
    former = former_of(decision, evaluation)
    if former is None:
        return []
    names = (("renamed from", former.claim), ("pool renamed from", former.pool))
    return [f"{what} {key._replace(slot='').short}" for what, key in names if key is not None]


def _capacity(evaluation: Evaluation, painter: Painter) -> str:
    """Pools that the plan changes, before and after."""
    plan = evaluation.plan
    return pools_text([key for key, after in plan.after.items() if plan.before[key] != after],
                      evaluation, painter)  # fmt: skip


def pools_text(keys: Sequence[Key], evaluation: Evaluation, painter: Painter) -> str:
    """Some pools, before and after; of one that gets another size, both sizes."""
    plan = evaluation.plan
    rows: list[list[Cell]] = []
    for key in keys:
        before, after = plan.before[key], plan.after[key]
        use = f"{before.percent}% → {after.percent}% of {after.total}"
        free = f"{after.available} free, largest run {after.largest}"
        if before.total != after.total:
            use = f"{before.percent}% of {before.total} → {after.percent}% of {after.total}"
            free = f"{before.available} → {after.available} free, largest run"
            free = f"{free} {before.largest} → {after.largest}"
        rows.append([key.name, use, free, (after.tier.value, TIER_COLOURS[after.tier])])
    shown = table((), rows, painter)
    return f"{painter.paint('Pools', Colour.BOLD)}\n{_indented(shown)}" if shown else ""


def _sum(evaluation: Evaluation, painter: Painter) -> str:
    counts = summary(evaluation)
    rewritten, moved = len(evaluation.changes), counts["moved"]
    if not rewritten and not counts["refuse"]:
        return f"No changes. {counts['keep']} allocations kept, {moved} moved.\n"
    text = f"Plan: {counted(evaluation)}, {moved} moved."
    refused = f" {counts['refuse']} refused." if counts["refuse"] else ""
    bold = painter.paint(text, Colour.BOLD)
    return f"{bold}{painter.paint(refused, Colour.RED) if refused else ''}\n"


def counted(evaluation: Evaluation) -> str:
    """What there is to do, and how much stays: `2 to allocate, 1 to release, 12 kept`."""
    counts = summary(evaluation)
    held = sum(is_held(it, evaluation) for it in evaluation.plan.decisions)
    counts["release"] -= held
    names = [name for name in ("allocate", "release", "expire") if counts[name]]
    words = [f"{counts[name]} to {name}" for name in names]
    if held:
        words.append(f"{held} held back by a brake")
    if transferred := counts.get("transferred"):
        words.insert(0, f"{transferred} to transfer")
    if renamed := sum(1 for it in evaluation.plan.decisions if former_of(it, evaluation)):
        words.append(f"{renamed} to rename")
    settings = evaluation.tree.settings
    records = [item for item in evaluation.changes if not is_observed(settings, item.path)]
    rewritten = [item for item in records if f"/{UNPLACED}/" not in item.path]
    copies = len(evaluation.changes) - len(records)  # which people describe themselves
    if copies:
        words.append(f"{copies} observed to remove")
    if not words and rewritten and not evaluation.moves:
        # Nobody's addresses change, but a team, a place or the form of some record does.
        words = [f"{len(rewritten)} to rewrite"]
    return ", ".join([*words, f"{counts['keep']} kept"])


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


MAX_CAUSES = 20
"""So many decisions are told with why they are none of the change's own documents."""
MAX_RELEASES = 10
"""So many releases are shown each; of others how many there are."""
MAX_INHERITED = 10
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
    for decision in found[:MAX_RELEASES]:
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
        lines += [f"  {escape(sentence_of(it))}" for it in found[:MAX_CAUSES]]
        if more := len(found[MAX_CAUSES:]):
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
    shown = gravest_first(inherited)[:MAX_INHERITED]
    lines = [f"In {escape(base)} already, and left as it is:"]
    lines += [f"  {escape(str(it.location))}: {it.code}: {escape(it.message)}" for it in shown]
    if inherited[MAX_INHERITED:]:
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
