"""Runs of reconcile while a claim moves: what was left goes when clusters say so, and is replayed."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from reconciler.gitio.interface import ReplayVerdict
from reconciler.gitio.repository import open_repository
from reconciler.model.errors import GateError
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.verify import replay
from tests.moving import KEY, NEW, OLD
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, pool, provider, repository, write

DAY = 86_400
MOVED = CLOCK + 20
OVERRIDE = f"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Override
metadata:
  name: 2026-02-15-move
spec:
  kind: move
  scope: {KEY}
  reason: the old VLAN goes
  expires: "2026-05-10T12:00:00Z"
"""
FAR = {
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: far}]"),
}


class Told:
    """Clusters that say of each record what they are told to."""

    def __init__(self) -> None:
        self.why: Mapping[str, str] = {}
        self.asked = 0

    def __call__(self, evaluation: Evaluation) -> Mapping[str, str]:
        self.asked += 1
        return self.why


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A person let the claim move, in a change of its own; then the provider names another pool."""
    made = repository(tmp_path / "repo", SMALL)
    assert run(made, CLOCK).commit is not None
    write(made, {"overrides/2026-02-15-move.yaml": OVERRIDE})
    commit(made, clock=CLOCK + 10)
    write(made, FAR)
    commit(made, clock=MOVED)
    return made


def run(folder: Path, now: float | None, told: Told | None = None) -> Reconciled:
    options = ReconcileOptions(now=None if now is None else lambda: now, still_announced=told)
    opened = open_repository(folder, ENVIRONMENT)
    return reconcile(opened, options, sleep=lambda _: None)


def shown(folder: Path, path: str) -> str:
    return git(folder, "show", f"HEAD:{path}")


def subject(folder: Path) -> str:
    return git(folder, "log", "-1", "--format=%s")


def all_same(folder: Path) -> None:
    found = open_repository(folder, ENVIRONMENT)
    for made in git(folder, "log", "--format=%H", "--grep=Ipam-Plan").splitlines():
        assert replay(found, made).verdict is ReplayVerdict.SAME, git(folder, "show", made)


def test_a_move_is_one_commit_that_says_so(folder: Path) -> None:
    found = run(folder, MOVED + 5)
    assert subject(folder) == "ipam: move 1"
    assert "announced: until-unused" in shown(folder, OLD)
    assert "phase: Allocated" in shown(folder, NEW)
    assert [it.code for it in found.evaluation.findings] == ["override-used", "claim-moves"]
    all_same(folder)


def test_what_was_left_stays_for_ever_where_no_cluster_is_asked(folder: Path) -> None:
    run(folder, MOVED + 5)
    assert run(folder, MOVED + 400 * DAY).commit is None
    assert "announced: until-unused" in shown(folder, OLD)


def test_what_somebody_uses_stays_and_is_said(folder: Path) -> None:
    told = Told()
    run(folder, MOVED + 5, told)
    assert told.asked == 0
    told.why = {OLD: "Service shop/web of team-a/one still has 10.40.0.0-10.40.0.7"}
    found = run(folder, MOVED + DAY, told)
    assert found.commit is None
    assert found.code == 0
    (left,) = (it for it in found.evaluation.findings if it.code == "claim-left")
    assert left.message.endswith(": Service shop/web of team-a/one still has 10.40.0.0-10.40.0.7")


def test_retention_begins_when_clusters_say_that_nobody_uses_it(folder: Path) -> None:
    told = Told()
    run(folder, MOVED + 5, told)
    found = run(folder, MOVED + DAY + 30, told)
    assert found.commit is not None
    assert (subject(folder), told.asked) == ("ipam: release 1", 1)
    kept = shown(folder, OLD)
    assert "announced" not in kept
    # A full minute after the move, at which nobody used it any more: not the date of the branch.
    assert 'releasedAt: "2026-02-16T10:00:50Z"' in kept
    all_same(folder)
    assert run(folder, MOVED + 2 * DAY - 1, told).commit is None
    assert run(folder, MOVED + 2 * DAY, told).commit is not None
    assert subject(folder) == "ipam: expire 1"
    all_same(folder)


def test_a_person_who_takes_the_mark_away_stops_the_run(folder: Path) -> None:
    run(folder, MOVED + 5)
    text = shown(folder, OLD)
    write(folder, {OLD: text.replace("  announced: until-unused\n", "") + "\n"})
    commit(folder, clock=MOVED + 60)
    with pytest.raises(GateError, match="1 file differs from"):
        run(folder, MOVED + 70)


def test_an_override_in_the_change_itself_moves_nothing(tmp_path: Path) -> None:
    made = repository(tmp_path / "repo", SMALL)
    run(made, CLOCK)
    write(made, {"overrides/2026-02-15-move.yaml": OVERRIDE, **FAR})
    commit(made, clock=MOVED)
    assert run(made, MOVED + 5).commit is None
