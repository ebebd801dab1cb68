"""API servers on the loopback, by HTTPS, that may lie: what they hold is a cluster in memory.

A liar gets each request first. What it has no answer to is answered as a server does.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.plan import Applied
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.deadline import Clocks, Timeouts
from reconciler.kube.resources import _by_version
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    RejectedError,
    StaleError,
)
from reconciler.model.objects import CONFIG_MAP, Ref, Resource
from tests.apply.execution.site import Files, evaluated
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import is_in
from tests.kube.certificates import Certificate, encoded, make
from tests.kube.kubeconfigs import data, kubeconfig
from tests.kube.server import Asked, Reply, Server, Time, serving, status

Liar = Callable[[Asked], Reply | None]
INVENTORY = "gitops-ipam-inventory"
_CODES = {RejectedError: 422, StaleError: 409}


class _Target(NamedTuple):
    resource: Resource
    namespace: str
    name: str
    part: str
    query: Mapping[str, str]

    @property
    def ref(self) -> Ref:
        return Ref(self.resource, self.namespace, self.name)


@cache
def _by_plural() -> Mapping[tuple[str, str], Resource]:
    return {(item.api_version, item.plural): item for item in _by_version().values()}


def _target(path: str) -> _Target:
    url = urlsplit(path)
    root, *steps = [unquote(step) for step in url.path.strip("/").split("/")]
    version = steps.pop(0) if root == "api" else f"{steps.pop(0)}/{steps.pop(0)}"
    namespace = steps[1] if steps[0] == "namespaces" and len(steps) > 2 else ""
    plural, name, part, *_ = [*(steps[2:] if namespace else steps), "", ""]
    resource = _by_plural()[version, plural]
    return _Target(resource, namespace, name, part, dict(parse_qsl(url.query)))


@dataclass
class Api:
    """A cluster in memory behind HTTPS.

    Attributes:
        liar: Answers in place of the cluster, or says None.
        user: What the kubeconfig says of who asks.
    """

    cluster: FakeCluster
    liar: Liar = lambda _asked: None
    user: Mapping[str, Any] = field(default_factory=dict)
    server: Server = field(default_factory=Server)

    def answer(self, asked: Asked) -> Reply:
        """What is said to a request."""
        lie = self.liar(asked)
        if lie is not None:
            return lie
        if asked.path == "/version":
            return Reply(body={"major": "1", "minor": "36", "gitVersion": "v1.36.3"})
        target = _target(asked.path)
        try:
            return Reply(body=getattr(self, f"_{asked.method.lower()}")(target, asked))
        except NoSuchKindError:
            return status(404, "the server could not find the requested resource", "NotFound")
        except NoSuchObjectError:
            return status(404, "not found", "NotFound", name=target.name or "x")
        except ClusterError as failed:
            return status(_CODES.get(type(failed), 500), str(failed))

    def _get(self, target: _Target, _asked: Asked) -> object:
        if target.name:
            found = self.cluster.get(target.ref)
            if found is None:
                raise NoSuchObjectError("none")
            return found
        query = target.query
        labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
        listed = self.cluster.list(target.resource, target.namespace, labels=labels, fields=fields)
        return {"items": listed.items, "metadata": {"resourceVersion": listed.resource_version}}

    def _post(self, _target: _Target, asked: Asked) -> object:
        return self.cluster.create(json.loads(asked.body))

    def _patch(self, target: _Target, asked: Asked) -> object:
        body, manager = json.loads(asked.body), target.query["fieldManager"]
        if asked.headers["content-type"].startswith("application/merge"):
            return self.cluster.merge(target.ref, body, manager)
        force, is_status = target.query["force"] == "true", target.part == "status"
        return self.cluster.apply(body, manager, force=force, status=is_status)

    def _delete(self, target: _Target, asked: Asked) -> object:
        preconditions = json.loads(asked.body)["preconditions"]
        version = preconditions.get("resourceVersion", "")
        self.cluster.delete(target.ref, preconditions["uid"], version)
        return {"kind": "Status", "status": "Success"}


@dataclass
class Fleet:
    """A management cluster and tenants, each behind HTTPS; tenants are reached by their Secrets.

    Attributes:
        folder: Where the kubeconfig of the management cluster is.
        clocks: Of clusters that have one of their own; others do not wait when they shall.
    """

    folder: Path
    certificate: Certificate
    apis: dict[str, Api] = field(default_factory=dict)
    clocks: dict[str, Time] = field(default_factory=dict)

    @property
    def hub(self) -> FakeCluster:
        return self.apis[HUB].cluster

    def config(self, name: str, **cluster: Any) -> dict[str, Any]:
        """The kubeconfig of a cluster."""
        api = self.apis[name]
        trusted = {"certificate-authority-data": encoded(self.certificate.certificate)}
        user = {"token": f"token-of-{name.replace('/', '-')}", **api.user}
        return kubeconfig(api.server.url, user, {**trusted, **cluster})

    def give(self, name: str, config: Mapping[str, Any] | None = None) -> None:
        """Put a kubeconfig of a tenant into its Secret, by default the right one."""
        namespace, _, rest = name.partition("/")
        value = b64encode(data(config or self.config(name))).decode()
        named = {"name": f"{rest}-kubeconfig", "namespace": namespace}
        for made in (
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            {"apiVersion": "v1", "kind": "Secret", "metadata": named, "data": {"value": value}},
        ):
            self.hub.put(made)

    def clusters(self, **more: Any) -> KubeClusters:
        path = self.folder / "management.kubeconfig"
        path.write_bytes(data(self.config(HUB)))
        return _Clocked(
            path, timeouts=Timeouts(clocks=Clocks(_nothing)), clocks=self.clocks, **more
        )

    def apply(self, files: Files, revision: str = "a", **options: Any) -> dict[str, Applied]:
        """Apply a tree; what became of each cluster."""
        allow_exec = options.pop("allow_exec", False)
        clusters = self.clusters(allow_exec=allow_exec)
        found = apply_fleet(evaluated(files, revision), clusters, ApplyOptions(**options), is_in)
        return {item.cluster: item for item in found}

    def memory(self, cluster: str = HUB) -> dict[str, str]:
        """The data of all ConfigMaps of an inventory."""
        found: dict[str, str] = {}
        for ref, item in sorted(self.apis[cluster].cluster.objects.items(), key=str):
            if ref.resource == CONFIG_MAP and ref.name.startswith(INVENTORY):
                found |= item.get("data") or {}
        return found


def _nothing(_seconds: float) -> None:
    """Nobody waits."""


@dataclass(frozen=True)
class _Clocked(KubeClusters):
    """Clusters of which some have a clock of their own."""

    clocks: Mapping[str, Time] = field(default_factory=dict, kw_only=True)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> KubeCluster:
        if cluster not in self.clocks:
            return super().connect(cluster, kubeconfig, is_named=is_named)
        mine = replace(self, timeouts=self.clocks[cluster].timeouts(60), clocks={})
        return mine.connect(cluster, kubeconfig, is_named=is_named)


@cache
def _certificate(folder: Path) -> Certificate:
    return make(folder, "hostile")


@contextmanager
def fleet(folder: Path, *tenants: str) -> Iterator[Fleet]:
    """A management cluster and tenants with their Secrets, until the end of the block.

    Args:
        folder: Of the test; one certificate is made beside it for all tests.
        tenants: Their names.
    """
    certificate = _certificate(folder.parent)
    found = Fleet(folder, certificate)
    with ExitStack() as opened:
        for name in (HUB, *tenants):
            api = found.apis[name] = Api(FakeCluster(name))
            api.server = opened.enter_context(serving(api.answer, tls=certificate.server()))
        for name in tenants:
            found.give(name)
        yield found
