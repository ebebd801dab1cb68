"""Which records go on under another name: what a document that was renamed keeps (`docs/renaming.md`).

A rename is told by the tree alone: a document says what it was called before, nothing of that name
is there any more, and records of that name are. Whatever is in doubt keeps what it holds, and
nothing new is given for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from reconciler.documents.document import Document, Documents
from reconciler.families import families, is_pool, keeps_addresses
from reconciler.families._family import Reading
from reconciler.families._former import FORMERLY, PLACE, former_of
from reconciler.findings import Finding, error, few, has_error, warning
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Former
from reconciler.tree import Tree

REFUSED = "rename-refused"
_Name = tuple[str, str, str, str]
"""Family, kind, namespace and name of who claims."""


class Link(NamedTuple):
    """A document that was called something else before.

    Attributes:
        now: Its key, without a slot.
        before: What its key was.
    """

    document: Document
    now: Key
    before: Key

    @property
    def title(self) -> str:
        """What it was called, for messages."""
        return f"{self.before.kind} {self.before.short}"


@dataclass(frozen=True, slots=True)
class Renamed:
    """Records, some of them under another name.

    Attributes:
        former: What those were called, by path.
        refused: Who gets nothing new, because a rename of theirs is not clear, and why.
        doubts: The same, because something cannot be read that bears on it: its path.
        protected: Whose records stay as they are.
    """

    records: tuple[Allocation, ...]
    findings: tuple[Finding, ...] = ()
    former: Mapping[str, Former] = field(default_factory=dict)
    refused: Mapping[_Name, Refusal] = field(default_factory=dict)
    doubts: Mapping[_Name, str] = field(default_factory=dict)
    protected: frozenset[_Name] = frozenset()

    def applied(self, reading: Reading) -> Reading:
        """What families read, where nothing new is given to those in doubt."""
        if not (self.refused or self.doubts or self.protected):
            return reading
        claims = dict(reading.claims)
        for key, claim in reading.claims.items():
            if (refusal := self.refused.get(key.owner)) is not None:
                claims[key] = claim._replace(refusal=refusal)
            elif (path := self.doubts.get(key.owner)) is not None and not claim.doubt:
                claims[key] = claim._replace(doubt=path)
        return replace(reading, claims=claims, protected=reading.protected | self.protected)


def links_of(documents: Documents) -> list[Link]:
    """The documents that say what they were called before, by kind and name."""
    found: list[Link] = []
    for family in families():
        kinds = dict.fromkeys(kind.id for kind in family.kinds if keeps_addresses(kind.id))
        for kind in kinds:
            for document in documents.of(kind):
                if (former := former_of(document)) is not None:
                    now = Key(family.name, document.namespace, document.name, "", kind.kind)
                    found.append(Link(document, now, now._replace(**former._asdict())))
    return found


def rename_owners(
    tree: Tree, documents: Documents, records: tuple[Allocation, ...], links: Iterable[Link]
) -> Renamed:
    """Records of those who claim under another name by now."""
    every = [link for link in links if not is_pool(link.document.kind.id)]
    return _Owners(tree, documents, records).renamed(every) if every else Renamed(records)


def rename_pools(
    tree: Tree,
    documents: Documents,
    renamed: Renamed,
    links: Iterable[Link],
    pools: Mapping[Key, Pool],
) -> Renamed:
    """The records, of pools that have another name by now, too."""
    every = [link for link in links if is_pool(link.document.kind.id)]
    if not every:
        return renamed
    becomes, found = _becoming(every, documents, renamed.records)
    findings = (*renamed.findings, *found)
    if not becomes or _unclear(tree):
        return replace(renamed, findings=findings)
    former = dict(renamed.former)
    records: list[Allocation] = []
    for record in renamed.records:
        pool = pools.get(becomes.get(record.pool, record.pool))
        is_read = record.path not in tree.last_good.records
        if pool is None or pool.key == record.pool or not is_read or not _holds(pool, record):
            records.append(record)
            continue
        known = former.get(record.path, Former())
        former[record.path] = known._replace(pool=record.pool)
        records.append(record._replace(pool=pool.key, pristine=False))
    return replace(renamed, records=tuple(records), findings=findings, former=former)


def _becoming(
    links: Iterable[Link], documents: Documents, records: Iterable[Allocation]
) -> tuple[dict[Key, Key], list[Finding]]:
    """Which pool each one that is gone became, where that is clear; and what is to be said."""
    by_former: dict[Key, list[Link]] = {}
    findings: list[Finding] = []
    for link in links:
        if _is_there(link, documents):
            findings += _still_there(link, documents)
        else:
            by_former.setdefault(link.before, []).append(link)
    used = frozenset(record.pool for record in records if record.range is not None)
    for key, rivals in by_former.items():
        if key in used and len(rivals) > 1:
            findings += _rivals(rivals)
    becomes = {
        key: rivals[0].now
        for key, rivals in by_former.items()
        if len(rivals) == 1 and not rivals[0].document.doubt
    }
    return becomes, findings


class _Owners:
    """Renames of those who claim, while they are told."""

    def __init__(self, tree: Tree, documents: Documents, records: tuple[Allocation, ...]) -> None:
        self._tree = tree
        self._documents = documents
        self._records = records
        self._live: dict[_Name, list[Allocation]] = {}
        self._lost: dict[_Name, str] = {}
        self._becomes: dict[_Name, Key] = {}
        self._teams = {family.name: family.team for family in families()}
        self._findings: list[Finding] = []
        self._refused: dict[_Name, Refusal] = {}
        self._doubts: dict[_Name, str] = {}
        self._protected: list[_Name] = []

    def renamed(self, links: list[Link]) -> Renamed:
        self._note([link.before.owner for link in links])
        by_former: dict[_Name, list[Link]] = {}
        for link in links:
            by_former.setdefault(link.before.owner, []).append(link)
        for rivals in by_former.values():
            self._decide(rivals)
        former: dict[str, Former] = {}
        records = tuple(self._taken(former)) if self._becomes else self._records
        found, protected = tuple(self._findings), frozenset(self._protected)
        return Renamed(records, found, former, self._refused, self._doubts, protected)

    def _note(self, names: list[_Name]) -> None:
        """Find what those hold who are named: live, or in a file that cannot be read."""
        self._live = {name: [] for name in names}
        for record in self._records:
            if (mine := self._live.get(record.claim.owner)) is not None and record.is_live:
                mine.append(record)
                if record.path in self._tree.last_good.records:
                    self._lost.setdefault(record.claim.owner, record.path)
        for item in (it.unreadable for it in self._tree.records if it.unreadable):
            if item.claim is not None and item.claim.owner in self._live:
                self._lost.setdefault(item.claim.owner, item.path)

    def _decide(self, rivals: list[Link]) -> None:
        first = rivals[0]
        if _is_there(first, self._documents):
            for link in rivals:
                self._findings += _still_there(link, self._documents)
                if path := _broken(link, self._documents):
                    self._doubts[link.now.owner] = path
            return
        live = self._live[first.before.owner]
        lost = self._lost.get(first.before.owner, "")
        if not (live or lost):
            return  # it was renamed, once, or never held anything
        if path := lost or _unclear(self._tree) or first.document.doubt:
            self._protected.append(first.before.owner)
            self._doubts |= {link.now.owner: path for link in rivals}
        elif len(rivals) > 1:
            self._refuse(rivals, _rivals(rivals))
        elif found := self._other_team(first, live):
            self._refuse(rivals, [found])
        else:
            self._becomes[first.before.owner] = first.now

    def _refuse(self, links: list[Link], findings: Iterable[Finding]) -> None:
        self._protected.append(links[0].before.owner)
        for link, found in zip(links, findings, strict=True):
            self._findings.append(found)
            self._refused[link.now.owner] = Refusal(found.code, found.message, found.hint)

    def _other_team(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Why somebody gets nothing of it: it was of another team, and may not be given on."""
        team = self._teams[link.now.family](link.document, self._documents)
        others = sorted({record.owner.team for record in live} - {team})
        if not others:
            return None
        message = (
            f"{FORMERLY}: {link.title} was of team {few(others)}, {link.document.title} is of"
            f" {f'team {team}' if team else 'none'}: the addresses stay with {link.before.short}"
        )
        hint = f"let it be of team {others[0]} until that is reconciled; without the annotation it"
        hint += f" gets other addresses, and those of {link.before.short} are released"
        return error(REFUSED, link.document.at(*PLACE), message, hint)

    def _taken(self, former: dict[str, Former]) -> Iterator[Allocation]:
        """All records, those that go on under another name among them."""
        held = {record.claim for record in self._records if record.is_live}
        for record in self._records:
            now = self._becomes.get(record.claim.owner) if record.is_live else None
            claim = now._replace(slot=record.claim.slot) if now is not None else None
            if claim is None or claim in held:
                yield record
                continue
            former[record.path] = Former(claim=record.claim)
            owner = record.owner
            if (owner.namespace, owner.name) == (record.claim.namespace, record.claim.name):
                owner = owner._replace(namespace=claim.namespace, name=claim.name)
            yield record._replace(claim=claim, owner=owner, pristine=False)


