"""Order, limits, and counts of findings, and the verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, Severity, join_limited, plural
from reconciler.model.pool import Within
from reconciler.model.settings import PATH
from reconciler.planning.evaluate import Evaluation

OF_A_FILE = 100
IN_ALL = 5_000
MORE = "more-findings"

GRAVITY = (Severity.ERROR, Severity.GATE, Severity.WARNING, Severity.INFO)
_WORDS = {
    Severity.ERROR: "error",
    Severity.GATE: "refused",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}
_COUNTED = (Severity.ERROR, Severity.WARNING, Severity.INFO)
_HINT = "fix the listed findings; the next run shows more"


def where(place: Location) -> str:
    """Return `path:line:column`, as far as known."""
    return ":".join(str(part) for part in (place.path, place.line, place.column) if part)


def gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return errors, then exceeded limits, warnings, and notes, each in the given order."""
    return sorted(findings, key=lambda item: GRAVITY.index(item.severity))


def capped(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings to list, in their order, with a summary of the omitted ones."""
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
        kept = sorted(kept[: IN_ALL - 1])
        rest = [findings[at] for at in sorted({*range(len(findings))}.difference(kept))]
        return [*(findings[at] for at in kept), _more(".", rest, "")]
    last = {findings[at].location.path: at for at in sorted(kept)}
    shown = frozenset(kept)
    found: list[Finding] = []
    for at in sorted(kept):
        path = findings[at].location.path
        found.append(findings[at])
        if at == last[path] and counts[path] > OF_A_FILE:
            rest = [
                it for i, it in enumerate(findings) if i not in shown and it.location.path == path
            ]
            found.append(_more(path, rest, " of this file"))
    return found


def _more(path: str, rest: Sequence[Finding], where: str) -> Finding:
    counts = Counter(item.severity for item in rest)
    message = f"{plural(len(rest), 'more finding')}{where}: {listed_counts(counts)}"
    gravest = next(it for it in GRAVITY if counts[it])
    return Finding(MORE, gravest, message, Location(path), _HINT)


def listed_counts(counts: Mapping[Severity, int]) -> str:
    """Return the count of each severity: `1 error, 3 refused, 2 notices`, or empty for none."""
    words = []
    for severity in GRAVITY:
        if count := counts.get(severity, 0):
            word = _WORDS[severity]
            words.append(plural(count, word) if severity in _COUNTED else f"{count} {word}")
    return ", ".join(words)


def within_sentence(found: Within | None) -> str:
    """Return whether a change stays within the rights of one team, or empty if unknown."""
    if found is None:
        return ""
    if found.team:
        return f"Self-service: stays within team {found.team}."
    return f"Needs review: {join_limited(found.reasons, '; ')}."


def place_of(item: Finding) -> Location:
    """Return a file and line for a service. Findings about the repository are at Settings."""
    path = PATH if item.location.path == "." else item.location.path
    return replace(item.location, path=path, line=item.location.line or 1)


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """Return an id for each finding that stays the same in later runs.

    It ignores line and message, which change with other edits. Equal findings differ by order.
    """
    seen: Counter[str] = Counter()
    marks = []
    for item in findings:
        text = "\0".join((item.code, item.location.path, item.location.pointer))
        seen[text] += 1
        numbered = f"{text}\0{seen[text]}".encode("utf-8", "surrogatepass")
        marks.append(sha256(numbered).hexdigest())
    return marks


_SAYS = {Severity.ERROR: "Invalid", Severity.GATE: "Blocked", None: "OK"}


def verdict(evaluation: Evaluation, inherited: int = 0) -> tuple[Severity | None, str, str]:
    """Return the blocking severity, the verdict, and counts. `inherited` counts findings of the base."""
    counts = Counter(item.severity for item in (*evaluation.findings, *evaluation.gates))
    worst = next((item for item in GRAVITY[:2] if counts[item]), None)
    listed = listed_counts(counts) or "no findings"
    return worst, _SAYS[worst], f"{listed} in this change" if inherited else listed


def all_found(evaluation: Evaluation) -> list[Finding]:
    """Return all findings and exceeded limits, most severe first, as services truncate lists."""
    return gravest_first([*evaluation.findings, *evaluation.gates])


def all_listed(evaluation: Evaluation) -> list[Finding]:
    """Return the findings and exceeded limits that an output lists, most severe first."""
    return gravest_first(capped([*evaluation.findings, *evaluation.gates]))
