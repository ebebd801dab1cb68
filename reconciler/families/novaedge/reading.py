"""Reader of NovaEdge documents."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, warning
from reconciler.families.fields import Collected
from reconciler.families.interface import CurrentRecords as Records
from reconciler.families.interface import FamilyReading, RecordBody, referring_whole
from reconciler.families.novaedge.kinds import NAME, POOL, SLOTS, VIP, host_text
from reconciler.families.novaedge.pools import (
    HeldAddress,
    NamedAddress,
    VipRequest,
    held_by_vip,
    held_in_pool,
    is_of_others,
    pool_key,
    read_pool,
    read_vip,
    vip_key,
)
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import Key
from reconciler.model.objects import RECORD_NAMESPACE as RECORDS
from reconciler.model.plan import Blocked, ByHand
from reconciler.model.settings import Settings

TYPE = SLOTS[4]
"""The type of all records."""

_WHOLE = referring_whole(NAME, {TYPE: VIP}, TYPE)


def claim_of_copy(body: RecordBody) -> Key | None:
    """Return the claim that a record states; its address determines the IP version."""
    claim = _WHOLE.claim(body)
    status = body.get("status")
    start = status.get("startAddress") if isinstance(status, Mapping) else None
    if claim is None or not isinstance(start, str) or ":" not in start:
        return claim
    return claim._replace(slot=SLOTS[6])


FORM = replace(_WHOLE, claim=claim_of_copy, types=dict.fromkeys(SLOTS.values(), TYPE))


def read(documents: Documents, held: Records | None, settings: Settings) -> FamilyReading:
    """Return the reading of all pools and VIPs."""
    return _Reader(documents, held or {}, settings).reading()


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; empty if it is valid."""
    found: list[Finding] = []
    if document.kind.id == POOL:
        pool, found = read_pool(document, settings)
        found = found if pool is None else []
        list(held_in_pool(document, found))
    else:
        held_by_vip(document, read_vip(document, found), found)
    return found


class _Reader:
    def __init__(self, documents: Documents, held: Records, settings: Settings) -> None:
        self.documents = documents
        self.held = held
        self.settings = settings
        self.adopted: dict[Key, IPRange] = {}
        self.collected = Collected()

    def reading(self) -> FamilyReading:
        for document in self.documents.of(POOL):
            self._pool(document)
        for document in self.documents.of(VIP):
            self._vip(document)
        return self.collected.reading()

    def _pool(self, document: Document) -> None:
        pool, found = read_pool(document, self.settings)
        self.collected.tell(document, *found)
        if pool is None:
            return
        self.collected.add_pool(document, pool)
        for held in held_in_pool(document, []):
            self._adopt(document, held)

    def _adopt(self, document: Document, held: HeldAddress) -> None:
        """Assign addresses of a pool's status to their VIPs, or block them for unknown users."""
        if not is_of_others(held, document, self.documents):
            self.adopted.setdefault(vip_key(held.vip, held.item.version), held.item)
            return
        place = document.at(*held.steps)
        self.collected.blocked.append(
            Blocked(held.item, f"{held.user} (status of {document.name})", place)
        )
        message = f"{host_text(held.item)} is given to {held.user}, which is no ProxyVIP of this"
        message += " pool in the repository; nobody else gets it"
        hint = "add the ProxyVIP, or remove the entry when the address is no longer in use"
        self.collected.tell(document, warning("reference-not-found", place, message, hint))

    def _vip(self, document: Document) -> None:
        wish = read_vip(document, [])
        if wish.pool:
            for claim in self._claims(document, wish):
                self.collected.claims[claim.key] = claim
            return
        for named in wish.named.values():
            title = f"{document.name} ({'.'.join(map(str, named.steps))})"
            place = document.at(*named.steps)
            field = str(named.steps[-1])
            self.collected.blocked.append(
                Blocked(named.item, title, place, ByHand(None, anywhere=True), field)
            )

    def _claims(self, document: Document, wish: VipRequest) -> Iterator[Claim]:
        """Yield a claim for each IP version. Two claims either both get an address or neither."""
        candidates, doubt = self._candidates(document, wish)
        own = held_by_vip(document, wish, [])
        for version in wish.versions:
            key = vip_key(document.name, version)
            others = (vip_key(document.name, it) for it in wish.versions if it != version)
            yield Claim(
                key=key,
                candidates=candidates,
                wanted=(wish.pool,),
                size=1,
                pin=self._pin(key, wish.named.get(version), own.get(version)),
                fixed=True,
                owner=Owner("", document.name, ""),
                type=TYPE,
                role="initial",
                name=f"{document.name}-{key.slot}",
                namespace=RECORDS,
                source=document.start,
                doubt=document.doubt or doubt,
                version=version,
                beside=next(others, None),
            )

    def _pin(self, key: Key, named: NamedAddress | None, own: IPRange | None) -> IPRange | None:
        """Return the pinned address; without a record, else the address in its status."""
        if named is not None:
            return named.item
        if key in self.held:
            return None
        return own or self.adopted.get(key)

    def _candidates(self, document: Document, wish: VipRequest) -> tuple[tuple[Key, ...], str]:
        """Return the pool that a VIP names, or the unreadable file that might describe it."""
        key = pool_key(wish.pool)
        if self.documents.find(POOL, "", wish.pool) is not None:
            return ((key,) if key in self.collected.pools else ()), ""
        if path := self.documents.unread(POOL, "", wish.pool):
            self.collected.frozen[key] = path
            return (), path
        place = document.at("spec", "poolRef", "name")
        message = f"{document.title}: {POOL.kind} {wish.pool} is not in the repository"
        hint = "add the pool, or name another in spec.poolRef"
        self.collected.lack(document, key, error("reference-not-found", place, message, hint))
        return (), ""
