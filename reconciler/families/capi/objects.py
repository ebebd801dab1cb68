"""Cluster objects of Cluster API: fitting to live objects, events, listings, and import."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import format_count, format_short
from reconciler.documents.document import Identity
from reconciler.families import interface
from reconciler.families.capi import kinds
from reconciler.families.capi.projection import address_of
from reconciler.families.capi.reading import class_of, named_for
from reconciler.families.events import event_name, event_on, reference
from reconciler.families.importing import (
    Copied,
    ImportedBody,
    ImportedList,
    IntakeKind,
    annotated,
    being_deleted,
    made_of_record,
)
from reconciler.families.interface import Listing, ListingColumn, ListingRow, ObjectFit
from reconciler.model import objects
from reconciler.model.claim import Allocation
from reconciler.model.objects import ADOPT, MANAGER, Manifest, Ref, Resource


def _spec(manifest: Manifest) -> Mapping[str, Any]:
    return manifest.get("spec") or {}


def _owns(live: Manifest, manager: str, step: str) -> bool:
    """Return whether a manager owns a field: `f:host`, or `k:{"name":"clusterVip"}` for an item."""
    entries = live["metadata"].get("managedFields") or ()
    mine = (entry for entry in entries if entry.get("manager") == manager)
    return any(_contains(entry.get("fieldsV1") or {}, step) for entry in mine)


def _contains(fields: Mapping[str, Any], step: str) -> bool:
    return step in fields or any(_contains(inner, step) for inner in fields.values())


def fit_cluster(wanted: Manifest, live: Manifest | None, lost: frozenset[str]) -> ObjectFit:
    """Return the fields to write into a Cluster without addresses that others hold (`lost`)."""
    if live is None:
        return ObjectFit()
    metadata = live["metadata"]
    is_paused = kinds.PAUSED in (metadata.get("annotations") or {}) or _spec(live).get("paused")
    if metadata.get("deletionTimestamp") or is_paused:
        return ObjectFit()
    part = _Part(wanted, live, lost)
    manifest = part.manifest()
    if part.problems:
        return ObjectFit(error="; ".join(part.problems))
    return ObjectFit(manifest if part.is_changed else None, takes=part.takes)


class _Part:
    def __init__(self, wanted: Manifest, live: Manifest, lost: frozenset[str]) -> None:
        self.wanted = wanted
        self.live = live
        name = wanted["metadata"]["name"]
        self.lost = {slot for slot, text in kinds.CLAIM_NAMES.items() if f"{text}{name}" in lost}
        self.is_changed = False
        self.takes = False
        self.problems: list[str] = []

    def manifest(self) -> Manifest:
        metadata = {key: self.wanted["metadata"][key] for key in ("name", "namespace")}
        spec: dict[str, Any] = {}
        if endpoint := self._endpoint():
            spec["controlPlaneEndpoint"] = endpoint
        if variables := list(self._variables()):
            spec["topology"] = {"variables": variables}
        for field in ("annotations", "labels"):
            given = (self.wanted["metadata"].get(field) or {}).get(kinds.INGRESS_VIP)
            there = (self.live["metadata"].get(field) or {}).get(kinds.INGRESS_VIP)
            problem = f"its {field} name ingress {there}, but its record {given}"
            if self._fits(kinds.INGRESS, f"f:{kinds.INGRESS_VIP}", given, there, problem):
                metadata[field] = {kinds.INGRESS_VIP: given}
        kind = {key: self.wanted[key] for key in ("apiVersion", "kind")}
        return {**kind, "metadata": metadata, **({"spec": spec} if spec else {})}

    def _endpoint(self) -> dict[str, Any]:
        given = _spec(self.wanted).get("controlPlaneEndpoint")
        there = _spec(self.live).get("controlPlaneEndpoint") or {}
        if there.get("host"):
            if given is not None and there["host"] != given["host"]:
                self.problems.append(
                    f"its endpoint is {there['host']}, but its record is {given['host']}; ipam never"
                    " changes a host"
                )
            return dict(there)
        if given is None or kinds.CONTROL_PLANE in self.lost:
            return {}
        self.is_changed = True
        self.takes |= "host" in there or "port" in there
        return {"host": given["host"], "port": there.get("port") or given["port"]}

    def _variables(self) -> Iterator[Mapping[str, Any]]:
        present, wanted = _variables_of(self.live), _variables_of(self.wanted)
        for slot, name in kinds.VARIABLES.items():
            given, there = wanted.get(name), present.get(name)
            problem = f"its variable {name} is {there}, but its record is {given}"
            if self._fits(slot, f'k:{{"name":"{name}"}}', given, there, problem):
                yield {"name": name, "value": given}

    def _fits(self, slot: str, step: str, given: Any, there: Any, problem: str) -> bool:
        if given is None or slot in self.lost:
            self.is_changed |= _owns(self.live, objects.PART_MANAGER, step)
            return False
        if there and there != given:
            self.problems.append(problem)
            return False
        self.is_changed |= there != given
        self.takes |= there == ""
        return True


def _variables_of(manifest: Manifest) -> dict[str, Any]:
    listed = (_spec(manifest).get("topology") or {}).get("variables") or ()
    return {item["name"]: item.get("value") for item in listed}


_POOL_KINDS = {kinds.GLOBAL_POOLS.kind: kinds.GLOBAL_POOLS, kinds.POOLS.kind: kinds.POOLS}


def fit(wanted: interface.Manifests, there: interface.Manifests) -> Mapping[Ref, ObjectFit]:
    """Return the manifests to apply instead of the projections, or the errors that prevent it."""
    return dict(_Fitting(wanted, there).all())


def _pool_of(ref: Ref, item: Manifest) -> Ref | None:
    reference = _spec(item).get("poolRef") or {}
    resource = _POOL_KINDS.get(reference.get("kind", ""))
    if resource is None:
        return None
    namespace = ref.namespace if resource.is_namespaced else ""
    return Ref(resource, namespace, reference.get("name", ""))


class _Fitting:
    def __init__(self, wanted: interface.Manifests, there: interface.Manifests) -> None:
        self.wanted = wanted
        self.there = there
        self.has_provider = any(
            kinds.PROTECT_POOL in (item["metadata"].get("finalizers") or ())
            for ref, item in there.items()
            if ref.resource in (kinds.GLOBAL_POOLS, kinds.POOLS)
        )
        # Foreign objects by pool and address.
        self.foreign = {
            (_pool_of(ref, item), _spec(item).get("address", "")): ref
            for ref, item in there.items()
            if ref.resource == kinds.ADDRESSES
            and ref not in wanted
            and (item["metadata"].get("labels") or {}).get(objects.OWNER_LABEL) != MANAGER
        }

    def all(self) -> Iterator[tuple[Ref, ObjectFit]]:
        errors = {
            ref: found for ref, item in self.wanted.items() if (found := self._held(ref, item))
        }
        for ref, item in self.wanted.items():
            if error := errors.get(ref):
                yield ref, ObjectFit(error=error)
            elif "spec" not in item and "status" not in item and ref.resource != kinds.CLUSTERS:
                yield ref, ObjectFit()  # the record has no claim: its object stays unchanged
            elif ref.resource in (kinds.GLOBAL_POOLS, kinds.POOLS):
                if self.has_provider:  # the provider maintains the counters
                    yield ref, ObjectFit({key: item[key] for key in item if key != "status"})
            elif ref.resource == kinds.ADDRESSES:
                yield ref, self._address(ref, item)
            elif ref.resource == kinds.CLAIMS:
                yield ref, self._claim(ref, item)
            else:
                lost = frozenset(it.name for it in errors if it.namespace == ref.namespace)
                yield ref, fit_cluster(item, self.there.get(ref), lost)

    def _held(self, ref: Ref, item: Manifest) -> str:
        if ref.resource != kinds.ADDRESSES or "spec" not in item:
            return ""
        address = item["spec"]["address"]
        if (live := self.there.get(ref)) is not None:
            other = live["spec"].get("address")
            message = f"foreign-holder: the record has {address}, but the cluster has {other}"
            return message if other != address else ""
        pool = _pool_of(ref, item)
        holder = self.foreign.get((pool, address)) if pool is not None else None
        return f"foreign-holder: {holder} already has {address} of the record" if holder else ""

    def _address(self, ref: Ref, item: Manifest) -> ObjectFit:
        """Return the address to apply. An existing one is immutable and keeps its network fields."""
        live = self.there.get(ref)
        said = item if live is None else {**item, "spec": live["spec"]}
        pool = _pool_of(ref, item)
        if pool is None or self._is_providers(live, MANAGER, "f:ownerReferences"):
            return ObjectFit(said)
        return ObjectFit(
            said, owners=((Ref(kinds.CLAIMS, ref.namespace, ref.name), True), (pool, False))
        )

    def _is_providers(self, live: Manifest | None, manager: str, step: str) -> bool:
        return self.has_provider and (live is None or not _owns(live, manager, step))

    def _claim(self, ref: Ref, item: Manifest) -> ObjectFit:
        live = self.there.get(ref)
        found = dict(item)
        if "status" in item and self._is_providers(live, objects.STATUS_MANAGER, "f:addressRef"):
            status = {key: text for key, text in item["status"].items() if key != "addressRef"}
            found["status"] = status
        if "spec" not in item:
            return ObjectFit(found)
        if live is not None:
            if _spec(live).get("poolRef") != item["spec"]["poolRef"]:
                return ObjectFit(error="foreign-holder: the existing claim names another pool")
            found["spec"] = live["spec"]  # immutable
        cluster = Ref(kinds.CLUSTERS, ref.namespace, item["spec"].get("clusterName", ""))
        return ObjectFit(found, owners=((cluster, True),) if cluster in self.there else ())


def claim_event(happening: interface.ObjectEvent) -> Manifest | None:
    """Return the Event of a claim whose Ready condition changed status or reason, else None."""
    if happening.ref.resource != kinds.CLAIMS:
        return None
    now, before = _ready(happening.wanted), _ready(happening.before)
    if not now or all(now[key] == before.get(key) for key in ("status", "reason")):
        return None
    about = reference(kinds.CLAIMS, happening.wanted, happening.before)
    kind = "Normal" if now["status"] == "True" else "Warning"
    # The transition time is part of the name, so each change of a flapping condition has an event.
    name = event_name(about, now["reason"], now["lastTransitionTime"])
    return event_on(about, name, (kind, now["reason"], now["message"]), happening.now, {})


def _ready(claim: Manifest | None) -> Manifest:
    status: Manifest = (claim or {}).get("status") or {}
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    return next((item for item in conditions if item["type"] == "Ready"), {})


def still_has(records: Iterable[Allocation], lists: interface.Lists) -> Mapping[str, str]:
    """Return the records whose addresses are still in use, by path, with the user."""
    users: dict[str, str] = {}
    for cluster in lists[kinds.CLUSTERS]:
        for address, where in _addresses(cluster):
            users.setdefault(address, f"{_title(cluster)} still has it as its {where}")
    claims = {_named(item): f"{_title(item)} still exists" for item in lists[kinds.CLAIMS]}
    found: dict[str, str] = {}
    for record in records:
        address = address_of(record)
        user = users.get(address)
        if record.claim.slot == kinds.ADDRESS:
            user = user or claims.get((record.claim.namespace, record.claim.name))
        if user is not None:
            found[record.path] = f"{address}: {user}"
    return found


def _addresses(cluster: Manifest) -> Iterator[tuple[str, str]]:
    metadata = cluster["metadata"]
    yield (_spec(cluster).get("controlPlaneEndpoint") or {}).get("host", ""), "endpoint"
    for field in ("annotations", "labels"):
        yield (metadata.get(field) or {}).get(kinds.INGRESS_VIP, ""), "ingress address"
    for name, value in _variables_of(cluster).items():
        if name in kinds.VARIABLES.values() and isinstance(value, str):
            yield value, f"variable {name}"


def _named(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]


def _title(manifest: Manifest) -> str:
    return f"{manifest['kind']} {'/'.join(_named(manifest))}"


def _held(listed: interface.ListingInput) -> dict[tuple[str, str, str], Allocation]:
    return {
        (item.claim.namespace, item.claim.name, item.claim.slot): item
        for item in listed.records
        if item.is_live and item.claim.family == kinds.NAME
    }


def _claims(listed: interface.ListingInput) -> Iterator[ListingRow]:
    held = _held(listed)
    rows = {
        (document.namespace, document.name): ListingRow(
            document, held.get((document.namespace, document.name, kinds.ADDRESS))
        )
        for document in listed.documents.of(kinds.CLAIM)
    }
    for document in listed.documents.of(kinds.CLUSTER):
        for slot in kinds.CLAIM_NAMES:
            record = held.get((document.namespace, document.name, slot))
            if record is not None:
                name = kinds.object_name(kinds.cluster_key(document, slot))
                row = ListingRow(replace(document, name=name), record)
                rows[document.namespace, name] = row
    yield from (rows[name] for name in sorted(rows))


def _clusters(listed: interface.ListingInput) -> Iterator[ListingRow]:
    held = _held(listed)
    for document in listed.documents.of(kinds.CLUSTER):
        name = document.namespace, document.name
        slots = (held.get((*name, kinds.CONTROL_PLANE)), held.get((*name, kinds.INGRESS)))
        yield ListingRow(document, [_address(record) for record in slots])


def _address(record: Allocation | None) -> str:
    return format_short(record.range) if record is not None and record.range else "-"


def _pool(row: ListingRow) -> tuple[str, str]:
    if row.more is not None:
        return row.more.pool.name, row.more.pool.kind
    named = row.document.spec["poolRef"]
    return named["name"], named["kind"]


def _used(row: ListingRow) -> int:
    return int(row.more.allocated + row.more.held)


_COUNTS = (
    ListingColumn("ADDRESSES", lambda row: ",".join(row.document.spec["addresses"])),
    # Counts can be as large as an IPv6 network.
    ListingColumn(
        "TOTAL", lambda row: format_count(row.more.total), lambda row: str(row.more.total)
    ),
    ListingColumn(
        "FREE", lambda row: format_count(row.more.available), lambda row: str(row.more.available)
    ),
    ListingColumn("USED", lambda row: format_count(_used(row)), lambda row: str(_used(row))),
)
_WIDE = (
    ListingColumn("PREFIX", lambda row: str(row.document.spec["prefix"])),
    ListingColumn("GATEWAY", lambda row: str(row.document.spec.get("gateway") or "-")),
    ListingColumn("LEVEL", lambda row: str(row.more.tier.value)),
)

LISTINGS = (
    Listing(
        "globalinclusterippools",
        kinds.GLOBAL_POOL,
        interface.pool_rows(kinds.NAME, kinds.GLOBAL_POOL),
        (interface.NAME_COLUMN, *_COUNTS),
        _WIDE,
    ),
    Listing(
        "inclusterippools",
        kinds.POOL,
        interface.pool_rows(kinds.NAME, kinds.POOL),
        (interface.NAMESPACE_COLUMN, interface.NAME_COLUMN, *_COUNTS),
        _WIDE,
    ),
    Listing(
        "claims",
        kinds.CLAIM,
        _claims,
        (
            interface.NAMESPACE_COLUMN,
            interface.NAME_COLUMN,
            ListingColumn("POOL NAME", lambda row: _pool(row)[0]),
            ListingColumn("POOL KIND", lambda row: _pool(row)[1]),
        ),
        (ListingColumn("ADDRESS", lambda row: _address(row.more)),),
    ),
    Listing(
        "clusters",
        kinds.CLUSTER,
        _clusters,
        (
            interface.NAMESPACE_COLUMN,
            interface.NAME_COLUMN,
            ListingColumn("CLASS", lambda row: class_of(row.document)[1] or "-"),
            ListingColumn("CONTROL-PLANE", lambda row: str(row.more[0])),
            ListingColumn("INGRESS", lambda row: str(row.more[1])),
        ),
    ),
)


def _pool_identity(manifest: Manifest) -> Identity:
    named = _spec(manifest).get("poolRef") or {}
    group, kind = str(named.get("apiGroup")), str(named.get("kind"))
    is_local = (group, kind) == (kinds.IPAM_GROUP, kinds.POOL.kind)
    namespace = manifest["metadata"].get("namespace", "") if is_local else ""
    return group, kind, namespace, str(named.get("name"))


def _is_served(claim: Manifest) -> bool:
    return bool(((claim.get("status") or {}).get("addressRef") or {}).get("name"))


def _has(there: ImportedList, resource: Resource, namespace: str, name: str) -> bool:
    return any(_named(item) == (namespace, name) for item in there.get(resource, ()))


def _not_copied(manifest: Manifest) -> str:
    named = _spec(manifest).get("poolRef") or {}
    if named.get("apiGroup") != kinds.IPAM_GROUP:
        return "its pool belongs to another provider"
    return made_of_record(manifest)


def _claim_left(claim: Manifest, there: ImportedList) -> str:
    namespace, name = _named(claim)
    made = named_for(name)
    if made is not None and _has(there, kinds.CLUSTERS, namespace, made[0]):
        return f"it belongs to Cluster {made[0]}, which is copied"
    return _not_copied(claim) or being_deleted(claim)


def _address_left(address: Manifest, there: ImportedList) -> str:
    claim = (_spec(address).get("claimRef") or {}).get("name", "")
    if _has(there, kinds.CLAIMS, _named(address)[0], claim):
        return f"it belongs to IPAddressClaim {claim}, which is copied"
    return _not_copied(address)


def _class_left(item: Manifest, there: ImportedList) -> str:
    return "" if there.get(kinds.CLUSTERS) else being_deleted(item) or "no Cluster uses it"


def _with_address(body: ImportedBody, claim: Manifest, there: ImportedList) -> ImportedBody:
    namespace, name = _named(claim)
    for address in there.get(kinds.ADDRESSES, ()):
        spec = _spec(address)
        is_its = (spec.get("claimRef") or {}).get("name") == name
        if is_its and _named(address)[0] == namespace and spec.get("address"):
            return annotated(body, {kinds.PINNED: spec["address"], ADOPT: "true"})
    return body


_GIVES = ("allocates nothing", "allocate nothing")
_GETS = ("gets no address", "get no address")
INTAKE = (
    IntakeKind(kinds.GLOBAL_POOLS, kinds.KINDS, _GIVES),
    IntakeKind(kinds.POOLS, kinds.KINDS, _GIVES),
    IntakeKind(kinds.CLASSES, kinds.KINDS),
    IntakeKind(kinds.CLUSTERS, kinds.KINDS, ("gets no VIP", "get no VIP")),
    IntakeKind(kinds.CLAIMS, kinds.KINDS, _GETS, pool=_pool_identity, is_others=_is_served),
    IntakeKind(kinds.ADDRESSES, kinds.KINDS, pool=_pool_identity),
)
"""Kinds of the intake. Pools come before the kinds that refer to them."""

COPIED = (
    Copied(INTAKE[0], "pools", being_deleted),
    Copied(INTAKE[1], "pools", being_deleted),
    Copied(INTAKE[2], "clusters", _class_left),
    Copied(INTAKE[3], "clusters", being_deleted, lambda body, *_: annotated(body, {ADOPT: "true"})),
    Copied(INTAKE[4], "clusters", _claim_left, _with_address),
    Copied(INTAKE[5], "clusters", _address_left),
)

OBJECTS = interface.Objects(
    resources=kinds.RESOURCES,
    owned=kinds.OWNED,
    shared=kinds.OWNED,
    rights=kinds.RIGHTS,
    intake=INTAKE,
    event=claim_event,
    fit=fit,
    asked=(kinds.CLUSTERS, kinds.CLAIMS),
    still_has=still_has,
    listings=LISTINGS,
    copied=COPIED,
)
