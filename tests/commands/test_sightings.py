"""What people do in the folder of what was observed: told beside a base, and without one."""

from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository, open_worktree
from reconciler.adapters.git.repository import GitRepository
from reconciler.commands.reconcile import ReconcileOptions, reconcile
from reconciler.commands.replay import replay
from reconciler.families._demand import Entry, demand_document
from reconciler.findings import Finding
from reconciler.model.verdict import Verdict
from reconciler.observed import path_of
from reconciler.ports import LimitError
from reconciler.review.checks import review
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, provider, repository, tenant, write

DEMAND = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
COPY = path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", "two"))
ONE = demand_document("team-a", "one", [Entry(1, 1)])
MORE = demand_document("team-a", "one", [Entry(1, 1), Entry(2, 1)])
TWO = (
    "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: TenantCluster\nmetadata:\n"
    "  name: two\n  namespace: team-a\nspec:\n  workers:\n    replicas: 1\n"
)
HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec:\n"
OVERRIDE = f"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Override
metadata: {{name: 2026-02-15-demand}}
spec:
  kind: record
  scope: {DEMAND}
  reason: the cluster is gone
  expires: "2026-03-01T00:00:00Z"
"""
WORLD: dict[str, str | bytes] = {
    **SMALL,
    "providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}"),
    DEMAND: ONE,
    COPY: TWO,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", WORLD)
    reconciled(made)
    git(made, "branch", "base")
    return made


def opened(folder: Path) -> GitRepository:
    return open_repository(folder, ENVIRONMENT)


def reconciled(folder: Path) -> None:
    reconcile(opened(folder), ReconcileOptions())


def found(folder: Path, base: str | None = "base", rev: str = "HEAD") -> list[Finding]:
    """What is told of the folder."""
    repository = opened(folder)
    source = repository.source(rev) if rev else open_worktree(repository, folder)
    evaluation = review(source, repository, base).evaluation
    return [it for it in evaluation.findings if it.code != "override-used"]


def told(folder: Path, base: str | None = "base") -> list[str]:
    return [f"{it.severity} {it.code} {it.location.path}" for it in found(folder, base)]


def test_a_change_that_edits_a_file_is_an_error_with_the_bytes_expected(folder: Path) -> None:
    write(folder, {DEMAND: MORE})
    commit(folder)
    (item,) = found(folder)
    assert (item.severity, item.code, item.location.path) == ("error", "observed-edited", DEMAND)
    text = ONE.decode().replace("\n", "\\n")
    assert item.message == f'is edited by hand; expected: "{text}"'
    assert item.hint.startswith(f"git checkout base -- {DEMAND}")


def test_so_is_one_that_changes_a_byte_that_says_nothing(folder: Path) -> None:
    write(folder, {DEMAND: b"# mine\n" + ONE})
    commit(folder)
    error, warning = sorted(found(folder), key=lambda item: item.severity)
    assert (error.severity, error.location.path) == ("error", DEMAND)
    assert warning.message == "Demand team-a/one is not written as ipam reconcile writes it"


def test_so_is_one_that_adds_or_removes_a_file(folder: Path) -> None:
    other = DEMAND.replace("one", "other")
    git(folder, "rm", "-q", DEMAND)
    write(folder, {other: ONE.replace(b"one", b"other")})
    commit(folder)
    messages = {item.location.path: item.message.partition(" {")[0] for item in found(folder)}
    assert messages[other] == "is added by hand; expected: no such file"
    assert messages[DEMAND].startswith('is removed by hand; expected: "apiVersion: ')


def test_an_override_of_the_base_lets_it_pass(folder: Path) -> None:
    write(folder, {"overrides/2026-02-15-demand.yaml": OVERRIDE})
    commit(folder)
    git(folder, "branch", "-f", "base")
    git(folder, "rm", "-q", DEMAND)
    commit(folder)
    assert told(folder) == [f"warning observed-edited {DEMAND}"]


def test_a_copy_may_go_with_the_change_that_describes_it(folder: Path) -> None:
    git(folder, "mv", COPY, "tenants/two.yaml")
    commit(folder)
    assert told(folder) == []


def test_without_a_base_it_may_go_so_too(folder: Path) -> None:
    git(folder, "mv", COPY, "tenants/two.yaml")
    commit(folder)
    assert told(folder, None) == []


def test_what_reconcile_makes_of_the_base_is_expected_of_anybody(folder: Path) -> None:
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    git(folder, "branch", "-f", "base")
    assert told(folder) == []
    git(folder, "rm", "-q", COPY)
    commit(folder, "by hand what reconcile does")
    assert told(folder) == []


def test_the_folder_may_move_with_settings_but_not_without_its_files(folder: Path) -> None:
    write(folder, {"ipam.yaml": f"{HEAD}  observed: seen\n"})
    commit(folder)
    assert "error settings-changed ipam.yaml" in told(folder)
    git(folder, "mv", "observed", "seen")
    commit(folder)
    assert told(folder) == ["warning settings-changed ipam.yaml"]
    write(folder, {DEMAND.replace("observed", "seen"): MORE})
    commit(folder)
    assert f"error observed-edited {DEMAND.replace('observed', 'seen')}" in told(folder)


def test_without_a_base_files_that_moved_with_the_folder_are_no_edits(folder: Path) -> None:
    write(folder, {"ipam.yaml": f"{HEAD}  observed: seen\n"})
    git(folder, "mv", "observed", "seen")
    commit(folder)
    assert told(folder, None) == []
    moved = DEMAND.replace("observed", "seen")
    write(folder, {moved: MORE})
    git(folder, "mv", COPY.replace("observed", "seen"), "tenants/two.yaml")
    commit(folder)
    assert told(folder, None) == [f"error observed-edited {moved}"]
    git(folder, "rm", "-q", moved)
    commit(folder)
    assert told(folder, None) == [f"warning observed-edited {moved}"]


def test_without_a_base_what_says_otherwise_is_told_until_reconcile_goes_on_from_it(
    folder: Path,
) -> None:
    write(folder, {DEMAND: MORE})
    commit(folder)
    assert told(folder, None) == [f"error observed-edited {DEMAND}"]
    reconciled(folder)
    assert told(folder, None) == []


def test_without_a_base_what_was_removed_is_a_warning(folder: Path) -> None:
    git(folder, "rm", "-q", DEMAND)
    commit(folder)
    assert told(folder, None) == [f"warning observed-edited {DEMAND}"]


def test_without_a_base_a_comment_is_told_as_what_it_is(folder: Path) -> None:
    write(folder, {DEMAND: b"# mine\n" + ONE})
    commit(folder)
    assert told(folder, None) == [f"warning observed-edited {DEMAND}"]


def test_a_work_tree_is_told_like_a_commit(folder: Path) -> None:
    write(folder, {DEMAND: MORE})
    (item,) = found(folder, "base", "")
    assert (item.severity, item.location.path) == ("error", DEMAND)


def test_the_copy_goes_with_the_next_commit_which_a_replay_bears_out(folder: Path) -> None:
    before = git(folder, "ls-tree", "-r", "HEAD", "allocations")
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    reconciled(folder)
    assert git(folder, "show", "--format=", "--name-status", "HEAD") == f"D\t{COPY}"
    assert git(folder, "ls-tree", "-r", "HEAD", "allocations") == before
    assert git(folder, "status", "--porcelain") == ""
    assert replay(opened(folder), git(folder, "rev-parse", "HEAD")).verdict is Verdict.SAME
    assert told(folder, "HEAD~1") == []


def test_a_commit_that_takes_more_away_is_not_reconciles(folder: Path) -> None:
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    reconciled(folder)
    git(folder, "rm", "-q", DEMAND)
    message = git(folder, "show", "-s", "--format=%B")
    git(folder, "commit", "-q", "--amend", "-m", message, clock=CLOCK + 1)
    replayed = replay(opened(folder), git(folder, "rev-parse", "HEAD"))
    assert (replayed.verdict, replayed.files) == (Verdict.DIFFERENT, (DEMAND,))


def test_a_commit_of_nothing_but_the_folder_is_dated_by_its_base(folder: Path) -> None:
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 60)
    reconciled(folder)
    assert git(folder, "show", "-s", "--format=%ct %s") == f"{CLOCK + 61} ipam: rewrite 1"


def test_a_file_in_the_place_of_the_folder_is_told_and_stops_releases(folder: Path) -> None:
    git(folder, "rm", "-q", "-r", "observed")
    write(folder, {"observed": "nothing\n"})
    commit(folder)
    assert "error not-a-folder observed" in told(folder)


def test_a_name_that_differs_in_case_alone_is_a_clash(folder: Path) -> None:
    write(folder, {DEMAND.replace("one.yaml", "One.yaml"): ONE, "Observed/x.yaml": ONE})
    commit(folder)
    clashes = [it for it in told(folder) if it.startswith("error name-clash")]
    assert len(clashes) == 2


def test_what_was_observed_counts_towards_the_limits(folder: Path) -> None:
    write(folder, {"ipam.yaml": f"{HEAD}  limits: {{files: 4}}\n"})
    commit(folder)
    with pytest.raises(LimitError):
        found(folder, None)
