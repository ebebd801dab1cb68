"""Text of runs."""

from collections.abc import Iterable, Iterator, Sequence

from reconciler.addresses import IPRange, format_short
from reconciler.apply.plan import Applied, ClusterState, ObjectOutcome, ObjectResult
from reconciler.documents.findings import join_limited
from reconciler.documents.text import escape
from reconciler.gitio.interface import ReplayVerdict
from reconciler.importing.assembling import Imported, RangeChange, writing
from reconciler.model.change import Proposed
from reconciler.model.instant import format_instant
from reconciler.model.pool import Tier
from reconciler.reconcile.doctor_cluster import GIT, Diagnosis, DiagnosisGroup, DiagnosisVerdict
from reconciler.reconcile.simulate import Simulation
from reconciler.reconcile.verify import Verified
from reconciler.report.queries import moved, reached_tiers
from reconciler.report.text.plan import counted
from reconciler.report.text.table import Cell, Colour, Painter, findings_text, table

_BRAKED = " A brake holds all releases back."


def published_sentence(base: str, commit: str, where: str, *, is_braked: bool) -> str:
    """What was committed, on what, and where it was published."""
    what = f"Committed {commit[:12]} on {base[:12]} and published it: {where}."
    return f"{what}{_BRAKED if is_braked else ''}"


def unpushed_sentence(base: str, commit: str, branch: str, *, is_braked: bool) -> str:
    """What was committed, on what, in a checkout that has nowhere to push it."""
    what = (
        f"Committed {commit[:12]} on {base[:12]}: branch {branch} of this checkout, which follows"
    )
    what += " no remote, so nothing was pushed."
    return f"{what}{_BRAKED if is_braked else ''}"


def nothing_sentence(base: str, *, is_braked: bool, has_wrong_settings: bool) -> str:
    """Why nothing was committed."""
    if has_wrong_settings:
        return "Nothing was committed: the Settings are wrong."
    return f"Nothing to commit on {base[:12]}.{_BRAKED if is_braked else ''}"


def proposed_sentence(base: str, commit: str, branches: tuple[str, str], how: Proposed) -> str:
    """What became of the branch of a pull request.

    Args:
        base: The head of the branch that is reconciled.
        commit: The last commit on it; empty for none.
        branches: The branch that is reconciled, and the one that gets the commits.
        how: What was done.
    """
    branch, to = branches
    if how is Proposed.NOTHING:
        return f"Branch {to} is not needed."
    if how is Proposed.WITHDRAWN:
        return f"Removed branch {to}: nothing of what it held is left to be done on {base[:12]}."
    if how is Proposed.STANDS:
        return f"Branch {to} holds this already. It counts once it is merged into {branch}."
    what = f"Committed {commit[:12]} on {base[:12]}: branch {to}."
    return f"{what} It counts once it is merged into {branch}."


def reconcile_text(sentence: str, painter: Painter) -> str:
    """What a reconcile did, in one of the sentences above."""
    return f"{painter.paint(escape(sentence), Colour.BOLD)}\n"


_APPLY_HEADERS = ("CLUSTER", "REVISION", "STATE", "CREATED", "CONFIGURED", "UNCHANGED", "DELETED")
_COUNTED = (
    ObjectResult.CREATED,
    ObjectResult.CONFIGURED,
    ObjectResult.UNCHANGED,
    ObjectResult.DELETED,
)
_APPLY_COLOURS = {
    ClusterState.APPLIED: Colour.GREEN,
    ClusterState.WAITING: Colour.YELLOW,
    ClusterState.UNREACHABLE: Colour.RED,
    ClusterState.REFUSED: Colour.RED,
    ClusterState.FAILED: Colour.RED,
}
_APPLY_MANY = 50


def applied_text(applied: Sequence[Applied], painter: Painter, *, dry_run: bool = False) -> str:
    """Objects that changed or failed, a table of the clusters, and the sum."""
    parts = [
        *_objects(applied, painter, dry_run=dry_run),
        table(
            (*_APPLY_HEADERS, "FAILED", "REASON"),
            map(_apply_row, applied),
            painter,
            right=range(3, 8),
        ),
        _apply_sum(applied, painter, dry_run=dry_run),
    ]
    return "".join(parts)


