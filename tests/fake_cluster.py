"""An API server in memory, which also passes `tests/contracts/test_cluster.py`.

Tests set its clock and its failures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from math import inf
from threading import RLock
from typing import Any, cast

from reconciler.families.butler.kinds import MACHINE
from reconciler.kube.interface import Became, ObjectList, RequestCounts, WatchEvent
from reconciler.kube.resources import ref_of, resource_of
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    RejectedError,
    StaleError,
    UnreachableError,
)
from reconciler.model.instant import format_instant
from reconciler.model.objects import CRD, MAY_I, NAMESPACE, WHO_AM_I, Manifest, Ref, Resource
from tests.fake_apply import Fields, name_of, owned, places, remove, tree, written
from tests.world import CLOCK

HUB = "management"
NAMESPACES = ("kube-system", "default", "metallb-system")
_numbers = count(1)
_UNCOUNTED = ("ConfigMap", "Secret", "Namespace", "Event", "Service", "Node")
Objects = dict[Ref, dict[str, Any]]
Fault = Callable[[str, Any], ClusterError | None]
"""Gets a verb, and what it is about: an error to raise, or None."""


@dataclass
class FakeCluster:
    """A connection to an API server. Connections to one server share objects and kinds.

    Attributes:
        unknown: Kinds that the server does not serve. Applying the CRD of a kind removes it.
        clock: The time of the server, in seconds since 1970.
        fault: Returns the error of a request, if it must fail.
        seconds: Remaining time until the deadline.
        forgotten: The oldest resource version from which a watch can start.
        log: Verb and object, or kind, of each request.
    """

    name: str = HUB
    objects: Objects = field(default_factory=dict)
    unknown: set[Resource] = field(default_factory=lambda: {MACHINE})
    clock: int = CLOCK
    user: str = "reconciler"
    fault: Fault = lambda _verb, _what: None
    seconds: float = 60.0
    log: list[tuple[str, Any]] = field(default_factory=list)
    changes: list[tuple[int, WatchEvent]] = field(default_factory=list)
    forgotten: int = 0
    is_closed: bool = False
    lock: Any = field(default_factory=RLock)

    def __post_init__(self) -> None:
        for name in NAMESPACES:
            if Ref(NAMESPACE, "", name) not in self.objects:
                self._store({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
                self.forgotten = next(_numbers)

    def requests(self) -> RequestCounts:
        kinds = {"get": 0, "list": 0, "review": 0, "version": 0, "delete": 2}
        counts = [0, 0, 0]
        for verb, _ in self.log:
            counts[kinds.get(verb, 1)] += 1
        return RequestCounts(*counts)

    def now(self) -> int:
        return self.clock if self.log else 0

    def version(self) -> str:
        self._asked("version", "")
        return "v1.36.3"

    def get(self, ref: Ref) -> Manifest | None:
        self._asked("get", ref)
        return deepcopy(self.objects.get(ref))

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        self._asked("list", resource)
        with self.lock:
            found = [
                deepcopy(item)
                for ref, item in sorted(self.objects.items(), key=lambda pair: pair[0][1:])
                if ref.resource == resource
                and namespace in ("", ref.namespace)
                and _has_labels(item, labels)
                and _has_fields(item, fields)
            ]
            return ObjectList(found, str(next(_numbers)))

    def heads(self, resource: Resource, namespace: str = "", *, labels: str = "") -> ObjectList:
        found = self.list(resource, namespace, labels=labels)
        return ObjectList([_head(item) for item in found.items], found.resource_version)

    def watch(
        self, resource: Resource, namespace: str = "", *, since: str, **more: Any
    ) -> Iterator[WatchEvent]:
        """Yield the changes since a version, then end. A real server waits for more."""
        self._asked("watch", resource)
        if int(since) < self.forgotten:
            raise StaleError(f"watch {resource.kind}: too old resource version: {since}")
        with self.lock:
            changes = [item for item in self.changes if item[0] > int(since)]
        for _, change in changes:
            here = change.manifest["metadata"].get("namespace")
            is_asked = namespace in ("", here) and change.manifest["kind"] == resource.kind
            if is_asked and _has_labels(change.manifest, more.get("labels", "")):
                head = WatchEvent(change.became, _head(change.manifest))
                yield head if more.get("heads") else change

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        ref = ref_of(manifest)
        self._asked("status" if status else "apply", ref)
        with self.lock:
            live = self.objects.get(ref)
            uid = manifest["metadata"].get("uid")
            if uid and (live is None or uid != live["metadata"]["uid"]):
                raise StaleError(f"apply {ref}: another object has this name now")
            if live is None and status:
                raise NoSuchObjectError(f"apply status of {ref}: the object does not exist")
            fields = owned(manifest, status=status)
            changed = deepcopy(live) if live is not None else self._new(manifest)
            part = "status" if status else ""
            _take(changed, fields, (manager, "Apply", part), force=force)
            return self._keep(ref, live, changed, (manager, "Apply", part), fields)

    def create(self, manifest: Manifest) -> Manifest:
        resource = resource_of(manifest)
        if resource in (WHO_AM_I, MAY_I):
            self._asked("review", resource)
            return {"status": {"userInfo": {"username": self.user}, "allowed": True}}
        ref = ref_of(manifest)
        self._asked("create", ref)
        with self.lock:
            if ref in self.objects:
                raise StaleError(f"create {ref}: an object with this name already exists")
            changed = self._new(manifest)
            fields = owned(manifest, status=False)
            written(changed, fields)
            return self._keep(ref, None, changed, ("gitops-ipam", "Update", ""), fields)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        self._asked("merge", ref)
        with self.lock:
            live = self.objects.get(ref)
            if live is None:
                raise NoSuchObjectError(f"change {ref}: the object does not exist")
            for key in ("uid", "resourceVersion"):
                if (patch.get("metadata") or {}).get(key, live["metadata"][key]) != live[
                    "metadata"
                ][key]:
                    raise StaleError(f"change {ref}: it is another one by now")
            changed = deepcopy(live)
            _merge(changed, patch)
            before, after = owned(live, status=False), owned(changed, status=False)
            fields = {path: after[path] for path in after if before.get(path) != after[path]}
            return self._keep(ref, live, changed, (manager, "Update", ""), fields)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        self._asked("delete", ref)
        with self.lock:
            live = self.objects.get(ref)
            if live is None:
                return
            metadata = live["metadata"]
            if uid != metadata["uid"] or version not in ("", metadata["resourceVersion"]):
                raise StaleError(f"delete {ref}: it is another one by now")
            if metadata.get("finalizers"):
                metadata.setdefault("deletionTimestamp", format_instant(self.clock))
                metadata["resourceVersion"] = str(next(_numbers))
                self._tell(Became.MODIFIED, live)
            else:
                del self.objects[ref]
                self._tell(Became.DELETED, live)

    def pause(self, seconds: float) -> None:
        if seconds >= self.seconds:
            raise UnreachableError("wait: the cluster took more than 10 seconds", "raise --timeout")
        self.seconds -= seconds
        self.clock += round(seconds)

    def limit(self, seconds: float | None) -> None:
        self.seconds = inf if seconds is None else seconds

    def extend(self, seconds: float) -> None:
        self.seconds = max(self.seconds, seconds)

    def close(self) -> None:
        self.is_closed = True

    def put(self, manifest: Manifest, manager: str = "kubectl") -> None:
        """Apply an object as another manager that forces conflicts."""
        known, fault = list(self.log), self.fault
        self.fault = lambda _verb, _what: None
        self.apply(manifest, manager, force=True)
        if manifest.get("status"):
            self.apply(manifest, manager, force=True, status=True)
        self.log, self.fault = known, fault

    def writes(self) -> "list[str]":  # type: ignore[valid-type]  # `list` is a method here
        """Return verb and name of each write."""
        reads = ("get", "list", "review", "version")
        return [f"{verb} {what.name}" for verb, what in self.log if verb not in reads]

    def _asked(self, verb: str, what: Any) -> None:
        assert not self.is_closed, f"{self.name} is asked for {what}, but it is closed"
        self.log.append((verb, what))
        failure = self.fault(verb, what)
        if failure is not None:
            raise failure
        resource = what.resource if isinstance(what, Ref) else what
        if resource in self.unknown:
            raise NoSuchKindError(f"the kind is not installed in the cluster: {resource.kind}")

    def _new(self, manifest: Manifest) -> dict[str, Any]:
        ref = ref_of(manifest)
        if ref.namespace and Ref(NAMESPACE, "", ref.namespace) not in self.objects:
            raise NoSuchObjectError(f"apply {ref}: namespace {ref.namespace} does not exist")
        named = {"name": ref.name} | ({"namespace": ref.namespace} if ref.namespace else {})
        kind = {"apiVersion": ref.resource.api_version, "kind": ref.resource.kind}
        made = {"uid": f"uid-{next(_numbers)}", "creationTimestamp": format_instant(self.clock)}
        return {**kind, "metadata": {**named, **made}}

    def _keep(
        self,
        ref: Ref,
        live: dict[str, Any] | None,
        changed: dict[str, Any],
        who: tuple[str, str, str],
        fields: Fields,
    ) -> Manifest:
        """Store an object after a write. A write without a change keeps the resource version."""
        _own(changed, who, fields, format_instant(self.clock))
        if live is not None and _timeless(changed) == _timeless(live):
            return deepcopy(live)
        metadata = changed["metadata"]
        if ref.resource.kind not in _UNCOUNTED:
            is_other = _spec(live or {}) != _spec(changed)
            metadata["generation"] = metadata.get("generation", 0) + is_other
        metadata["resourceVersion"] = str(next(_numbers))
        self._serve(ref, changed)
        self.objects[ref] = changed
        if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
            del self.objects[ref]
            self._tell(Became.DELETED, changed)
        else:
            self._tell(Became.ADDED if live is None else Became.MODIFIED, changed)
        return deepcopy(changed)

    def _tell(self, became: Became, manifest: dict[str, Any]) -> None:
        told = deepcopy(manifest)
        if became is Became.DELETED:
            told["metadata"]["resourceVersion"] = str(next(_numbers))
        self.changes.append((int(told["metadata"]["resourceVersion"]), WatchEvent(became, told)))

    def _serve(self, ref: Ref, crd: dict[str, Any]) -> None:
        """Serve the kind of a stored CRD, and set its condition Established."""
        if ref.resource != CRD:
            return
        crd["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
        self.unknown -= {kind for kind in self.unknown if f"{kind.plural}.{kind.group}" == ref.name}

    def _store(self, manifest: Manifest) -> None:
        ref = ref_of(manifest)
        made = {"uid": f"uid-{next(_numbers)}", "resourceVersion": str(next(_numbers))}
        self.objects[ref] = {**manifest, "metadata": {**manifest["metadata"], **made}}


def _head(manifest: Manifest) -> dict[str, Any]:
    return {key: manifest[key] for key in ("apiVersion", "kind", "metadata")}


def _spec(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields whose changes increase the generation."""
    return {key: manifest[key] for key in manifest if key not in ("metadata", "status")}


