"""Formats of CI systems: SARIF, JUnit, GitHub, GitLab, and dotenv."""

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # nosec B405  # only written

from reconciler.codes import CODES
from reconciler.documents.findings import Finding, Severity
from reconciler.documents.text import escape
from reconciler.model.key import is_label
from reconciler.planning.evaluate import Evaluation
from reconciler.report import findings
from reconciler.report.formats import envelope, json_text
from reconciler.report.text.plan import verdict_text
from reconciler.report.text.table import Painter, findings_text

# GitHub shows at most this number of annotations of a kind per step, and silently drops the rest.
ANNOTATIONS = 10
# The severities of GitHub, GitLab, and SARIF.
_SEVERITIES = {
    Severity.ERROR: ("error", "critical", "error"),
    Severity.GATE: ("error", "major", "error"),
    Severity.WARNING: ("warning", "minor", "warning"),
    Severity.INFO: ("notice", "info", "note"),
}
_PLAIN = Painter(is_on=False)
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_text(evaluation: Evaluation) -> str:
    """Return the most severe findings as annotations, the others as log lines, then the verdict."""
    annotations, others = [], []
    given = Counter[str]()
    for item in findings.all_found(evaluation):
        kind = _SEVERITIES[item.severity][0]
        given[kind] += 1
        if given[kind] <= ANNOTATIONS:
            annotations.append(_annotation(kind, item))
        else:
            others.append(item)
    rest = findings_text(others, _PLAIN)
    return f"{''.join(annotations)}{rest}{verdict_text(evaluation, _PLAIN)}"


def _annotation(kind: str, item: Finding) -> str:
    place = item.location
    properties = {
        "file": escape(place.path) if place.path != "." else "",
        "line": str(place.line or ""),
        "col": str(place.column or ""),
        "title": item.code,
    }
    listed = ",".join(
        f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items() if value
    )
    message = escape(item.message)
    if item.hint:
        message = f"{message}\nhint: {escape(item.hint)}"
    return f"::{kind} {listed}::{message.translate(_DATA)}\n"


def gitlab_text(evaluation: Evaluation) -> str:
    """Return the findings, most severe first, in the subset of Code Climate that GitLab reads."""
    found = findings.all_listed(evaluation)
    issues = []
    for item, mark in zip(found, findings.fingerprints(found), strict=True):
        place, hint = findings.place_of(item), f" (hint: {item.hint})" if item.hint else ""
        issues.append(
            {
                "type": "issue",
                "check_name": item.code,
                "description": escape(f"{item.message}{hint}"),
                "categories": ["Bug Risk"],
                "severity": _SEVERITIES[item.severity][1],
                "fingerprint": mark,
                "location": {"path": escape(place.path), "lines": {"begin": place.line}},
            }
        )
    return json_text(issues)


def dotenv_text(document: Mapping[str, Any]) -> str:
    """Return the main results of the JSON document of `check` as `IPAM_RESULT_…` lines."""
    code, plan = int(document["exitCode"]), document["plan"]
    team = str((document["withinContract"] or {}).get("team") or "")
    is_within = code == 0 and is_label(team)
    results = {
        "EXIT_CODE": code,
        "DIGEST": plan["digest"],
        "CHANGED": str(plan["changed"]).lower(),
        "WITHIN_CONTRACT": str(is_within).lower(),
        "TEAM": team if is_within else "",
    }
    return "".join(f"IPAM_RESULT_{name}={value}\n" for name, value in results.items())


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_RULES = sorted(CODES)
# SARIF 2.1.0 §3.11.5 and §3.11.6: text that readers take for a placeholder or a link.
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_BRACKET = re.compile(r"[\[\]]")


