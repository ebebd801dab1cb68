"""Reader of Clusters, their classes, IPAddressClaims, and addresses of other providers."""

import re
from collections import defaultdict

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents, GroupKind, Identity
from reconciler.documents.findings import Finding, Location, error, info, nearest, shown, warning
from reconciler.documents.yaml import Steps
from reconciler.families import is_pool
from reconciler.families.capi import kinds
from reconciler.families.capi.pools import GATEWAY, Selector, read_gateway, read_pool
from reconciler.families.fields import read_address
from reconciler.families.interface import CurrentRecords, FamilyReading, StatedNetworks
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.key import MAX_NAME, Key, shortened
from reconciler.model.objects import ADOPT, RECORD_NAMESPACE
from reconciler.model.plan import Blocked, ByHand, Gateway
from reconciler.model.settings import Settings

_GIVEN = ("spec", "address")
_POOL_NAME = ("spec", "poolRef", "name")
_HOST = ("spec", "controlPlaneEndpoint", "host")
_NUMBERS = re.compile(r"[0-9.]+|.*:.*", re.ASCII | re.DOTALL)


def pool_of(document: Document) -> Key | None:
    """Return the pool of an IPAddressClaim or IPAddress; None for a pool of another provider."""
    reference = document.spec["poolRef"]
    kind, name = reference["kind"], reference["name"]
    if (reference["apiGroup"], kind) not in (kinds.POOL, kinds.GLOBAL_POOL):
        return None
    return kinds.pool_key(kind, document.namespace if kind == kinds.POOL.kind else "", name)


def misspelt_pool(document: Document) -> Finding | None:
    """Return the error if the poolRef of a claim or address names a pool of no provider."""
    group, kind = (document.spec["poolRef"][field] for field in ("apiGroup", "kind"))
    bare, version, _ = group.partition("/")
    every = (kinds.POOL.kind, kinds.GLOBAL_POOL.kind, *kinds.OTHERS)
    if group == kinds.IPAM_GROUP and kind in every:
        return None
    like = nearest(kind.lower(), map(str.lower, every), 0.8)
    near = [it for it in every if it.lower() == like]
    # Other providers have groups of their own, except for those in OTHERS.
    is_ours = near or bare.lower().endswith(kinds.GROUP) or "." not in bare
    is_ours = is_ours or is_pool(GroupKind(bare, kind))  # of another family
    if not (is_ours or version):
        return None
    right = kinds.IPAM_GROUP if is_ours else bare
    field, value = ("kind", kind) if group == right else ("apiGroup", group)
    names = " or ".join(near or every[:2]) if is_ours else kind
    hint = f"write apiGroup: {right} and kind: {names}"
    message = f"{document.title}: spec.poolRef.{field} {shown(value)} is not known"
    return error("kind-unknown", document.at("spec", "poolRef", field), message, hint)


def _read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    text = document.annotations().get(kinds.PINNED)
    steps = ("metadata", "annotations", kinds.PINNED)
    return None if text is None else read_address(document, steps, text, found)


def named_for(name: str) -> tuple[str, str] | None:
    """Return Cluster and slot of a name `vip-cp-<cluster>` or `vip-ingress-<cluster>`; or None."""
    for slot, prefix in kinds.CLAIM_NAMES.items():
        if name.startswith(prefix) and name != prefix:
            return name.removeprefix(prefix), slot
    return None


class _Manual(Struct, frozen=True):
    range: IPRange | None
    title: str
    source: Location
    field: str


def _read_manual(document: Document, slot: str, found: list[Finding]) -> _Manual | None:
    steps: Steps
    if slot == kinds.INGRESS:
        text, field = document.annotations().get(kinds.INGRESS_VIP, "").strip(), kinds.INGRESS_VIP
        steps = ("metadata", "annotations", kinds.INGRESS_VIP)
    else:
        text = (document.spec.get("controlPlaneEndpoint") or {}).get("host", "")
        steps, field = _HOST, _HOST[1]
    if not text:
        return None
    item = None
    if _NUMBERS.fullmatch(text) and (item := read_address(document, steps, text, found)) is None:
        return None
    title = f"{document.namespace}/{document.name} ({field})"
    return _Manual(item, title, document.at(*steps), field)


