"""Evaluations as a Code Quality report of GitLab, which shows them at the lines of a change."""

from reconciler.evaluate import Evaluation
from reconciler.findings import Severity
from reconciler.report.escape import escape
from reconciler.report.found import all_listed, fingerprints, place_of
from reconciler.report.machine import json_text

_SEVERITY = {
    Severity.ERROR: "critical",
    Severity.GATE: "major",
    Severity.WARNING: "minor",
    Severity.INFO: "info",
}


def gitlab_text(evaluation: Evaluation) -> str:
    """The findings, the gravest first, in the part of Code Climate's form that GitLab reads."""
    found = all_listed(evaluation)
    return json_text(
        [
            {
                "type": "issue",
                "check_name": item.code,
                "description": escape(
                    f"{item.message} (hint: {item.hint})" if item.hint else item.message
                ),
                "categories": ["Bug Risk"],
                "severity": _SEVERITY[item.severity],
                "fingerprint": mark,
                "location": {
                    "path": escape(place_of(item).path),
                    "lines": {"begin": place_of(item).line},
                },
            }
            for item, mark in zip(found, fingerprints(found), strict=True)
        ]
    )
