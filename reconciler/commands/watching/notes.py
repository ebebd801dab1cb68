"""What this process knows of clusters from its own work: what it wrote, what it read, how it got in.

A watch tells of our own writes, too. They are known by their resourceVersion, which a server gives
to nothing else; so no round is begun by what a round has done. What a round has read is no news
either. And what it left behind may be gone before a watch has listed it for the first time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from msgspec import Struct

from reconciler.commands.applying.relay import Relay
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.marks import MANAGER, OWNER_LABEL
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, Clusters, Listing

MOST = 200_000
"""Marks that are kept; when more were made since, an old one is taken for news: one round too many."""


def mark_of(manifest: Mapping[str, Any]) -> str:
    """The state of an object that a manifest shows; empty when it does not say."""
    metadata = manifest.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, Mapping) else None
    return version if isinstance(version, str) and len(version) <= 64 else ""


def uid_of(manifest: Mapping[str, Any]) -> str:
    """The uid of an object that may say anything; empty when it says none."""
    metadata = manifest.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, Mapping) else None
    return uid[:64] if isinstance(uid, str) else ""


def gone_mark(uid: str) -> str:
    """That an object is gone."""
    return f"-{uid}"


@dataclass
class Notes:
    """What is known. Any thread may use it."""

    _marks: dict[tuple[str, str], bool] = field(default_factory=dict)
    _ways: dict[str, tuple[bytes, bool]] = field(default_factory=dict)
    _ours: dict[tuple[str, str, str], dict[str, str]] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def note(self, cluster: str, marks: Iterable[str], *, looks: bool = False) -> None:
        """Keep marks of objects that were read or written; by a look, or by an apply."""
        with self._lock:
            for mark in marks:
                if mark:
                    before = self._marks.pop((cluster, mark), False)
                    self._marks[cluster, mark] = before or looks
            while len(self._marks) > MOST:
                del self._marks[next(iter(self._marks))]

    def is_known(self, cluster: str, mark: str, *, looks: bool = False) -> bool:
        """Whether a state was read or written by a round; or if that matters, read by a look.

        What an apply reads comes after the look of its round: it bears on no plan yet.
        """
        with self._lock:
            return (
                self._marks.get((cluster, mark), False) if looks else (cluster, mark) in self._marks
            )

    def found_way(self, cluster: str, kubeconfig: bytes, *, is_named: bool) -> None:
        """A round connected to a cluster."""
        with self._lock:
            self._ways[cluster] = (kubeconfig, is_named)

    def way(self, cluster: str) -> tuple[bytes, bool] | None:
        """How the last round got into a cluster; None when none did."""
        with self._lock:
            return self._ways.get(cluster)

    def forget(self, cluster: str) -> None:
        """A cluster is no concern of ours any more."""
        with self._lock:
            self._ways.pop(cluster, None)
            for about in [about for about in self._ours if about[0] == cluster]:
                del self._ours[about]

    def listed(self, cluster: str, resource: Resource, namespace: str, listing: Listing) -> None:
        """A round saw all objects of a kind, in a namespace or everywhere: those of ours are kept."""
        with self._lock:
            before = self._ours.pop((cluster, resource.group, resource.kind), {})
            found = {uid: home for uid, home in before.items() if namespace not in ("", home)}
            found |= {uid: _home(item) for item in listing.items if (uid := _uid_of_ours(item))}
            if found:
                self._ours[cluster, resource.group, resource.kind] = found

    def made(self, cluster: str, manifest: Manifest) -> None:
        """A round wrote an object: one of ours is kept."""
        if uid := _uid_of_ours(manifest):
            group, slash, _ = str(manifest.get("apiVersion")).partition("/")
            about = cluster, group if slash else "", str(manifest.get("kind"))
            with self._lock:
                self._ours.setdefault(about, {})[uid] = _home(manifest)

    def went(self, cluster: str, ref: Ref, uid: str) -> None:
        """A round deleted an object."""
        with self._lock:
            self._ours.get((cluster, ref.resource.group, ref.resource.kind), {}).pop(uid, None)

    def ours(self, cluster: str, resource: Resource, namespace: str) -> frozenset[str]:
        """The uids of our own objects of a kind that the last round left there."""
        with self._lock:
            found = self._ours.get((cluster, resource.group, resource.kind), {})
            return frozenset(uid for uid, home in found.items() if namespace in ("", home))


def _uid_of_ours(manifest: Manifest) -> str:
    """The uid of an object that bears our label; empty for others. It may say anything yet."""
    metadata = manifest.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    is_ours = isinstance(labels, Mapping) and labels.get(OWNER_LABEL) == MANAGER
    return uid_of(manifest) if is_ours else ""


def _home(manifest: Manifest) -> str:
    return str(manifest["metadata"].get("namespace") or "")


class NotingClusters(Struct, frozen=True):
    """Clusters, of whose use notes are taken.

    Attributes:
        looks: They are looked at, for what Git shall say.
    """

    clusters: Clusters
    notes: Notes
    looks: bool = False

    def management(self) -> Cluster | None:
        """The management cluster."""
        cluster = self.clusters.management()
        if cluster is None:
            return None
        return _NotingCluster(cluster, MANAGEMENT, self.notes, self.looks)

    def named(self, cluster: str) -> bytes | None:
        """As that of the clusters."""
        return self.clusters.named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """A cluster by its kubeconfig."""
        self.notes.found_way(cluster, kubeconfig, is_named=is_named)
        made = self.clusters.connect(cluster, kubeconfig, is_named=is_named)
        return _NotingCluster(made, cluster, self.notes, self.looks)


class _NotingCluster(Relay, frozen=True):
    """A cluster, of whose use notes are taken."""

    name: str
    notes: Notes
    looks: bool

    def get(self, ref: Ref) -> Manifest | None:
        found = super().get(ref)
        return None if found is None else self._noted(found)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Listing:
        found = super().list(resource, namespace, labels=labels, fields=fields)
        self.notes.note(self.name, map(mark_of, found.items), looks=self.looks)
        if not (labels or fields):
            self.notes.listed(self.name, resource, namespace, found)
        return found

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        return self._made(super().apply(manifest, manager, force=force, status=status))

    def create(self, manifest: Manifest) -> Manifest:
        return self._made(super().create(manifest))

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        return self._noted(super().merge(ref, patch, manager))

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        super().delete(ref, uid, version)
        self.notes.note(self.name, [gone_mark(uid)])
        self.notes.went(self.name, ref, uid)

    def _made(self, manifest: Manifest) -> Manifest:
        self.notes.made(self.name, manifest)
        return self._noted(manifest)

    def _noted(self, manifest: Manifest) -> Manifest:
        self.notes.note(self.name, [mark_of(manifest)], looks=self.looks)
        return manifest
