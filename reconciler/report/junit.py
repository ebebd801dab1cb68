"""Evaluations as JUnit XML: a test for each source file, and one for each sort of gate."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape as markup

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.report.escape import escape
from reconciler.report.found import gravest_first, place_of
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
    suites = [_suite("files", {path: files[path] for path in sorted(files)})]
    suites.append(_suite("gates", gates))
    cases = [*files.values(), *gates.values()]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<testsuites name="ipam" {_counts(cases)}>\n{"".join(suites)}</testsuites>\n'


def _suite(name: str, cases: Mapping[str, Sequence[Finding]]) -> str:
    body = "".join(_case(name, title, found) for title, found in cases.items())
    counts = f'{_counts(cases.values())} errors="0" skipped="0"'
    return f'  <testsuite name="{name}" {counts}>\n{body}  </testsuite>\n'


def _counts(cases: Iterable[Sequence[Finding]]) -> str:
    failed = [any(_fails(item) for item in found) for found in cases]
    return f'tests="{len(failed)}" failures="{sum(failed)}"'


def _case(suite: str, title: str, found: Sequence[Finding]) -> str:
    named = markup(escape(title))
    attributes = f'classname="{suite}" name="{named}" time="0"'
    if suite == "files":
        attributes = f'{attributes} file="{named}"'
    parts = [_failure([item for item in found if _fails(item)])]
    if warnings := [item for item in found if not _fails(item)]:
        parts.append(f"      <system-out>{_lines(warnings)}</system-out>\n")
    inner = "".join(parts)
    if not inner:
        return f"    <testcase {attributes}/>\n"
    return f"    <testcase {attributes}>\n{inner}    </testcase>\n"


def _failure(found: Sequence[Finding]) -> str:
    """All of a case's errors in one element: most readers show the first alone."""
    if not found:
        return ""
    first = gravest_first(found)[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    message = markup(f"{first.code}: {escape(first.message)}{more}")
    return f'      <failure type="{first.code}" message="{message}">{_lines(found)}</failure>\n'


def _lines(found: Sequence[Finding]) -> str:
    return markup(findings_text(found, _PLAIN))


def _fails(item: Finding) -> bool:
    return item.severity is not Severity.WARNING
