"""Kubernetes Events."""

from collections.abc import Mapping
from hashlib import sha256

from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.objects import MANAGER, Manifest, Resource, owned_labels

QUIET_SECONDS = 600
_MAX_NAME = 200
_MAX_MESSAGE = 1024


def is_recent(event: Manifest, now: int) -> bool:
    """Return whether any timestamp of an event is within the quiet time."""
    times = [
        (event.get("series") or {}).get("lastObservedTime"),
        *(event.get(field) for field in ("lastTimestamp", "eventTime", "firstTimestamp")),
        (event.get("metadata") or {}).get("creationTimestamp"),
    ]
    seconds = [parse_instant(f"{text[:19]}Z") for text in times if text]  # some have microseconds
    last = max((item for item in seconds if item is not None), default=0)
    return now - last < QUIET_SECONDS


def reference(
    resource: Resource, manifest: Manifest, other: Manifest | None = None
) -> Mapping[str, str]:
    """Return the reference to the object of an event; a missing uid comes from `other`."""
    metadata = manifest["metadata"]
    uid = metadata.get("uid") or ((other or {}).get("metadata") or {}).get("uid")
    namespace = metadata.get("namespace")
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": metadata["name"],
        **({"namespace": namespace} if namespace else {}),
        **({"uid": uid} if uid else {}),
    }


def event_name(about: Mapping[str, str], *parts: str) -> str:
    """Return a deterministic event name, so that a second create fails with AlreadyExists."""
    text = "\n".join([about.get("uid", ""), *parts])
    stem = about["name"][:_MAX_NAME].rstrip("-.")
    return f"{stem}.{sha256(text.encode()).hexdigest()[:16]}"


def event_on(
    about: Mapping[str, str],
    name: str,
    said: tuple[str, str, str],
    now: int,
    annotations: Mapping[str, str],
) -> Manifest:
    """Return an Event on an object (see `reference`) with type, reason, and message."""
    kind, reason, message = said
    at = format_instant(now)
    # Events about cluster-scoped objects are in `default`, as in Kubernetes.
    place = about.get("namespace", "default")
    metadata = {"name": name, "namespace": place, "labels": owned_labels()}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {**metadata, **({"annotations": annotations} if annotations else {})},
        "involvedObject": about,
        "type": kind,
        "reason": reason,
        "message": message[:_MAX_MESSAGE],
        "source": {"component": MANAGER},
        "reportingComponent": MANAGER,
        "reportingInstance": MANAGER,
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }
