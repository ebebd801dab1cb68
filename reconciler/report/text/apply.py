"""`apply`: what was done to clusters, as a table (`contract.md` §8)."""

from collections.abc import Iterable, Iterator, Sequence

from reconciler.clusters.outcome import Applied, Outcome, Result, State
from reconciler.report.escape import escape
from reconciler.report.text.table import Cell, Colour, Painter, table

_HEADERS = ("CLUSTER", "REVISION", "STATE", "CREATED", "CONFIGURED", "UNCHANGED", "DELETED")
_COUNTED = (Result.CREATED, Result.CONFIGURED, Result.UNCHANGED, Result.DELETED)
_COLOURS = {
    State.APPLIED: Colour.GREEN,
    State.WAITING: Colour.YELLOW,
    State.UNREACHABLE: Colour.RED,
    State.REFUSED: Colour.RED,
    State.FAILED: Colour.RED,
}
_MANY = 50


def applied_text(applied: Sequence[Applied], painter: Painter, *, dry_run: bool = False) -> str:
    """Objects that changed or failed, a table of the clusters, and the sum."""
    parts = [
        *_objects(applied, painter, dry_run=dry_run),
        table((*_HEADERS, "FAILED", "REASON"), map(_row, applied), painter, right=range(3, 8)),
        _sum(applied, painter, dry_run=dry_run),
    ]
    return "".join(parts)


def _objects(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> Iterator[str]:
    for cluster in applied:
        listed = [item for item in cluster.outcomes if item.result is not Result.UNCHANGED]
        lines = [_line(item, painter, dry_run=dry_run) for item in gravest_first(listed)[:_MANY]]
        lines += [f"  {painter.paint('note', Colour.YELLOW)} {escape(n)}\n" for n in cluster.notes]
        if len(listed) > _MANY:
            lines.append(f"  and {len(listed) - _MANY} more; -o json has them all\n")
        if lines:
            yield f"{painter.paint(escape(cluster.cluster), Colour.BOLD)}\n"
            yield from lines
            yield "\n"


def gravest_first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Failures, then drift, then the rest, each in order."""
    return sorted(outcomes, key=lambda item: (item.result is not Result.FAILED, item.drift is None))


_SIGNS = {
    Result.CREATED: ("+", Colour.GREEN),
    Result.CONFIGURED: ("~", Colour.YELLOW),
    Result.DELETED: ("-", Colour.RED),
    Result.FAILED: ("✗", Colour.RED),
    Result.UNCHANGED: ("=", None),
}


def _line(outcome: Outcome, painter: Painter, *, dry_run: bool) -> str:
    sign, colour = _SIGNS[outcome.result]
    would = "would be " if dry_run and outcome.result is not Result.FAILED else ""
    text = f"  {painter.paint(f'{sign} {would}{outcome.result}', colour)} {escape(outcome.object)}"
    if outcome.drift is not None:
        who = outcome.drift.manager or "somebody"
        when = f" at {outcome.drift.time}" if outcome.drift.time else ""
        fields = ", ".join(outcome.drift.fields)
        text += f" (drift: {escape(who)} changed {escape(fields)}{escape(when)})"
    return f"{text}: {escape(outcome.error)}\n" if outcome.error else f"{text}\n"


def _row(cluster: Applied) -> list[Cell]:
    failed = cluster.count(Result.FAILED)
    reason = cluster.error
    if not reason and failed:
        reason = next(item.error for item in cluster.outcomes if item.result is Result.FAILED)
    if cluster.hint:
        reason += f"; {cluster.hint}"
    return [
        cluster.cluster,
        cluster.revision[:12] or "-",
        (cluster.state.value, _COLOURS[cluster.state]),
        *(str(cluster.count(result)) for result in _COUNTED),
        (str(failed), Colour.RED if failed else None),
        reason,
    ]


def _sum(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> str:
    failed = sum(1 for item in applied if item.is_failed)
    changed = sum(
        item.count(result) for item in applied for result in _COUNTED if result != "unchanged"
    )
    would = " would be" if dry_run else ""
    what = f"{_many(len(applied), 'cluster')}, {_many(changed, 'object')}{would} changed"
    if failed:
        return painter.paint(f"✗ {what}, {_many(failed, 'cluster')} failed", Colour.RED) + "\n"
    return painter.paint(f"✓ {what}", Colour.GREEN) + "\n"


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
