"""Who claims under another name by now: which records go along, and who waits for a clear word."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.documents.document import Documents
from reconciler.families import families, is_pool
from reconciler.families._former import FORMERLY, PLACE
from reconciler.findings import Finding, error, few
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Refusal
from reconciler.model.key import Key
from reconciler.model.state import Former
from reconciler.renaming.links import REFUSED, Link, broken, is_there, several, still_there, unclear
from reconciler.renaming.renamed import Name, Renamed
from reconciler.renaming.tangles import each_naming, left_naming, next_in_chain, references, tangled
from reconciler.tree import Tree


def rename_owners(
    tree: Tree, documents: Documents, records: tuple[Allocation, ...], links: Iterable[Link]
) -> Renamed:
    """Records of those who claim under another name by now."""
    every = [link for link in links if not is_pool(link.document.kind.id)]
    return _Owners(tree, documents, records).renamed(every) if every else Renamed(records)


class _Owners:
    """Renames of those who claim, while they are told."""

    def __init__(self, tree: Tree, documents: Documents, records: tuple[Allocation, ...]) -> None:
        self._tree = tree
        self._documents = documents
        self._records = records
        self._live: dict[Name, list[Allocation]] = {}
        self._lost: dict[Name, str] = {}
        self._by_former: dict[Name, list[Link]] = {}
        self._by_now: dict[Name, Link] = {}
        self._named = references(documents)
        self._becomes: dict[Name, Key] = {}
        self._naming_now: dict[Name, Link] = {}
        self._teams = {family.name: family.team for family in families()}
        self._findings: list[Finding] = []
        self._refused: dict[Name, Refusal] = {}
        self._doubts: dict[Name, str] = {}
        self._protected: list[Name] = []

    def renamed(self, links: list[Link]) -> Renamed:
        self._note([name for link in links for name in (link.before.owner, link.now.owner)])
        self._by_now = {link.now.owner: link for link in links}
        for link in links:
            self._by_former.setdefault(link.before.owner, []).append(link)
        for rivals in self._by_former.values():
            self._decide(rivals)
        former: dict[str, Former] = {}
        records = tuple(self._taken(former)) if self._becomes else self._records
        found, protected = tuple(self._findings), frozenset(self._protected)
        along = frozenset(self._along())
        return Renamed(records, found, former, self._refused, self._doubts, protected, along)

    def _note(self, names: list[Name]) -> None:
        """Find what those hold who are named: live, or in a file that cannot be read."""
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
        if not (live or lost or named):  # it was renamed, once, or never held anything by itself
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
        """Note what names the new name: what it holds for the old one goes along."""
        for link in rivals if len(rivals) == 1 else ():
            for document in (it.document for it in self._named.get(link.now.owner, ())):
                name = link.now.family, document.kind.name, document.namespace, document.name
                self._naming_now[name] = link

    def _decide_beside(self, link: Link) -> None:
        """Decide of a document whose former name another one has."""
        if path := broken(link, self._documents):
            self._doubts[link.now.owner] = path
        elif self._live[link.before.owner] and (
            found := tangled(link, self._by_now, self._is_pending)
        ):
            self._refuse([link], [found])
        else:
            self._findings += still_there(link, self._documents)

    def _is_pending(self, name: Name) -> bool:
        """Nothing has a name any more, and it holds addresses still."""
        holds = self._live[name] or name in self._lost or name in self._named
        return bool(holds) and not is_there(self._by_former[name][0], self._documents)

    def _why_not(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Why somebody alone gets nothing of what its former name holds."""
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

    def _taken_already(self, link: Link, live: list[Allocation]) -> Finding | None:
        """Why somebody gets nothing of it: who had that name before holds addresses by it."""
        slots = {record.claim.slot for record in live}
        held = [it for it in self._live[link.now.owner] if it.claim.slot in slots]
        if not held:
            return None
        now, ranges = link.now.short, few([format_short(it.range) for it in held if it.range])
        message = (
            f"{FORMERLY}: {now} holds {ranges} by its name already:"
            f" the addresses of {link.title} stay with it"
        )
        hint = f"to keep those of {link.before.short}, let those of {now} be released first;"
        hint += f" without the annotation those of {link.before.short} are released"
        return error(REFUSED, link.document.at(*PLACE), message, hint)

    def _taken(self, former: dict[str, Former]) -> Iterator[Allocation]:
        """All records, those that go on under another name among them."""
        for record in self._records:
            now = self._becomes.get(record.claim.owner)
            if now is None or not self._goes_along(record):
                yield record
                continue
            claim = now._replace(slot=record.claim.slot)
            former[record.path] = Former(claim=record.claim)
            owner = record.owner
            if (owner.namespace, owner.name) == (record.claim.namespace, record.claim.name):
                owner = owner._replace(namespace=claim.namespace, name=claim.name)
            yield replace(record, claim=claim, owner=owner, pristine=False)

    def _goes_along(self, record: Allocation) -> bool:
        """Whether it is of whoever is renamed: what rests may be announced there still.

        Only the cluster of the new name can be asked. What rests of another team was somebody else's.
        """
        if record.is_live or record.announced:
            return True
        teams = {it.owner.team for it in self._live[record.claim.owner]}
        return record.is_released and record.owner.team in teams

    def _along(self) -> Iterator[str]:
        """Paths of records of whoever named the old name, and names the new one."""
        for record in self._records if self._naming_now else ():
            link, owner = self._naming_now.get(record.claim.owner), record.owner
            if link is None or owner[:2] != (link.before.namespace, link.before.name):
                continue
            if owner.team == self._teams[link.now.family](link.document, self._documents):
                yield record.path
