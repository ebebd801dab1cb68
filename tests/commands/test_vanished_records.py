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


LEFT = (
    "ipam.yaml:1:1: error settings-changed: no record is in elsewhere/, which spec.records names:"
    " they are in allocations/\n  hint: set it back to allocations, or git mv allocations elsewhere\n"
)


@pytest.mark.parametrize("is_later", [False, True])
def test_settings_that_name_another_folder_leave_no_record_behind(
    reconciled_repository: Path, capsys: pytest.CaptureFixture[str], *, is_later: bool
) -> None:
    folder = reconciled_repository
    write(folder, {"ipam.yaml": OTHER, "tenants/two.yaml": tenant("two")})
    commit(folder, "other folder")
    if is_later:
        write(folder, {"ipam.yaml": OTHER.replace("elsewhere", "elsewhere, gate: never")})
        commit(folder, "and another field")
    head = git(folder, "rev-parse", "HEAD")
    out = folder.parent / "rendered"
    for verb, code in (("check", 1), ("plan", 1), ("render", 1), ("reconcile", 1)):
        more = ["--out", str(out)] if verb == "render" else []
        assert run([verb, "--repo", str(folder), *more]) == code
        said = capsys.readouterr()
        assert LEFT in said.out + said.err
        assert "10.40.0.8" not in said.out
    assert not out.exists()
    assert git(folder, "rev-parse", "HEAD") == head


def test_the_records_are_not_lost_from_sight_when_settings_break_after_all(
    reconciled_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in (OTHER, f"{OTHER} {{"):
        write(reconciled_repository, {"ipam.yaml": text})
        commit(reconciled_repository, "worse")
    assert run(["plan", "--repo", str(reconciled_repository)]) == 1
    said = capsys.readouterr()
    assert LEFT in said.err
    assert "1 allocations kept" in said.out


def test_a_work_tree_leaves_no_record_behind(
    reconciled_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(reconciled_repository, {"ipam.yaml": OTHER})
    assert run(["check", "--worktree", "--repo", str(reconciled_repository)]) == 1
    assert LEFT in capsys.readouterr().out


def test_a_repository_that_has_no_records_yet_may_name_any_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    write(folder, {"ipam.yaml": OTHER, "elsewhere/README.md": "Records.\n"})
    commit(folder, "settings")
    assert run(["check", "--repo", str(folder)]) == 0
    assert "settings-changed" not in capsys.readouterr().out
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert "elsewhere/" in git(
        folder, "ls-tree", "-r", "--name-only", "HEAD", "elsewhere/NetworkPool"
    )


def test_a_clone_without_the_history_of_settings_gives_nothing_out_before_it_sees_a_record(
    reconciled_repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(reconciled_repository, {"ipam.yaml": OTHER, "tenants/two.yaml": tenant("two")})
    commit(reconciled_repository, "other folder")
    clone = tmp_path / "clone"
    url = reconciled_repository.as_uri()
    git(tmp_path, "clone", "-q", "--depth", "1", url, str(clone))
    assert run(["plan", "--repo", str(clone)]) == 3
    said = capsys.readouterr()
    assert "warning history-cut: no record is in elsewhere/" in said.err
    assert "allocate" not in said.out
    git(clone, "fetch", "-q", "--unshallow")
    assert run(["plan", "--repo", str(clone)]) == 1
    assert LEFT in capsys.readouterr().err


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
