"""What was skipped is told in one line a reason, however many tests gave it. A plugin of pytest."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = Counter(map(_reason, terminalreporter.stats.get("skipped", ())))
    for reason, count in sorted(skipped.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests} skipped: {reason}")


def _reason(report: pytest.TestReport) -> str:
    # Path, line and reason.
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")
