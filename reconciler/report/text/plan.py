"""Text of plans and checks, and the sentences that other formats share with them."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent
from typing import NamedTuple

from msgspec.structs import replace

from reconciler.addresses import format_count, format_short
from reconciler.documents.findings import Finding, join_limited, plural
from reconciler.documents.text import escape
from reconciler.families import known_as
from reconciler.model.claim import Allocation, Owner
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.planning import digest
from reconciler.planning.documents import is_observed
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.planning.retention import retention_end
from reconciler.records.layout import UNPLACED
from reconciler.report.findings import gravest_first, verdict, within_sentence
from reconciler.report.text.table import (
    TIER_COLOURS,
    Cell,
    Colour,
    Painter,
    explain_text,
    findings_text,
    limited,
    table,
)
from reconciler.review.result import Compared, Second, Together

_SIGN = {
    Keep: ("=", None),
    Grant: ("+", Colour.GREEN),
    Release: ("-", Colour.RED),
    Expire: ("×", Colour.DIM),  # noqa: RUF001 - a sign, not a letter
    Refuse: ("!", Colour.RED),
}
# Maximum numbers of lines in text. The JSON has all of them.
_MAX_CAUSES, _MAX_RELEASES, _MAX_INHERITED, _MAX_TOGETHER = 20, 10, 10, 10


def plan_text(
    evaluation: Evaluation, painter: Painter, *, keeps: bool = False, causes: Sequence[Cause] = ()
) -> str:
    """Return moves, transfers, other decisions, refusals, the usage of pools, and the sum."""
    own = own_documents(causes)
    tree = evaluation.tree
    head = f"Plan for {tree.revision[:12] if tree.revision else 'the work tree'}"
    marked = painter.paint(digest.digest(digest.actions(evaluation)), Colour.DIM)
    rows = [_row(it, evaluation, own) for it in listed_decisions(evaluation, keeps=keeps)]
    return "".join(
        [
            f"{painter.paint(head, Colour.BOLD)}   {marked}\n",
            moves_text(evaluation, painter),
            _transfers_text(evaluation, painter),
            indent(table((), rows, painter, right=(4,)), "  "),
            _refusals(evaluation, painter),
            pools_text(evaluation, painter),
            _sum(evaluation, painter),
        ]
    )


def listed_decisions(evaluation: Evaluation, *, keeps: bool) -> list[Decision]:
    """Return the decisions to list after moves and transfers."""
    return [
        it
        for it in evaluation.plan.decisions
        if keeps or digest.is_reported(it, evaluation)
        if digest.action_name(it, evaluation) not in ("move", "transfer")
    ]


class RangeMove(NamedTuple):
    """A claim that moves from its old range. `left` is the record of that range."""

    claim: Key
    old: Allocation
    new: Allocation
    left: Allocation | None
    giver: Owner | None = None

    @property
    def until(self) -> str:
        """Return how long the cluster or the retention holds the old range."""
        if self.left is None:
            return _AT_ONCE
        return _UNUSED if self.left.announced else _RETENTION


def moves_of(evaluation: Evaluation) -> list[RangeMove]:
    """Return the claims that move, by claim."""
    return [
        RangeMove(
            it.claim,
            evaluation.moves[it.claim],
            it.allocation,
            it.leaves if isinstance(it, Grant) else None,
            digest.giver_of(it, evaluation),
        )
        for it in (evaluation.plan.decisions if evaluation.moves else ())
        if isinstance(it, Grant | Keep) and digest.is_move(it, evaluation)
    ]


_UNUSED, _RETENTION, _AT_ONCE = "announced while in use", "reserved until retention ends", ""
_OLD_RANGES = {it: it or "free at once, even if in use" for it in (_UNUSED, _RETENTION, _AT_ONCE)}


def transfers_of(evaluation: Evaluation) -> list[tuple[Keep, Owner]]:
    """Return the kept records that go to another owner, by claim, with the owner in the record."""
    return [
        (it, giver)
        for it in (evaluation.plan.decisions if evaluation.state.givers else ())
        if isinstance(it, Keep) and digest.is_transfer(it, evaluation)
        if (giver := digest.giver_of(it, evaluation)) is not None
    ]


def owner_name(key: Key) -> str:
    """Return the namespace and name of a claim's owner."""
    return replace(key, slot="").short


