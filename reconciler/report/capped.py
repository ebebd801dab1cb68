"""How many findings an output lists: at most so many of a file and in all, the gravest of them.

What is left out is counted, in a finding of its own. Exit codes and verdicts go by all findings.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reconciler.findings import Finding, Location, Severity

OF_A_FILE = 100
IN_ALL = 5_000
MORE = "more-findings"

GRAVITY = (Severity.ERROR, Severity.GATE, Severity.WARNING, Severity.INFO)
_WORDS = {
    Severity.ERROR: "error",
    Severity.GATE: "refused",
    Severity.WARNING: "warning",
    Severity.INFO: "to know",
}
_COUNTED = (Severity.ERROR, Severity.WARNING)
_HINT = "mend what is shown; the next run shows more"


def gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then gates, warnings and what is to know; each sort in the order that it has."""
    return sorted(findings, key=lambda item: GRAVITY.index(item.severity))


def capped(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that are listed, in their order, and what is said of the others.

    That stands behind the last one of its file; of all files it stands at the end.
    """
    counts = Counter(item.location.path for item in findings)
    if len(findings) <= IN_ALL and max(counts.values(), default=0) <= OF_A_FILE:
        return list(findings)
    kept: list[int] = []
    listed: Counter[str] = Counter()
    for at in sorted(range(len(findings)), key=lambda at: GRAVITY.index(findings[at].severity)):
        path = findings[at].location.path
        if listed[path] < OF_A_FILE:
            listed[path] += 1
            kept.append(at)
    cut = sum(1 for path, count in counts.items() if count > OF_A_FILE)
    if len(kept) + cut > IN_ALL:
        return _cut_in_all(findings, sorted(kept[: IN_ALL - 1]))
    return _cut_by_file(findings, sorted(kept))


def _cut_in_all(findings: Sequence[Finding], kept: Sequence[int]) -> list[Finding]:
    shown = frozenset(kept)
    rest = [item for at, item in enumerate(findings) if at not in shown]
    return [*(findings[at] for at in kept), _more(".", rest, "")]


def _cut_by_file(findings: Sequence[Finding], kept: Sequence[int]) -> list[Finding]:
    shown = frozenset(kept)
    rest: dict[str, list[Finding]] = {}
    for at, item in enumerate(findings):
        if at not in shown:
            rest.setdefault(item.location.path, []).append(item)
    last = {findings[at].location.path: at for at in kept}
    found: list[Finding] = []
    for at in kept:
        path = findings[at].location.path
        found.append(findings[at])
        if at == last[path] and path in rest:
            found.append(_more(path, rest[path], " of this file"))
    return found


def _more(path: str, rest: Sequence[Finding], where: str) -> Finding:
    counts = Counter(item.severity for item in rest)
    message = f"and {len(rest)} more{where}: {listed_counts(counts)}"
    gravest = next(it for it in GRAVITY if counts[it])
    return Finding(MORE, gravest, message, Location(path), _HINT)


def listed_counts(counts: Mapping[Severity, int]) -> str:
    """How many there are of each sort: `1 error, 3 refused, 2 warnings`; empty for none."""
    said = []
    for severity in GRAVITY:
        count, word = counts.get(severity, 0), _WORDS[severity]
        is_many = count != 1 and severity in _COUNTED
        said += [f"{count} {word}{'s' if is_many else ''}"] if count else []
    return ", ".join(said)
