"""Evaluations as SARIF 2.1.0, for code scanning."""

import re
from typing import Any
from urllib.parse import quote

from reconciler.codes import CODES
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.report.capped import IN_ALL, MORE
from reconciler.report.escape import escape
from reconciler.report.found import all_listed, fingerprints, place_of
from reconciler.report.machine import json_text

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# GitHub keeps so many results of a run, and refuses a run with more than 25,000.
RESULTS = IN_ALL
_LEVEL = {
    Severity.ERROR: "error",
    Severity.GATE: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}
_RULES = {code: at for at, code in enumerate(sorted(CODES))}
# SARIF 2.1.0 §3.11.5 and §3.11.6: what a reader would take for a placeholder or a link.
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_BRACKET = re.compile(r"[\[\]]")


def sarif_text(evaluation: Evaluation, version: str, root: str = "") -> str:
    """One run with a rule for every code and a result for each finding, the gravest first.

    Args:
        evaluation: The evaluation.
        version: The version of the program.
        root: The folder that is the root: a service keeps one run for each of a commit.
    """
    found = all_listed(evaluation)
    marks = fingerprints(found)
    results = [_result(item, mark) for item, mark in zip(found, marks, strict=True)]
    invocation: dict[str, Any] = {"executionSuccessful": True}
    left_out = len(evaluation.findings) + len(evaluation.gates)
    left_out -= sum(1 for item in found if item.code != MORE)
    if left_out:
        text = f"{left_out} more findings were left out: mend those that are shown"
        note = {"level": "warning", "message": {"text": text}}
        invocation["toolExecutionNotifications"] = [note]
    run = {
        "tool": {"driver": {"name": "ipam", "version": version, "rules": _rules()}},
        "automationDetails": {"id": f"ipam/{root}/" if root else "ipam/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules() -> list[dict[str, Any]]:
    return [
        {
            "id": code,
            "shortDescription": {"text": CODES[code]},
            "fullDescription": {"text": CODES[code]},
            "help": {"text": CODES[code], "markdown": CODES[code]},
        }
        for code in _RULES
    ]


def _result(item: Finding, mark: str) -> dict[str, Any]:
    place = place_of(item)
    region = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
    text = _plain(item.message)
    if item.hint:
        text = f"{text}\nhint: {_plain(item.hint)}"
    uri = quote(place.path, errors="surrogatepass")
    return {
        "ruleId": item.code,
        "ruleIndex": _RULES[item.code],
        "level": _LEVEL[item.severity],
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
                    "region": region,
                }
            }
        ],
        "partialFingerprints": {"ipam/v1": mark},
    }


def _plain(text: str) -> str:
    escaped = _PLACEHOLDER.sub(r"{{\1}}", escape(text))
    return _BRACKET.sub(r"\\\g<0>", escaped) if "](" in escaped else escaped
