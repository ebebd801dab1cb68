"""Versions, certificates and kubeconfigs: F59, F60 of the fault table."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import FIRST, SECOND, world
from tests.cli.running import ipam
from tests.faults.site import HUB, Faulty, good
from tests.kube.certificates import make
from tests.kube.proxy import Fault
from tests.world import repository

FILES = world("web", "shop")
OLD = {"major": "1", "minor": "21", "gitVersion": "v1.21.14"}
VERSION = "GET /version"
WRITES = "(PATCH|POST|PUT|DELETE) "


def test_f59_a_server_without_server_side_apply_is_refused(site: Faulty) -> None:
    """F59: its version is asked before anything is written."""
    proxy = site.breaks(FIRST, Fault(VERSION, status=200, body=OLD))
    applied = site.apply(FILES)
    assert applied[FIRST].state is ClusterState.FAILED
    assert applied[FIRST].error == "Kubernetes v1.21.14: 1.22 or later is needed"
    assert applied[FIRST].hint == "older ones have no server-side apply"
    assert proxy.count(VERSION) == 1
    assert proxy.count(WRITES) == 0
    good(applied, HUB, SECOND)
    site.settle(FILES)


def _kubeconfig(site: Faulty, user: Mapping[str, Any], **cluster: str) -> bytes:
    """The kubeconfig of the first tenant itself, no proxy between, with another user."""
    config = json.loads(site.tenants[FIRST].kubeconfig.read_bytes())
    config["users"][0]["user"] = dict(user)
    config["clusters"][0]["cluster"].update(cluster)
    return json.dumps(config).encode()


def _authority(site: Faulty) -> str:
    """The certificate of another server, as if this one had a new one."""
    config = json.loads(site.tenants[SECOND].kubeconfig.read_bytes())
    data: str = config["clusters"][0]["cluster"]["certificate-authority-data"]
    return data


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("missing", "is not there"),
        ("empty", "it is not a mapping"),
        ("garbage", "it is not plain YAML"),
        ("no-context", "key current-context: it is missing"),
        ("token-file", "key tokenFile: it is not allowed; --allow-exec permits it"),
        ("exec", "key exec: it is not allowed; --allow-exec permits it"),
        ("expired", "the certificate has expired"),
        ("rotated", "the server's certificate is not trusted"),
        ("stranger", 'User "nobody" cannot get resource "namespaces"'),
    ],
)
def test_f60_a_kubeconfig_that_cannot_be_used_is_about_one_cluster(
    site: Faulty, tmp_path: Path, kind: str, told: str
) -> None:
    """F60: its cluster is told, and all others are applied."""
    path = site.kubeconfig_of(FIRST)
    mended = path.read_bytes()
    tokens = site.management.fleet.tokens
    token = {"token": tokens["admin"]}
    if kind == "missing":
        path.unlink()
    else:
        expired = make(tmp_path, "person", days=1).inline("client")
        if kind == "expired":
            site.wall = lambda: time.time() + 2 * 86_400
        path.write_bytes(
            {
                "empty": b"",
                "garbage": b"\x00\xff{{",
                "no-context": b"kind: Config\n",
                "token-file": _kubeconfig(site, {"tokenFile": "/etc/hostname"}),
                "exec": _kubeconfig(site, {"exec": {"command": "true"}}),
                "expired": _kubeconfig(site, expired),
                "rotated": _kubeconfig(
                    site, token, **{"certificate-authority-data": _authority(site)}
                ),
                "stranger": _kubeconfig(site, {"token": tokens["nobody"]}),
            }[kind]
        )
    applied = site.apply(FILES)
    assert applied[FIRST].is_failed
    assert told in f"{applied[FIRST].error}; {applied[FIRST].hint}"
    good(applied, HUB, SECOND)
    assert FIRST not in site.announced()
    path.write_bytes(mended)
    site.settle(FILES)


def test_f60_the_exit_code_is_5_and_no_secret_is_told(
    site: Faulty, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """F60 on the command line."""
    folder = repository(tmp_path / "repo", FILES)
    path = site.kubeconfig_of(FIRST)
    path.write_bytes(_kubeconfig(site, {"token": "canary-c0ffee", "exec": {"command": "true"}}))
    named = [f"--cluster={name}={site.kubeconfig_of(name)}" for name in (FIRST, SECOND)]
    words = ["apply", f"--repo={folder}", f"--kubeconfig={site.kubeconfig_of(HUB)}", *named]
    ran = ipam(capsys, *words)
    assert ran.code == 5
    assert "kubeconfig of team-a/web: key exec: it is not allowed" in ran.out
    assert "canary" not in ran.out + ran.err
    assert site.announced() == {SECOND: ("10.0.0.0-10.0.0.3",)}