def range_of(record: Allocation) -> str:
    """Return the range of a record in short form."""
    return format_short(record.range) if record.range is not None else "nothing"


def pool_usage(evaluation: Evaluation, pool: Key) -> str:
    """Return the usage of a pool after the plan."""
    usage = evaluation.plan.after.get(pool)
    if usage is None:
        return "not in this repository"
    return f"{usage.percent}% of {usage.total}, {usage.available} free"


def moves_text(evaluation: Evaluation, painter: Painter) -> str:
    """Return the number of moves, each with its old and new range, or empty."""
    moves = moves_of(evaluation)
    rows: list[list[Cell]] = []
    for move in moves:
        old, new = (f"{range_of(it)} in pool {it.pool.name}" for it in (move.old, move.new))
        owners = "" if move.giver is None else f"{move.giver.short} → {move.new.owner.short}"
        named = [owner_name(move.claim), move.claim.slot]
        rows.append([("~", Colour.YELLOW), *named, old, "→", (new, Colour.YELLOW), owners])
    after = "".join(
        f"  {join_limited(left)}: {words}\n"
        for until, words in _OLD_RANGES.items()
        if (left := [range_of(it.left or it.old) for it in moves if it.until == until])
    )
    return f"{_titled(plural(len(moves), 'move'), rows, painter, Colour.YELLOW)}{after}"


def _titled(title: str, rows: Sequence[Sequence[Cell]], painter: Painter, *more: Colour) -> str:
    head = painter.paint(title, Colour.BOLD, *more)
    return f"{head}\n{indent(table((), rows, painter), '  ')}" if rows else ""


def _transfers_text(evaluation: Evaluation, painter: Painter) -> str:
    rows: list[list[Cell]] = []
    for decision, giver in transfers_of(evaluation):
        record = decision.allocation
        claim, source = record.claim, evaluation.state.claims[record.claim].source
        place = ", ".join([f"{source.path}:{source.line}", *renamed_words(decision, evaluation)])
        held = f"{range_of(record)} of {record.pool.name}"
        owners = f"{giver.short} → {record.owner.short}", Colour.YELLOW
        named = [owner_name(claim), claim.slot, place]
        rows.append([("~", Colour.YELLOW), "transfer", held, owners, *named])
    many = plural(len(rows), "transfer")
    return _titled(many, rows, painter, Colour.YELLOW)


def _refusals(evaluation: Evaluation, painter: Painter) -> str:
    lines = []
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Refuse):
            lines.append(f"  {escape(f'{decision.claim.short}: {decision.message}')}\n")
            lines.append(f"  {painter.paint(f'  hint: {escape(decision.hint)}', Colour.DIM)}\n")
    return f"{painter.paint('Refused', Colour.BOLD)}\n{''.join(lines)}" if lines else ""


def own_documents(causes: Sequence[Cause]) -> Mapping[Key, Cause]:
    """Return the causes that are in the document of the claim itself, present or removed."""
    return {it.claim: it for it in causes if it.place is not None and not it.reason}


def _row(decision: Decision, evaluation: Evaluation, own: Mapping[Key, Cause]) -> list[Cell]:
    sign, colour = _SIGN[type(decision)]
    claim = decision.claim
    if isinstance(decision, Refuse):
        asked = evaluation.state.claims[claim]
        pool, size, given = ", ".join(asked.wanted), asked.size, decision.reason
        place = f"{asked.source.path}:{asked.source.line}"
    else:
        record = decision.allocation
        pool, size, given = record.pool.name, record.size, range_of(record)
        place = ", ".join([origin(claim, evaluation, own), *renamed_words(decision, evaluation)])
    marked: Cell = (given, colour)
    if is_held(decision, evaluation):
        sign, colour, place = "=", Colour.YELLOW, f"{place}  held back by the release limit"
    if words := growth(decision, evaluation):
        place = f"{place}  {words}"
    return [(sign, colour), owner_name(claim), claim.slot, pool, str(size), marked, place]


