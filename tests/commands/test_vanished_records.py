"""Records that are gone from the tree are still announced: nothing begins anew by itself."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.world import SMALL, commit, git, repository, tenant, write

OTHER = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {records: elsewhere}\n"
)


@pytest.fixture
def reconciled_repository(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "repo", SMALL)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    return folder


def test_a_records_folder_that_was_removed_stops_reconcile(
    reconciled_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(reconciled_repository, "rm", "-rq", "allocations")
    head = commit(reconciled_repository, "oops")
    assert run(["reconcile", "--repo", str(reconciled_repository)]) == 3
    said = capsys.readouterr().err
    assert "no record is left in allocations/" in said
    assert "-- allocations brings them back" in said
    assert git(reconciled_repository, "rev-parse", "HEAD") == head


def test_settings_that_name_another_folder_stop_reconcile(
    reconciled_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(reconciled_repository, {"ipam.yaml": OTHER})
    commit(reconciled_repository, "other folder")
    assert run(["reconcile", "--repo", str(reconciled_repository)]) == 3
    assert "reconcile left some in allocations/" in capsys.readouterr().err


def test_a_folder_that_was_moved_with_its_settings_goes_on(reconciled_repository: Path) -> None:
    write(reconciled_repository, {"ipam.yaml": OTHER, "tenants/two.yaml": tenant("two")})
    git(reconciled_repository, "mv", "allocations", "elsewhere")
    commit(reconciled_repository, "moved")
    assert run(["reconcile", "--repo", str(reconciled_repository)]) == 0
    listed = git(reconciled_repository, "ls-files", "elsewhere").splitlines()
    assert [path.rpartition("/")[2] for path in listed] == [
        "one.loadbalancer.yaml",
        "two.loadbalancer.yaml",
    ]


def test_a_person_may_give_all_out_anew(reconciled_repository: Path) -> None:
    git(reconciled_repository, "rm", "-rq", "allocations")
    commit(reconciled_repository, "meant")
    assert run(["reconcile", "--repo", str(reconciled_repository), "--allow-release", "0"]) == 0
    assert git(reconciled_repository, "ls-files", "allocations")
