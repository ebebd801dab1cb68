"""Evaluations as JUnit XML: a test for each source file, and one for each sort of gate."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # nosec B405  # written, never read

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.report.capped import capped, gravest_first
from reconciler.report.escape import escape
from reconciler.report.found import place_of
from reconciler.report.text.findings import findings_text
from reconciler.report.text.table import Painter

# Gates are named by what they guard, not by what fails them, so that a service sees one mended.
_GATES = {"capacity": "capacity", "brake": "brake"}
_REFUSALS = "claims"
_PLAIN = Painter(is_on=False)


def junit_text(evaluation: Evaluation) -> str:
    """Suites `files` and `gates`.

    Args:
        evaluation: An evaluation of the whole tree: a file that was left out is no test.
    """
    files: dict[str, list[Finding]] = {item.path: [] for item in evaluation.tree.sources}
    for item in evaluation.findings:
        files.setdefault(place_of(item).path, []).append(item)
    gates: dict[str, list[Finding]] = defaultdict(list)
    for name in (_REFUSALS, *_GATES.values()):
        gates[name] = []
    for item in evaluation.gates:
        gates[_GATES.get(item.code, _REFUSALS)].append(item)
    listed = frozenset(capped([*evaluation.findings, *evaluation.gates]))
    root = Element("testsuites", {"name": "ipam", **_counts([*files.values(), *gates.values()])})
    _add_suite(root, "files", {path: files[path] for path in sorted(files)}, listed)
    _add_suite(root, "gates", gates, listed)
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n{tostring(root, encoding='unicode')}\n"


def _add_suite(
    root: Element, name: str, cases: Mapping[str, Sequence[Finding]], listed: Container[Finding]
) -> None:
    about = {"name": name, **_counts(cases.values()), "errors": "0", "skipped": "0"}
    suite = SubElement(root, "testsuite", about)
    for title, found in cases.items():
        _add_case(suite, title, found, listed)


def _counts(cases: Iterable[Sequence[Finding]]) -> dict[str, str]:
    failed = [any(_fails(item) for item in found) for found in cases]
    return {"tests": str(len(failed)), "failures": str(sum(failed))}


def _add_case(
    suite: Element, title: str, found: Sequence[Finding], listed: Container[Finding]
) -> None:
    # No attribute `file`: the name of a file says it, and Jenkins' xUnit plugin refuses reports with it.
    about = {"classname": suite.get("name", ""), "name": escape(title), "time": "0"}
    case = SubElement(suite, "testcase", about)
    if failing := [item for item in found if _fails(item)]:
        _add_failure(case, failing, listed)
    if others := [item for item in found if not _fails(item)]:
        SubElement(case, "system-out").text = _text(others, listed)


def _add_failure(case: Element, found: Sequence[Finding], listed: Container[Finding]) -> None:
    """All of a case's errors in one element: most readers show the first alone."""
    first = gravest_first(found)[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    message = f"{first.code}: {escape(first.message)}{more}"
    failure = SubElement(case, "failure", {"type": first.code, "message": message})
    failure.text = _text(found, listed)


def _text(found: Sequence[Finding], listed: Container[Finding]) -> str:
    """Those of a case's findings that are listed, and how many more there are."""
    shown = [item for item in found if item in listed]
    more = len(found) - len(shown)
    return f"{findings_text(shown, _PLAIN)}{f'and {more} more' if more else ''}"


def _fails(item: Finding) -> bool:
    return item.severity in (Severity.ERROR, Severity.GATE)
