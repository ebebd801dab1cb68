"""Trouble that a change did not make: that of observed files which stand like this in its base.

Whoever may make objects in the management cluster can make wrong ones. That is told, but it turns
no change red that has nothing to do with it.
"""

from collections.abc import Iterable
from dataclasses import replace

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, ordered
from reconciler.observed import is_observed
from reconciler.ports import Changed, Facts, Source

_STOPS = (Severity.ERROR, Severity.GATE)


def with_known_trouble(
    evaluation: Evaluation,
    name: str,
    base: Source,
    changes: Iterable[Changed],
    facts: Facts | None = None,
) -> Evaluation:
    """The evaluation of a change, with what its base says already of observed files as warnings.

    What the base does not say at that place stops as ever: the change brought it about.

    Args:
        evaluation: That of the change, with all that is told.
        name: The name of the base.
        base: The base.
        changes: The files that differ from it.
        facts: The cache that spares reading what is settled.
    """
    changed = {item.path for item in changes}
    settings = evaluation.tree.settings
    suspects = {
        _what(item)
        for item in (*evaluation.findings, *evaluation.gates)
        if item.severity in _STOPS
        and is_observed(settings, item.location.path)
        and item.location.path not in changed
    }
    if not suspects:
        return evaluation
    planned = evaluate_incrementally(base, facts)
    known = suspects & {_what(item) for item in (*planned.findings, *planned.gates)}
    findings = [_softened(item, name, known) for item in evaluation.findings]
    passed = [_softened(item, name, known) for item in evaluation.gates if _what(item) in known]
    return replace(
        evaluation,
        findings=ordered([*findings, *passed]),
        gates=tuple(item for item in evaluation.gates if _what(item) not in known),
    )


def _what(item: Finding) -> tuple[Severity, str, Location]:
    return item.severity, item.code, item.location


def _softened(item: Finding, name: str, known: set[tuple[Severity, str, Location]]) -> Finding:
    if _what(item) not in known:
        return item
    message = f"{item.message}; {name} has it already"
    return replace(item, severity=Severity.WARNING, message=message)
