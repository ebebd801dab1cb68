"""Renamed claims and pools."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, Location, error, has_error, join_limited, warning
from reconciler.families import families, is_pool, keeps_addresses
from reconciler.families.fields import FORMERLY, PLACE, former_of
from reconciler.families.interface import FamilyReading
from reconciler.model.claim import Allocation, Refusal
from reconciler.model.key import Key
from reconciler.model.plan import FormerRecord
from reconciler.model.pool import Pool
from reconciler.planning.documents import Tree

REFUSED = "rename-refused"


class Link(Struct, frozen=True):
    """A document with a previous name.

    Attributes:
        now: Its key, without a slot.
        before: Its previous key.
    """

    document: Document
    now: Key
    before: Key

    @property
    def title(self) -> str:
        """The previous name, for messages."""
        return f"{self.before.kind} {self.before.short}"


def links_of(documents: Documents) -> list[Link]:
    """Return the documents that declare a previous name, by kind and name."""
    found: list[Link] = []
    for family in families():
        kinds = dict.fromkeys(kind.id for kind in family.kinds if keeps_addresses(kind.id))
        for kind in kinds:
            for document in documents.of(kind):
                if (former := former_of(document)) is not None:
                    now = Key(family.name, document.namespace, document.name, "", kind.kind)
                    found.append(Link(document, now, now._replace(**former._asdict())))
    return found


def is_there(link: Link, documents: Documents) -> bool:
    """Return whether a document, readable or not, still has the previous name."""
    return _found(link, documents) is not None or bool(broken(link, documents))


def broken(link: Link, documents: Documents) -> str:
    """Return the unreadable file that describes the previous name; else empty."""
    if (there := _found(link, documents)) is not None:
        return there.unread
    kind, key = link.document.kind.id, link.before
    return documents.unread(kind, key.namespace, key.name)


def _found(link: Link, documents: Documents) -> Document | None:
    kind, key = link.document.kind.id, link.before
    return documents.find(kind, key.namespace, key.name)


def still_there(link: Link, documents: Documents) -> Iterator[Finding]:
    """Yield the finding for a previous name that another document has."""
    if broken(link, documents) or link.document.unread:
        return
    message = (
        f"{FORMERLY}: {link.title} is still there, so {link.document.title} takes nothing over"
    )
    hint = f"remove {link.before.short} in the same change, or remove the annotation"
    yield warning("rename-unused", link.document.at(*PLACE), message, hint)


def several(rivals: list[Link]) -> list[Finding]:
    """Return findings for two documents that declare one previous name."""
    names = [link.document.title for link in rivals]
    every = "both" if len(names) == 2 else "all"
    message = f"{FORMERLY}: {join_limited(names)} {every} say that they were {rivals[0].title}"
    hint = "leave the annotation on the one that keeps the addresses"
    return [error(REFUSED, link.document.at(*PLACE), message, hint) for link in rivals]


def unclear(tree: Tree) -> str:
    """Return an unreadable file that might describe anything; empty if there is none."""
    if tree.last_good.halted:
        return tree.last_good.halted
    unclear = next((source.path for source in tree.sources if source.unclear), "")
    return unclear or (tree.settings.location.path if has_error(tree.findings) else "")


DocumentName = tuple[str, str, str, str]
"""Family, kind, namespace, and name of a claiming document."""


class Renamed(Struct, frozen=True):
    """Records after renames.

    Attributes:
        former: Previous names of records, by path.
        refused: Documents that get nothing new because their rename is ambiguous, with the reason.
        doubts: Documents that get nothing new because of an unreadable file, with its path.
        protected: Documents whose records stay unchanged.
        along: Paths of records whose claim refers to the new name while the record has the old
            name.
    """

    records: tuple[Allocation, ...]
    findings: tuple[Finding, ...] = ()
    former: Mapping[str, FormerRecord] = field(default_factory=dict)
    refused: Mapping[DocumentName, Refusal] = field(default_factory=dict)
    doubts: Mapping[DocumentName, str] = field(default_factory=dict)
    protected: frozenset[DocumentName] = frozenset()
    along: frozenset[str] = frozenset()

    def applied(self, reading: FamilyReading) -> FamilyReading:
        """Return the reading without new allocations for documents with an unresolved rename.

        A reference to the old name is reported only once. A finding about the missing old name
        would give different advice.
        """
        if not (self.refused or self.doubts or self.protected):
            return reading
        claims = dict(reading.claims)
        for key, claim in reading.claims.items():
            if (refusal := self.refused.get(key.owner)) is not None:
                claims[key] = replace(claim, refusal=refusal)
            elif (path := self.doubts.get(key.owner)) is not None and not claim.doubt:
                claims[key] = replace(claim, doubt=path)
        told = {(it.location.path, it.location.line, it.location.column) for it in self.findings}
        found = tuple(it for it in reading.findings if not _is_told(it, told))
        protected = reading.protected | self.protected
        return replace(reading, claims=claims, findings=found, protected=protected)


def _is_told(item: Finding, told: Collection[tuple[str, int, int]]) -> bool:
    place = item.location.path, item.location.line, item.location.column
    return item.code == "reference-not-found" and place in told


_SWAP = "give one of them a third name, let reconcile run, and then rename it once more"
_CHAIN = "one rename at a time: let reconcile run between them"


class Reference(Struct, frozen=True):
    """A field that refers to a renamed document."""

    document: Document
    place: tuple[str, ...]

    @property
    def at(self) -> Location:
        """The location of the field."""
        return self.document.at(*self.place)


def references(documents: Documents) -> dict[DocumentName, list[Reference]]:
    """Return references to claiming documents, by the referenced document."""
    found: dict[DocumentName, list[Reference]] = {}
    for family in families():
        for document, place, key in family.referring(documents):
            found.setdefault(key.owner, []).append(Reference(document, place))
    return found


def left_naming(link: Link, named: list[Reference]) -> Finding:
    """Return the finding if references to the old name prevent a rename."""
    every = join_limited([f"{it.document.title} ({it.at})" for it in named])
    verb = "names" if len(named) == 1 else "name"
    message = f"{FORMERLY}: {every} still {verb} {link.title}, which is {link.now.short} by now"
    hint = f"let tenantClusterRef be {link.now.short} in the same change"
    return error(REFUSED, link.document.at(*PLACE), message, hint)


def each_naming(link: Link, named: list[Reference]) -> Iterator[Finding]:
    """Yield the same finding for each reference."""
    for item in named:
        message = f"{'.'.join(item.place)}: {link.title} is {link.now.short} by now"
        hint = f"name {link.now.short}, in the change that renames it"
        yield error(REFUSED, item.at, message, hint)


def tangled(
    link: Link, links: Mapping[DocumentName, Link], is_pending: Callable[[DocumentName], bool]
) -> Finding | None:
    """Return why a document cannot take over from a document that is renamed itself.

    Args:
        link: The document.
        links: All documents with a previous name, by their current name.
        is_pending: No document has the previous name, and it still holds addresses.
    """
    chain = [link]
    while (following := links.get(chain[-1].before.owner)) is not None:
        if following in chain:
            return _as_finding(link, [*chain, following], is_swap=following is link)
        chain.append(following)
    return (
        _as_finding(link, chain) if is_pending(chain[-1].before.owner) and len(chain) > 1 else None
    )


def next_in_chain(link: Link, rivals: list[Link]) -> Finding:
    """Return why a document cannot take over while others take over from it."""
    return _as_finding(link, [rivals[0], link])


def _as_finding(link: Link, chain: list[Link], *, is_swap: bool = False) -> Finding:
    steps = join_limited([f"{it.before.short} -> {it.now.short}" for it in reversed(chain)], ", ")
    if is_swap and len(chain) == 3:
        message = f"two names are swapped: {link.before.short} and {link.now.short}"
        return error(REFUSED, link.document.at(*PLACE), f"{FORMERLY}: {message}", _SWAP)
    if is_swap:
        steps = join_limited([f"{it.before.short} -> {it.now.short}" for it in chain[:-1]], ", ")
        message = f"{FORMERLY}: names are swapped: {steps}"
        return error(REFUSED, link.document.at(*PLACE), message, _SWAP)
    message = f"{FORMERLY}: these renames hang on one another: {steps}"
    return error(REFUSED, link.document.at(*PLACE), message, _CHAIN)


def rename_owners(
    tree: Tree, documents: Documents, records: tuple[Allocation, ...], links: Iterable[Link]
) -> Renamed:
    """Return the records after renames of claiming documents."""
    every = [link for link in links if not is_pool(link.document.kind.id)]
    return _Owners(tree, documents, records).renamed(every) if every else Renamed(records)


class _Owners:
    """Builder of the renames of claiming documents."""

    def __init__(self, tree: Tree, documents: Documents, records: tuple[Allocation, ...]) -> None:
        self._tree = tree
        self._documents = documents
        self._records = records
        self._live: dict[DocumentName, list[Allocation]] = {}
        self._lost: dict[DocumentName, str] = {}
        self._by_former: dict[DocumentName, list[Link]] = {}
        self._by_now: dict[DocumentName, Link] = {}
        self._named = references(documents)
        self._becomes: dict[DocumentName, Key] = {}
        self._naming_now: dict[DocumentName, Link] = {}
        self._teams = {family.name: family.team for family in families()}
        self._findings: list[Finding] = []
        self._refused: dict[DocumentName, Refusal] = {}
        self._doubts: dict[DocumentName, str] = {}
        self._protected: list[DocumentName] = []

    def renamed(self, links: list[Link]) -> Renamed:
        self._note([name for link in links for name in (link.before.owner, link.now.owner)])
        self._by_now = {link.now.owner: link for link in links}
        for link in links:
            self._by_former.setdefault(link.before.owner, []).append(link)
        for rivals in self._by_former.values():
            self._decide(rivals)
        former: dict[str, FormerRecord] = {}
        records = tuple(self._taken(former)) if self._becomes else self._records
        found, protected = tuple(self._findings), frozenset(self._protected)
        along = frozenset(self._along())
        return Renamed(records, found, former, self._refused, self._doubts, protected, along)

    def _note(self, names: list[DocumentName]) -> None:
        """Find live records and unreadable files of the named documents."""
        self._live = {name: [] for name in names}
        for record in self._records:
            if (mine := self._live.get(record.claim.owner)) is None or record.range is None:
                continue
            if record.is_live:
                mine.append(record)
        for item in (it.unreadable for it in self._tree.records if it.unreadable):
            if item.claim is not None and item.claim.owner in self._live:
                self._lost.setdefault(item.claim.owner, item.path)

    def _decide(self, rivals: list[Link]) -> None:
        first = rivals[0]
        if is_there(first, self._documents):
            for link in rivals:
                self._decide_beside(link)
            return
        live = self._live[first.before.owner]
        lost = self._lost.get(first.before.owner, "")
        named = self._named.get(first.before.owner, [])
        if not (live or lost or named):  # already renamed, or it never held anything itself
            self._take_named(rivals)
            return
        if path := lost or unclear(self._tree) or first.document.doubt:
            self._protected.append(first.before.owner)
            self._doubts |= {link.now.owner: path for link in rivals}
        elif len(rivals) > 1:
            self._refuse(rivals, several(rivals))
        elif found := self._why_not(first, live):
            self._refuse(rivals, [found])
        elif named:
            self._refuse(rivals, [left_naming(first, named)])
            self._findings += each_naming(first, named)
        else:
            self._becomes[first.before.owner] = first.now
            self._take_named(rivals)

    def _take_named(self, rivals: list[Link]) -> None:
        """Add references to the new name: records of the old name are renamed with them."""
        for link in rivals if len(rivals) == 1 else ():
            for document in (it.document for it in self._named.get(link.now.owner, ())):
                name = link.now.family, document.kind.name, document.namespace, document.name
                self._naming_now[name] = link

    def _decide_beside(self, link: Link) -> None:
        """Decide on a document whose previous name another document has."""
        if path := broken(link, self._documents):
            self._doubts[link.now.owner] = path
        elif self._live[link.before.owner] and (
            found := tangled(link, self._by_now, self._is_pending)
        ):
            self._refuse([link], [found])
        else:
            self._findings += still_there(link, self._documents)

    def _is_pending(self, name: DocumentName) -> bool:
        """Return whether no document has a name that still holds addresses."""
        holds = self._live[name] or name in self._lost or name in self._named
        return bool(holds) and not is_there(self._by_former[name][0], self._documents)

    def _why_not(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Return why the only candidate cannot take over the records of its previous name."""
        after = self._by_former.get(link.now.owner)
        if after and self._live[link.now.owner]:
            return next_in_chain(link, after)
        return self._other_team(link, live) or self._taken_already(link, live)

    def _refuse(self, links: list[Link], findings: Iterable[Finding]) -> None:
        self._protected.append(links[0].before.owner)
        for link, found in zip(links, findings, strict=True):
            self._findings.append(found)
            self._refused[link.now.owner] = Refusal(found.code, found.message, found.hint)

    def _other_team(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Return why a document cannot take over from another team's document."""
        team = self._teams[link.now.family](link.document, self._documents)
        others = sorted({record.owner.team for record in live} - {team})
        if not others:
            return None
        message = (
            f"{FORMERLY}: {link.title} was of team {join_limited(others)}, {link.document.title} is of"
            f" {f'team {team}' if team else 'none'}: the addresses stay with {link.before.short}"
        )
        hint = f"let it be of team {others[0]} until that is reconciled; without the annotation it"
        hint += f" gets other addresses, and those of {link.before.short} are released"
        return error(REFUSED, link.document.at(*PLACE), message, hint)

    def _taken_already(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Return why a document cannot take over if its new name already has addresses."""
        slots = {record.claim.slot for record in live}
        held = [it for it in self._live[link.now.owner] if it.claim.slot in slots]
        if not held:
            return None
        now, ranges = (
            link.now.short,
            join_limited([format_short(it.range) for it in held if it.range]),
        )
        message = (
            f"{FORMERLY}: {now} holds {ranges} by its name already:"
            f" the addresses of {link.title} stay with it"
        )
        hint = f"to keep those of {link.before.short}, let those of {now} be released first;"
        hint += f" without the annotation those of {link.before.short} are released"
        return error(REFUSED, link.document.at(*PLACE), message, hint)

    def _taken(self, former: dict[str, FormerRecord]) -> Iterator[Allocation]:
        """Yield all records, including records that continue under another name."""
        for record in self._records:
            now = self._becomes.get(record.claim.owner)
            if now is None or not self._goes_along(record):
                yield record
                continue
            claim = now._replace(slot=record.claim.slot)
            former[record.path] = FormerRecord(claim=record.claim)
            owner = record.owner
            if (owner.namespace, owner.name) == (record.claim.namespace, record.claim.name):
                owner = owner._replace(namespace=claim.namespace, name=claim.name)
            yield replace(record, claim=claim, owner=owner, pristine=False)

    def _goes_along(self, record: Allocation) -> bool:
        """Return whether a record follows the rename.

        A cluster might still announce a released record, and only the cluster of the new name can
        be queried. A released record of another team belonged to another owner.
        """
        if record.is_live or record.announced:
            return True
        teams = {it.owner.team for it in self._live[record.claim.owner]}
        return record.is_released and record.owner.team in teams

    def _along(self) -> Iterator[str]:
        """Yield paths of records whose claim refers to the new name instead of the old name."""
        for record in self._records if self._naming_now else ():
            link, owner = self._naming_now.get(record.claim.owner), record.owner
            if link is None or owner[:2] != (link.before.namespace, link.before.name):
                continue
            if owner.team == self._teams[link.now.family](link.document, self._documents):
                yield record.path


def rename_pools(
    tree: Tree,
    documents: Documents,
    renamed: Renamed,
    links: Iterable[Link],
    pools: Mapping[Key, Pool],
) -> Renamed:
    """Return the records with renamed pools."""
    every = [link for link in links if is_pool(link.document.kind.id)]
    if not every:
        return renamed
    becomes, found = _becoming(every, documents, renamed.records)
    findings = (*renamed.findings, *found)
    if not becomes or unclear(tree):
        return replace(renamed, findings=findings)
    former = dict(renamed.former)
    records: list[Allocation] = []
    for record in renamed.records:
        pool = pools.get(becomes.get(record.pool, record.pool))
        if pool is None or pool.key == record.pool or not _holds(pool, record):
            records.append(record)
            continue
        known = former.get(record.path, FormerRecord())
        former[record.path] = replace(known, pool=record.pool)
        records.append(replace(record, pool=pool.key, pristine=False))
    return replace(renamed, records=tuple(records), findings=findings, former=former)


def _becoming(
    links: list[Link], documents: Documents, records: Iterable[Allocation]
) -> tuple[dict[Key, Key], list[Finding]]:
    """Return the new pool of each missing pool, if it is unambiguous, and findings."""
    by_former: dict[Key, list[Link]] = {}
    findings: list[Finding] = []
    used = frozenset(record.pool for record in records if record.range is not None)
    knots = _knots(links, documents, used)
    for link in links:
        if (knot := knots.get(link.now)) is not None:
            findings.append(knot)
        elif is_there(link, documents):
            findings += still_there(link, documents)
        else:
            by_former.setdefault(link.before, []).append(link)
    for key, rivals in by_former.items():
        if key in used and len(rivals) > 1:
            findings += several(rivals)
    becomes = {
        key: rivals[0].now
        for key, rivals in by_former.items()
        if len(rivals) == 1 and not rivals[0].document.doubt
    }
    return becomes, findings


def _knots(
    links: Iterable[Link], documents: Documents, used: Collection[Key]
) -> dict[Key, Finding]:
    """Return pools that take nothing over because their names are swapped or form a chain.

    Args:
        links: Pools that declare a previous name.
        documents: All documents.
        used: Pools that records name. Other pools have no addresses to lose.
    """
    every = {link.now.owner: link for link in links}
    by_former: dict[DocumentName, list[Link]] = {}
    for link in every.values():
        by_former.setdefault(link.before.owner, []).append(link)

    def is_pending(name: DocumentName) -> bool:
        own = by_former[name][0]
        return own.before in used and not is_there(own, documents)

    found: dict[Key, Finding] = {}
    for link in every.values():
        if link.before not in used or broken(link, documents):
            continue
        after = by_former.get(link.now.owner)
        if is_there(link, documents):
            knot = tangled(link, every, is_pending)
        else:
            knot = next_in_chain(link, after) if after and link.now in used else None
        if knot is not None:
            found[link.now] = knot
    return found


def _holds(pool: Pool, record: Allocation) -> bool:
    """Return whether a record's range is in the pool's network, whether usable or not."""
    item = record.range
    return item is not None and (pool.extent.covers(item) or pool.usable.covers(item))
