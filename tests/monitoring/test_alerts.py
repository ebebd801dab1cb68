"""Each alert fires only when it must, checked with the real promtool."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from reconciler.codes import CODES
from reconciler.model.metric import MetricKind
from reconciler.report.metrics import catalogue
from tests.documentation import ROOT
from tests.envtest.assets import PROMTOOL, monitoring
from tests.monitoring.rules import MONITORING, STORIES, alerts, rules, unit_test

_PARTS = {MetricKind.HISTOGRAM: ("_bucket", "_sum", "_count")}
KNOWN = {
    f"{metric.name}{part}" for metric in catalogue() for part in _PARTS.get(metric.sort, ("",))
}
_NAME = re.compile(r"\b(?:gitops_ipam|butler|capi_vip_allocator)_\w+")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(monitoring(PROMTOOL)), *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", alerts())
def test_an_alert_fires_when_it_shall_and_else_keeps_silent(name: str, tmp_path: Path) -> None:
    story = STORIES[name]
    for series, count in ((story.fires, 1), (story.silent, 0)):
        done = run("test", "rules", str(unit_test(tmp_path, name, story.minutes, series, count)))
        assert done.returncode == 0, (count, done.stdout + done.stderr)


def test_promtool_finds_nothing_wrong_with_the_rules(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rules()))
    done = run("check", "rules", "--lint=all", "--lint-fatal", str(tmp_path / "rules.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_its_stories_and_its_place_in_the_page() -> None:
    page = (ROOT / "docs" / "how-to" / "monitor.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### (Ipam\w+)$", page, re.MULTILINE)) == alerts().keys()
    assert STORIES.keys() == alerts().keys()


@pytest.mark.parametrize("name", alerts())
def test_an_alert_asks_for_what_there_is(name: str) -> None:
    rule = alerts()[name]
    named = set(_NAME.findall(rule["expr"]))
    assert named
    assert named <= KNOWN
    for codes in re.findall(r'code=~?"([^"]*)"', rule["expr"]):
        assert set(codes.split("|")) <= CODES.keys()
    assert rule["labels"]["severity"] in ("info", "warning", "critical")


@pytest.mark.parametrize("name", alerts())
def test_an_alert_leads_to_what_to_do(name: str) -> None:
    rule = alerts()[name]
    assert rule["annotations"].keys() == {"summary", "description", "runbook"}
    assert rule["annotations"]["runbook"] == f"docs/how-to/monitor.md#{name.lower()}"


def test_the_monitor_finds_what_capi_vip_allocators_users_named() -> None:
    text = (MONITORING / "service-monitor.yaml").read_text(encoding="utf-8")
    monitor = yaml.safe_load(text)
    shown = {"port": "metrics", "interval": "30s", "path": "/metrics"}
    assert monitor["spec"]["endpoints"] == [shown]
    labels = {"control-plane": "capi-vip-allocator-controller-manager"}
    assert monitor["spec"]["selector"] == {"matchLabels": labels}
    seed = ROOT / "tests" / "families" / "capi" / "seed" / "metrics.txt"
    told = seed.read_text(encoding="utf-8").partition("apiVersion: ")[2].partition("Grafana")[0]
    theirs = yaml.safe_load(f"apiVersion: {told}")
    assert theirs["spec"] == monitor["spec"]
    assert (theirs["kind"], theirs["apiVersion"]) == (monitor["kind"], monitor["apiVersion"])
