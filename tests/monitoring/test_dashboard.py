"""The dashboard: structure and queries, which a real Prometheus answers.

Prometheus scrapes a real registry over our HTTP server.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
import urllib3
import yaml
from msgspec.structs import replace

from reconciler.apply.elastic import Figures
from reconciler.daemon.http import Endpoints, Server
from reconciler.daemon.metrics import Metering
from reconciler.daemon.observer import HealthAnswer, RoundResult
from reconciler.model.applied import Drift, ObjectOutcome, ObjectResult
from reconciler.model.metric import Sample
from reconciler.reconcile.discovery import Looked
from reconciler.report.metrics import EXPIRY, READY
from tests.envtest.assets import PROMETHEUS, monitoring
from tests.envtest.processes import Processes, free_port, until
from tests.families.capi.test_metering import CLASS, INGRESS, ONE, POOL
from tests.families.capi.trees import cluster, of
from tests.meters import Shown
from tests.monitoring.rules import MONITORING
from tests.monitoring.test_alerts import KNOWN
from tests.reconcile.watching.turns import MANAGEMENT, applied, done
from tests.world import SMALL, evaluation_of, planned, pool

DASHBOARD: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text("utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [
    pytest.param(target["expr"], id=f"{panel['id']}{target['refId']}")
    for panel in PANELS
    for target in panel["targets"]
]


def test_each_variable_that_is_used_is_there() -> None:
    there = {item["name"] for item in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(PANELS)))
    assert used - {"__rate_interval"} == there


class Answers(NamedTuple):
    """A Prometheus that scrapes us."""

    url: str
    pool: urllib3.PoolManager

    def query(self, text: str) -> list[Any]:
        """The series that a query gives."""
        url = f"{self.url}/api/v1/query?{urlencode({'query': text})}"
        answered = self.pool.request("GET", url)
        found = json.loads(answered.data)
        assert found["status"] == "success", (text, found)
        series: list[Any] = found["data"]["result"]
        return series

    def is_up(self) -> bool:
        """Return whether there are enough scrapes for rates."""
        try:
            return any(int(it["value"][1]) >= 3 for it in self.query("count_over_time(up[5m])"))
        except (urllib3.exceptions.HTTPError, ValueError):
            return False


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    binary = monitoring(PROMETHEUS)
    folder = tmp_path_factory.mktemp("prometheus")
    shown = Shown()
    told = Metering(shown.registry, lambda: 1_000.0)
    shown.registry.ask("server", lambda: [Sample(READY, (), 1), Sample(EXPIRY, (), 4e9)])

    def text() -> bytes:
        tell(told)  # so that counters grow between one scrape and the next
        return shown.registry.text()

    server = Server(("127.0.0.1", 0), Endpoints(text, HealthAnswer, HealthAnswer))
    processes = Processes(folder)
    try:
        yield scraping(folder, processes, str(binary), server.port)
    finally:
        processes.close()
        server.close()


def scraping(folder: Path, processes: Processes, binary: str, target: int) -> Answers:
    job = {
        "job_name": "gitops-ipam",
        "static_configs": [{"targets": [f"127.0.0.1:{target}"], "labels": {"pod": "a"}}],
    }
    often = {"scrape_interval": "500ms", "scrape_timeout": "500ms"}
    config = {"global": often, "scrape_configs": [job]}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    port, log = free_port(), folder / "prometheus.log"
    process = processes.run(
        [
            *(binary, f"--config.file={folder / 'prometheus.yml'}"),
            *(f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"),
        ],
        log,
    )
    answers = Answers(f"http://127.0.0.1:{port}", urllib3.PoolManager(retries=False))
    until(answers.is_up, "Prometheus has scraped thrice", by=process, log=log)
    return answers


def tell(told: Metering) -> None:
    """Set all metrics of a daemon, including failures."""
    told.leading(is_leader=True)
    drift = ObjectOutcome("a", ObjectResult.CONFIGURED, Drift("kubectl-edit", "", ("spec",)))
    files = {**SMALL, **of(POOL, INGRESS, CLASS, ONE, cluster("two"))}
    told.round_done(
        done(files, MANAGEMENT, applied("team-a/one", drift), ending=RoundResult.REFUSED)
    )
    told.round_done(done({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/31")}))
    told.round_done(done(planned(evaluation_of(files)), committed=False))
    found = done(files)
    each = replace(found.rounds[0], served=[("team-a/one", 1.2)])
    looked = Looked(figures={"team-a/one": Figures(1, 1, 1, 1)})
    told.round_done(replace(found, rounds=[each], looked=looked))
    told.watch_restarted("team-a/one", "expired")


def asked(query: str) -> str:
    """A query with the variables that Grafana would fill in."""
    filled = query.replace("$__rate_interval", "1m")
    return filled.replace("$job", ".*").replace("$pool", ".*")


@pytest.mark.parametrize("query", QUERIES)
def test_a_panel_has_something_to_show(query: str, prometheus: Answers) -> None:
    assert prometheus.query(asked(query))


def test_every_metric_is_scraped_under_its_name_with_its_help(prometheus: Answers) -> None:
    scraped = {item["metric"]["__name__"] for item in prometheus.query('{job="gitops-ipam"}')}
    assert scraped >= KNOWN
    answered = prometheus.pool.request("GET", f"{prometheus.url}/api/v1/metadata")
    about = json.loads(answered.data)["data"]
    assert about["capi_vip_allocator_claims_total"][0]["type"] == "gauge"
    assert about["gitops_ipam_pool_addresses"][0]["help"]