def _holds(pool: Pool, record: Allocation) -> bool:
    """What a record holds is of the pool's network, whether it gives that out or not."""
    item = record.range
    return item is not None and (pool.extent.covers(item) or pool.usable.covers(item))


def _is_there(link: Link, documents: Documents) -> bool:
    """Something is called so, or is described by what cannot be read."""
    return _found(link, documents) is not None or bool(_broken(link, documents))


def _broken(link: Link, documents: Documents) -> str:
    """The file that cannot be read, and which describes what is called so; else empty."""
    if (there := _found(link, documents)) is not None:
        return there.unread
    kind, key = link.document.kind.id, link.before
    return documents.unread(kind, key.namespace, key.name, asker=link.document.file)


def _found(link: Link, documents: Documents) -> Document | None:
    kind, key = link.document.kind.id, link.before
    return documents.find(kind, key.namespace, key.name, asker=link.document.file)


def _still_there(link: Link, documents: Documents) -> Iterator[Finding]:
    if _broken(link, documents) or link.document.unread:
        return
    message = (
        f"{FORMERLY}: {link.title} is still there, so {link.document.title} takes nothing over"
    )
    hint = f"remove {link.before.short} in the same change, or remove the annotation"
    yield warning("rename-unused", link.document.at(*PLACE), message, hint)


def _rivals(rivals: list[Link]) -> list[Finding]:
    """Two name one former: nobody knows whose the addresses are."""
    names = [link.document.title for link in rivals]
    every = "both" if len(names) == 2 else "all"
    message = f"{FORMERLY}: {few(names)} {every} say that they were {rivals[0].title}"
    hint = "leave the annotation on the one that keeps the addresses"
    return [error(REFUSED, link.document.at(*PLACE), message, hint) for link in rivals]


def _unclear(tree: Tree) -> str:
    """A file that cannot be read and may describe anything; empty when there is none."""
    if tree.last_good.halted:
        return tree.last_good.halted
    unclear = next((source.path for source in tree.sources if source.unclear), "")
    return unclear or (tree.settings.location.path if has_error(tree.findings) else "")
