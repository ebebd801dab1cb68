"""Text of runs."""

from collections.abc import Iterator, Sequence
from textwrap import indent

from reconciler.addresses import format_count, format_short
from reconciler.documents.findings import join_limited, plural
from reconciler.documents.text import escape
from reconciler.gitio.interface import ReplayVerdict
from reconciler.importing.assembling import Imported, RangeChange
from reconciler.model.applied import WRITTEN, Applied, ClusterState, ObjectOutcome, ObjectResult
from reconciler.model.change import Proposed
from reconciler.model.instant import format_instant
from reconciler.model.pool import Tier
from reconciler.reconcile.doctor import GIT, Diagnosis, DiagnosisGroup, DiagnosisVerdict
from reconciler.reconcile.simulate import Simulation
from reconciler.reconcile.verify import Verified
from reconciler.report.queries import moved, reached_tiers
from reconciler.report.text.plan import counted
from reconciler.report.text.table import Cell, Colour, Painter, findings_text, limited, table


def committed_sentence(commit: str, branch: str, *, has_remote: bool, is_checkout: bool) -> str:
    """Return the message of a commit, which was pushed unless a checkout has no remote."""
    done = f"Committed {commit[:12]} to {branch}"
    if is_checkout and not has_remote:
        return f"{done}. Not pushed: this checkout has no remote."
    return f"{done}{' and pushed it' if has_remote else ''}."


def proposed_sentence(base: str, commit: str, branches: tuple[str, str], how: Proposed) -> str:
    """Return the result for the branch of a pull request, the second of two branches."""
    branch, to = branches
    if how is Proposed.NONE:
        return f"No changes to propose on branch {to}."
    if how is Proposed.DELETED:
        return f"Deleted branch {to}, because {base[:12]} does not need its changes."
    what = f"Branch {to} already has these changes."
    if how is not Proposed.UNCHANGED:
        what = f"Committed {commit[:12]} to branch {to}."
    return f"{what} Merge it into {branch}, so that it takes effect."


def reconcile_text(sentence: str, painter: Painter, *, is_braked: bool = False) -> str:
    """Return a sentence about a run as text."""
    brake = " The release limit holds back all releases." if is_braked else ""
    return f"{painter.paint(f'{escape(sentence)}{brake}', Colour.BOLD)}\n"


_COUNTED = tuple(it for it in ObjectResult if it is not ObjectResult.FAILED)
_APPLY_SIGNS = {
    ObjectResult.CREATED: ("+", Colour.GREEN),
    ObjectResult.CONFIGURED: ("~", Colour.YELLOW),
    ObjectResult.DELETED: ("-", Colour.RED),
    ObjectResult.FAILED: ("✗", Colour.RED),
    ObjectResult.UNCHANGED: ("=", None),
}
_APPLY_COLOURS = {ClusterState.APPLIED: Colour.GREEN, ClusterState.WAITING: Colour.YELLOW}
_APPLY_MANY = 50


def applied_text(applied: Sequence[Applied], painter: Painter, *, dry_run: bool = False) -> str:
    """Return changed and failed objects, a table of the clusters, and the sum."""
    headers = ("CLUSTER", "REVISION", "STATE", *(it.upper() for it in _COUNTED))
    rows = map(_apply_row, applied)
    return "".join(
        [
            *_objects(applied, painter, dry_run=dry_run),
            table((*headers, "FAILED", "REASON"), rows, painter, right=range(3, 8)),
            _apply_sum(applied, painter, dry_run=dry_run),
        ]
    )