def _timeless(manifest: Mapping[str, Any]) -> dict[str, Any]:
    metadata = dict(manifest["metadata"])
    entries = metadata.pop("managedFields", [])
    told = [{key: entry[key] for key in entry if key != "time"} for entry in entries]
    return {**manifest, "metadata": metadata, "managed": sorted(told, key=str)}


def _entries(live: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    return cast("list[dict[str, Any]]", live["metadata"].get("managedFields") or [])


def _who(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return entry["manager"], entry["operation"], entry.get("subresource", "")


def _take(
    changed: dict[str, Any], fields: Fields, who: tuple[str, str, str], *, force: bool
) -> None:
    """Apply fields, remove those no longer applied, and refuse conflicts unless `force` is set."""
    status = who[2] == "status"
    present = owned(changed, status=status)
    others = [entry for entry in _entries(changed) if _who(entry) != who]
    held = {path: entry for entry in others for path in places(entry["fieldsV1"])}
    conflicts = [
        (entry["manager"], name_of(path))
        for entry in others
        for path in places(entry["fieldsV1"])
        if path in fields and present.get(path) != fields[path]
    ]
    if conflicts and not force:
        what = f"apply: owned by {', '.join(sorted({manager for manager, _ in conflicts}))}"
        raise OwnedError(what, conflicts)
    mine = next((entry for entry in _entries(changed) if _who(entry) == who), None)
    for path in places(mine["fieldsV1"]) if mine is not None else ():
        if path not in fields and path not in held:
            remove(changed, path)
    _disown(others, {path for path in fields if present.get(path) != fields[path]})
    written(changed, fields)


def _disown(entries: Iterable[dict[str, Any]], paths: Iterable[tuple[str, ...]]) -> None:
    taken = frozenset(paths)
    for entry in entries:
        left = [path for path in places(entry["fieldsV1"]) if path not in taken]
        entry["fieldsV1"] = tree(iter(left))


def _own(changed: dict[str, Any], who: tuple[str, str, str], fields: Fields, time: str) -> None:
    """Set field ownership after a write: of the applied fields, or of the updated ones."""
    entries = [entry for entry in _entries(changed) if _who(entry) != who]
    before = next((entry for entry in _entries(changed) if _who(entry) == who), None)
    paths = list(fields)
    if who[1] == "Update":
        _disown(entries, paths)
        paths += [*places(before["fieldsV1"])] if before is not None else []
    if paths:
        entry = {"manager": who[0], "operation": who[1], "time": time}
        entry |= {"apiVersion": changed["apiVersion"], "fieldsType": "FieldsV1"}
        entry |= {"subresource": who[2]} if who[2] else {}
        now = tree(iter(paths))
        if before is not None and before["fieldsV1"] == now:
            entry["time"] = before["time"] if who[1] == "Apply" else time
        entries.append({**entry, "fieldsV1": now})
    changed["metadata"]["managedFields"] = [entry for entry in entries if entry["fieldsV1"]]


def _has_labels(manifest: Mapping[str, Any], selector: str) -> bool:
    labels = manifest["metadata"].get("labels") or {}
    key, is_equal, value = selector.partition("=")
    return not selector or (labels.get(key) == value if is_equal else key in labels)


def _has_fields(manifest: Any, selector: str) -> bool:
    path, _, value = selector.partition("=")
    for step in path.split(".") if selector else ():
        manifest = manifest.get(step, {})
    return not selector or manifest == value


def _merge(there: dict[str, Any], patch: Mapping[str, Any]) -> None:
    """RFC 7396."""
    for key, value in patch.items():
        if value is None:
            there.pop(key, None)
        elif isinstance(value, Mapping):
            _merge(there.setdefault(key, {}), value)
        else:
            there[key] = deepcopy(value)


def rejecting(verb: str, kind: str, message: str = "no", times: int = 1_000) -> Fault:
    """Return a fault that rejects requests for an object, at most `times` times."""
    left = [times]

    def fault(asked: str, what: Any) -> ClusterError | None:
        resource = what.resource if isinstance(what, Ref) else what
        if asked != verb or getattr(resource, "kind", "") != kind or not left[0]:
            return None
        left[0] -= 1
        return RejectedError(message)

    return fault
