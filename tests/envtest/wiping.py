"""Reset an API server to its initial objects without a restart.

Keys are written directly to etcd, because no controller deletes namespaces or collects garbage. The
API server sees the changes in its watches, like writes of other API servers, and answers lists only
after that.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tests.envtest.processes import until

if TYPE_CHECKING:
    from tests.envtest.servers import ApiServer

# Keys without the prefix of the server.
Snapshot = Mapping[bytes, bytes]

# Keys that the server writes at any time.
_ITS_OWN = (
    *(b"masterleases/", b"leases/kube-system/apiserver-", b"peerserverleases/", b"ranges/"),
    *(b"flowschemas/", b"prioritylevelconfigurations/", b"servicecidrs/"),
    *(b"configmaps/kube-system/extension-", b"configmaps/kube-system/kube-"),
    b"apiregistration.k8s.io/apiservices/",
)
_CRDS = b"apiextensions.k8s.io/customresourcedefinitions/"
_POLICIES = b"validatingadmissionpolic"
_KUBE_SYSTEM = b"namespaces/kube-system"
# The last object that a new server creates.
_LAST = (
    *(b"namespaces/default", b"namespaces/kube-node-lease", b"namespaces/kube-public"),
    *(_KUBE_SYSTEM, b"services/specs/default/kubernetes"),
)


def snapshot(server: ApiServer) -> Snapshot:
    """Return all keys of a new server, after it has created its own objects."""
    until(lambda: set(_LAST) <= set(_stored(server)), f"{server.name} is set up")
    return _stored(server)


def wipe(server: ApiServer, *, crds: bool) -> None:
    """Delete keys created since the snapshot, and restore changed or deleted ones."""
    server.stop_controllers()
    if not server.is_running:
        server.start()
    found = _stored(server)
    kept = _ITS_OWN if crds else (*_ITS_OWN, _CRDS)
    made = [key for key in found if key not in server.new and not key.startswith(kept)]
    for first, last in _runs(sorted(found), set(made)):
        _delete(server, first, last)
    for key, value in server.new.items():
        if not key.startswith(_ITS_OWN) and found.get(key) != value:
            _put(server, key, value)
    if crds:
        server.crds.clear()
        until(lambda: not _served(server, made), f"{server.name} has forgotten its CRDs")
    if any(key.startswith(_POLICIES) for key in made):
        settle_policies(server)
    server.audit_log.write_text("")
    server.audited = 0


def renew_identity(server: ApiServer) -> None:
    """Give kube-system another uid, so that it is another cluster. `wipe` restores the first one."""
    value = _stored(server)[_KUBE_SYSTEM]
    _put(server, _KUBE_SYSTEM, value.replace(server.uid().encode(), str(uuid4()).encode()))


def settle_policies(server: ApiServer) -> None:
    """Wait until all stored admission policies are in force.

    The server reloads all of them about once a second. So if a new policy refuses a request, earlier
    policies are also loaded.
    """
    name = f"settled-{secrets.token_hex(4)}"
    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["configmaps"],
    }
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": f"object.metadata.name != '{name}'", "message": name}],
    }
    binding = {"policyName": name, "validationActions": ["Deny"]}
    server.put({"metadata": {"name": name}, "spec": spec}, path=f"{path}ies")
    server.put({"metadata": {"name": name}, "spec": binding}, path=f"{path}ybindings")
    probe = "/api/v1/namespaces/default/configmaps?dryRun=All"

    def refused() -> bool:
        answer = server.request("POST", probe, {"metadata": {"name": name}})[1]
        return f"denied request: {name}" in answer.get("message", "")

    until(refused, f"{server.name} has read its policies")
    for kind in ("ybindings", "ies"):
        server.request("DELETE", f"{path}{kind}/{name}")


def _served(server: ApiServer, keys: list[bytes]) -> bool:
    """Return whether the server still serves a group of these CRDs."""
    crds = [key.removeprefix(_CRDS).decode() for key in keys if key.startswith(_CRDS)]
    groups = {group["name"] for group in server.get("/apis")["groups"]}
    return any(crd.partition(".")[2] in groups for crd in crds)


def _runs(keys: list[bytes], chosen: set[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield first and last of each series of consecutive chosen keys."""
    run: list[bytes] = []
    for key in [*keys, b""]:
        if key in chosen:
            run.append(key)
        elif run:
            yield run[0], run[-1]
            run = []


def _stored(server: ApiServer) -> dict[bytes, bytes]:
    """Return the keys of a server in etcd."""
    prefix = f"/{server.name}/".encode()
    answer = _etcd(server, "range", key=prefix, range_end=prefix[:-1] + b"0")
    return {
        base64.b64decode(row["key"]).removeprefix(prefix): base64.b64decode(row["value"])
        for row in answer.get("kvs", ())
    }


def _delete(server: ApiServer, first: bytes, last: bytes) -> None:
    prefix = f"/{server.name}/".encode()
    _etcd(server, "deleterange", key=prefix + first, range_end=prefix + last + b"\0")


def _put(server: ApiServer, key: bytes, value: bytes) -> None:
    _etcd(server, "put", key=f"/{server.name}/".encode() + key, value=value)


def _etcd(server: ApiServer, verb: str, **words: bytes) -> dict[str, Any]:
    body = {name: base64.b64encode(word).decode() for name, word in words.items()}
    url = f"{server.fleet.etcd_url}/v3/kv/{verb}"
    answer = server.pool.request("POST", url, body=json.dumps(body).encode())
    assert answer.status == 200, answer.data
    told: dict[str, Any] = json.loads(answer.data)
    return told