def _objects(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> Iterator[str]:
    for cluster in applied:
        listed = [item for item in cluster.outcomes if item.result is not ObjectResult.UNCHANGED]
        lines = [
            _line(item, painter, dry_run=dry_run) for item in gravest_first(listed)[:_APPLY_MANY]
        ]
        lines += [f"  {painter.paint('note', Colour.YELLOW)} {escape(n)}\n" for n in cluster.notes]
        if len(listed) > _APPLY_MANY:
            lines.append(f"  and {len(listed) - _APPLY_MANY} more; -o json has them all\n")
        if lines:
            yield f"{painter.paint(escape(cluster.cluster), Colour.BOLD)}\n"
            yield from lines
            yield "\n"


def gravest_first(outcomes: Iterable[ObjectOutcome]) -> list[ObjectOutcome]:
    """Failures, then drift, then the rest, each in order."""
    return sorted(
        outcomes, key=lambda item: (item.result is not ObjectResult.FAILED, item.drift is None)
    )


_APPLY_SIGNS = {
    ObjectResult.CREATED: ("+", Colour.GREEN),
    ObjectResult.CONFIGURED: ("~", Colour.YELLOW),
    ObjectResult.DELETED: ("-", Colour.RED),
    ObjectResult.FAILED: ("✗", Colour.RED),
    ObjectResult.UNCHANGED: ("=", None),
}


def _line(outcome: ObjectOutcome, painter: Painter, *, dry_run: bool) -> str:
    sign, colour = _APPLY_SIGNS[outcome.result]
    would = "would be " if dry_run and outcome.result is not ObjectResult.FAILED else ""
    text = f"  {painter.paint(f'{sign} {would}{outcome.result}', colour)} {escape(outcome.object)}"
    if outcome.drift is not None:
        who = outcome.drift.manager or "somebody"
        when = f" at {outcome.drift.time}" if outcome.drift.time else ""
        fields = ", ".join(outcome.drift.fields)
        text += f" (drift: {escape(who)} changed {escape(fields)}{escape(when)})"
    return f"{text}: {escape(outcome.error)}\n" if outcome.error else f"{text}\n"


def _apply_row(cluster: Applied) -> list[Cell]:
    failed = cluster.count(ObjectResult.FAILED)
    reason = cluster.error
    if not reason and failed:
        reason = next(item.error for item in cluster.outcomes if item.result is ObjectResult.FAILED)
    if cluster.hint:
        reason += f"; {cluster.hint}"
    return [
        cluster.cluster,
        cluster.revision[:12] or "-",
        (cluster.state.value, _APPLY_COLOURS[cluster.state]),
        *(str(cluster.count(result)) for result in _COUNTED),
        (str(failed), Colour.RED if failed else None),
        reason,
    ]


def _apply_sum(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> str:
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


_SHOWN = 5
_VERIFY_WIDTH = max(len(verdict) for verdict in ReplayVerdict)


def verified_text(item: Verified, painter: Painter) -> str:
    """One commit: what became of it, when and by whom it was made, and what differs."""
    wrong = Colour.RED if item.is_wrong else Colour.YELLOW
    colour = Colour.GREEN if item.verdict is ReplayVerdict.SAME else wrong
    date = format_instant(item.clock) if item.clock is not None else "no date"
    verdict = painter.paint(item.verdict.ljust(_VERIFY_WIDTH), colour)
    lines = [f"{verdict}  {item.commit[:12]}  {date}  {escape(item.subject)}"]
    if item.verdict is ReplayVerdict.FOREIGN:
        says = ", though it says that reconcile made it" if item.claims else ""
        lines.append(f"  by {escape(item.author) or 'nobody'}{says}")
    if item.verdict is ReplayVerdict.NOT_COMPARABLE:
        lines.append(f"  made by version {escape(item.version)}")
    lines += [f"  {escape(path)}" for path in item.files[:_SHOWN]]
    more = len(item.files) - _SHOWN
    return "\n".join([*lines, *([f"  and {more} more"] if more > 0 else []), ""])


def verification_text(found: Sequence[Verified], painter: Painter) -> str:
    """How many there are of each sort."""
    counts = {verdict: sum(item.verdict is verdict for item in found) for verdict in ReplayVerdict}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    bad = any(item.is_wrong for item in found)
    text = f"{len(found)} commits: {told}." if found else "No commit touches records."
    return f"{painter.paint(text, Colour.RED if bad else Colour.BOLD)}\n"


def simulation_text(result: Simulation, painter: Painter) -> str:
    """A row for each pool today, at each tier that it reaches, and at the end."""
    rows: list[list[Cell]] = [
        [
            str(step.tenants),
            step.pool.name,
            str(step.allocated),
            str(step.held),
            str(step.total),
            f"{step.percent:.1f}",
            (reached_tiers(step.tier), None if step.tier is Tier.OK else Colour.YELLOW),
        ]
        for step in result.steps
    ]
    headers = ("TENANTS", "POOL", "ALLOC", "HELD", "TOTAL", "USED%", "TIERS")
    text = table(headers, rows, painter, right=(0, 2, 3, 4, 5))
    return f"{text}{_simulate_sum(result, painter)}"


def _simulate_sum(result: Simulation, painter: Painter) -> str:
    """How many fit, and how many of those pass; with what stops the next one."""
    refused, stopped = result.refused, result.stopped
    is_all = refused is None and stopped is None
    fit = (
        f"All {result.requested} fit"
        if refused is None
        else f"{result.fit} of {result.requested} fit"
    )
    verb = "passes" if result.passes == 1 else "pass"
    passes = f"; {result.passes} of them {verb} the gate" if stopped is not None else ""
    text = f"{painter.paint(f'{fit}{passes}.', Colour.GREEN if is_all else Colour.RED)}\n"
    told = [(refused.reason, refused.message, refused.hint)] if refused is not None else []
    told += [(stopped.code, stopped.message, stopped.hint)] if stopped is not None else []
    lines = (
        f"  {code}: {escape(message)}\n  hint: {escape(hint)}\n" for code, message, hint in told
    )
    return f"{text}{''.join(lines)}"


_DOCTOR_SIGNS = {
    DiagnosisVerdict.OK: ("✔", Colour.GREEN),
    DiagnosisVerdict.WARNING: ("!", Colour.YELLOW),
    DiagnosisVerdict.FAILED: ("✗", Colour.RED),
}
_TITLES = {GIT: "Git"}
_DOCTOR_MANY = 20
_DOCTOR_WIDTH = 10


def diagnosis_text(diagnosis: Diagnosis, painter: Painter) -> str:
    """A line a check below the name of its group, and the sum.

    Of very many clusters only those are shown in which something is not in order.
    """
    is_long = len(diagnosis.groups) > _DOCTOR_MANY
    hidden = 0
    lines: list[str] = []
    for index, group in enumerate(diagnosis.groups):
        if is_long and index > 1 and group.verdict is DiagnosisVerdict.OK:
            hidden += 1
        else:
            lines += _group(group, painter)
    if hidden:
        lines.append(f"{hidden} more clusters, in which all is in order; -o json has them\n\n")
    return "".join([*lines, _doctor_sum(diagnosis, painter)])


def _group(group: DiagnosisGroup, painter: Painter) -> Iterator[str]:
    title = _TITLES.get(group.name, group.name)
    yield f"{painter.paint(escape(title), Colour.BOLD)}\n"
    for check in group.checks:
        sign, colour = _DOCTOR_SIGNS[check.verdict]
        name = escape(check.name).ljust(_DOCTOR_WIDTH)
        yield f"  {painter.paint(sign, colour)} {name}   {escape(check.message)}\n"
        if check.mend:
            yield f"    {' ' * _DOCTOR_WIDTH}   {painter.paint('mend:', Colour.DIM)} {escape(check.mend)}\n"
    yield "\n"


def _doctor_sum(diagnosis: Diagnosis, painter: Painter) -> str:
    wrong, doubts = (
        diagnosis.count(DiagnosisVerdict.FAILED),
        diagnosis.count(DiagnosisVerdict.WARNING),
    )
    verdict = DiagnosisVerdict.FAILED if wrong else DiagnosisVerdict.OK
    told = [f"{wrong} to mend"] if wrong else []
    told += [f"{doubts} to look at"] if doubts else []
    sign, colour = _DOCTOR_SIGNS[verdict]
    what = ", ".join(told) if wrong else ", ".join(["nothing is wrong", *told])
    return f"{painter.paint(f'{sign} {what}', colour)}\n"


_INIT_COLOURS = {"wrote": Colour.GREEN, "yours": Colour.YELLOW, "left out": Colour.YELLOW}


def rows_text(rows: Sequence[tuple[str, str, str]], painter: Painter) -> str:
    """A line for each file: what became of it, its path, and what is to be said of it."""
    cells: list[list[Cell]] = [[(it[0], _INIT_COLOURS.get(it[0])), it[1], it[2]] for it in rows]
    text = table((), cells, painter)
    return "".join(f"  {line}\n" for line in text.splitlines())


def shown_text(path: str, text: str, painter: Painter) -> str:
    """A file as it would be written, below its path."""
    head = painter.paint(f"── {escape(path)}", Colour.BOLD)
    return f"{head}\n{text}" if text else f"{head}\n(empty)\n"


def next_text(steps: Sequence[tuple[str, str]], painter: Painter) -> str:
    """What a person does next, a command and what it is for on each line."""
    width = max((len(command) for command, _ in steps), default=0)
    lines = [
        f"  {painter.paint(command.ljust(width), Colour.BOLD)}   {why}".rstrip()
        for command, why in steps
    ]
    return "\n".join(["Next:", *lines, ""])


MAX_LINES = 500
MAX_NOTES = 20
_IMPORTING_HEADERS = ("OWNER", "TYPE", "POOL", "OLD", "", "NEW", "FROM", "USED BY")


def import_text(result: Imported, written: Sequence[str], painter: Painter, out: str) -> str:
    """The table, the worklist, the files and the plan.

    Args:
        result: The import.
        written: Paths of the files that were written.
        painter: How words are set off.
        out: The folder of the files, for people.
    """
    lines = result.lines
    parts = [
        table(_IMPORTING_HEADERS, [_importing_row(line) for line in lines[:MAX_LINES]], painter)
    ]
    if len(lines) > MAX_LINES:
        parts.append(f"and {len(lines) - MAX_LINES} more; -o json lists all\n")
    parts += [_notes(result.notes, painter), findings_text(result.conflicts, painter)]
    parts += [_free(result), _files(result, written, out)]
    parts.append(_plan(result, painter))
    if written and result.unnamed:
        parts.append(_requests(result.unnamed))
    return "".join(parts)


def _importing_row(line: RangeChange) -> list[Cell]:
    sign: Cell = ("=", Colour.GREEN) if line.is_same else ("→", Colour.RED)
    if line.is_new:
        sign = ("+", Colour.YELLOW)
    place = f"{line.place}{line.place.pointer}" if not line.place.line else str(line.place)
    old, new = _range(line.old, "nothing"), _range(line.new, "refused")
    return [line.owner, line.type, line.pool, old, sign, new, place, join_limited(line.users)]


def _range(item: IPRange | None, otherwise: str) -> str:
    return format_short(item) if item is not None else otherwise


def _notes(notes: Sequence[str], painter: Painter) -> str:
    told = [painter.paint(f"note: {escape(note)}", Colour.DIM) for note in notes[:MAX_NOTES]]
    if len(notes) > MAX_NOTES:
        told.append(f"and {len(notes) - MAX_NOTES} more notes; -o json lists all")
    return "".join(f"{line}\n" for line in told)


def _files(result: Imported, written: Sequence[str], out: str) -> str:
    if written:
        names = "".join(f"  {escape(path)}\n" for path in written)
        more = "Addresses of conflicts are held for nobody yet.\n" if result.conflicts else ""
        return f"Written to {escape(out)}:\n{names}{more}"
    count = len(result.files)
    if not count:
        return "Nothing to write.\n"
    files = "1 file" if count == 1 else f"{count} files"
    if result.conflicts:
        return (
            f"Nothing was written: decide the conflicts, or --partial writes the other {files}.\n"
        )
    return f"Nothing was written: {files} would be, or are there just so.\n"


def _plan(result: Imported, painter: Painter) -> str:
    text = f"Plan: {counted(result.after)}, {moved(result)} moved."
    count = len(result.conflicts)
    conflicts = f" {count} conflict{'s' if count > 1 else ''}." if count else ""
    fresh = sum(1 for line in result.lines if line.is_new)
    new = f" {fresh} get addresses that they do not have yet." if fresh else ""
    head = painter.paint(text, Colour.BOLD)
    return f"{head}{new}{painter.paint(conflicts, Colour.RED) if conflicts else ''}\n"


def _free(result: Imported) -> str:
    """What the source did not name is free: a table that is not whole ends in a collision."""
    usage, pools = result.after.plan.after, result.after.state.pools
    free = [
        f"{pool.key.name} ({usage[key].available})"
        for key, pool in pools.items()
        if pool.source.path in result.files and usage[key].available
    ]
    if not free:
        return ""
    return (
        f"Addresses that nothing above names are free, and are given out from now on: {join_limited(free)}.\n"
        "Reserve what something uses all the same: spec.reserved of the pool.\n"
    )


def _requests(owners: Sequence[str]) -> str:
    """What a request is not: a cluster that is managed."""
    named, kind = escape(join_limited(owners)), writing().cluster_title
    verb = "has a request" if len(owners) == 1 else "have requests"
    return (
        f"{named} {verb}, and no {kind}: these addresses are held, and no others are given.\n"
        f"Add a {kind} of that name for each cluster that ipam is to manage.\n"
    )