def origin(claim: Key, evaluation: Evaluation, own: Mapping[Key, Cause]) -> str:
    """Return the place of a claim, or what happened to its document, given `own_documents`."""
    asked = evaluation.state.claims.get(claim)
    if asked is not None:
        place = f"{asked.source.path}:{asked.source.line}"
        commit = own[claim].commit[:12] if claim in own else ""
        return f"{place} ({commit})" if commit else place
    kind = known_as(claim.family, claim.kind)
    document = evaluation.documents.find(kind, claim.namespace, claim.name)
    if document is not None:
        return f"{document.path}:{document.start.line} asks for no addresses"
    gone = f"its {claim.kind or 'claim'} was removed"
    return f"{gone}: {place_of(own[claim])}" if claim in own else gone


def growth(decision: Decision, evaluation: Evaluation) -> str:
    """Return `grow 8 → 16: + 10.60.1.52-59` for a grant that adds to a claim, or empty."""
    grown = digest.growth_of(decision, evaluation)
    if grown is None or isinstance(decision, Refuse) or decision.allocation.range is None:
        return ""
    added = format_short(decision.allocation.range)
    first, _, last = added.partition("-")
    network, _, end = last.rpartition(".")
    added = f"{first}-{end}" if network and first.startswith(f"{network}.") else added
    return f"grow {grown[0]} → {grown[1]}: + {added}"


def renamed_words(decision: Decision, evaluation: Evaluation) -> list[str]:
    """Return the previous names of a record: `renamed from team-a/one`, `pool renamed from edge`."""
    former = digest.former_of(decision, evaluation)
    if former is None:
        return []
    names = (("renamed from", former.claim), ("pool renamed from", former.pool))
    return [
        f"{what} {key.slot if key.owner == decision.claim.owner else owner_name(key)}"
        for what, key in names
        if key is not None
    ]


def pools_text(evaluation: Evaluation, painter: Painter, keys: Sequence[Key] | None = None) -> str:
    """Return the usage of pools before and after the plan, by default of all that change."""
    plan = evaluation.plan
    if keys is None:
        keys = [key for key, after in plan.after.items() if plan.before[key] != after]
    rows: list[list[Cell]] = []
    for key in keys:
        before, after = plan.before[key], plan.after[key]
        use, free, largest = changed_usage(before, after)
        free = f"{free} free, largest range {largest}"
        free += f"; {blocks}" if (blocks := after.blocks_left) else ""
        rows.append([key.name, use, free, (after.tier.value, TIER_COLOURS[after.tier])])
    return _titled("Pools", rows, painter)


def changed_usage(before: Usage, after: Usage) -> tuple[str, str, str]:
    """Return usage, free addresses, and the largest run; the last two with both if resized."""
    if before.total == after.total:
        use = f"{before.percent}% → {after.percent}% of {format_count(after.total)}"
        return use, format_count(after.available), format_count(after.largest)
    totals, available, largest = (
        (format_count(getattr(before, field)), format_count(getattr(after, field)))
        for field in ("total", "available", "largest")
    )
    return (
        f"{before.percent}% of {totals[0]} → {after.percent}% of {totals[1]}",
        " → ".join(available),
        " → ".join(largest),
    )


def _sum(evaluation: Evaluation, painter: Painter) -> str:
    counts = digest.summary(evaluation)
    if not evaluation.changes and not counts["refuse"]:
        kept = plural(counts["keep"], "allocation")
        moved = f", {counts['moved']} moved" if counts["moved"] else ""
        worst, _, found = verdict(evaluation)  # errors can be why nothing changes
        found = painter.paint(f" {found}.", Colour.RED) if worst else ""
        return f"No changes: {kept} kept{moved}.{found}\n"
    bold = painter.paint(f"Plan: {counted(evaluation)}, {counts['moved']} moved.", Colour.BOLD)
    refused = painter.paint(f" {counts['refuse']} refused.", Colour.RED)
    return f"{bold}{refused if counts['refuse'] else ''}\n"


