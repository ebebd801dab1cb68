"""`reconcile --metrics-file`: metrics of CronJobs for node_exporter's textfile collector."""

import stat
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from reconciler.cli.reconcile import write_metrics
from reconciler.model.errors import ExitCode
from tests.cli.running import Capture, ipam
from tests.world import SMALL, evaluation_of, git, reconciled, repository

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
    assert "gitops_ipam_rounds_total" not in found  # a rate of it would have no meaning


def test_the_file_is_written_whole_or_costs_a_line_and_nothing_else(
    tmp_path: Path, capsys: Capture
) -> None:
    good, taken = tmp_path / "ipam.prom", tmp_path / "taken"
    good.write_text("before")
    taken.mkdir()
    for path in (good, taken):
        write_metrics(path, "a" * 40, EVALUATION, None, ExitCode.OK)
    assert stat.S_IMODE(good.stat().st_mode) == 0o644
    assert good.read_bytes().endswith(b"\n")
    assert "--metrics-file" in capsys.readouterr().err
    assert sorted(it.name for it in tmp_path.iterdir()) == ["ipam.prom", "taken"]
