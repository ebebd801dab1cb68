"""The rules that are shipped, and stories in which each alert fires or keeps silent.

A story is series in promtool's words: `0+1x60` begins with 0 and grows by 1 a minute, an hour long.
"""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.documentation import ROOT

MONITORING = ROOT / "deploy" / "monitoring"


class Story(NamedTuple):
    """Series that make an alert fire after some time, and series that do not.

    Attributes:
        minutes: When it is looked at.
        fires: Values by series.
        silent: The same, of a world in which all is well.
    """

    minutes: int
    fires: dict[str, str]
    silent: dict[str, str]


def rules() -> dict[str, Any]:
    """The rules as Prometheus reads them."""
    document = yaml.safe_load((MONITORING / "rules.yaml").read_text(encoding="utf-8"))
    return {"groups": document["spec"]["groups"]}


def alerts() -> dict[str, dict[str, Any]]:
    """All alerts by name."""
    return {rule["alert"]: rule for group in rules()["groups"] for rule in group["rules"]}


def unit_test(folder: Path, alert: str, minutes: int, series: dict[str, str], count: int) -> Path:
    """Return a promtool file that expects a number of alerts with a name."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules()))
    firing = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
    expected = [{"labels": "{}", "value": count}] if count else []
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": value} for name, value in series.items()],
        "promql_expr_test": [{"expr": firing, "eval_time": f"{minutes}m", "exp_samples": expected}],
    }
    path = folder / "test.yaml"
    path.write_text(
        yaml.safe_dump({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]})
    )
    return path


def _pool(state: str) -> str:
    return f'gitops_ipam_pool_addresses{{pool="edge",state="{state}"}}'


def _gauge(name: str, fires: str, silent: str, minutes: int, **labels: str) -> Story:
    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    series = f"{name}{{{text}}}"
    return Story(minutes, {series: fires}, {series: silent})


_UP, _STALE = 'gitops_ipam_cluster_up{cluster="a"}', "gitops_ipam_cluster_applied_timestamp_seconds"
_GROWTH = "gitops_ipam_growth_duration_seconds_bucket"
# The time of these cases, in minutes since 1970.
STORIES: dict[str, Story] = {
    "IpamPoolNearlyFull": Story(
        16,
        {_pool("total"): "100x60", _pool("free"): "14x60"},
        {_pool("total"): "100x60", _pool("free"): "15x60"},
    ),
    "IpamPoolExhausted": Story(
        6,
        {_pool("total"): "100x60", _pool("free"): "0x60"},
        {_pool("total"): "100x60", _pool("free"): "1x60"},
    ),
    "IpamPoolFragmented": _gauge(
        "butler_network_pool_fragmentation_percent", "51x60", "50x60", 31, pool="edge"
    ),
    "IpamClaimsRefused": _gauge(
        "gitops_ipam_claims_refused", "2x60", "2x5 _x55", 16, reason="pool-exhausted"
    ),
    "IpamVipClaimsPending": _gauge(
        "capi_vip_allocator_claims_pending", "1x60", "0 1 0 1 0", 3, role="ingress", namespace="a"
    ),
    "IpamVipPoolsMissing": _gauge(
        "capi_vip_allocator_pools_available", "0x60", "1x60", 16, cluster_class="a", role="ingress"
    ),
    "IpamVipPoolFilling": Story(
        16,
        {
            'capi_vip_allocator_pool_addresses_used{pool_name="a"}': "9x60",
            'capi_vip_allocator_pool_addresses_total{pool_name="a"}': "11x60",
        },
        {
            'capi_vip_allocator_pool_addresses_used{pool_name="a"}': "8x60",
            'capi_vip_allocator_pool_addresses_total{pool_name="a"}': "11x60",
        },
    ),
    "IpamGrowthBlocked": _gauge(
        "gitops_ipam_demand_addresses", "1x60", "1x3 0x57", 6, tenant="a/b", state="blocked"
    ),
    "IpamGrowthSlow": Story(
        31,
        {f'{_GROWTH}{{le="60.0"}}': "0x60", f'{_GROWTH}{{le="120.0"}}': "0+1x60"}
        | {f'{_GROWTH}{{le="+Inf"}}': "0+1x60"},
        {f'{_GROWTH}{{le="5.0"}}': "0+1x60", f'{_GROWTH}{{le="+Inf"}}': "0+1x60"},
    ),
    "IpamClusterDown": Story(6, {_UP: "0x60"}, {_UP: "0x3 1x60"}),
    "IpamClusterStale": Story(
        72,
        {f'{_STALE}{{cluster="a"}}': "0x90", _UP: "1x90"},
        {f'{_STALE}{{cluster="a"}}': "0+60x90", _UP: "1x90"},
    ),
    "IpamDrift": _gauge(
        "gitops_ipam_drift_total", "0+1x60", "3x60", 30, cluster="a", manager="kubectl-edit"
    ),
    "IpamWatchesBreak": _gauge(
        "gitops_ipam_watch_restarts_total", "0+1x60", "0x20 1x40", 35, cluster="a", reason="failed"
    ),
    "IpamCommitsRefused": _gauge(
        "gitops_ipam_commits_total", "0+1x60", "5x60", 20, result="refused"
    ),
    "IpamRacesLost": _gauge("gitops_ipam_commits_total", "0+1x60", "0x20 1x40", 30, result="lost"),
    "IpamBrakeHolds": _gauge("gitops_ipam_findings_by_code", "1x60", "0x60", 11, code="brake"),
    "IpamIntakeHeld": _gauge(
        "gitops_ipam_findings_by_code", "1x60", "0x60", 11, code="intake-held"
    ),
    "IpamErrors": _gauge("gitops_ipam_findings", "3x60", "0x60", 31, severity="error"),
    "IpamRecordsTouched": Story(
        6,
        {'gitops_ipam_findings_by_code{code="record-overlap"}': "1x60"},
        {'gitops_ipam_findings_by_code{code="pool-overlap"}': "1x60"},
    ),
    "IpamStopped": _gauge("gitops_ipam_stopped", "1x60", "0x60", 6, reason="records"),
    "IpamAbsent": Story(11, {}, {"gitops_ipam_ready": "0x60"}),
    "IpamNotReady": Story(
        11,
        {'gitops_ipam_ready{pod="a"}': "0x60", 'gitops_ipam_ready{pod="b"}': "0x60"},
        {'gitops_ipam_ready{pod="a"}': "0x60", 'gitops_ipam_ready{pod="b"}': "1x60"},
    ),
    "IpamNoLeader": Story(
        6,
        {'gitops_ipam_leading{pod="a"}': "0x60", 'gitops_ipam_leading{pod="b"}': "0x60"},
        {'gitops_ipam_leading{pod="a"}': "1x60", 'gitops_ipam_leading{pod="b"}': "0x60"},
    ),
    "IpamNoSuccess": _gauge(
        "gitops_ipam_last_success_timestamp_seconds", "0x60", "0x20 1200x40", 36, pod="a"
    ),
    "IpamBug": _gauge("gitops_ipam_bugs_total", "0x10 1x50", "1x60", 20, pod="a"),
    "IpamCertificateExpires": _gauge(
        "gitops_ipam_certificate_expiry_timestamp_seconds", "600000x90", "700000x90", 62, pod="a"
    ),
}
