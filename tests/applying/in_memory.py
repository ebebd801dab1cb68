"""Clusters in this process: they keep objects as they are applied.

What a real API server makes of an apply is tested with real ones, beside this.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

from reconciler.clusters.resources import ref_of, resource_of
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, NoSuchKindError, NoSuchObjectError, Requests
from tests.world import CLOCK

HUB = "management"
_UNKNOWN = ("Machine", "ConfigurationState", "ValidatingAdmissionPolicy")
_UNKNOWN_TOO = ("ValidatingAdmissionPolicyBinding", "CustomResourceDefinition")
_numbers = count(1)


@dataclass
class InMemory:
    """An API server: objects by reference, whatever their kind."""

    name: str
    objects: dict[Ref, dict[str, Any]] = field(default_factory=dict)
    is_closed: bool = False

    def __post_init__(self) -> None:
        home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
        self.apply(home, "kubernetes")

    def requests(self) -> Requests:
        return Requests()

    def now(self) -> int:
        return CLOCK

    def version(self) -> str:
        return "v1.36.3"

    def get(self, ref: Ref) -> Manifest | None:
        assert not self.is_closed, f"{self.name} is asked for {ref}, but it is closed"
        return deepcopy(self.objects.get(ref))

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Sequence[Manifest]:
        if resource.kind in (*_UNKNOWN, *_UNKNOWN_TOO):
            raise NoSuchKindError(f"the cluster does not know the kind {resource.kind}")
        return [
            deepcopy(item)
            for ref, item in self.objects.items()
            if ref.resource == resource
            and namespace in ("", ref.namespace)
            and (not labels or labels in (item["metadata"].get("labels") or {}))
            and fields in ("", f"metadata.name={ref.name}")
        ]

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        del force
        ref = ref_of(manifest)
        there = self.objects.setdefault(ref, {"metadata": {"uid": f"uid-{next(_numbers)}"}})
        _merge(there, manifest)
        there["metadata"]["resourceVersion"] = str(next(_numbers))
        there["metadata"]["generation"] = 1
        if not status:
            there["metadata"]["managedFields"] = [{"manager": manager}]
        return deepcopy(there)

    def create(self, manifest: Manifest) -> Manifest:
        if resource_of(manifest).kind.endswith("Review"):
            return {"status": {}}
        return self.apply(manifest, "gitops-ipam")

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        del manager
        if ref not in self.objects:
            raise NoSuchObjectError(f"{ref} is not there")
        _merge(self.objects[ref], patch)
        return deepcopy(self.objects[ref])

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        del uid, version
        self.objects.pop(ref, None)

    def pause(self, seconds: float) -> None:
        del seconds

    def extend(self, seconds: float) -> None:
        del seconds

    def close(self) -> None:
        self.is_closed = True


def _merge(there: dict[str, Any], patch: Mapping[str, Any]) -> None:
    """RFC 7396."""
    for key, value in patch.items():
        if value is None:
            there.pop(key, None)
        elif isinstance(value, Mapping):
            _merge(there.setdefault(key, {}), value)
        else:
            there[key] = deepcopy(value)


@dataclass
class Country:
    """A management cluster and others, by name. A connection to each is another value.

    Attributes:
        opened: All connections that were made.
    """

    objects: dict[str, dict[Ref, dict[str, Any]]] = field(default_factory=dict)
    opened: list[InMemory] = field(default_factory=list)

    def management(self) -> Cluster | None:
        return self.connect(HUB, b"")

    def named(self, cluster: str) -> bytes | None:
        del cluster
        return b"a kubeconfig"

    def connect(self, cluster: str, kubeconfig: bytes) -> Cluster:
        del kubeconfig
        if cluster not in self.objects:
            self.objects[cluster] = InMemory(cluster).objects
        connection = self.opener(cluster)
        connection.objects = self.objects[cluster]
        self.opened.append(connection)
        return cast("Cluster", connection)

    def opener(self, cluster: str) -> InMemory:
        """A connection; tests make others."""
        return InMemory(cluster)
