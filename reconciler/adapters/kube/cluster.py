"""What is asked of an API server: raw JSON, no discovery, and nothing that anybody else named.

The generated models of the official client are not used: they lose fields that they do not know,
and send ones that nobody set. Its configuration and its connection pool are.
"""

import builtins
import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urlencode

from reconciler.adapters.kube.account import Account
from reconciler.adapters.kube.answers import ExpiredError
from reconciler.adapters.kube.deadline import Deadline, Timeouts
from reconciler.adapters.kube.kubeconfig import Kubeconfig
from reconciler.adapters.kube.limits import TENANT, TOKEN, Limits, TooLargeError, weight
from reconciler.adapters.kube.session import Session, enter
from reconciler.adapters.kube.streaming import change_of
from reconciler.adapters.kube.transport import Ask
from reconciler.adapters.kube.versions import Versions, inward
from reconciler.adapters.kube.watch_transport import WatchTransport
from reconciler.clusters.desired import MANAGER
from reconciler.clusters.resources import MAY_I, SECRET, WHO_AM_I, ref_of, resource_of
from reconciler.clusters.shapes import pared
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import (
    Change,
    ClusterError,
    Listing,
    NoSuchObjectError,
    RejectedError,
    Requests,
    StaleError,
)

PAGE = 500
SHRINK = 5
"""Times fewer objects that a page has when one was too large; down to one, and then more again."""
RELISTS = 3
OLDEST = (1, 22)

WATCHED = 240
"""Seconds after which a server shall end a watch, at least, so that none is for ever."""
SILENCE = 15.0
"""Seconds that it may take longer before it is given up."""