def sarif_text(evaluation: Evaluation, version: str, root: str = "") -> str:
    """Return a SARIF run, most severe first, for one root. GitHub keeps `IN_ALL` results."""
    found = findings.all_listed(evaluation)
    results = list(map(_result, found, findings.fingerprints(found)))
    rules = [
        {
            "id": code,
            "shortDescription": {"text": about.cause},
            "fullDescription": {"text": about.cause},
            "help": {"text": about.text, "markdown": about.text},
            **({"helpUri": url} if (url := evaluation.tree.settings.url_of(code)) else {}),
        }
        for code, about in sorted(CODES.items())
    ]
    invocation: dict[str, Any] = {"executionSuccessful": True}
    left_out = len(evaluation.findings) + len(evaluation.gates)
    left_out -= sum(1 for item in found if item.code != findings.MORE)
    if left_out:
        text = f"{left_out} more findings left out; fix the listed ones first"
        note = {"level": "warning", "message": {"text": text}}
        invocation["toolExecutionNotifications"] = [note]
    run = {
        "tool": {"driver": {"name": "ipam", "version": version, "rules": rules}},
        "automationDetails": {"id": f"ipam/{root}/" if root else "ipam/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(item: Finding, mark: str) -> dict[str, Any]:
    place = findings.place_of(item)
    region = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
    text = _plain(item.message)
    if item.hint:
        text = f"{text}\nhint: {_plain(item.hint)}"
    uri = quote(place.path, errors="surrogatepass")
    return {
        "ruleId": item.code,
        "ruleIndex": _RULES.index(item.code),
        "level": _SEVERITIES[item.severity][2],
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


@cache
def examples() -> Mapping[str, dict[str, str]]:
    """Return an example finding of each code, with its hint, as `check` shows it."""
    text = files("reconciler.report").joinpath("examples.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def code_document(code: str) -> dict[str, Any]:
    """Return the document of a code."""
    about = CODES[code]
    document = {**envelope("Code"), "code": code, "cause": about.cause, "fix": about.fix}
    return {**document, "example": examples()[code]}


def junit_text(evaluation: Evaluation) -> str:
    """Return a JUnit report of the whole tree, because each file is a test."""
    files: dict[str, list[Finding]] = {item.path: [] for item in evaluation.tree.sources}
    for item in evaluation.findings:
        files.setdefault(findings.place_of(item).path, []).append(item)
    # Limits are named by their subject, so that a service can show them as fixed.
    gates: dict[str, list[Finding]] = {"claims": [], "capacity": [], "brake": []}
    for item in evaluation.gates:
        gates.get(item.code, gates["claims"]).append(item)
    listed = frozenset(findings.capped([*evaluation.findings, *evaluation.gates]))
    root = Element("testsuites", {"name": "ipam", **_counts([*files.values(), *gates.values()])})
    for name, cases in (("files", {path: files[path] for path in sorted(files)}), ("gates", gates)):
        about = {"name": name, **_counts(cases.values()), "errors": "0", "skipped": "0"}
        suite = SubElement(root, "testsuite", about)
        for title, found in cases.items():
            _add_case(suite, title, found, listed)
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n{tostring(root, encoding='unicode')}\n"


def _counts(cases: Iterable[Sequence[Finding]]) -> dict[str, str]:
    failed = [any(map(_fails, found)) for found in cases]
    return {"tests": str(len(failed)), "failures": str(sum(failed))}


def _add_case(
    suite: Element, title: str, found: Sequence[Finding], listed: Container[Finding]
) -> None:
    # No attribute `file`: the name is the path already, and Jenkins' xUnit plugin refuses the
    # attribute.
    about = {"classname": suite.get("name", ""), "name": escape(title), "time": "0"}
    case = SubElement(suite, "testcase", about)
    # All errors are in one element, because most readers show only the first.
    if failing := [item for item in found if _fails(item)]:
        first = findings.gravest_first(failing)[0]
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        message = f"{first.code}: {escape(first.message)}{more}"
        failure = SubElement(case, "failure", {"type": first.code, "message": message})
        failure.text = _text(failing, listed)
    if others := [item for item in found if not _fails(item)]:
        SubElement(case, "system-out").text = _text(others, listed)


def _text(found: Sequence[Finding], listed: Container[Finding]) -> str:
    shown = [item for item in found if item in listed]
    more = len(found) - len(shown)
    return f"{findings_text(shown, _PLAIN)}{f'and {more} more' if more else ''}"


def _fails(item: Finding) -> bool:
    return item.severity in (Severity.ERROR, Severity.GATE)
