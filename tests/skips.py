"""Say in one line each why tests were skipped, and what was not run. A plugin of pytest."""

from collections import Counter

import pytest

_NEEDS = ("unit", "git", "slow", "served", "page")
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items[:1]:
        item.config.stash.setdefault(_LEFT_OUT, Counter())
    for item in items:
        needs = next((name for name in _NEEDS if item.get_closest_marker(name)), "unit")
        item.config.stash[_LEFT_OUT][needs] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # a worker of xdist
        output["left_out"] = dict(session.config.stash.get(_LEFT_OUT, Counter()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    # Each worker collects all tests.
    left_out = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[_LEFT_OUT] = Counter(left_out)  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = Counter(map(_reason, terminalreporter.stats.get("skipped", ())))
    for reason, count in sorted(skipped.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests} skipped: {reason}")
    left_out = terminalreporter.config.stash.get(_LEFT_OUT, Counter())
    if left_out and terminalreporter.config.option.markexpr == "quick":
        told = ", ".join(f"{left_out[name]} {name}" for name in _NEEDS if left_out[name])
        terminalreporter.write_line(
            f"Not run: {left_out.total()} tests ({told}). `make test-all` runs them;"
            " first `make envtest` (API servers) and `make browser` (page)."
        )


def _reason(report: pytest.TestReport) -> str:
    # Path, line and reason.
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")