def counted(evaluation: Evaluation) -> str:
    """Return the counts of a plan: `2 to allocate, 1 to release, 12 kept`."""
    counts = digest.summary(evaluation)
    held = sum(is_held(it, evaluation) for it in evaluation.plan.decisions)
    counts["release"] -= held
    words = [f"{counts[it]} to {it}" for it in ("allocate", "release", "expire") if counts[it]]
    if held:
        words.append(f"{held} held back by the release limit")
    if transferred := counts.get("transferred"):
        words.insert(0, f"{transferred} to transfer")
    if renamed := sum(1 for it in evaluation.plan.decisions if digest.former_of(it, evaluation)):
        words.append(f"{renamed} to rename")
    settings = evaluation.tree.settings
    records = [it for it in evaluation.changes if not is_observed(settings, it.path)]
    if copies := len(evaluation.changes) - len(records):
        words.append(f"{copies} observed to remove")
    rewritten = [it for it in records if f"/{UNPLACED}/" not in it.path]
    if not words and rewritten and not evaluation.moves:
        words = [f"{len(rewritten)} to rewrite"]  # a team, a place, or the form of a record
    return ", ".join([*words, f"{counts['keep']} kept"])


def check_text(compared: Compared, painter: Painter, base: str = "") -> str:
    """Return moves, transfers, releases, findings, causes, other changes, pools, and the verdict."""
    evaluation, plan = compared.evaluation, compared.evaluation.plan
    within = within_sentence(compared.within_contract)
    found = [*evaluation.findings, *evaluation.gates]
    moved = {record.pool for it in moves_of(evaluation) for record in (it.old, it.new)}
    # Pools of moves, and pools that get another size or reach a worse tier, even one below the limit.
    changed = [
        key
        for key, after in plan.after.items()
        if key in moved
        or plan.before[key].total != after.total
        or after.tier.rank > plan.before[key].tier.rank
    ]
    return "".join(
        [
            moves_text(evaluation, painter),
            _transfers_text(evaluation, painter),
            _releases(evaluation, painter),
            findings_text(found, painter),
            explain_text(found, painter),
            _inherited_text(compared.inherited, base, painter),
            causes_text(compared.causes, painter),
            _together(compared.also, painter),
            f"{escape(within)}\n" if within else "",
            pools_text(evaluation, painter, changed),
            verdict_text(evaluation, painter, len(compared.inherited)),
        ]
    )


def _releases(evaluation: Evaluation, painter: Painter) -> str:
    found = [it for it in evaluation.plan.decisions if isinstance(it, Release)]
    rows: list[list[Cell]] = []
    for decision in found[:_MAX_RELEASES]:
        record, claim = decision.allocation, decision.claim
        row = [owner_name(claim), claim.slot, f"{range_of(record)} of {record.pool.name}"]
        rows.append([("-", Colour.RED), *row, _held_until(decision, evaluation)])
    many = plural(len(found), "release")
    more = len(found) - len(rows)
    rest = f"  and {more} more; run ipam plan to list them\n" if more else ""
    return f"{_titled(many, rows, painter)}{rest}"


def _held_until(decision: Release, evaluation: Evaluation) -> str:
    """Return the earliest end of retention, because a later merge releases later."""
    if is_held(decision, evaluation):
        return "held back by the release limit"
    if decision.allocation.announced:
        return "announced while in use"
    end = retention_end(decision.allocation, evaluation.state)
    return f"reserved until {format_instant(end)} or later" if end is not None else "reserved"


def causes_text(causes: Sequence[Cause], painter: Painter) -> str:
    """Return the causes outside of the claims' own documents, a line each."""
    lines = []
    for title, found in blocks(causes):
        lines.append(painter.paint(f"{title}:", Colour.BOLD))
        sentences = [f"  {escape(it)}" for it in found]
        lines += limited(sentences, _MAX_CAUSES, "  and {} more; -o json lists all")
    return "".join(f"{line}\n" for line in lines)