_JSON = "application/json"
_HEAD = f"{_JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_HEADS = f"{_JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"


class KubeCluster:
    """One API server."""

    def __init__(
        self,
        access: Kubeconfig | Account,
        timeouts: Timeouts | None = None,
        environment: Mapping[str, str] | None = None,
        limits: Limits = TENANT,
    ) -> None:
        timeouts = timeouts or Timeouts()

        def open_session(deadline: Deadline) -> Session:
            return enter(access, deadline, environment or {})

        is_renewable = access.is_renewable()
        self._transport = WatchTransport(open_session, timeouts, limits, renewable=is_renewable)
        self._versions = Versions(self._look)

    def requests(self) -> Requests:
        """How many requests were sent so far."""
        return self._transport.requests()

    def now(self) -> int:
        """The server's clock, in seconds since 1970, when it last answered."""
        return self._transport.now()

    def version(self) -> str:
        """The server's version.

        Raises:
            ClusterError: It is too old.
        """
        told = self._json(Ask("GET", "/version", "read the version"))
        version = str(told.get("gitVersion", ""))[:100]
        if _numbers(told) < OLDEST:
            needed = ".".join(map(str, OLDEST))
            message = f"Kubernetes {version}: {needed} or later is needed"
            raise ClusterError(message, "older ones have no server-side apply")
        return version

    def get(self, ref: Ref) -> Manifest | None:
        """An object, or None."""
        try:
            is_secret = ref.resource == SECRET
            ask = Ask("GET", self._path(ref), f"read {ref}", is_verbatim=is_secret)
            return inward(self._json(ask), ref.resource)
        except NoSuchObjectError:
            return None

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Listing:
        """All objects of a kind, of one state of the cluster, page by page."""
        return self._listing(resource, namespace, labels, fields)

    def heads(self, resource: Resource, namespace: str = "", *, labels: str = "") -> Listing:
        """Of all objects of a kind the metadata."""
        return self._listing(resource, namespace, labels, "", heads=True)

    def _listing(
        self, resource: Resource, namespace: str, labels: str, fields: str, *, heads: bool = False
    ) -> Listing:
        what = " ".join(("list", _kind(resource), *(("in", namespace) if namespace else ())))
        query = {"labelSelector": labels, "fieldSelector": fields}

        def listed(version: Resource) -> Listing:
            path = partial(version.within, version.path(namespace), **query)
            for _attempt in range(RELISTS):
                try:
                    return self._pages(resource, path, what, heads=heads)
                except ExpiredError:
                    continue
            return self._pages(resource, path, what, heads=heads)

        return self._versions.asked(resource, listed)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status, server-side."""
        ref = ref_of(manifest)
        path = self._path(ref, "status" if status else "")
        query = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": "Strict"}
        what = f"apply status of {ref}" if status else f"apply {ref}"
        body = _bytes(self._versions.outward(manifest))
        return inward(
            self._json(Ask("PATCH", f"{path}?{urlencode(query)}", what, body, _APPLY)), ref.resource
        )

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object, or ask for a review."""
        resource = resource_of(manifest)
        metadata = manifest.get("metadata") or {}
        version = self._versions.of(resource)
        path = version.within(version.path(metadata.get("namespace", "")), fieldManager=MANAGER)
        named = Ref(resource, metadata.get("namespace", ""), metadata.get("name", ""))
        asks = resource in (WHO_AM_I, MAY_I)
        what, body = f"create {named}", _bytes(self._versions.outward(manifest))
        made = self._json(Ask("POST", path, what, body, is_repeatable=asks, is_review=asks))
        return inward(made, resource)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch."""
        path = ref.resource.within(self._path(ref), fieldManager=manager)
        changed = self._json(Ask("PATCH", path, f"change {ref}", _bytes(patch), _MERGE))
        return inward(changed, ref.resource)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        """Delete the very object of this uid."""
        conditions = {"uid": uid} | ({"resourceVersion": version} if version else {})
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": conditions,
            "propagationPolicy": "Background",
        }
        try:
            self._transport.send(Ask("DELETE", self._path(ref), f"delete {ref}", _bytes(options)))
        except NoSuchObjectError:
            return

    def pause(self, seconds: float) -> None:
        """Wait, within the cluster's deadline."""
        self._transport.pause(seconds)

    def limit(self, seconds: float | None) -> None:
        """Begin a new deadline."""
        self._transport.deadline.limit(seconds)

    def extend(self, seconds: float) -> None:
        """Have so many seconds left, even when the deadline is over."""
        self._transport.deadline.extend(seconds)

    def close(self) -> None:
        """Let go of all connections."""
        self._transport.close()

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        heads: bool = False,
    ) -> Iterator[Change]:
        """Changes as they come. A server ends it after some minutes, and is asked to bookmark."""
        what = " ".join(("watch", _kind(resource), *(("in", namespace) if namespace else ())))
        version = self._versions.of(resource)
        seconds = int(WATCHED * (1 + self._transport.jitter()))
        path = version.within(
            version.path(namespace),
            watch="1",
            allowWatchBookmarks="true",
            resourceVersion=since,
            timeoutSeconds=str(seconds),
            labelSelector=labels,
        )
        ask = Ask("GET", path, what, accept=_HEAD if heads else _JSON)
        cuts = self._transport.budget.limits.cuts
        try:
            for line in self._transport.stream(ask, seconds + SILENCE):
                change = change_of(line, what, resource, cuts=cuts)
                yield Change(change.became, inward(dict(change.manifest), resource))
        except ExpiredError as expired:
            raise StaleError(str(expired)) from expired

    def _pages(
        self, resource: Resource, path: partial[str], what: str, *, heads: bool = False
    ) -> Listing:
        found: builtins.list[Manifest] = []
        following, size, budget = "", PAGE, self._transport.budget
        # Items of the built-in kinds do not say what they are.
        named = {"apiVersion": resource.api_version, "kind": resource.kind}
        for pages in count(1):
            budget.count(what, len(found), pages)
            asked = Ask("GET", path(**{"limit": str(size), "continue": following}), what)
            asked = asked._replace(accept=_HEADS if heads else _JSON)
            try:
                page, heavy = self._transport.ask(asked)
            except TooLargeError:  # objects of some kinds are large: ask for fewer
                if size == 1:
                    raise
                size = max(1, size // SHRINK)
                continue
            size = min(PAGE, 2 * size)
            items, following = _items(page, what)
            kept = [pared(item, resource) for item in items]
            is_whole = not kept or kept[0] is items[0]
            budget.keep(what, heavy if is_whole else weight(_bytes(kept)))
            budget.count(what, len(found) + len(kept), pages)
            found += [inward(item | named if heads else named | item, resource) for item in kept]
            if not following:
                break
        return Listing(found, str((page.get("metadata") or {}).get("resourceVersion", "")))

    def _path(self, ref: Ref, part: str = "") -> str:
        """The path of one object. Without its name it would be all of them, and be deleted as such."""
        names = (ref.name, ref.namespace) if ref.resource.is_namespaced else (ref.name,)
        if any(name in ("", ".", "..") for name in names):
            raise RejectedError(f"{ref} is not the name of an object")
        return self._versions.of(ref.resource).path(ref.namespace, ref.name, part)

    def _look(self, version: Resource) -> None:
        """Whether a version is served: the shortest list of it."""
        what = f"list {_kind(version)}"
        self._json(Ask("GET", version.within(version.path(), limit="1"), what))

    def _json(self, ask: Ask) -> dict[str, Any]:
        value, heavy = self._transport.ask(ask)
        self._transport.budget.keep(ask.what, heavy)
        return value


def _items(page: Mapping[str, Any], what: str) -> tuple[list[dict[str, Any]], str]:
    """The objects of a page, and where the next one begins; empty when it is the last.

    Raises:
        ClusterError: It is no page. Taken for an empty one it would say that nothing is there.
    """
    items, metadata = page.get("items", 0), page.get("metadata") or {}
    following = metadata.get("continue") if isinstance(metadata, dict) else None
    is_list = isinstance(items, list | None) and isinstance(following, str | None)
    is_list = is_list and isinstance(metadata, dict) and len(following or "") <= TOKEN
    if not is_list or not all(isinstance(item, dict) for item in items or ()):
        raise ClusterError(f"{what}: the answer is not a list")
    return items or [], following or ""


def _bytes(manifest: object) -> bytes:
    return json.dumps(manifest, separators=(",", ":"), default=dict).encode()


def _kind(resource: Resource) -> str:
    return "/".join(step for step in (resource.group, resource.kind) if step)


def _numbers(version: Mapping[str, Any]) -> tuple[int, int]:
    """Major and minor; a provider may say `31+`."""
    parts = (str(version.get(key, "")).rstrip("+") for key in ("major", "minor"))
    major, minor = (int(part) if part.isdigit() and len(part) < 6 else 0 for part in parts)
    return major, minor
