"""A review with what is known from an earlier one is the review without it."""

from pathlib import Path

from reconciler.adapters.git.opening import open_repository
from reconciler.cli import run
from reconciler.review.checks import review
from tests.world import ENVIRONMENT, SMALL, commit, git, pool, repository, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


def test_what_is_known_from_an_earlier_run_hides_nothing_that_a_change_does(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    git(folder, "switch", "-qc", "change")
    text = (folder / RECORD).read_text(encoding="utf-8").replace("10.40.0.", "10.40.0.1")
    write(folder, {RECORD: text.replace("  cidr: 10.40.0.10/29\n", "")})
    write(folder, {"pools/edge.yaml": pool(cidr="10.40.0.0/25")})
    commit(folder)
    opened = open_repository(folder, ENVIRONMENT)
    found = review(opened.source("HEAD"), opened, "main").evaluation.findings
    assert [item.code for item in found] == ["record-edited", "pool-changed", "pool-shrunk"]


def test_a_record_that_is_moved_by_hand_keeps_what_it_holds_whatever_is_known(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    git(folder, "switch", "-qc", "change")
    git(folder, "mv", RECORD, RECORD.replace("one.", "uno."))
    commit(folder)
    opened = open_repository(folder, ENVIRONMENT)
    found = review(opened.source("HEAD"), opened, "main").evaluation.findings
    (moved,) = (item.message for item in found if item.code == "record-edited")
    assert moved.startswith(f"is moved by hand from {RECORD}: team-a/one (loadbalancer) holds")
