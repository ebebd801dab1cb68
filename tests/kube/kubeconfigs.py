"""Kubeconfigs for tests."""

import json
from collections.abc import Mapping
from typing import Any

from reconciler.kube.clusters import KubeCluster
from reconciler.kube.kubeconfig import check_kubeconfig, parse
from tests.kube.server import Server

CANARY = "canary-c0ffee"
TOKEN: Mapping[str, Any] = {"token": CANARY}


def kubeconfig(
    server: str = "https://192.0.2.1:6443",
    user: Mapping[str, Any] = TOKEN,
    cluster: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A kubeconfig of one context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "u", "user": dict(user)}],
    }


def data(config: Mapping[str, Any]) -> bytes:
    return json.dumps(config).encode()


def cluster_of(
    server: Server, deadline_seconds: float = 300.0, *, allow_exec: bool = False, **config: Any
) -> KubeCluster:
    """Return the cluster of a scripted server, with a simulated clock."""
    parsed = parse("t/one", data(kubeconfig(server.url, **config)))
    access = check_kubeconfig("t/one", parsed, allow_exec=allow_exec)
    return KubeCluster(access, server.time.timeouts(deadline_seconds))
