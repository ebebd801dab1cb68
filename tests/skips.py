"""A pytest plugin that prints each reason for skipped tests in one line."""

from collections import Counter
from collections.abc import Iterator

import pytest

_NOT_RUN = (
    "Not run: most tests with Git, kills and races, and tests with API servers or a browser."
    " `make test-all` runs all; first `make envtest` (API servers) and `make browser`."
)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    skipped = Counter(map(_reason, terminalreporter.stats.get("skipped", ())))
    for reason, count in sorted(skipped.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests} skipped: {reason}")
    if terminalreporter.config.option.markexpr == "quick":
        terminalreporter.write_line(_NOT_RUN)


def _reason(report: pytest.TestReport) -> str:
    # Path, line and reason.
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")
