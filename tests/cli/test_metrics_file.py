"""`reconcile --metrics-file`: what CronJobs tell node_exporter's textfile collector."""

import stat
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from reconciler.cli.reconcile import write_metrics
from reconciler.model.errors import ExitCode
from tests.cli.running import ipam
from tests.world import SMALL, evaluation_of, git, reconciled, repository

Capture = pytest.CaptureFixture[str]
EVALUATION = evaluation_of(reconciled(SMALL))


def read(path: Path) -> dict[str, dict[tuple[str, ...], float]]:
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(path.read_text(encoding="utf-8")):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_a_run_tells_how_full_pools_are_as_committed(tmp_path: Path, capsys: Capture) -> None:
    repo, path = repository(tmp_path / "repo", SMALL), tmp_path / "ipam.prom"
    assert ipam(capsys, "reconcile", "--repo", repo, "--metrics-file", path).code == 0
    found = read(path)
    head = git(repo, "rev-parse", "HEAD")
    assert found["gitops_ipam_revision_info"] == {(head,): 1}
    pool = "butler/NetworkPool/butler-system/edge"
    assert found["gitops_ipam_pool_addresses"][pool, "allocated"] > 0
    assert found["butler_network_pool_allocation_count"] == {("butler-system", "edge"): 1}
    assert found["gitops_ipam_last_success_timestamp_seconds"]
    assert not any(name.endswith(("_created", "_bucket")) for name in found)
    assert "gitops_ipam_rounds_total" not in found  # nobody could tell a rate of it


def test_the_file_is_written_whole_for_others_to_read(tmp_path: Path) -> None:
    path = tmp_path / "ipam.prom"
    path.write_text("before")
    write_metrics(path, "a" * 40, EVALUATION, None, ExitCode.OK)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert path.read_bytes().endswith(b"\n")


def test_a_file_that_cannot_be_written_costs_a_line_and_nothing_else(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "ipam.prom"
    path.mkdir()
    (path / "in-the-way").touch()
    write_metrics(path, "a" * 40, EVALUATION, None, ExitCode.OK)
    assert "--metrics-file" in capsys.readouterr().err
    assert [it.name for it in tmp_path.iterdir()] == ["ipam.prom"]
