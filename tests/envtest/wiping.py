"""Bring an API server back to what it was when it was new, without starting it anew."""

from __future__ import annotations

import base64
import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.envtest.servers import ApiServer

# What a new server makes for itself, and needs.
_BUILT_IN = ("default", "kube-node-lease", "kube-public", "kube-system")
_COLLECTIONS = (
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/api/v1/nodes",
)
_KEPT = ("system:", "cluster-admin", "admin", "edit", "view")
_NAMESPACED = ("configmaps", "secrets", "pods", "events", "services/specs", "serviceaccounts")
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def wipe(server: ApiServer) -> None:
    """Delete all that tests make, but CRDs: to make one anew takes seconds.

    Namespaced things and custom objects go straight from etcd, because no controller runs that
    would end them; the API server sees that through its watches.
    """
    for path in _COLLECTIONS:
        for name in _names(server, path):
            if not name.startswith(_KEPT):
                server.request("DELETE", f"{path}/{name}")
    gone = [_purge_kind(server, crd["spec"]) for crd in server.get(_CRDS)["items"]]
    namespaces = _names(server, "/api/v1/namespaces")
    for namespace in namespaces:
        for kind in _NAMESPACED:
            if namespace not in _BUILT_IN or kind in ("secrets", "pods", "events"):
                _purge(server, f"/{server.name}/{kind}/{namespace}/")
        if namespace not in _BUILT_IN:
            _purge(server, f"/{server.name}/namespaces/{namespace}")
    _purge(server, f"/{server.name}/services/specs/default/")
    _await(server, gone)
    server.audit_log.write_text("")
    server.audited = 0


def _purge_kind(server: ApiServer, spec: dict[str, Any]) -> str:
    """Delete all objects of a custom kind; returns the path of their list."""
    group, plural = spec["group"], spec["names"]["plural"]
    _purge(server, f"/{server.name}/{group}/{plural}/")
    version = next(item["name"] for item in spec["versions"] if item["served"])
    return f"/apis/{group}/{version}/{plural}"


def renew_identity(server: ApiServer) -> None:
    """Give the cluster another identity: kube-system comes back with another uid."""
    before = server.uid()
    _purge(server, f"/{server.name}/namespaces/kube-system")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
    for _ in range(200):
        server.request("POST", "/api/v1/namespaces", body)
        status, found = server.request("GET", "/api/v1/namespaces/kube-system")
        if status == 200 and found["metadata"]["uid"] != before:
            return
        time.sleep(0.05)
    raise AssertionError("kube-system kept its uid")


def _names(server: ApiServer, path: str) -> list[str]:
    return [item["metadata"]["name"] for item in server.get(path)["items"]]


def _purge(server: ApiServer, prefix: str) -> None:
    """Delete all keys of etcd that begin with a prefix."""
    key = prefix.encode()
    end = key[:-1] + bytes([key[-1] + 1])
    body: dict[str, Any] = {"key": _text(key), "range_end": _text(end)}
    if not prefix.endswith("/"):
        del body["range_end"]
    url = f"{server.fleet.etcd_url}/v3/kv/deleterange"
    answer = server.pool.request("POST", url, body=json.dumps(body).encode())
    assert answer.status == 200, answer.data


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _await(server: ApiServer, gone: list[str]) -> None:
    """Wait until the server's own memory has seen that all of it is gone."""
    for _ in range(400):
        left = [name for name in _names(server, "/api/v1/namespaces") if name not in _BUILT_IN]
        gone = [path for path in gone if _names(server, path)]
        if not gone and not left:
            return
        time.sleep(0.02)
    raise AssertionError(f"{server.name} could not be wiped: {gone} {left}")
