"""What people did to records since the last reconcile is told without a base, too."""

from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository
from reconciler.cli import run
from reconciler.review.checks import review
from tests.cli.running import given_out
from tests.world import ENVIRONMENT, SMALL, commit, git, repository, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", SMALL)


def edit(folder: Path) -> None:
    text = (folder / RECORD).read_text(encoding="utf-8").replace("10.40.0.", "10.40.0.10")
    write(folder, {RECORD: text.replace("  cidr: 10.40.0.100/29\n", "")})
    commit(folder)


def found(folder: Path) -> list[str]:
    opened = open_repository(folder, ENVIRONMENT)
    evaluation = review(opened.source("HEAD"), opened, None).evaluation
    return [f"{it.severity.value} {it.code}" for it in evaluation.findings]


def test_a_record_that_was_edited_is_an_error_until_reconcile_goes_on_from_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"tenants/other.yaml": tenant("other")})
    commit(folder)
    assert run(["reconcile", "--repo", str(folder)]) == 0  # of two an edit of one frees not all
    edit(folder)
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    assert found(folder) == ["error record-edited"]
    capsys.readouterr()
    for verb in ("check", "plan", "reconcile"):
        assert run([verb, "--repo", str(folder)]) == 1
        said = capsys.readouterr()
        assert (
            "is edited by hand: team-a/one (loadbalancer) holds 10.40.0.0-" in said.out + said.err
        )
    assert found(folder) == []
    assert run(["reconcile", "--repo", str(folder)]) == 0


def test_a_record_that_was_removed_is_told(folder: Path) -> None:
    git(folder, "rm", "-q", RECORD)
    commit(folder)
    assert found(folder) == ["warning record-removed"]


def test_a_record_that_was_edited_and_brought_back_is_no_news(folder: Path) -> None:
    edit(folder)
    git(folder, "revert", "--no-edit", "HEAD")
    assert found(folder) == []


def test_what_is_brought_in_before_the_first_reconcile_is_fine(folder: Path) -> None:
    text = (folder / RECORD).read_text(encoding="utf-8")
    fresh = repository(folder.parent / "fresh", {**SMALL, RECORD: text})
    assert found(fresh) == []
    edit(fresh)
    assert found(fresh) == []


def test_a_folder_that_moves_with_its_settings_is_no_news(folder: Path) -> None:
    other = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    write(folder, {"ipam.yaml": f"{other}spec: {{records: elsewhere}}\n"})
    git(folder, "mv", "allocations", "elsewhere")
    commit(folder)
    assert found(folder) == []


def test_a_work_tree_is_compared_with_nothing(folder: Path) -> None:
    git(folder, "rm", "-q", RECORD)
    assert run(["check", "--worktree", "--repo", str(folder)]) == 0