def blocks(causes: Sequence[Cause]) -> Iterator[tuple[str, list[str]]]:
    """Yield sentences on causes outside of the claims' own documents, with their title.

    Claims with the same cause share a sentence.
    """
    for title, found in (
        ("Caused elsewhere in this change", [it for it in causes if it.is_caused and it.reason]),
        ("Not caused by this change", [it for it in causes if not it.is_caused]),
    ):
        claims: dict[str, list[str]] = {}
        for it in found:
            place = f"{place_of(it)}: " if it.place is not None else ""
            claims.setdefault(f"{place}{it.reason}", []).append(it.claim.short)
        if claims:
            yield title, [f"{join_limited(names)}: {why}" for why, names in claims.items()]


def place_of(cause: Cause) -> str:
    """Return file, line, and commit, or empty for a decision that the change does not cause."""
    place, commit = cause.place, f" ({cause.commit[:12]})" if cause.commit else ""
    return f"{place.path}:{place.line}{commit}" if place is not None else ""


def _together(also: Sequence[Together], painter: Painter) -> str:
    lines = []
    for item in also:
        lines.append(painter.paint(f"With {escape(title_of(item))}:", Colour.BOLD))
        lines += [f"  {escape(sentence)}" for sentence in sentences_of(item)]
    return "".join(f"{line}\n" for line in lines)


def title_of(item: Together) -> str:
    """Return the title of another open change."""
    return f"{item.name} ({item.revision[:12]})" if item.revision else item.name


def sentences_of(item: Together) -> Iterator[str]:
    """Yield a sentence per effect of merging both changes, or one sentence if there is none."""
    if item.why:
        yield f"not compared: {item.why}"
    if item.conflicts:
        yield f"the change that is merged second has a conflict in {join_limited(item.conflicts)}"
    for both in item.both:
        what = f"{format_short(both.range)} in pool {both.pool.name}"
        yield f"both changes would get {what}: {both.ours.short} in this change, {both.theirs.short} in the other"
    for whose, seconds in (("this change", item.ours), ("the other change", item.theirs)):
        for second in seconds:
            yield f"if {whose} is merged second, {_second(second)}"
    for pool in item.pools:
        alone, merged = pool.alone, pool.together
        words = f"pool {pool.pool.name} is {merged.percent}% full with both ({merged.tier.value})"
        yield f"{words}, with only this one {alone.percent}% ({alone.tier.value})"
    wrong = [f"{it.code}: {it.message}" for it in item.wrong]
    listed = limited(wrong, _MAX_TOGETHER, "{} more findings")
    yield from (f"only if both are merged: {it}" for it in listed)
    if not item.is_told:
        yield "neither changes the allocations of the other"


def _second(second: Second) -> str:
    alone, claim = format_short(second.alone), second.claim.short
    if second.then is None:
        return f"{claim} is refused ({second.reason}); without the other change, it gets {alone}"
    return f"{claim} gets {format_short(second.then)} instead of {alone}"


def _inherited_text(inherited: Sequence[Finding], base: str, painter: Painter) -> str:
    if not inherited:
        return ""
    shown = gravest_first(inherited)[:_MAX_INHERITED]
    lines = [f"Already in {escape(base)}:"]
    lines += [f"  {escape(str(it.location))}: {it.code}: {escape(it.message)}" for it in shown]
    if more := len(inherited) - len(shown):
        lines.append(f"  and {more} more; run ipam check --rev {escape(base)} to list them")
    return "".join(f"{painter.paint(line, Colour.DIM)}\n" for line in lines)


def verdict_text(evaluation: Evaluation, painter: Painter, inherited: int = 0) -> str:
    """Return the verdict of a check on one line."""
    worst, says, listed = verdict(evaluation, inherited)
    sign, colour = ("✗", Colour.RED) if worst else ("✓", Colour.GREEN)
    moved = f", {len(evaluation.moves)} moved" if evaluation.moves else ""
    marked = painter.paint(f"{sign} {says}", colour)
    return f"{marked}: {listed}; {counted(evaluation)}{moved}\n"
