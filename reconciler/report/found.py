"""What all forms for CI share: findings with the gravest first, fingerprints, the verdict."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from reconciler.digest import summary
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, few
from reconciler.model.contract import Within
from reconciler.model.settings import PATH
from reconciler.report.capped import GRAVITY, capped, gravest_first, listed_counts

_SAYS = {
    Severity.ERROR: "the content is wrong",
    Severity.GATE: "the content is right, but a gate stops it",
    None: "passes",
}
# Only where nothing at all is said.
_NOTHING_SAID = "fine"


class Verdict(NamedTuple):
    """What a check comes to.

    Attributes:
        worst: What stops the change, or None.
        says: That in words.
        listed: How many findings there are of each sort, in words.
    """

    worst: Severity | None
    says: str
    listed: str


def verdict(evaluation: Evaluation, inherited: int = 0) -> Verdict:
    """What a check comes to; it agrees with the exit code.

    Args:
        evaluation: With the findings of the change.
        inherited: How many findings more its base has already.
    """
    counts = Counter(item.severity for item in (*evaluation.findings, *evaluation.gates))
    worst = next((item for item in GRAVITY[:2] if counts[item]), None)
    is_told = counts or evaluation.moves or inherited or "transferred" in summary(evaluation)
    says = _SAYS[worst] if is_told else _NOTHING_SAID
    listed = listed_counts(counts) or "no findings"
    return Verdict(worst, says, f"{listed} of its own" if inherited else listed)


def within_sentence(found: Within | None) -> str:
    """Whether a change stays within what one team may do; empty where nothing is said of it."""
    if found is None:
        return ""
    if found.team:
        return f"Within the contract of team {found.team}."
    return f"Not within the contract of one team: {few(found.reasons, '; ')}."


def all_found(evaluation: Evaluation) -> list[Finding]:
    """All findings and gates, the gravest first: services show only so many."""
    return gravest_first([*evaluation.findings, *evaluation.gates])


def all_listed(evaluation: Evaluation) -> list[Finding]:
    """What an output lists of all findings and gates, the gravest first."""
    return gravest_first(capped([*evaluation.findings, *evaluation.gates]))


def place_of(item: Finding) -> Location:
    """A file and a line, for services that take no finding without one.

    What is about the repository as a whole is shown at Settings.
    """
    path = PATH if item.location.path == "." else item.location.path
    return item.location._replace(path=path, line=item.location.line or 1)


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """A mark for each finding, by which a service knows it again in the next run.

    It is made of code, file and field, and of no line and no message: those change when something
    else in the file, or in the pool, does. Of several alike the first is known by its order.
    """
    seen: Counter[str] = Counter()
    marks = []
    for item in findings:
        text = "\0".join((item.code, item.location.path, item.location.pointer))
        seen[text] += 1
        numbered = f"{text}\0{seen[text]}".encode("utf-8", "surrogatepass")
        marks.append(sha256(numbered).hexdigest())
    return marks
