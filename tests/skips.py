"""Say in one line each why tests were skipped, and what was not run. A plugin of pytest."""

from collections import Counter
from collections.abc import Iterator

import pytest

_NEEDS = ("unit", "git", "slow", "served", "page")
_LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_deselected(items: list[pytest.Item]) -> None:
    if items:
        needs = (next(name for name in _NEEDS if item.get_closest_marker(name)) for item in items)
        items[0].config.stash[_LEFT_OUT] = Counter(needs)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # a worker of xdist
        found: dict[str, int] = session.config.stash.get(_LEFT_OUT, {})
        output["left_out"] = dict(found)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    # Each worker collects all tests.
    left_out = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[_LEFT_OUT] = left_out  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    skipped = Counter(map(_reason, terminalreporter.stats.get("skipped", ())))
    for reason, count in sorted(skipped.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests} skipped: {reason}")
    left_out: dict[str, int] = terminalreporter.config.stash.get(_LEFT_OUT, {})
    if left_out and terminalreporter.config.option.markexpr == "quick":
        told = ", ".join(f"{left_out[name]} {name}" for name in _NEEDS if name in left_out)
        terminalreporter.write_line(
            f"Not run: {sum(left_out.values())} tests ({told}). `make test-all` runs them;"
            " first `make envtest` (API servers) and `make browser` (page)."
        )


def _reason(report: pytest.TestReport) -> str:
    # Path, line and reason.
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")
