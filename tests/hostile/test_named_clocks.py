"""Commits that name a clock: only an instant of the tree, and only one that has come, is believed."""

from dataclasses import replace
from pathlib import Path

import pytest

from reconciler import __version__
from reconciler.gitio.history import CommitTrailers, message_of
from reconciler.gitio.interface import ReplayVerdict
from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.change import FileChange, Observation
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.reconcile.verify import Replayed, replay
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, repository, tenant

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
SEEN = "observed/Demand.gitops-ipam.dev/team-a/nobody.yaml"
DAY = 86_400
DUE = CLOCK + 60 + DAY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tenant was released a minute after the first commit, with a retention of a day."""
    made = repository(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    reconcile(opened(made), ReconcileOptions())
    git(made, "rm", "-q", "tenants/one.yaml")
    commit(made, clock=CLOCK + 60)
    reconcile(opened(made), ReconcileOptions(allow_release=1))
    return made


def opened(folder: Path, now: float = CLOCK + 9 * DAY) -> Repository:
    return replace(open_repository(folder, ENVIRONMENT), now=lambda: now)


def message(folder: Path, clock: int | None) -> str:
    base = git(folder, "rev-parse", "HEAD")
    return message_of(
        "expire 1", CommitTrailers(f"sha256:{'0' * 64}", base, __version__, None, clock)
    )


def forged(folder: Path, clock: int, *, dated: int | None = None) -> str:
    """Commit everything like a reconcile commit with a clock trailer."""
    return commit(folder, message(folder, clock), dated or clock)


def shown(folder: Path, now: float = CLOCK + 9 * DAY) -> Replayed:
    return replay(opened(folder, now), git(folder, "rev-parse", "HEAD"))


def test_at_the_instant_at_which_it_falls_due_a_record_may_go(folder: Path) -> None:
    (folder / RECORD).unlink()
    forged(folder, DUE)
    assert shown(folder).verdict is ReplayVerdict.SAME


@pytest.mark.parametrize("clock", [DUE - 1, DUE + 1, CLOCK + 3 * DAY])
def test_at_another_one_nobody_takes_it_away(folder: Path, clock: int) -> None:
    (folder / RECORD).unlink()
    forged(folder, clock)
    assert shown(folder) == Replayed(ReplayVerdict.DIFFERENT, (RECORD,), __version__)


def test_something_may_be_due_and_something_else_be_done_beside_it(folder: Path) -> None:
    (folder / RECORD).unlink()
    other = folder / RECORD.replace("one.", "two.")
    other.write_text(other.read_text().replace("10.40.0.", "10.40.0.1"))
    forged(folder, DUE)
    found = shown(folder)
    assert (found.verdict, found.files) == (
        ReplayVerdict.DIFFERENT,
        (RECORD.replace("one.", "two."),),
    )


def looked(folder: Path) -> str:
    look = Observation(CLOCK + 600, (FileChange(SEEN, b"# of nobody\n"),))
    assert reconcile(opened(folder), ReconcileOptions(look=lambda _: look)).commit is not None
    return git(folder, "rev-parse", "HEAD")


def test_what_was_looked_at_carries_no_record_along(folder: Path) -> None:
    looked(folder)
    assert shown(folder).verdict is ReplayVerdict.SAME
    (folder / RECORD).unlink()
    text = git(folder, "show", "-s", "--format=%B")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "-m", text, clock=CLOCK + 600)
    assert (shown(folder).verdict, shown(folder).files) == (ReplayVerdict.DIFFERENT, (RECORD,))
