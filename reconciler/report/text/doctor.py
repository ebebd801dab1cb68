"""`doctor`: what is in order and what is not, a line a check."""

from collections.abc import Iterator

from reconciler.report.diagnosis import GIT, Diagnosis, Group, Verdict
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter

_SIGNS = {
    Verdict.OK: ("✔", Colour.GREEN),
    Verdict.WARNING: ("!", Colour.YELLOW),
    Verdict.FAILED: ("✗", Colour.RED),
}
_TITLES = {GIT: "Git"}
_MANY = 20
_WIDTH = 10


def diagnosis_text(diagnosis: Diagnosis, painter: Painter) -> str:
    """A line a check below the name of its group, and the sum.

    Of very many clusters only those are shown in which something is not in order.
    """
    is_long = len(diagnosis.groups) > _MANY
    hidden = 0
    lines: list[str] = []
    for index, group in enumerate(diagnosis.groups):
        if is_long and index > 1 and group.verdict is Verdict.OK:
            hidden += 1
        else:
            lines += _group(group, painter)
    if hidden:
        lines.append(f"{hidden} more clusters, in which all is in order; -o json has them\n\n")
    return "".join([*lines, _sum(diagnosis, painter)])


def _group(group: Group, painter: Painter) -> Iterator[str]:
    title = _TITLES.get(group.name, group.name)
    yield f"{painter.paint(escape(title), Colour.BOLD)}\n"
    for check in group.checks:
        sign, colour = _SIGNS[check.verdict]
        name = escape(check.name).ljust(_WIDTH)
        yield f"  {painter.paint(sign, colour)} {name}   {escape(check.message)}\n"
        if check.mend:
            yield f"    {' ' * _WIDTH}   {painter.paint('mend:', Colour.DIM)} {escape(check.mend)}\n"
    yield "\n"


def _sum(diagnosis: Diagnosis, painter: Painter) -> str:
    wrong, doubts = diagnosis.count(Verdict.FAILED), diagnosis.count(Verdict.WARNING)
    verdict = Verdict.FAILED if wrong else Verdict.OK
    told = [f"{wrong} to mend"] if wrong else []
    told += [f"{doubts} to look at"] if doubts else []
    sign, colour = _SIGNS[verdict]
    what = ", ".join(told) if wrong else ", ".join(["nothing is wrong", *told])
    return f"{painter.paint(f'{sign} {what}', colour)}\n"
