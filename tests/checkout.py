"""Fail a test run that leaves files in the checkout.

This is a pytest plugin. It reports new files, also those that Git ignores. `git status` shows
changes of existing files.
"""

import os
from pathlib import Path

import pytest

_BEFORE = pytest.StashKey[frozenset[str]]()


def files(root: Path) -> frozenset[str]:
    found = []
    for folder, inside, names in os.walk(root):
        inside[:] = [
            name
            for name in inside
            if name != ".git" and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        found += [Path(folder, name).relative_to(root).as_posix() for name in names]
    return frozenset(found)


def pytest_sessionstart(session: pytest.Session) -> None:
    # With xdist the controller looks: it is there first and last.
    if not hasattr(session.config, "workerinput"):
        session.stash[_BEFORE] = files(session.config.rootpath)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    before = session.stash.get(_BEFORE, None)
    if before is None or session.config.getoption("--update-golden", default=False):
        return
    left = sorted(files(session.config.rootpath) - before)
    if left:
        report = pytest.TestReport(
            nodeid="the checkout",
            location=("the checkout", None, "the checkout"),
            keywords={},
            outcome="failed",
            longrepr="\n".join(["these files were not there when the tests began:", *left]),
            when="teardown",
        )
        session.config.hook.pytest_runtest_logreport(report=report)
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
