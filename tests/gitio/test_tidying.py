"""Packing a mirror is for the next run's sake: nothing of it fails the run that published."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reconciler.gitio.process import GitProcess, Result
from reconciler.gitio.remotes import open_mirror
from reconciler.gitio.repository import LOOSE
from reconciler.model.errors import ExitCode, GitError
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from tests.contracts.homes import ENVIRONMENT
from tests.world import git

TOO_SLOW = GitError("git gc took over 300 seconds", "see whether the remote answers")
FAILURES = [TOO_SLOW, OSError(28, "No space left on device")]


class Untidy(GitProcess):
    """Real git, in which packing ends as a test wants it to."""

    failure: Exception = TOO_SLOW

    def run(self, *arguments: str, **how: Any) -> Result:
        if arguments[0] == "gc":
            raise self.failure
        return super().run(*arguments, **how)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_whatever_happens_while_a_mirror_is_tidied_the_run_goes_on(
    tmp_path: Path, remote: Path, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    mirror = open_mirror(str(remote), tmp_path / "mirrors", ENVIRONMENT, None, None)
    heap = mirror.git.git_dir / "objects" / "17"
    heap.mkdir(exist_ok=True)
    for number in range(LOOSE):
        (heap / f"{number:038x}").touch()
    untidy = Untidy(mirror.git.git_dir, mirror.git.environment)
    Untidy.failure = failure
    with caplog.at_level(logging.WARNING):
        repository = replace(mirror, git=untidy)
        done = reconcile(repository, ReconcileOptions())
        repository.tidy()
    assert done.code is ExitCode.OK
    assert done.commit is not None
    assert git(remote, "rev-parse", "main") == done.commit.id
    (said,) = caplog.messages
    assert said == f"git gc of the mirror failed: {failure}"
