"""Cluster objects of Cluster API."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from reconciler.addresses import format_count, format_short
from reconciler.documents.document import GroupKind
from reconciler.families.capi.claims import class_of
from reconciler.families.capi.importing import COPIED, INTAKE
from reconciler.families.capi.kinds import (
    ADDRESS,
    ADDRESSES,
    CLAIM,
    CLAIM_NAMES,
    CLAIMS,
    CLUSTER,
    CLUSTERS,
    CONTROL_PLANE,
    GLOBAL_POOL,
    GLOBAL_POOLS,
    INGRESS,
    INGRESS_VIP,
    NAME,
    OWNED,
    PAUSED,
    POOL,
    POOLS,
    PROTECT_POOL,
    RESOURCES,
    RIGHTS,
    SHAPES,
    VARIABLES,
    owns,
)
from reconciler.families.capi.pools import pool_key
from reconciler.families.capi.projection import address_of
from reconciler.families.events import event_name, event_on, reference
from reconciler.families.interface import (
    Listing,
    ListingColumn,
    ListingInput,
    ListingRow,
    Lists,
    Manifests,
    ObjectEvent,
    ObjectFit,
    Objects,
)
from reconciler.model.claim import Allocation
from reconciler.model.objects import (
    MANAGER,
    NAMED,
    OWNER_LABEL,
    PART_MANAGER,
    STATUS_MANAGER,
    Manifest,
    Ref,
)
from reconciler.model.plan import Usage

_KEPT = ("apiVersion", "kind")


def fit_cluster(wanted: Manifest, live: Manifest | None, lost: frozenset[str]) -> ObjectFit:
    """Return the fields to write into a Cluster, or the error that prevents it.

    Args:
        wanted: The fields from its records.
        live: The Cluster; None if it does not exist yet.
        lost: Names of addresses that other objects hold; they are not announced.
    """
    if live is None or _rests(live):
        return ObjectFit()
    part = _Part(wanted, live, lost)
    manifest = part.manifest()
    if part.problems:
        return ObjectFit(error="; ".join(part.problems))
    return ObjectFit(manifest if part.is_changed else None, takes=part.takes)


def _rests(live: Manifest) -> bool:
    metadata = live["metadata"]
    is_paused = PAUSED in (metadata.get("annotations") or {})
    return bool(metadata.get("deletionTimestamp")) or is_paused or _spec(live).get("paused", False)


def _spec(manifest: Manifest) -> Mapping[str, Any]:
    return manifest.get("spec") or {}


class _Part:
    """Builder of the fields.

    Attributes:
        is_changed: Whether a field must be written.
        takes: Empty fields whose ownership is taken from another field manager.
        problems: Fields with another value, which stay.
    """

    def __init__(self, wanted: Manifest, live: Manifest, lost: frozenset[str]) -> None:
        self.wanted = wanted
        self.live = live
        self.names = wanted["metadata"]["name"]
        self.lost = {slot for slot, text in CLAIM_NAMES.items() if f"{text}{self.names}" in lost}
        self.is_changed = False
        self.takes = False
        self.problems: list[str] = []

    def manifest(self) -> Manifest:
        """Return the fields as a manifest.

        Fields of an earlier apply that are absent here are removed.
        """
        metadata = {key: self.wanted["metadata"][key] for key in ("name", "namespace")}
        spec: dict[str, Any] = {}
        endpoint = self._endpoint()
        if endpoint:
            spec["controlPlaneEndpoint"] = endpoint
        variables = list(self._variables())
        if variables:
            spec["topology"] = {"variables": variables}
        for field in ("annotations", "labels"):
            metadata |= self._ingress(field)
        return {
            **{key: self.wanted[key] for key in _KEPT},
            "metadata": metadata,
            **({"spec": spec} if spec else {}),
        }

    def _endpoint(self) -> dict[str, Any]:
        given = _spec(self.wanted).get("controlPlaneEndpoint")
        there = _spec(self.live).get("controlPlaneEndpoint") or {}
        if there.get("host"):
            if given is not None and there["host"] != given["host"]:
                self.problems.append(
                    f"its endpoint is {there['host']}, its record says {given['host']}; a host"
                    " that is set is never changed"
                )
            return dict(there)
        if given is None or CONTROL_PLANE in self.lost:
            return {}
        self.is_changed = True
        self.takes |= "host" in there or "port" in there
        return {"host": given["host"], "port": there.get("port") or given["port"]}

    def _variables(self) -> Iterator[Mapping[str, Any]]:
        present = {item["name"]: item for item in _variables_of(self.live)}
        for slot, name in VARIABLES.items():
            given = next((it for it in _variables_of(self.wanted) if it["name"] == name), None)
            if given is None or slot in self.lost:
                self.is_changed |= owns(self.live, PART_MANAGER, f'k:{{"name":"{name}"}}')
                continue
            there = present.get(name, {}).get("value")
            if there and there != given["value"]:
                self.problems.append(
                    f"its variable {name} is {there}, its record says {given['value']}"
                )
                continue
            self.is_changed |= there != given["value"]
            self.takes |= there == ""
            yield given

    def _ingress(self, field: str) -> dict[str, Any]:
        given = (self.wanted["metadata"].get(field) or {}).get(INGRESS_VIP)
        there = (self.live["metadata"].get(field) or {}).get(INGRESS_VIP)
        if given is None or INGRESS in self.lost:
            self.is_changed |= owns(self.live, PART_MANAGER, f"f:{INGRESS_VIP}")
            return {}
        if there and there != given:
            self.problems.append(f"its {field} say ingress {there}, its record says {given}")
            return {}
        self.is_changed |= there != given
        self.takes |= there == ""
        return {field: {INGRESS_VIP: given}}


def _variables_of(manifest: Manifest) -> list[Mapping[str, Any]]:
    return list((_spec(manifest).get("topology") or {}).get("variables") or ())


_POOL_KINDS = {GLOBAL_POOLS.kind: GLOBAL_POOLS, POOLS.kind: POOLS}


def fit(wanted: Manifests, there: Manifests) -> Mapping[Ref, ObjectFit]:
    """Return the manifests to apply instead of the projections, or the errors that prevent it."""
    return dict(_Fitting(wanted, there).all())


class _Fitting:
    def __init__(self, wanted: Manifests, there: Manifests) -> None:
        self.wanted = wanted
        self.there = there
        self.has_provider = any(
            PROTECT_POOL in (item["metadata"].get("finalizers") or ())
            for ref, item in there.items()
            if ref.resource in (GLOBAL_POOLS, POOLS)
        )
        self.foreign = dict(self._foreign())

    def all(self) -> Iterator[tuple[Ref, ObjectFit]]:
        errors = {
            ref: found for ref, item in self.wanted.items() if (found := self._held(ref, item))
        }
        for ref, item in self.wanted.items():
            if error := errors.get(ref):
                yield ref, ObjectFit(error=error)
            elif "spec" not in item and "status" not in item and ref.resource != CLUSTERS:
                yield ref, ObjectFit()  # the record has no claim: its object stays unchanged
            elif ref.resource in (GLOBAL_POOLS, POOLS):
                yield from self._pool(ref, item)
            elif ref.resource == ADDRESSES:
                yield ref, self._address(ref, item)
            elif ref.resource == CLAIMS:
                yield ref, self._claim(ref, item)
            else:
                yield ref, fit_cluster(item, self.there.get(ref), _lost(ref, errors))

    def _foreign(self) -> Iterator[tuple[tuple[Ref, str], Ref]]:
        """Yield addresses of foreign objects, by pool and address."""
        for ref, item in self.there.items():
            if ref.resource != ADDRESSES or ref in self.wanted:
                continue
            labels = item["metadata"].get("labels") or {}
            pool = self._pool_of(ref, item)
            if labels.get(OWNER_LABEL) != MANAGER and pool is not None:
                yield (pool, item["spec"].get("address", "")), ref

    def _pool_of(self, ref: Ref, item: Manifest) -> Ref | None:
        reference = (item.get("spec") or {}).get("poolRef") or {}
        resource = _POOL_KINDS.get(reference.get("kind", ""))
        if resource is None:
            return None
        namespace = ref.namespace if resource.is_namespaced else ""
        return Ref(resource, namespace, reference.get("name", ""))

    def _held(self, ref: Ref, item: Manifest) -> str:
        """Return the conflict with another claim or the claim's other address; else empty."""
        if ref.resource != ADDRESSES or "spec" not in item:
            return ""
        address = item["spec"]["address"]
        live = self.there.get(ref)
        if live is not None and live["spec"].get("address") != address:
            return f"foreign-holder: the record says {address}, the cluster {live['spec'].get('address')}"
        pool = self._pool_of(ref, item)
        holder = self.foreign.get((pool, address)) if pool is not None and live is None else None
        if holder is None:
            return ""
        return f"foreign-holder: the record says {address}, which {holder} has"

    def _pool(self, ref: Ref, item: Manifest) -> Iterator[tuple[Ref, ObjectFit]]:
        """Yield pools without the counters if the in-cluster provider maintains them."""
        if self.has_provider:
            yield ref, ObjectFit({key: item[key] for key in item if key != "status"})

    def _address(self, ref: Ref, item: Manifest) -> ObjectFit:
        """Return the address to apply.

        An address is immutable, so an existing one keeps its network fields.
        """
        live = self.there.get(ref)
        said = item if live is None else {**item, "spec": live["spec"]}
        pool = self._pool_of(ref, item)
        if pool is None or self._is_providers(live, MANAGER, "f:ownerReferences"):
            return ObjectFit(said)
        return ObjectFit(said, owners=((Ref(CLAIMS, ref.namespace, ref.name), True), (pool, False)))

    def _is_providers(self, live: Manifest | None, manager: str, step: str) -> bool:
        """Return whether the provider maintains a field: it exists, and `ipam` did not set it."""
        return self.has_provider and (live is None or not owns(live, manager, step))

    def _claim(self, ref: Ref, item: Manifest) -> ObjectFit:
        live = self.there.get(ref)
        found = dict(item)
        if "status" in item and self._is_providers(live, STATUS_MANAGER, "f:addressRef"):
            status = {key: text for key, text in item["status"].items() if key != "addressRef"}
            found["status"] = status
        if "spec" not in item:
            return ObjectFit(found)
        if live is not None:
            if (live.get("spec") or {}).get("poolRef") != item["spec"]["poolRef"]:
                return ObjectFit(error="foreign-holder: the claim that is there names another pool")
            found["spec"] = live["spec"]  # immutable
        name = item["spec"].get("clusterName", "")
        cluster = Ref(CLUSTERS, ref.namespace, name)
        return ObjectFit(found, owners=((cluster, True),) if cluster in self.there else ())