def is_adopted(document: Document) -> bool:
    """Return whether manual addresses were allocated earlier, and must be recorded."""
    return document.annotations().get(ADOPT) == "true"


def class_of(document: Document) -> tuple[str, str]:
    """Return the class (namespace, name) of a Cluster; without a name, it claims nothing."""
    topology = document.spec.get("topology") or {}
    reference = topology.get("classRef") or {}
    name = topology.get("class") or reference.get("name") or ""
    namespace = topology.get("classNamespace") or reference.get("namespace") or document.namespace
    return namespace, name


def pause_of(document: Document) -> str:
    """Return why a Cluster or claim gets nothing new: `is paused` or `is being deleted`; else empty."""
    if "deletionTimestamp" in document.metadata:
        return "is being deleted"
    is_paused = kinds.PAUSED in document.annotations() or document.spec.get("paused", False)
    return "is paused" if is_paused else ""


def variables_of(document: Document) -> frozenset[str]:
    """Return the names of the variables that a ClusterClass defines."""
    return frozenset(item["name"] for item in document.spec.get("variables") or ())


class _Wanted(Struct, frozen=True):
    candidates: tuple[Key, ...]
    names: tuple[str, ...]
    doubt: str
    refusal: Refusal | None = None


def _refused(claim: Document, wrong: Finding) -> _Wanted:
    refusal = Refusal(wrong.code, wrong.message, wrong.hint)
    return _Wanted((), (claim.spec["poolRef"]["name"],), "", refusal)


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all Cluster API documents."""
    return _Reader(documents, held or {}).read(settings)


class _Reader:
    def __init__(self, documents: Documents, held: CurrentRecords) -> None:
        self.documents = documents
        self.held = held
        self.selector = Selector(documents)
        self.reading = FamilyReading()
        self.hosts = defaultdict[IPRange, set[Identity]](set)

    def read(self, settings: Settings) -> FamilyReading:
        for kind in (kinds.POOL, kinds.GLOBAL_POOL):
            for document in self.documents.of(kind):
                self._pool(document, settings)
        for document in self.documents.of(kinds.CLASS):
            self._class(document)
        for document in self.documents.of(kinds.CLUSTER):
            for slot in (kinds.CONTROL_PLANE, kinds.INGRESS):
                self._slot(document, slot)
            self._inside(document)
        for document in self.documents.of(kinds.CLAIM):
            self._claim(document)
        for document in self.documents.of(kinds.FOREIGN):
            self._foreign(document, settings)
        return self.reading

    def _pool(self, document: Document, settings: Settings) -> None:
        pool, found = read_pool(document, settings)
        self.reading.add_pool(document, pool, found)
        if pool is None:
            return
        if (before := self.selector.before(pool.key)) is not None:
            first, class_, role = before
            message = f"{pool.key.short} serves class {class_} for {role}, like {first.short}, which is tried first"
            place = document.at("metadata", "labels")
            hint = "give each pool its own classes, unless the second pool is a spare for the first"
            self.reading.report(document, info("pool-ambiguous", place, message, hint))
        if (gateway := read_gateway(document, [])) is not None:
            title, place = f"{pool.key.short} (gateway)", document.at(*GATEWAY)
            self.reading.gateways.append(Gateway(gateway, title, (pool.key,), place))

    def _class(self, document: Document) -> None:
        variable = kinds.VARIABLES[kinds.CONTROL_PLANE]
        if variable not in variables_of(document):
            message = f"ClusterClass variable '{variable}' not found in {document.title}"
            hint = f"add the variable {variable} to the ClusterClass, so that its patches can use the address"
            place = document.at("spec", "variables")
            self.reading.report(document, warning("variable-missing", place, message, hint))

    def _slot(self, document: Document, slot: str) -> None:
        key, manual = kinds.cluster_key(document, slot), _read_manual(document, slot, [])
        record = self.held.get(key)
        address = manual.range if manual is not None else None
        is_given = record is not None and record.range == address
        if manual is not None and not (address and (is_given or is_adopted(document))):
            self._block(document, manual)
            return
        _, class_ = class_of(document)
        enabled = document.annotations().get(kinds.INGRESS_ENABLED)
        if not class_ or (slot == kinds.INGRESS and enabled == "false"):
            return
        if (why := pause_of(document)) and record is None:
            self._report_pause(document, slot, why)
            return
        self._add(document, key, self._wanted(document, class_, slot), address)

    def _block(self, document: Document, manual: _Manual) -> None:
        if manual.range is not None and document.identity not in self.hosts[manual.range]:
            self.hosts[manual.range].add(document.identity)
            self.reading.blocked.append(
                Blocked(manual.range, manual.title, manual.source, ByHand(None), manual.field)
            )

    def _foreign(self, document: Document, settings: Settings) -> None:
        """An address that people describe is a manual range, once, and not if it is of a Cluster."""
        if (wrong := misspelt_pool(document)) is not None:
            self.reading.report(document, wrong)
        item = read_address(document, _GIVEN, document.spec["address"], [])
        pool, by_hand = pool_of(document), None
        if pool is None or item is None:
            return
        is_observed = document.file.startswith(f"{settings.observed}/")
        if not is_observed and item not in self.hosts:
            self.hosts[item].add(document.identity)
            by_hand = ByHand((pool,))
            if pool not in self.reading.pools and not self._named(pool).doubt:
                message = f"{pool.kind} {pool.short} does not exist in this repository"
                hint = "correct the name, or add the pool"
                self.reading.report_missing(document, _POOL_NAME, pool, message, hint)
        title, place = f"{document.namespace}/{document.name} (IPAddress)", document.at(*_GIVEN)
        self.reading.blocked.append(Blocked(item, title, place, by_hand, _GIVEN[-1]))

    def _inside(self, document: Document) -> None:
        """Omitted fields can come from a class. A Cluster is in the address spaces of its pools."""
        networks, field = document.spec.get("clusterNetwork") or {}, "cidrBlocks"
        stated = [
            StatedNetworks(use, text, ("spec", "clusterNetwork", use, field, index))
            for use in ("pods", "services")
            for index, text in enumerate((networks.get(use) or {}).get(field) or ())
        ]
        keys = (kinds.cluster_key(document, slot) for slot in (kinds.CONTROL_PLANE, kinds.INGRESS))
        claims = [self.reading.claims[key] for key in keys if key in self.reading.claims]
        spaces = (self.reading.pools[it].space for claim in claims for it in claim.candidates)
        self.reading.add_inside(document, stated, spaces)

    def _report_pause(self, document: Document, slot: str, why: str) -> None:
        what = "address" if slot == kinds.ADDRESS else f"{slot} address"
        message = f"{document.title} {why}, so it gets no {what}"
        hint = "end the pause to allocate the address" if why.endswith("paused") else ""
        self.reading.report(document, warning("claim-paused", document.start, message, hint))

    def _wanted(self, document: Document, class_: str, slot: str) -> _Wanted:
        name = kinds.object_name(kinds.cluster_key(document, slot))
        own = self.documents.find(kinds.CLAIM, document.namespace, name)
        if own is not None and (pool := pool_of(own)) is not None:
            return self._named(pool)
        if own is not None and (wrong := misspelt_pool(own)) is not None:
            return _refused(own, wrong)
        keys, unread = self.selector.select(document.namespace, class_, slot)
        labels = f"{kinds.CLASS_LABEL}={class_}, {kinds.ROLE_LABEL}={slot}"
        hint = f"label a pool {labels}"
        if others := self.selector.select("", class_, slot)[0] if not keys else ():
            named = ", ".join(f"{it.kind} {it.short}" for it in others[:5])
            hint += f" ({named} serves only its own namespace)"
        if slot == kinds.INGRESS:
            hint += f', or annotate the Cluster {kinds.INGRESS_ENABLED}: "false"'
        message = f'no matching ip pool for class "{class_}" role "{slot}"'
        return _Wanted(
            tuple(key for key in keys if key in self.reading.pools),
            tuple(key.name for key in keys) or (labels,),
            unread,
            None if keys else Refusal("no-matching-pool", message, hint),
        )

    def _named(self, pool: Key) -> _Wanted:
        kind = kinds.POOL if pool.kind == kinds.POOL.kind else kinds.GLOBAL_POOL
        doubt = self.documents.unread(kind, pool.namespace, pool.name)
        return _Wanted((pool,) if pool in self.reading.pools else (), (pool.name,), doubt)

    def _claim(self, document: Document) -> None:
        """If a Cluster makes the same claim, the document only selects the pool of that claim."""
        pool, named, space = pool_of(document), named_for(document.name), document.namespace
        if (wrong := misspelt_pool(document)) is not None:
            self.reading.report(document, wrong)
            wanted = _refused(document, wrong)
        elif pool is not None:
            wanted = self._named(pool)
        else:
            other = "{kind} of {apiGroup}".format_map(document.spec["poolRef"])
            message = f"spec.poolRef names {other}, so ipam allocates no address for it"
            hint = f"to let ipam allocate, write apiGroup: {kinds.IPAM_GROUP} and kind: {kinds.POOL.kind} or {kinds.GLOBAL_POOL.kind}"
            place = document.at("spec", "poolRef", "kind")
            self.reading.report(document, warning("reference-not-found", place, message, hint))
            return
        if named is not None:
            cluster = self.documents.find(kinds.CLUSTER, space, named[0])
            if cluster is not None and kinds.cluster_key(cluster, named[1]) in self.reading.claims:
                return
        key = Key(kinds.NAME, space, document.name, kinds.ADDRESS, kinds.CLAIM.kind)
        why = pause_of(document)
        cluster = self.documents.find(kinds.CLUSTER, space, document.spec.get("clusterName") or "")
        if cluster is not None and not why and (rest := pause_of(cluster)):
            why = f"belongs to a Cluster that {rest}"
        if why and key not in self.held:
            self._report_pause(document, kinds.ADDRESS, why)
            return
        self._add(document, key, wanted, _read_pin(document, []))

    def _add(self, document: Document, key: Key, wanted: _Wanted, pin: IPRange | None) -> None:
        self.reading.claims[key] = Claim(
            key=key,
            candidates=wanted.candidates,
            wanted=wanted.names,
            size=1,
            pin=pin,
            # A Cluster keeps its address if labels of pools change. An IPAddressClaim names its
            # pool.
            fixed=key.slot == kinds.ADDRESS,
            owner=Owner(document.namespace, document.name, document.namespace),
            type=key.slot,
            role="initial",
            name=shortened(f"{document.namespace}-{document.name}-{key.slot}", MAX_NAME),
            namespace=RECORD_NAMESPACE,
            source=document.start,
            doubt=document.doubt or wanted.doubt,
            refusal=wanted.refusal,
        )


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; empty if it is valid."""
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind in (kinds.POOL, kinds.GLOBAL_POOL):
            pool, found = read_pool(document, settings)
            return found if pool is None else []
        case kind if kind == kinds.CLAIM:
            _read_pin(document, found)
        case kind if kind == kinds.FOREIGN:
            read_address(document, _GIVEN, document.spec["address"], found)
        case kind if kind == kinds.CLUSTER:
            for slot in (kinds.CONTROL_PLANE, kinds.INGRESS):
                _read_manual(document, slot, found)
    return found