def _objects(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> Iterator[str]:
    for cluster in applied:
        listed = [item for item in cluster.outcomes if item.result is not ObjectResult.UNCHANGED]
        # Failures first, then drift.
        listed.sort(key=lambda it: (it.result is not ObjectResult.FAILED, it.drift is None))
        lines = [_outcome(item, painter, dry_run=dry_run) for item in listed[:_APPLY_MANY]]
        lines += [f"  {painter.paint('note', Colour.YELLOW)} {escape(n)}\n" for n in cluster.notes]
        if len(listed) > _APPLY_MANY:
            lines.append(f"  and {len(listed) - _APPLY_MANY} more; -o json lists all\n")
        if lines:
            yield f"{painter.paint(escape(cluster.cluster), Colour.BOLD)}\n"
            yield from lines
            yield "\n"


def _outcome(outcome: ObjectOutcome, painter: Painter, *, dry_run: bool) -> str:
    sign, colour = _APPLY_SIGNS[outcome.result]
    would = "would be " if dry_run and outcome.result is not ObjectResult.FAILED else ""
    text = f"  {painter.paint(f'{sign} {would}{outcome.result}', colour)} {escape(outcome.object)}"
    if outcome.drift is not None:
        who = outcome.drift.manager or "unknown manager"
        when = f" at {outcome.drift.time}" if outcome.drift.time else ""
        fields = ", ".join(outcome.drift.fields)
        text += f" (drift: {escape(who)} changed {escape(fields)}{escape(when)})"
    return f"{text}: {escape(outcome.error)}\n" if outcome.error else f"{text}\n"


def _apply_row(cluster: Applied) -> list[Cell]:
    failed = [it.error for it in cluster.outcomes if it.result is ObjectResult.FAILED]
    reason = cluster.error or (failed[0] if failed else "")
    if cluster.hint:
        reason += f"; {cluster.hint}"
    return [
        cluster.cluster,
        cluster.revision[:12] or "-",
        (cluster.state.value, _APPLY_COLOURS.get(cluster.state, Colour.RED)),
        *(str(cluster.count(result)) for result in _COUNTED),
        (str(len(failed)), Colour.RED if failed else None),
        reason,
    ]


def _apply_sum(applied: Sequence[Applied], painter: Painter, *, dry_run: bool) -> str:
    failed = sum(1 for item in applied if item.is_failed)
    changed = sum(item.count(result) for item in applied for result in WRITTEN)
    would = " would be" if dry_run else ""
    what = f"{plural(len(applied), 'cluster')}, {plural(changed, 'object')}{would} changed"
    if failed:
        return painter.paint(f"✗ {what}, {plural(failed, 'cluster')} failed", Colour.RED) + "\n"
    return painter.paint(f"✓ {what}", Colour.GREEN) + "\n"


_SHOWN = 5
_VERIFY_WIDTH = max(map(len, ReplayVerdict))


def verified_text(item: Verified, painter: Painter) -> str:
    """Return verdict, date, author, and differing files of a commit."""
    wrong = Colour.RED if item.is_wrong else Colour.YELLOW
    colour = Colour.GREEN if item.verdict is ReplayVerdict.SAME else wrong
    date = format_instant(item.clock) if item.clock is not None else "no date"
    verdict = painter.paint(item.verdict.ljust(_VERIFY_WIDTH), colour)
    lines = [f"{verdict}  {item.commit[:12]}  {date}  {escape(item.subject)}"]
    if item.verdict is ReplayVerdict.FOREIGN:
        says = ", although its message claims that ipam reconcile made it" if item.claims else ""
        lines.append(f"  by {escape(item.author) or 'unknown'}{says}")
    if item.verdict is ReplayVerdict.NOT_COMPARABLE:
        lines.append(f"  made by version {escape(item.version)}")
    lines += limited([f"  {escape(path)}" for path in item.files], _SHOWN, "  and {} more")
    return "\n".join([*lines, ""])


def verification_text(found: Sequence[Verified], painter: Painter) -> str:
    """Return the number of commits by verdict."""
    counts = {verdict: sum(item.verdict is verdict for item in found) for verdict in ReplayVerdict}
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    bad = any(item.is_wrong for item in found)
    text = f"{plural(len(found), 'commit')}: {listed}." if found else "No commit changes records."
    return f"{painter.paint(text, Colour.RED if bad else Colour.BOLD)}\n"


def simulation_text(result: Simulation, painter: Painter) -> str:
    """Return each pool today, at each tier that it reaches, and at the end, and the sum."""
    rows: list[list[Cell]] = [
        [
            str(step.tenants),
            step.pool.name,
            *(str(count) for count in (step.allocated, step.held, step.total)),
            f"{step.percent:.1f}",
            (reached_tiers(step.tier), None if step.tier is Tier.OK else Colour.YELLOW),
        ]
        for step in result.steps
    ]
    headers = ("TENANTS", "POOL", "ALLOC", "HELD", "TOTAL", "USED%", "LEVELS")
    text = table(headers, rows, painter, right=(0, 2, 3, 4, 5))
    refused, stopped = result.refused, result.stopped
    fit = f"All {result.requested} fit"
    if refused is not None:
        fit = f"{result.fit} of {result.requested} fit"
    if stopped is not None:
        verb = "stays" if result.passes == 1 else "stay"
        fit += f"; {result.passes} {verb} within the capacity limit"
    colour = Colour.GREEN if refused is None and stopped is None else Colour.RED
    text += f"{painter.paint(f'{fit}.', colour)}\n"
    if refused is not None:
        text += f"  {refused.reason}: {escape(refused.message)}\n  hint: {escape(refused.hint)}\n"
    if stopped is not None:
        text += f"  {stopped.code}: {escape(stopped.message)}\n  hint: {escape(stopped.hint)}\n"
    return text


_DOCTOR_SIGNS = {
    DiagnosisVerdict.OK: ("✓", Colour.GREEN),
    DiagnosisVerdict.WARNING: ("!", Colour.YELLOW),
    DiagnosisVerdict.FAILED: ("✗", Colour.RED),
}
_DOCTOR_MANY = 20
_DOCTOR_WIDTH = 10


def diagnosis_text(diagnosis: Diagnosis, painter: Painter) -> str:
    """Return the checks of each group, and the sum. Of many clusters, only those with problems."""
    is_long = len(diagnosis.groups) > _DOCTOR_MANY
    shown = [
        group
        for index, group in enumerate(diagnosis.groups)
        if not is_long or index <= 1 or group.verdict is not DiagnosisVerdict.OK
    ]
    lines = [line for group in shown for line in _group(group, painter)]
    if hidden := len(diagnosis.groups) - len(shown):
        more = plural(hidden, "more cluster")
        lines.append(f"{more} without problems; -o json lists them\n\n")
    wrong = diagnosis.count(DiagnosisVerdict.FAILED)
    doubts = diagnosis.count(DiagnosisVerdict.WARNING)
    sign, colour = _DOCTOR_SIGNS[DiagnosisVerdict.FAILED if wrong else DiagnosisVerdict.OK]
    words = [plural(wrong, "problem") if wrong else "No problems"]
    words += [plural(doubts, "warning")] if doubts else []
    total = painter.paint(f"{sign} {', '.join(words)}", colour)
    return "".join([*lines, f"{total}\n"])


def _group(group: DiagnosisGroup, painter: Painter) -> Iterator[str]:
    title = "Git" if group.name == GIT else group.name
    yield f"{painter.paint(escape(title), Colour.BOLD)}\n"
    for check in group.checks:
        sign, colour = _DOCTOR_SIGNS[check.verdict]
        name = escape(check.name).ljust(_DOCTOR_WIDTH)
        indent = " " * (_DOCTOR_WIDTH + 7)
        message, hint = (
            f"\n{indent}".join(map(escape, it.splitlines())) for it in (check.message, check.hint)
        )
        yield f"  {painter.paint(sign, colour)} {name}   {message}\n"
        if hint:
            yield f"{indent}{painter.paint('hint:', Colour.DIM)} {hint}\n"
    yield "\n"


_INIT_COLOURS = {"wrote": Colour.GREEN, "yours": Colour.YELLOW, "left out": Colour.YELLOW}


def rows_text(rows: Sequence[tuple[str, str, str]], painter: Painter) -> str:
    """Return a line for each file of `init`: what happened to it, its path, and a note."""
    cells: list[list[Cell]] = [[(it[0], _INIT_COLOURS.get(it[0])), it[1], it[2]] for it in rows]
    return indent(table((), cells, painter), "  ")


def shown_text(path: str, text: str, painter: Painter) -> str:
    """Return a file that would be written, below its path."""
    head = painter.paint(f"── {escape(path)}", Colour.BOLD)
    return f"{head}\n{text}" if text else f"{head}\n(empty)\n"


def next_text(steps: Sequence[tuple[str, str]], added: str, painter: Painter) -> str:
    """Return the next steps, a command and its purpose each; the last ones record files to add."""
    steps = [
        *steps,
        ("ipam plan --worktree", "show the exact addresses"),
        (f"git add {added} && git commit", "when the plan is right"),
        ("ipam reconcile", "commit the records (CI runs this after each merge)"),
    ]
    width = max(len(command) for command, _ in steps)
    lines = [
        f"  {painter.paint(command.ljust(width), Colour.BOLD)}   {why}".rstrip()
        for command, why in steps
    ]
    return "\n".join(["Next:", *lines, ""])


_MAX_LINES, _MAX_NOTES = 500, 20


def import_text(result: Imported, written: Sequence[str], painter: Painter, out: str) -> str:
    """Return the table of an import, notes, conflicts, written files, and the plan."""
    lines = result.lines
    headers = ("OWNER", "TYPE", "POOL", "OLD", "", "NEW", "FROM", "USED BY")
    parts = [table(headers, [_importing_row(line) for line in lines[:_MAX_LINES]], painter)]
    if more := len(lines[_MAX_LINES:]):
        parts.append(f"and {more} more; -o json lists all\n")
    notes = [f"{painter.paint(f'note: {escape(it)}', Colour.DIM)}\n" for it in result.notes]
    parts += limited(notes, _MAX_NOTES, "and {} more; -o json lists all\n")
    parts.append(findings_text(result.conflicts, painter))
    parts += [_free(result), _files(result, written, out), _plan(result, painter)]
    if written and result.unnamed:
        named, kind = escape(join_limited(result.unnamed)), result.writer.kind.kind
        verb = "has a request" if len(result.unnamed) == 1 else "have requests"
        parts.append(
            f"{named} {verb}, but no {kind}: ipam keeps these addresses, and allocates no others.\nAdd a {kind} of that name for each cluster that ipam manages, and the annotation {': '.join(result.writer.external)} to the requests of other holders.\n"
        )
    return "".join(parts)


def _importing_row(line: RangeChange) -> list[Cell]:
    sign: Cell = ("=", Colour.GREEN) if line.is_same else ("→", Colour.RED)
    if line.is_new:
        sign = ("+", Colour.YELLOW)
    place = f"{line.place}{line.place.pointer}" if not line.place.line else str(line.place)
    old = format_short(line.old) if line.old is not None else "nothing"
    new = format_short(line.new) if line.new is not None else "refused"
    return [line.owner, line.type, line.pool, old, sign, new, place, join_limited(line.users)]


def _files(result: Imported, written: Sequence[str], out: str) -> str:
    if written:
        names = "".join(f"  {escape(path)}\n" for path in written)
        more = "Addresses of conflicts are not reserved yet.\n" if result.conflicts else ""
        return f"Written to {escape(out)}:\n{names}{more}"
    if not result.files:
        return "Nothing to write.\n"
    files = plural(len(result.files), "file")
    why = f"{files} would be written, or already exist unchanged."
    if result.conflicts:
        why = f"resolve the conflicts, or use --partial to write the other {files}."
    return f"Nothing was written: {why}\n"


def _plan(result: Imported, painter: Painter) -> str:
    text = f"Plan: {counted(result.after)}, {moved(result)} moved."
    fresh = sum(1 for line in result.lines if line.is_new)
    new = f" {plural(fresh, 'claim')} would get new addresses." if fresh else ""
    conflicts = painter.paint(f" {plural(len(result.conflicts), 'conflict')}.", Colour.RED)
    return f"{painter.paint(text, Colour.BOLD)}{new}{conflicts if result.conflicts else ''}\n"


def _free(result: Imported) -> str:
    usage, pools = result.after.plan.after, result.after.state.pools
    free = [
        f"{pool.key.name} ({format_count(usage[key].available)})"
        for key, pool in pools.items()
        if pool.source.path in result.files and usage[key].available
    ]
    if not free:
        return ""
    listed = join_limited(free)
    return f"Addresses that are not listed above are free, and can be allocated: {listed}.\nReserve addresses that are in use in spec.reserved of the pool.\n"
