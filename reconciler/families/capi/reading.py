"""Reader of Cluster API documents."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.documents.findings import Finding, info, warning
from reconciler.families.capi.claims import (
    GIVEN,
    ClassRef,
    ManualRange,
    NamedSlot,
    Selector,
    chosen,
    claim_key,
    class_of,
    cluster_named,
    is_adopted,
    judge_chosen,
    named_for,
    pool_of,
    read_given,
    read_pin,
    rests,
    variables_of,
    wants,
)
from reconciler.families.capi.kinds import (
    ADDRESS,
    CLAIM,
    CLAIM_NAMES,
    CLASS,
    CLASS_LABEL,
    CLUSTER,
    CONTROL_PLANE,
    FOREIGN,
    GLOBAL_POOL,
    INGRESS,
    INGRESS_ENABLED,
    NAME,
    POOL,
    ROLE_LABEL,
    VARIABLES,
)
from reconciler.families.capi.pools import GATEWAY, read_gateway, read_pool
from reconciler.families.fields import Collected, StatedText, read_inside
from reconciler.families.interface import CurrentRecords, FamilyReading
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.key import Key
from reconciler.model.objects import RECORD_NAMESPACE
from reconciler.model.plan import Blocked, ByHand, Gateway
from reconciler.model.settings import Settings

_BLOCKS = "cidrBlocks"


def stated_inside(document: Document) -> Iterator[StatedText]:
    """Yield the blocks of `spec.clusterNetwork`.

    Omitted fields can come from a class, so they are unknown.
    """
    networks = document.spec.get("clusterNetwork") or {}
    for use in ("pods", "services"):
        for index, text in enumerate((networks.get(use) or {}).get(_BLOCKS) or ()):
            yield StatedText(use, text, ("spec", "clusterNetwork", use, _BLOCKS, index))


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all Cluster API documents."""
    return _Reader(documents, held or {}, settings).reading()


class _Wanted(Struct, frozen=True):
    """Pools for an address.

    Attributes:
        candidates: Readable pools, in order of preference.
        names: Their names, for messages.
        doubt: An unreadable file that might describe another pool.
        refusal: Why there are no candidates.
    """

    candidates: tuple[Key, ...]
    names: tuple[str, ...]
    doubt: str
    refusal: Refusal | None = None