def _lost(cluster: Ref, errors: Mapping[Ref, str]) -> frozenset[str]:
    """Return the names of addresses in a Cluster's namespace that other objects hold."""
    return frozenset(ref.name for ref in errors if ref.namespace == cluster.namespace)


Held = dict[tuple[str, str, str], Allocation]


def _pools(kind: GroupKind) -> Callable[[ListingInput], Iterable[ListingRow]]:
    def rows(standing: ListingInput) -> Iterator[ListingRow]:
        """Yield readable pools, each with its usage."""
        for document in standing.documents.of(kind):
            key = pool_key(kind.kind, document.namespace, document.name)
            if (usage := standing.usage.get(key)) is not None:
                yield ListingRow(document, usage)

    return rows


def _held(standing: ListingInput) -> Held:
    """Return the records with addresses, by namespace, name, and slot of the owner."""
    return {
        (item.claim.namespace, item.claim.name, item.claim.slot): item
        for item in standing.records
        if item.is_live and item.claim.family == NAME
    }


def _claims(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield IPAddressClaims, including claims of Clusters, by their names in a cluster."""
    held = _held(standing)
    rows = [
        ListingRow(replace(document, name=f"{prefix}{document.name}"), record)
        for document in standing.documents.of(CLUSTER)
        for slot, prefix in CLAIM_NAMES.items()
        if (record := held.get((document.namespace, document.name, slot))) is not None
    ]
    there = {(row.document.namespace, row.document.name) for row in rows}
    rows += [
        ListingRow(document, held.get((document.namespace, document.name, ADDRESS)))
        for document in standing.documents.of(CLAIM)
        if (document.namespace, document.name) not in there
    ]
    yield from sorted(rows, key=lambda row: (row.document.namespace, row.document.name))


def _clusters(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield Clusters, each with the addresses of its slots."""
    held = _held(standing)
    for document in standing.documents.of(CLUSTER):
        name = document.namespace, document.name
        slots = (held.get((*name, CONTROL_PLANE)), held.get((*name, INGRESS)))
        yield ListingRow(document, [_address(record) for record in slots])


def _address(record: Allocation | None) -> str:
    return format_short(record.range) if record is not None and record.range else "-"


def _pool(row: ListingRow) -> tuple[str, str]:
    """Return name and kind of a claim's pool, by its record, else by its document."""
    if row.more is not None:
        return row.more.pool.name, row.more.pool.kind
    reference = row.document.spec["poolRef"]
    return reference["name"], reference["kind"]


def _class(row: ListingRow) -> str:
    found = class_of(row.document)
    return found.name if found is not None else "-"


def _counted(header: str, count: Callable[[Usage], int]) -> ListingColumn:
    """Return a column of counts, which can be as large as an IPv6 network."""
    return ListingColumn(
        header, lambda row: format_count(count(row.more)), lambda row: str(count(row.more))
    )


_NAMESPACE = ListingColumn("NAMESPACE", lambda row: row.document.namespace)
_NAME = ListingColumn("NAME", lambda row: row.document.name)
_COUNTS = (
    ListingColumn("ADDRESSES", lambda row: ",".join(row.document.spec["addresses"])),
    _counted("TOTAL", lambda usage: usage.total),
    _counted("FREE", lambda usage: usage.available),
    _counted("USED", lambda usage: usage.allocated + usage.held),
)
_WIDE = (
    ListingColumn("PREFIX", lambda row: str(row.document.spec["prefix"])),
    ListingColumn("GATEWAY", lambda row: str(row.document.spec.get("gateway") or "-")),
    ListingColumn("TIER", lambda row: str(row.more.tier.value)),
)

LISTINGS = (
    Listing("globalinclusterippools", GLOBAL_POOL, _pools(GLOBAL_POOL), (_NAME, *_COUNTS), _WIDE),
    Listing("inclusterippools", POOL, _pools(POOL), (_NAMESPACE, _NAME, *_COUNTS), _WIDE),
    Listing(
        "claims",
        CLAIM,
        _claims,
        (
            _NAMESPACE,
            _NAME,
            ListingColumn("POOL NAME", lambda row: _pool(row)[0]),
            ListingColumn("POOL KIND", lambda row: _pool(row)[1]),
        ),
        (ListingColumn("ADDRESS", lambda row: _address(row.more)),),
    ),
    Listing(
        "clusters",
        CLUSTER,
        _clusters,
        (
            _NAMESPACE,
            _NAME,
            ListingColumn("CLASS", _class),
            ListingColumn("CONTROL-PLANE", lambda row: str(row.more[0])),
            ListingColumn("INGRESS", lambda row: str(row.more[1])),
        ),
    ),
)


def claim_event(happening: ObjectEvent) -> Manifest | None:
    """Return the Event of a claim whose Ready condition changed status or reason, else None."""
    if happening.ref.resource != CLAIMS:
        return None
    now, before = _ready(happening.wanted), _ready(happening.before)
    if not now or all(now[key] == before.get(key) for key in ("status", "reason")):
        return None
    about = reference(CLAIMS, happening.wanted, happening.before)
    kind = "Normal" if now["status"] == "True" else "Warning"
    # The transition time is part of the name, so each change of a flapping condition has an event.
    name = event_name(about, now["reason"], now["lastTransitionTime"])
    return event_on(about, name, (kind, now["reason"], now["message"]), happening.now, {})


def _ready(claim: Manifest | None) -> Manifest:
    """Return the Ready condition of a claim; empty if there is none."""
    status: Manifest = (claim or {}).get("status") or {}
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    return next((item for item in conditions if item["type"] == "Ready"), {})


ASKED = (CLUSTERS, CLAIMS)


def still_has(records: Iterable[Allocation], lists: Lists) -> Mapping[str, str]:
    """Return the records whose addresses are still in use, by path, with the user."""
    users: dict[str, str] = {}
    for cluster in lists[CLUSTERS]:
        for address, where in _addresses(cluster):
            users.setdefault(address, f"{_title(cluster)} still has it as its {where}")
    claims = {_name(item): f"{_title(item)} is still there" for item in lists[CLAIMS]}
    found: dict[str, str] = {}
    for record in records:
        address = address_of(record)
        user = users.get(address)
        if record.claim.slot == ADDRESS:
            user = user or claims.get((record.claim.namespace, record.claim.name))
        if user is not None:
            found[record.path] = f"{address}: {user}"
    return found


def _addresses(cluster: Manifest) -> Iterator[tuple[str, str]]:
    spec, metadata = cluster.get("spec") or {}, cluster["metadata"]
    yield (spec.get("controlPlaneEndpoint") or {}).get("host", ""), "endpoint"
    for field in ("annotations", "labels"):
        yield (metadata.get(field) or {}).get(INGRESS_VIP, ""), "ingress address"
    for item in (spec.get("topology") or {}).get("variables") or ():
        if item["name"] in VARIABLES.values() and isinstance(item.get("value"), str):
            yield item["value"], f"variable {item['name']}"


def _name(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"]["namespace"], manifest["metadata"]["name"]


def _title(manifest: Manifest) -> str:
    return f"{manifest['kind']} {'/'.join(_name(manifest))}"


OBJECTS = Objects(
    resources=RESOURCES,
    owned=OWNED,
    shared=OWNED,
    shapes=SHAPES,
    record_spec={"claimRef": NAMED},
    rights=RIGHTS,
    intake=INTAKE,
    event=claim_event,
    fit=fit,
    asked=ASKED,
    still_has=still_has,
    listings=LISTINGS,
    copied=COPIED,
)
