"""Clients of API servers."""

import builtins
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from msgspec import Struct, ValidationError, convert

from reconciler.kube.deadline import Timeouts
from reconciler.kube.interface import Became, ObjectList, RequestCounts, WatchEvent
from reconciler.kube.kubeconfig import (
    Kubeconfig,
    ServiceAccount,
    check_kubeconfig,
    parse,
    read_file,
    read_files,
)
from reconciler.kube.resources import pared, reading, ref_of, resource_of
from reconciler.kube.responses import ExpiredError, failure_of, parse_json
from reconciler.kube.session import open_session
from reconciler.kube.transport import KubeRequest, TooLargeError, Transport
from reconciler.model import errors
from reconciler.model.objects import MANAGER, MAY_I, SECRET, WHO_AM_I, Manifest, Ref, Resource

_T = TypeVar("_T")

PAGE = 500
SHRINK = 5
"""The factor by which a page that is too large is reduced."""
RELISTS = 3
OLDEST = (1, 22)

WATCHED = 240
"""Minimum seconds until the server ends a watch."""
SILENCE = 15.0
"""Seconds after `WATCHED` until the client ends the watch."""

_JSON = "application/json"
_HEAD = f"{_JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_HEADS = f"{_JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"


class KubeCluster:
    """One API server. The methods are described in `WatchableCluster`."""

    def __init__(
        self,
        access: Kubeconfig | ServiceAccount,
        timeouts: Timeouts | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._timeouts = timeouts = timeouts or Timeouts()
        self._transport = Transport(
            partial(open_session, access, timeouts.clocks.wall, environment or {}),
            timeouts,
            renewable=isinstance(access, ServiceAccount) or access.is_renewable(),
        )
        self._served: dict[Resource, Resource] = {}

    def requests(self) -> RequestCounts:
        return self._transport.requests()

    def now(self) -> int:
        return self._transport.now

    def version(self) -> str:
        """Return the server's version. Raise a `ClusterError` if it is too old."""
        answer = self._transport.json(KubeRequest("GET", "/version", "read the version"))
        version = str(answer.get("gitVersion", ""))[:100]
        numbers = [re.match(r"\d{1,5}", str(answer.get(it, ""))) for it in ("major", "minor")]
        if tuple(int(it[0]) if it else 0 for it in numbers) < OLDEST:
            needed = ".".join(map(str, OLDEST))
            message = f"Kubernetes {version}: {needed} or later is needed"
            raise errors.ClusterError(
                message, "upgrade the cluster, because ipam needs server-side apply"
            )
        return version

    def get(self, ref: Ref) -> Manifest | None:
        try:
            is_secret = ref.resource == SECRET
            request = KubeRequest("GET", self._path(ref), f"read {ref}", is_verbatim=is_secret)
            found = self._transport.json(request)
            with reading(ref.resource.kind, ref.name):
                return _inward(found, ref.resource)
        except errors.NoSuchObjectError:
            return None

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        return self._listing(resource, namespace, labels, fields)

    def heads(self, resource: Resource, namespace: str = "", *, labels: str = "") -> ObjectList:
        return self._listing(resource, namespace, labels, "", heads=True)

    def _listing(
        self, resource: Resource, namespace: str, labels: str, fields: str, *, heads: bool = False
    ) -> ObjectList:
        what = " ".join(("list", _kind(resource), *(("in", namespace) if namespace else ())))
        query = {"labelSelector": labels, "fieldSelector": fields}

        def listed(version: Resource) -> ObjectList:
            path = partial(version.within, version.path(namespace), **query)
            for _attempt in range(RELISTS):
                try:
                    return self._pages(resource, path, what, heads=heads)
                except ExpiredError:
                    continue
            return self._pages(resource, path, what, heads=heads)

        return self._in_each_version(resource, listed)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        ref = ref_of(manifest)
        path = self._path(ref, "status" if status else "")
        query = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": "Strict"}
        what = f"apply status of {ref}" if status else f"apply {ref}"
        body = _bytes(self._outward(manifest))
        request = KubeRequest("PATCH", f"{path}?{urlencode(query)}", what, body, _APPLY)
        return _inward(self._transport.json(request), ref.resource)

    def create(self, manifest: Manifest) -> Manifest:
        resource = resource_of(manifest)
        metadata = manifest.get("metadata") or {}
        version = self._version_of(resource)
        path = version.within(version.path(metadata.get("namespace", "")), fieldManager=MANAGER)
        named = Ref(resource, metadata.get("namespace", ""), metadata.get("name", ""))
        is_review = resource in (WHO_AM_I, MAY_I)
        what, body = f"create {named}", _bytes(self._outward(manifest))
        request = KubeRequest(
            "POST", path, what, body, is_repeatable=is_review, is_review=is_review
        )
        return _inward(self._transport.json(request), resource)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        path = ref.resource.within(self._path(ref), fieldManager=manager)
        request = KubeRequest("PATCH", path, f"change {ref}", _bytes(patch), _MERGE)
        return _inward(self._transport.json(request), ref.resource)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {"uid": uid} | ({"resourceVersion": version} if version else {}),
            "propagationPolicy": "Background",
        }
        request = KubeRequest("DELETE", self._path(ref), f"delete {ref}", _bytes(options))
        with suppress(errors.NoSuchObjectError):
            self._transport.send(request)

    def pause(self, seconds: float) -> None:
        self._transport.pause(seconds)

    def limit(self, seconds: float | None) -> None:
        self._transport.deadline.limit(seconds)

    def extend(self, seconds: float) -> None:
        self._transport.deadline.extend(seconds)

    def close(self) -> None:
        self._transport.close()

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        heads: bool = False,
    ) -> Iterator[WatchEvent]:
        what = " ".join(("watch", _kind(resource), *(("in", namespace) if namespace else ())))
        version = self._version_of(resource)
        seconds = int(WATCHED * (1 + self._timeouts.clocks.jitter()))
        path = version.within(
            version.path(namespace),
            watch="1",
            allowWatchBookmarks="true",
            resourceVersion=since,
            timeoutSeconds=str(seconds),
            labelSelector=labels,
        )
        request = KubeRequest("GET", path, what, accept=_HEAD if heads else _JSON)
        for line in self._transport.stream(request, seconds + SILENCE):
            change = change_of(line, what, resource)
            yield WatchEvent(change.became, _inward(dict(change.manifest), resource))

    def _pages(
        self, resource: Resource, path: partial[str], what: str, *, heads: bool = False
    ) -> ObjectList:
        found: builtins.list[Manifest] = []
        following, size = "", PAGE
        # Items of built-in kinds have no apiVersion and kind.
        named = {"apiVersion": resource.api_version, "kind": resource.kind}
        while True:
            query = {"limit": str(size), "continue": following}
            accept = _HEADS if heads else _JSON
            request = KubeRequest("GET", path(**query), what, accept=accept)
            try:
                page = convert(self._transport.json(request), _Page)
            except ValidationError as error:
                raise errors.ClusterError(f"{what}: the response is not a list") from error
            except TooLargeError:
                if size == 1:
                    raise
                size = max(1, size // SHRINK)
                continue
            size = min(PAGE, 2 * size)
            with reading(resource.kind, "in a list"):
                for item in page.items or ():
                    item = pared(item, resource)
                    found.append(_inward(item | named if heads else named | item, resource))
            metadata = page.metadata or _PageMetadata()
            following = metadata.following
            if not following:
                return ObjectList(found, metadata.resource_version)

    def _path(self, ref: Ref, part: str = "") -> str:
        """Return the path of an object. An empty name would mean the whole collection."""
        names = (ref.name, ref.namespace) if ref.resource.is_namespaced else (ref.name,)
        if any(name in ("", ".", "..") for name in names):
            raise errors.RejectedError(f"{ref} is not the name of an object")
        return self._version_of(ref.resource).path(ref.namespace, ref.name, part)

    def _in_each_version(self, resource: Resource, send: Callable[[Resource], _T]) -> _T:
        known = self._served.get(resource)
        *newer, last = resource.in_each_version() if known is None else (known,)
        for version in newer:
            try:
                answer = send(version)
            except errors.NoSuchKindError:
                continue
            self._served[resource] = version
            return answer
        answer = send(last)
        self._served[resource] = last
        return answer

    def _version_of(self, resource: Resource) -> Resource:
        if not resource.versions:
            return resource

        def probe(version: Resource) -> object:
            path = version.within(version.path(), limit="1")
            return self._transport.json(KubeRequest("GET", path, f"list {_kind(version)}"))

        if resource not in self._served:
            try:
                self._in_each_version(resource, probe)
            except errors.NoSuchKindError:  # its CRD might be installed later
                return resource
        return self._served[resource]

    def _outward(self, manifest: Manifest) -> Manifest:
        resource = resource_of(manifest)
        if not resource.versions:
            return manifest
        return _in_version(manifest, self._version_of(resource), self._version_of)


class _PageMetadata(
    Struct, rename={"following": "continue", "resource_version": "resourceVersion"}
):
    following: str = ""
    resource_version: str = ""


class _Page(Struct):
    items: list[dict[str, Any]] | None
    metadata: _PageMetadata | None = None


# msgspec 0.22 crashes if two threads are the first to use a class.
convert({"items": None}, _Page)


def _bytes(manifest: object) -> bytes:
    return json.dumps(manifest, separators=(",", ":"), default=dict).encode()


def _kind(resource: Resource) -> str:
    return "/".join(step for step in (resource.group, resource.kind) if step)


def change_of(line: bytes, what: str, resource: Resource) -> WatchEvent:
    """Parse a line of a watch. Raise a `StaleError` if the resource version is too old."""
    try:
        change = parse_json(line)
    except ValueError as error:
        raise errors.ClusterError(f"{what}: a line of the response is {error}") from None
    manifest, became = change.get("object"), change.get("type")
    if not isinstance(manifest, dict) or became not in ("ERROR", *Became):
        raise errors.ClusterError(f"{what}: a line of the response is not a change")
    if became != "ERROR":
        # Metadata alone has a kind of its own.
        named = {**manifest, "apiVersion": resource.api_version, "kind": resource.kind}
        return WatchEvent(Became(str(became)), named)
    code = manifest.get("code")
    body = json.dumps({**manifest, "kind": "Status"}).encode()
    raise failure_of(what, code if isinstance(code, int) else 500, body).error


def _inward(manifest: dict[str, Any], resource: Resource) -> dict[str, Any]:
    if not resource.versions:
        return manifest
    return _in_version(manifest, resource, lambda known: known)


def _in_version(
    manifest: Manifest, resource: Resource, version: Callable[[Resource], Resource]
) -> dict[str, Any]:
    """Return an object and the references to its owners in other versions."""

    def owned_by(owner: Any) -> Any:
        try:
            return {**owner, "apiVersion": version(resource_of(owner)).api_version}
        except (KeyError, TypeError):  # of an unknown kind, or not a reference
            return owner

    named = {**manifest, "apiVersion": resource.api_version}
    metadata = manifest.get("metadata") or {}
    if owners := metadata.get("ownerReferences"):
        named["metadata"] = {**metadata, "ownerReferences": [owned_by(it) for it in owners]}
    return named


@dataclass(frozen=True)
class KubeClusters:
    """Clusters by `namespace/name` or name; kubeconfigs from Secrets never use `allow_exec`."""

    kubeconfig: Path | None = None
    context: str = ""
    clusters: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None  # with `<namespace>.<name>.kubeconfig`
    allow_exec: bool = field(default=False, kw_only=True)
    environment: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    timeouts: Timeouts = field(default_factory=Timeouts, kw_only=True)

    @property
    def is_named_by_person(self) -> bool:
        """Return whether the user named a cluster."""
        named = self.kubeconfig, self.folder, self.environment.get("KUBECONFIG"), self.clusters
        return any(named)

    @property
    def is_named(self) -> bool:
        """Return whether the user, or the service account of the pod, names a cluster."""
        return self.is_named_by_person or ServiceAccount(self.environment).is_there()

    def management(self) -> KubeCluster | None:
        """Return the cluster of the flag, of `$KUBECONFIG`, or of the pod's account, or None."""
        named = self.environment.get("KUBECONFIG", "")
        if self.kubeconfig is not None:
            read_file("management", self.kubeconfig)
            config = read_files("management", [self.kubeconfig])
        elif named:
            config = read_files("management", [Path(step) for step in named.split(":") if step])
        else:
            account = ServiceAccount(self.environment)
            if not account.is_there():
                return None
            return KubeCluster(account, self.timeouts, self.environment)
        access = check_kubeconfig("management", config, self.context, allow_exec=self.allow_exec)
        return KubeCluster(access, self.timeouts, self.environment)

    def strays(self, names: Iterable[str]) -> list[str]:
        """Return the kubeconfigs in the folder that belong to none of some clusters."""
        files = self.folder.glob("*.kubeconfig") if self.folder is not None else ()
        known = {it.replace("/", ".") for it in names}
        return sorted(it.name for it in files if it.stem not in known)

    def named(self, cluster: str) -> bytes | None:
        if cluster in self.clusters:
            return read_file(cluster, self.clusters[cluster])
        if self.folder is None:
            return None
        path = self.folder / f"{cluster.replace('/', '.')}.kubeconfig"
        try:
            is_folder, is_there = self.folder.is_dir(), path.exists()
        except OSError as failure:
            message = f"kubeconfig of {cluster}: {path} cannot be read: {failure.strerror}"
            raise errors.KubeconfigError(message) from failure
        if not is_folder:
            # With a misspelled folder, every cluster would look like a future one.
            raise errors.KubeconfigError(f"kubeconfig of {cluster}: {self.folder} is not a folder")
        return read_file(cluster, path) if is_there else None

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> KubeCluster:
        config = parse(cluster, kubeconfig)
        allowed = self.allow_exec and is_named
        access = check_kubeconfig(cluster, config, allow_exec=allowed, is_named=is_named)
        return KubeCluster(access, self.timeouts, self.environment)


def open_contexts(
    path: Path,
    contexts: Sequence[str],
    seconds: float,
    environment: Mapping[str, str],
    *,
    allow_exec: bool = False,
) -> list[tuple[str, KubeCluster]]:
    """Return the clusters of some contexts, or of the current one. Sends no request yet."""
    read_file(str(path), path)  # reports a missing file by its path
    config = read_files(str(path), [path])
    found = []
    for name in contexts or [str(config.get("current-context") or "")]:
        access = check_kubeconfig(str(path), config, name, allow_exec=allow_exec)
        found.append((name, KubeCluster(access, Timeouts(seconds), environment)))
    return found
