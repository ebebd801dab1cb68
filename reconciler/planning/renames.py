"""Renamed claims and pools."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, has_error, join_limited, warning
from reconciler.families import families, families_in, family_of, is_pool, keeps_addresses
from reconciler.families.demand import DEMAND, growth_index
from reconciler.families.fields import FORMERLY, PLACE, former_of
from reconciler.families.interface import FamilyReading
from reconciler.model.claim import Allocation, Owner, Refusal
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.key import Key
from reconciler.model.plan import FormerRecord
from reconciler.model.pool import Pool
from reconciler.planning.documents import Tree

REFUSED = "rename-refused"

DocumentName = tuple[str, str, str, str]
"""Family, kind, namespace, and name of a claiming document."""


class Link(Struct, frozen=True):
    """A document with a previous name: its key and its previous key, both without a slot."""

    document: Document
    now: Key
    before: Key

    @property
    def title(self) -> str:
        """The previous name, for messages."""
        return f"{self.before.kind} {self.before.short}"

    @property
    def step(self) -> str:
        """Both names, for messages."""
        return f"{self.before.short} -> {self.now.short}"

    def refused(self, message: str, hint: str) -> Finding:
        """Return the error that the document cannot take over from its previous name."""
        return error(REFUSED, self.document.at(*PLACE), f"{FORMERLY}: {message}", hint)


def links_of(documents: Documents) -> list[Link]:
    """Return the documents that declare a previous name, by kind and name."""
    found: list[Link] = []
    for family in families():
        kinds = dict.fromkeys(kind.id for kind in family.kinds if keeps_addresses(kind.id))
        for document in (it for kind in kinds for it in documents.of(kind)):
            if (former := former_of(document)) is not None:
                kind = document.kind.name
                now = Key(family.name, document.namespace, document.name, "", kind)
                found.append(Link(document, now, replace(now, **former._asdict())))
    return found


def is_there(link: Link, documents: Documents) -> bool:
    """Return whether a document, readable or not, still has the previous name."""
    return _found(link, documents) is not None or bool(broken(link, documents))


def _found(link: Link, documents: Documents) -> Document | None:
    return documents.find(link.document.kind.id, link.before.namespace, link.before.name)


def broken(link: Link, documents: Documents) -> str:
    """Return the unreadable file that describes the previous name, or empty."""
    if (there := _found(link, documents)) is not None:
        return there.unread
    return documents.unread(link.document.kind.id, link.before.namespace, link.before.name)


def _still_there(link: Link, documents: Documents) -> Iterator[Finding]:
    if not broken(link, documents) and not link.document.unread:
        message = f"{link.title} still exists, so {link.document.title} takes over nothing"
        hint = f"remove {link.before.short} in the same change, or remove the annotation"
        yield warning("rename-unused", link.document.at(*PLACE), f"{FORMERLY}: {message}", hint)


def _several(rivals: Sequence[Link]) -> list[Finding]:
    names = join_limited([link.document.title for link in rivals])
    every = "both" if len(rivals) == 2 else "all"
    message = f"{names} {every} declare the previous name {rivals[0].title}"
    hint = "keep the annotation only on the one that keeps the addresses"
    return [link.refused(message, hint) for link in rivals]


def _unclear(tree: Tree) -> str:
    if tree.last_good.halted:
        return tree.last_good.halted
    unclear = next((source.path for source in tree.sources if source.unclear), "")
    return unclear or (tree.settings.location.path if has_error(tree.findings) else "")


def _tangled(
    link: Link, links: Mapping[DocumentName, Link], is_pending: Callable[[DocumentName], bool]
) -> Finding | None:
    chain = [link]
    while (following := links.get(chain[-1].before.owner)) is not None:
        if following is link:
            steps = join_limited([it.step for it in chain], ", ")
            hint = "give one of them a third name, run ipam reconcile, then rename it again"
            return link.refused(f"names are swapped: {steps}", hint)
        if following in chain:
            return _chained([*chain, following])
        chain.append(following)
    return _chained(chain) if len(chain) > 1 and is_pending(chain[-1].before.owner) else None


def _chained(chain: Sequence[Link], link: Link | None = None) -> Finding:
    steps = join_limited([it.step for it in reversed(chain)], ", ")
    hint = "make one rename at a time, and run ipam reconcile between them"
    return (link or chain[0]).refused(f"these renames depend on each other: {steps}", hint)


class Reference(Struct, frozen=True):
    """A field that refers to a renamed document."""

    document: Document
    place: tuple[str, ...]


def references(documents: Documents) -> dict[DocumentName, list[Reference]]:
    """Return references to claiming documents, by the referenced document."""
    found: dict[DocumentName, list[Reference]] = {}
    for family in families():
        for document, place, key in family.referring(documents):
            found.setdefault(key.owner, []).append(Reference(document, place))
    return found


class Renamed(Struct, frozen=True):
    """Records after renames.

    Attributes:
        refused: Documents that get nothing new because their rename is ambiguous.
        doubts: Documents that get nothing new because of an unreadable file, with its path.
        protected: Documents whose records stay unchanged.
        along: Paths of records with the old name whose claim refers to the new name.
    """

    records: tuple[Allocation, ...]
    findings: tuple[Finding, ...] = ()
    former: Mapping[str, FormerRecord] = field(default_factory=dict)
    refused: Mapping[DocumentName, Refusal] = field(default_factory=dict)
    doubts: Mapping[DocumentName, str] = field(default_factory=dict)
    protected: frozenset[DocumentName] = frozenset()
    along: frozenset[str] = frozenset()

    def applied(self, reading: FamilyReading) -> FamilyReading:
        """Return the reading without allocations for unresolved renames, each reported once."""
        if not (self.refused or self.doubts or self.protected):
            return reading
        claims = dict(reading.claims)
        for key, claim in reading.claims.items():
            if (refusal := self.refused.get(key.owner)) is not None:
                claims[key] = replace(claim, refusal=refusal)
            elif (path := self.doubts.get(key.owner)) is not None and not claim.doubt:
                claims[key] = replace(claim, doubt=path)
        places = {replace(it.location, pointer="") for it in self.findings}
        found = [
            it
            for it in reading.findings
            if it.code != "reference-not-found" or replace(it.location, pointer="") not in places
        ]
        protected, growing = reading.protected | self.protected, reading.growing - set(self.refused)
        return replace(reading, claims=claims, findings=found, protected=protected, growing=growing)


def rename_owners(
    tree: Tree, documents: Documents, records: tuple[Allocation, ...], links: Iterable[Link]
) -> Renamed:
    """Return the records after renames of claiming documents."""
    every = [link for link in links if not is_pool(link.document.kind.id)]
    return _Owners(tree, documents, records).renamed(every) if every else Renamed(records)


class _Owners:
    def __init__(self, tree: Tree, documents: Documents, records: tuple[Allocation, ...]) -> None:
        self._tree = tree
        self._documents = documents
        self._records = records
        self._live: dict[DocumentName, list[Allocation]] = {}
        self._lost: dict[DocumentName, str] = {}
        self._by_former: dict[DocumentName, list[Link]] = {}
        self._by_now: dict[DocumentName, Link] = {}
        self._referring = references(documents)
        self._becomes: dict[DocumentName, Key] = {}
        self._referring_now: dict[DocumentName, Link] = {}
        self._findings: list[Finding] = []
        self._refused: dict[DocumentName, Refusal] = {}
        self._doubts: dict[DocumentName, str] = {}
        self._protected: list[DocumentName] = []

    def renamed(self, links: list[Link]) -> Renamed:
        self._by_now = {link.now.owner: link for link in links}
        for link in links:
            self._by_former.setdefault(link.before.owner, []).append(link)
        self._live = {name: [] for name in (*self._by_former, *self._by_now)}
        for record in self._records:
            if record.claim.owner in self._live and record.is_live and record.range is not None:
                self._live[record.claim.owner].append(record)
        for item in (it.unreadable for it in self._tree.records if it.unreadable):
            if item.claim is not None and item.claim.owner in self._live:
                self._lost.setdefault(item.claim.owner, item.path)
        for rivals in self._by_former.values():
            self._decide(rivals)
        former: dict[str, FormerRecord] = {}
        records = tuple(self._taken(former)) if self._becomes else self._records
        return Renamed(
            records,
            tuple(self._findings),
            former,
            self._refused,
            self._doubts,
            frozenset(self._protected),
            frozenset(self._along()),
        )

    def _decide(self, rivals: list[Link]) -> None:
        first, name = rivals[0], rivals[0].before.owner
        if is_there(first, self._documents):
            for link in rivals:
                self._decide_occupied(link)
            return
        live, lost = self._live[name], self._lost.get(name, "")
        referring = self._referring.get(name, [])
        if not (live or lost or referring):  # already renamed, or it holds nothing itself
            self._take_referring(rivals)
            self._findings += [it for link in rivals for it in self._released(link)]
        elif path := lost or _unclear(self._tree) or first.document.doubt:
            self._protected.append(name)
            self._doubts |= {link.now.owner: path for link in rivals}
        elif len(rivals) > 1:
            self._refuse(rivals, _several(rivals))
        elif found := self._why_not(first, live):
            self._refuse(rivals, [found])
        elif referring:
            self._refuse_referred(first, referring)
        else:
            self._becomes[name] = first.now
            self._take_referring(rivals)

    def _released(self, link: Link) -> Iterator[Finding]:
        left = [it for it in self._records if it.claim.owner == link.before.owner and it.range]
        if left and not self._live[link.now.owner] and not link.document.unread:
            ranges = join_limited([format_short(it.range) for it in left if it.range])
            message = f"{link.title} was removed before, so its addresses stay released: {ranges}"
            hint = f"to keep the addresses, restore {link.before.short}, run ipam reconcile, then rename it"
            yield warning("rename-unused", link.document.at(*PLACE), f"{FORMERLY}: {message}", hint)

    def _decide_occupied(self, link: Link) -> None:
        if path := broken(link, self._documents):
            self._doubts[link.now.owner] = path
        elif self._live[link.before.owner] and (
            found := _tangled(link, self._by_now, self._is_pending)
        ):
            self._refuse([link], [found])
        else:
            self._findings += _still_there(link, self._documents)

    def _take_referring(self, rivals: list[Link]) -> None:
        for link in rivals if len(rivals) == 1 else ():
            for document in (it.document for it in self._referring.get(link.now.owner, ())):
                name = link.now.family, document.kind.name, document.namespace, document.name
                self._referring_now[name] = link

    def _is_pending(self, name: DocumentName) -> bool:
        holds = self._live[name] or name in self._lost or name in self._referring
        return bool(holds) and not is_there(self._by_former[name][0], self._documents)

    def _refuse(self, links: list[Link], findings: Iterable[Finding]) -> None:
        self._protected.append(links[0].before.owner)
        for link, found in zip(links, findings, strict=True):
            self._findings.append(found)
            self._refused[link.now.owner] = Refusal(found.code, found.message, found.hint)

    def _refuse_referred(self, link: Link, referring: list[Reference]) -> None:
        now = link.now.short
        every = join_limited(
            [f"{it.document.title} ({it.document.at(*it.place)})" for it in referring]
        )
        verb = "names" if len(referring) == 1 else "name"
        message = f"{every} still {verb} {link.title}, which is now {now}"
        hint = f"set tenantClusterRef to {now} in the same change"
        self._refuse([link], [link.refused(message, hint)])
        for it in referring:
            message = f"{'.'.join(it.place)}: {link.title} is now {now}"
            hint = f"set it to {now} in the change that renames it"
            self._findings.append(error(REFUSED, it.document.at(*it.place), message, hint))

    def _why_not(self, link: Link, live: list[Allocation]) -> Finding | None:
        after = self._by_former.get(link.now.owner)
        if after and self._live[link.now.owner]:
            return _chained([after[0], link], link)
        team, before = self._team(link), link.before.short
        if others := sorted({record.owner.team for record in live} - {team}):
            message = f"{link.title} belonged to team {join_limited(others)}, but {link.document.title} belongs to {f'team {team}' if team else 'no team'}"
            hint = f"keep team {others[0]} until the rename is reconciled, or remove the annotation to get new addresses and release the addresses of {before}"
            return link.refused(message, hint)
        slots = {record.claim.slot for record in live}
        if held := [it for it in self._live[link.now.owner] if it.claim.slot in slots]:
            ranges = join_limited([format_short(it.range) for it in held if it.range])
            message = f"{link.now.short} already holds {ranges}, so it cannot take over the addresses of {link.title}"
            hint = f"release the range of {link.now.short} first, or remove the annotation to release the range of {before}"
            return link.refused(message, hint)
        # Growth and the Demand of an earlier owner would belong to the renamed document.
        named = [it for it in self._records if it.range and it.claim.owner == link.now.owner]
        left = [it for it in named if growth_index(it)]
        alone, demands = Documents([link.document]), self._documents.of(DEMAND.id)
        found = [it for it in demands if it.identity[2:] == link.now.owner[2:]]
        owns = [it.objects.may_own for it in families() if it.objects.may_own]
        files = [it.file for it in found if any(own(alone, *it.identity[2:]) for own in owns)]
        if live and (left or files):
            remains = join_limited([*(format_short(it.range) for it in left if it.range), *files])
            message = f"growth records of an earlier {link.now.short} remain: {remains}"
            hint = "choose another name, or wait until ipam reconcile has removed them"
            if since := max((parse_instant(it.since) or 0 for it in left), default=0):
                hint += f", after {format_instant(since + self._tree.settings.retention)}"
            return link.refused(message, hint)
        return None

    def _team(self, link: Link) -> str:
        family = family_of(link.now.family)
        return family.team(link.document, self._documents) if family else ""

    def _taken(self, former: dict[str, FormerRecord]) -> Iterator[Allocation]:
        for record in self._records:
            now = self._becomes.get(record.claim.owner)
            if now is None or not self._goes_along(record):
                yield record
                continue
            claim = replace(now, slot=record.claim.slot)
            former[record.path] = FormerRecord(claim=record.claim)
            owner = record.owner
            if (owner.namespace, owner.name) == (record.claim.namespace, record.claim.name):
                owner = replace(owner, namespace=claim.namespace, name=claim.name)
            yield replace(record, claim=claim, owner=owner, pristine=False)

    def _goes_along(self, record: Allocation) -> bool:
        """Return whether a record follows. A released one might be announced within its team."""
        if record.is_live or record.announced:
            return True
        teams = {it.owner.team for it in self._live[record.claim.owner]}
        return record.is_released and record.owner.team in teams

    def _along(self) -> Iterator[str]:
        for record in self._records if self._referring_now else ():
            link = self._referring_now.get(record.claim.owner)
            if link and record.owner == Owner(*link.before.owner[2:], self._team(link)):
                yield record.path


def rename_entries(documents: Documents, renamed: Renamed) -> Renamed:
    """Return the records after renames of entries within documents."""
    records, findings, former = renamed.records, list(renamed.findings), dict(renamed.former)
    for family in families_in(documents, (it.claim for it in records)):
        own = (it.claim for it in records if it.claim.family == family.name)
        keys, found = family.entries(documents, own)
        findings += found
        for record in records if keys else ():
            if record.claim in keys:
                known = former.get(record.path, FormerRecord())
                former[record.path] = replace(known, claim=known.claim or record.claim)
        records = (
            tuple(
                replace(it, claim=keys[it.claim], pristine=False) if it.claim in keys else it
                for it in (records if keys else ())
            )
            or records
        )
    if records is renamed.records and not findings:
        return renamed
    return replace(renamed, records=records, findings=tuple(findings), former=former)


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
    becomes, found = _new_pools(every, documents, renamed.records)
    findings = (*renamed.findings, *found)
    if not becomes or _unclear(tree):
        return replace(renamed, findings=findings)
    former = dict(renamed.former)
    records: list[Allocation] = []
    for record in renamed.records:
        pool, item = pools.get(becomes.get(record.pool, record.pool)), record.range
        if (
            pool is not None
            and item is not None
            and pool.key != record.pool
            and (pool.extent.covers(item) or pool.usable.covers(item))
        ):
            known = former.get(record.path, FormerRecord())
            former[record.path] = replace(known, pool=record.pool)
            record = replace(record, pool=pool.key, pristine=False)
        records.append(record)
    return replace(renamed, records=tuple(records), findings=findings, former=former)


def _new_pools(
    links: list[Link], documents: Documents, records: Iterable[Allocation]
) -> tuple[dict[Key, Key], list[Finding]]:
    by_former: dict[Key, list[Link]] = {}
    findings: list[Finding] = []
    # Pools that no record names have no addresses to lose.
    used = frozenset(record.pool for record in records if record.range is not None)
    knots = _knots(links, documents, used)
    for link in links:
        if link.now in knots:
            findings.append(knots[link.now])
        elif is_there(link, documents):
            findings += _still_there(link, documents)
        else:
            by_former.setdefault(link.before, []).append(link)
    for key, rivals in by_former.items():
        if key in used and len(rivals) > 1:
            findings += _several(rivals)
    becomes = {
        key: rivals[0].now
        for key, rivals in by_former.items()
        if len(rivals) == 1 and not rivals[0].document.doubt
    }
    return becomes, findings


def _knots(
    links: Iterable[Link], documents: Documents, used: Collection[Key]
) -> dict[Key, Finding]:
    every = {link.now.owner: link for link in links}
    by_former = {link.before.owner: link for link in reversed(every.values())}

    def is_pending(name: DocumentName) -> bool:
        own = by_former[name]
        return own.before in used and not is_there(own, documents)

    found: dict[Key, Finding] = {}
    for link in every.values():
        if link.before not in used or broken(link, documents):
            continue
        after = by_former.get(link.now.owner)
        if is_there(link, documents):
            knot = _tangled(link, every, is_pending)
        else:
            knot = _chained([after, link], link) if after and link.now in used else None
        if knot is not None:
            found[link.now] = knot
    return found
