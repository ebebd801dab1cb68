"""A tenant's kubeconfig out of its Secret: nothing of it runs, is read, or is sent in the clear."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import FIRST, SECOND, world
from tests.hostile.api import Fleet, fleet
from tests.kube.kubeconfigs import data, kubeconfig
from tests.kube.server import Reply, serving

BOTH = world("web", "shop")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Fleet]:
    """A management cluster and two tenants; tests make the first one lie."""
    with fleet(tmp_path, FIRST, SECOND) as found:
        yield found


def refused(site: Fleet, config: Mapping[str, Any], key: str) -> None:
    """The tenant of a kubeconfig is refused for a key, and the other one is served."""
    site.give(FIRST, config)
    applied = site.apply(BOTH, allow_exec=True)
    assert applied[FIRST].state is ClusterState.FAILED
    assert f"kubeconfig of {FIRST}: key {key}: it is not " in applied[FIRST].error
    assert applied[FIRST].hint == "a kubeconfig of a Secret holds all of its data itself"
    assert applied[SECOND].state is ClusterState.APPLIED
    assert site.apis[FIRST].server.asked == []


def test_an_honest_tenant_is_served_by_its_secret(site: Fleet) -> None:
    applied = site.apply(BOTH)
    assert {item.state for item in applied.values()} == {ClusterState.APPLIED}, applied
    assert site.apis[FIRST].server.asked[0].headers["authorization"] == "Bearer token-of-team-a-web"


@pytest.mark.parametrize(
    "key",
    [
        "exec",
        "auth-provider",
        "tokenFile",
        "client-certificate",
        "client-key",
        "certificate-authority",
    ],
)
def test_what_a_secret_names_is_neither_run_nor_read(site: Fleet, tmp_path: Path, key: str) -> None:
    (tmp_path / "host").write_text("canary-of-the-host")
    ran = str(tmp_path / "ran")
    version = "client.authentication.k8s.io/v1"
    provider = {"name": "gcp", "config": {"cmd-path": "touch", "cmd-args": ran}}
    value = {
        "exec": {"apiVersion": version, "command": "touch", "args": [ran]},
        "auth-provider": provider,
    }.get(key, str(tmp_path / "host"))
    config = site.config(FIRST)
    if key == "certificate-authority":
        config = site.config(FIRST, **{key: value})
    else:
        config["users"][0]["user"] = {key: value}
    refused(site, config, key)
    assert not (tmp_path / "ran").exists()


def test_a_secret_names_no_proxy(site: Fleet) -> None:
    with serving(Reply()) as proxy:
        refused(site, site.config(FIRST, **{"proxy-url": proxy.url}), "proxy-url")
        assert proxy.asked == []


def test_a_secret_leads_to_nothing_on_this_machine_in_the_clear(site: Fleet) -> None:
    """A service of the host that trusts who reaches it over the loopback."""
    with serving(Reply()) as local:
        refused(site, kubeconfig(local.url), "server")
        assert local.asked == []


def test_the_flag_still_serves_kubeconfigs_that_a_person_names(site: Fleet, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("by-file")
    config = site.config(FIRST)
    config["users"][0]["user"] = {"tokenFile": str(tmp_path / "token")}
    clusters = site.clusters(allow_exec=True)
    clusters.connect(FIRST, data(config), is_named=True).version()
    assert site.apis[FIRST].server.asked[0].headers["authorization"] == "Bearer by-file"