class _Reader:
    def __init__(self, documents: Documents, held: CurrentRecords, settings: Settings) -> None:
        self.documents = documents
        self.held = held
        self.settings = settings
        self.selector = Selector(documents)
        self.collected = Collected()

    def reading(self) -> FamilyReading:
        for kind in (POOL, GLOBAL_POOL):
            for document in self.documents.of(kind):
                self._pool(document)
        for document in self.documents.of(CLASS):
            self._class(document)
        for document in self.documents.of(CLUSTER):
            for slot in (CONTROL_PLANE, INGRESS):
                self._slot(document, slot)
            self._inside(document)
        for document in self.documents.of(CLAIM):
            self._claim(document)
        for document in self.documents.of(FOREIGN):
            self._foreign(document)
        return self.collected.reading()

    def _pool(self, document: Document) -> None:
        pool, found = read_pool(document, self.settings)
        self.collected.tell(document, *found)
        if pool is None:
            return
        self.collected.add_pool(document, pool)
        if (before := self.selector.before(document)) is not None:
            first, class_, role = before
            message = f"{pool.key.short} serves class {class_} for {role}, as {first.short} does,"
            place = document.at("metadata", "labels")
            hint = "a pool that is full is passed over; let each have classes of its own otherwise"
            self.collected.tell(
                document, info("pool-ambiguous", place, f"{message} which is tried first", hint)
            )
        if (gateway := read_gateway(document)) is not None:
            title = f"{pool.key.short} (gateway)"
            self.collected.gateways.append(
                Gateway(gateway, title, (pool.key,), document.at(*GATEWAY))
            )

    def _class(self, document: Document) -> None:
        """Report missing variables of a class. Its Clusters get their endpoint anyway."""
        variable = VARIABLES[CONTROL_PLANE]
        if variable not in variables_of(document):
            message = f"ClusterClass variable '{variable}' not found in {document.title}"
            hint = (
                f"Add {variable} variable to ClusterClass: its patches cannot use the address else"
            )
            place = document.at("spec", "variables")
            self.collected.tell(document, warning("variable-missing", place, message, hint))

    def _slot(self, document: Document, slot: str) -> None:
        """Read the request or the manual address of a Cluster's slot."""
        by_hand = chosen(document, slot, [])
        record = self.held.get(_key(document, slot))
        address = by_hand.range if by_hand is not None else None
        is_given = record is not None and record.range == address
        if by_hand is not None and not (address and (is_given or is_adopted(document))):
            self._block(document, by_hand)
            return
        class_ = class_of(document)
        if class_ is None or not wants(document, slot):
            return
        wanted = self._wanted(document, class_, slot)
        if (why := rests(document)) and record is None:
            self._resting(document, slot, why)
            return
        self._add(document, _key(document, slot), wanted, address)

    def _block(self, document: Document, by_hand: ManualRange) -> None:
        """Block the manual address of a Cluster for others. DNS names block nothing."""
        if by_hand.range is None:
            return
        others = [item.range for item in self.collected.blocked if item.owner == _title(document)]
        if by_hand.range not in others:
            title, place = by_hand.title, by_hand.source
            self.collected.blocked.append(
                Blocked(by_hand.range, title, place, ByHand(None), by_hand.field)
            )

    def _foreign(self, document: Document) -> None:
        """Block an address that another provider allocated from a pool."""
        pool, item = pool_of(document), read_given(document, [])
        if pool is not None and item is not None:
            self._named(document, pool)
            title, place = f"{_title(document)} (IPAddress)", document.at(*GIVEN)
            self.collected.blocked.append(Blocked(item, title, place, field=GIVEN[-1]))

    def _inside(self, document: Document) -> None:
        """Add the networks of pods and services.

        A Cluster is in the address spaces of its pools.
        """
        if stated := tuple(stated_inside(document)):
            keys = (_key(document, slot) for slot in (CONTROL_PLANE, INGRESS))
            claims = [self.collected.claims[key] for key in keys if key in self.collected.claims]
            spaces = (self.collected.pools[it].space for claim in claims for it in claim.candidates)
            inside, found = read_inside(document, stated, spaces)
            self.collected.inside += inside
            self.collected.tell(document, *found)

    def _resting(self, document: Document, slot: str, why: str) -> None:
        what = "address" if slot == ADDRESS else f"{slot} address"
        message = f"{document.title} is {why}: it gets no {what}"
        hint = "it gets one when it goes on"
        self.collected.tell(document, warning("claim-paused", document.start, message, hint))

    def _wanted(self, document: Document, class_: ClassRef, slot: str) -> _Wanted:
        """Return the pools of a slot: the pool of a claim with its name, else pools by label."""
        name = f"{CLAIM_NAMES[slot]}{document.name}"
        own = self.documents.find(CLAIM, document.namespace, name)
        if own is not None and (pool := pool_of(own)) is not None:
            return self._named(document, pool)
        selected = self.selector.select(document.namespace, class_.name, slot)
        told = f"{CLASS_LABEL}={class_.name}, {ROLE_LABEL}={slot}"
        hint = f"label a pool {told}"
        hint += f', or annotate the Cluster {INGRESS_ENABLED}: "false"' if slot == INGRESS else ""
        message = f'no matching ip pool for class "{class_.name}" role "{slot}"'
        return _Wanted(
            tuple(key for key in selected.keys if key in self.collected.pools),
            tuple(key.name for key in selected.keys) or (told,),
            selected.unread,
            None if selected.keys else Refusal("no-matching-pool", message, hint),
        )

    def _named(self, document: Document, pool: Key) -> _Wanted:
        """Return a named pool. A pool without a readable version gives out nothing."""
        kind = POOL if pool.kind == POOL.kind else GLOBAL_POOL
        there = self.documents.find(kind, pool.namespace, pool.name)
        doubt = self._unread(document, kind, pool) if there is None else ""
        return _Wanted((pool,) if pool in self.collected.pools else (), (pool.name,), doubt)

    def _unread(self, document: Document, kind: GroupKind, pool: Key) -> str:
        return self.documents.unread(kind, pool.namespace, pool.name)

    def _claim(self, document: Document) -> None:
        """Read an IPAddressClaim, unless it belongs to a Cluster's own claim."""
        pool = pool_of(document)
        named = named_for(document.name)
        if pool is None or (named is not None and self._is_of_cluster(document, named)):
            return
        key = claim_key(document)
        wanted = self._named(document, pool)
        why = rests(document)
        cluster_name = document.spec.get("clusterName")
        if cluster_name:
            cluster = cluster_named(document, cluster_name, self.documents)
            if cluster is not None and not why and (rest := rests(cluster)):
                why = f"of a Cluster that is {rest}"
        if why and key not in self.held:
            self._resting(document, ADDRESS, why)
            return
        self._add(document, key, wanted, read_pin(document, []))

    def _is_of_cluster(self, document: Document, named: NamedSlot) -> bool:
        """Return whether a Cluster makes the same claim; the document only selects its pool."""
        cluster = cluster_named(document, named.cluster, self.documents)
        return cluster is not None and _key(cluster, named.slot) in self.collected.claims

    def _add(self, document: Document, key: Key, wanted: _Wanted, pin: IPRange | None) -> None:
        self.collected.claims[key] = Claim(
            key=key,
            candidates=wanted.candidates,
            wanted=wanted.names,
            size=1,
            pin=pin,
            # A Cluster keeps its address if labels of pools change. An IPAddressClaim names its
            # pool.
            fixed=key.slot == ADDRESS,
            owner=Owner(document.namespace, document.name, document.namespace),
            type=key.slot,
            role="initial",
            name=f"{document.namespace}-{document.name}-{key.slot}",
            namespace=RECORD_NAMESPACE,
            source=document.start,
            doubt=document.doubt or wanted.doubt,
            refusal=wanted.refusal,
        )


def _key(document: Document, slot: str) -> Key:
    return Key(NAME, document.namespace, document.name, slot, CLUSTER.kind)


def _title(document: Document) -> str:
    return f"{document.namespace}/{document.name}"


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; empty if it is valid."""
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind in (POOL, GLOBAL_POOL):
            pool, found = read_pool(document, settings)
            return found if pool is None else []
        case kind if kind == CLAIM:
            read_pin(document, found)
        case kind if kind == FOREIGN:
            read_given(document, found)
        case kind if kind == CLUSTER:
            judge_chosen(document, found)
    return found
