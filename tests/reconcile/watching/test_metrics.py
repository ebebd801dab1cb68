"""Metrics of a daemon over time: each one changes, and values of deleted subjects are removed."""

from collections.abc import Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from reconciler.apply.elastic import Figures
from reconciler.daemon.metrics import Metering
from reconciler.gitio.interface import Revision
from reconciler.model.applied import ClusterState, Drift, ObjectOutcome, ObjectResult
from reconciler.model.metric import MetricKind
from reconciler.reconcile.discovery import Looked
from reconciler.report.metrics import OURS, catalogue
from tests.meters import Shown
from tests.reconcile.watching.turns import MANAGEMENT, Files, applied, done, failed
from tests.world import CLOCK, evaluation_of, pool, provider, tenant

BASE: Files = {
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
}
POOL = "butler/NetworkPool/butler-system/edge"


class Daemon:
    """An observer, a registry, and a clock that advances by itself."""

    def __init__(self) -> None:
        self.shown = Shown()
        self.clock: Iterator[int] = count(1_000)
        self.told = Metering(self.shown.registry, lambda: float(next(self.clock)))


@pytest.fixture
def daemon() -> Daemon:
    return Daemon()


def test_a_story_moves_each_of_our_metrics(daemon: Daemon) -> None:
    told, one = daemon.told, "team-a/one"
    told.leading(is_leader=True)
    drift = ObjectOutcome("a", ObjectResult.CONFIGURED, Drift("kubectl-edit", "", ("spec",)))
    found = done(BASE, MANAGEMENT, applied(one, drift))
    (each,) = found.rounds
    raced = replace(each.done, commit=Revision("b" * 40, CLOCK + 1), attempts=3)
    figures = {one: Figures(pending=1, spare=2, in_flight=3, blocked=4)}
    each = replace(each, done=raced, served=[(one, 1.2)])
    told.round_done(replace(found, rounds=[each], looked=Looked(figures=figures)))
    told.watch_restarted(one, "expired")
    told.bug_met()
    shown, ours = daemon.shown, "gitops_ipam_"
    assert shown.value(f"{ours}rounds_total", result="ok") == 1
    assert shown.value(f"{ours}round_duration_seconds_count") == 1
    assert shown.value(f"{ours}commits_total", result="published") == 1
    assert shown.value(f"{ours}commit_races_total") == 2
    assert shown.value(f"{ours}growth_duration_seconds_sum") == 1.2
    assert shown.of(f"{ours}demand_addresses") == {
        ("pending", one): 1,
        ("spare", one): 2,
        ("in_flight", one): 3,
        ("blocked", one): 4,
    }
    assert shown.of(f"{ours}pool_addresses") == {
        (POOL, "total"): 256,
        (POOL, "allocated"): 8,
        (POOL, "held"): 0,
        (POOL, "free"): 248,
    }
    assert shown.value(f"{ours}pool_largest_free_block", pool=POOL) == 248
    assert shown.of(f"{ours}cluster_up") == {("management",): 1, (one,): 1}
    assert set(shown.of(f"{ours}cluster_applied_timestamp_seconds")) == {("management",), (one,)}
    assert shown.value(f"{ours}drift_total", cluster=one, manager="kubectl-edit") == 1
    assert shown.value(f"{ours}watch_restarts_total", cluster=one, reason="expired") == 1
    assert shown.value(f"{ours}findings", severity="error") == 0
    assert shown.value(f"{ours}revision_info", revision="b" * 40) == 1
    assert shown.value(f"{ours}last_success_timestamp_seconds")
    assert shown.value(f"{ours}leading") == 1
    assert shown.value(f"{ours}bugs_total") == 1
    names = {name.removesuffix("_count") for name, _ in shown.all()}
    # The last two are of the server and of the loop. There are no refusals and no findings.
    asked = {f"{ours}{name}" for name in ("ready", "certificate_expiry_timestamp_seconds")}
    quiet = {f"{ours}{name}" for name in ("findings_by_code", "claims_refused")}
    assert {metric.name for metric in OURS} - names == asked | quiet


def test_a_failed_round_leaves_the_last_success_and_what_was_known_of_pools(daemon: Daemon) -> None:
    daemon.told.round_done(done(BASE))
    before = daemon.shown.value("gitops_ipam_last_success_timestamp_seconds")
    daemon.told.round_done(failed())
    assert daemon.shown.value("gitops_ipam_last_success_timestamp_seconds") == before
    assert daemon.shown.value("gitops_ipam_rounds_total", result="failed") == 1
    assert daemon.shown.value("gitops_ipam_pool_addresses", pool=POOL, state="free") == 248


def test_a_cluster_that_is_gone_leaves_no_series(daemon: Daemon) -> None:
    told, one = daemon.told, "team-a/one"
    drift = ObjectOutcome("a", ObjectResult.CONFIGURED, Drift("x", "", ("spec",)))
    looked = Looked(figures={one: Figures(1)})
    told.round_done(replace(done(BASE, applied(one, drift)), looked=looked))
    told.watch_restarted(one, "failed")
    told.cluster_gone(one)
    assert [labels for _, labels in daemon.shown.all() if (("cluster", one)) in labels] == []
    assert daemon.shown.of("gitops_ipam_demand_addresses") == {}


def test_who_does_not_lead_any_more_says_nothing_of_what_others_change(daemon: Daemon) -> None:
    daemon.told.leading(is_leader=True)
    daemon.told.round_done(done(BASE, applied("team-a/one", state=ClusterState.UNREACHABLE)))
    looked = Looked(figures={"team-a/one": Figures(1)})
    daemon.told.round_done(replace(done(BASE), looked=looked))
    daemon.told.leading(is_leader=False)
    metrics = {metric.name: metric.sort for metric in catalogue()}
    left = {name for name, _ in daemon.shown.all() if metrics.get(name) is MetricKind.GAUGE}
    assert left == {"gitops_ipam_leading", "gitops_ipam_last_success_timestamp_seconds"}
    assert daemon.shown.value("gitops_ipam_rounds_total", result="ok") == 2


def test_names_that_a_tenant_makes_up_are_bounded(daemon: Daemon) -> None:
    base = evaluation_of(BASE)
    for at in range(100):
        for name in (f"{'x' * 200}{at}"[-200:], f"manager-{at}"):
            drift = ObjectOutcome("a", ObjectResult.CONFIGURED, Drift(name, "", ("spec",)))
            daemon.told.round_done(done(base, applied("team-a/one", drift)))
    managers = daemon.shown.of("gitops_ipam_drift_total")
    assert len(managers) == 17
    assert sum(managers.values()) == 200
    assert all(len(manager) <= 64 for _, manager in managers)


def test_there_are_so_many_series_as_the_page_says() -> None:
    def series(files: Files, *clusters: str, elastic: int = 0) -> int:
        shown = Shown()
        told = Metering(shown.registry, lambda: 1.0)
        looked = Looked(figures={name: Figures() for name in clusters[:elastic]})
        found = done(files, *(applied(name) for name in clusters))
        told.round_done(replace(found, looked=looked))
        return len(shown.all())

    base = series(BASE)
    assert series({**BASE, "pools/far.yaml": pool("far", "10.9.0.0/24")}) - base == 11
    assert series(BASE, "a", "b") - base == 4
    assert series(BASE, "a", "b", elastic=1) - base == 8
