"""Renames in a change that nothing names: which document seems to be one that went.

Nothing is given by likeness. It is told, with the line that would keep the addresses.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import product
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document, Documents, Identity
from reconciler.documents.likeness import share
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind, keeps_addresses
from reconciler.families._former import PLACE, former_of, written
from reconciler.findings import Finding, few, ordered, warning
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Release
from reconciler.renaming.renamed import Name
from reconciler.renaming.tangles import Reference, references

HALF = 0.5
"""A tenant that is renamed and grows says most of what it said; two that only look alike do not."""
_HEAD = ("apiVersion", "kind", "metadata")


def with_renames(base: Base, compared: Compared) -> Compared:
    """A comparison with what seems to be a rename."""
    evaluation = compared.evaluation
    found = [*_lookalikes(base, evaluation)]
    if not found:
        return compared
    merged = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def _lookalikes(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """New documents that say what one said that went, and get other addresses than that has."""
    before, now = base.described.documents, base.described_now.documents
    gone = {identity: before[identity] for identity in sorted(before) if identity not in now}
    gone = {it: document for it, document in gone.items() if keeps_addresses(document.kind.id)}
    new = [now[identity] for identity in sorted(now) if identity not in before]
    if gone and new:
        names = _naming(evaluation.documents)
        named = {it: said for it, said in names.items() if it not in now}
        named |= _naming(Documents(before.values()))
        yield from _Lookalikes(gone, new, _Naming(named, names), base, evaluation).told()


_Names = Mapping[Identity, tuple[Name, Reference]]


class _Naming(Struct, frozen=True):
    """Whom documents name that hold addresses for others, and where: before a change, and now."""

    before: _Names
    now: _Names


class _Lost(Struct, frozen=True):
    """How many addresses somebody loses.

    Attributes:
        changing: What is released, or stays held for nobody.
        going: What another one gets at once, with nothing that says that the two are one.
        without_pool: What a pool has given that is gone.
    """

    changing: int = 0
    going: int = 0
    without_pool: int = 0

    @property
    def words(self) -> str:
        """The same in words."""
        if self.without_pool:
            return f"{self.without_pool} addresses are of no pool"
        if self.changing:
            return f"{self.changing} addresses change"
        return f"{self.going} addresses go from its cluster to another"


class _Lookalikes:
    """Documents that went and new ones, while it is found out which seem to be one."""

    def __init__(
        self,
        gone: dict[Identity, Document],
        new: list[Document],
        naming: _Naming,
        base: Base,
        evaluation: Evaluation,
    ) -> None:
        self._gone = gone
        self._new = new
        self._pools, self._pools_now = base.pools, base.pools_now
        self._naming = naming
        self._lost = _lost(evaluation, naming)
        self._evaluation = evaluation
        self._became = {
            _key(it)._replace(**former._asdict()).owner: _key(it).owner
            for it in new
            if (former := former_of(it)) is not None
        }

    def told(self) -> Iterator[Finding]:
        """What is said of them."""
        for document, old, is_same in [*self._pairs()]:
            words = self._lost[_key(old).owner].words
            edits = "" if is_same else ", with other edits"
            message = f"this looks like a rename of {old.title}{edits}: {words}"
            what = "add to its metadata.annotations"
            if former_of(document) is not None:
                what = f"let {'.'.join(PLACE[:-1])} say"
            hint = f"to keep them, {what}: {self._needed(document, old)}"
            yield warning("looks-renamed", document.start, message, hint)

    def _pairs(self) -> Iterator[tuple[Document, Document, bool]]:
        """New documents, each with the one that it seems to have been, and whether they say the same.

        A whole namespace may be renamed: of many that are alike those of one name belong together.
        Those who name others come last: whom they name may have another name as well. Those that were
        edited, too, come after all that say the same.
        """
        every = product((True, False), (False, True), (True, False))
        for is_same, names_others, is_namesake in every:
            like = self._says_the_same if is_same else self._says_much_of_it
            for document in [*self._new]:
                if (document.identity in self._naming.now) is not names_others:
                    continue
                old = self._likeness(document, like, is_namesake=is_namesake)
                if old is not None:
                    self._new.remove(document)
                    del self._gone[old.identity]
                    self._became[_key(old).owner] = _key(document).owner
                    yield document, old, is_same

    def _likeness(
        self,
        document: Document,
        like: Callable[[Document, Document], bool],
        *,
        is_namesake: bool,
    ) -> Document | None:
        """The document that one seems to have been, or None."""
        return next(
            (
                old
                for old in self._gone.values()
                if old.kind.id == document.kind.id
                and _key(old).owner in self._lost
                and (old.name == document.name or not is_namesake)
                and former_of(document) != (old.namespace, old.name)
                and like(document, old)
            ),
            None,
        )

    def _says_the_same(self, document: Document, old: Document) -> bool:
        """They differ in names alone: their own ones, and that of whom they name."""
        before = self._naming.before.get(old.identity)
        now = self._naming.now.get(document.identity)
        if before is None or now is None:
            return _said(old) == _said(document)
        is_one = now[0] in (before[0], self._became.get(before[0]))
        return is_one and _said(old, before[1]) == _said(document, now[1])

    def _says_much_of_it(self, document: Document, old: Document) -> bool:
        """At least half of what one says the other says, too, or it stands in its place.

        A pool is its network: where two of them share addresses they are one.
        """
        before = self._naming.before.get(old.identity)
        now = self._naming.now.get(document.identity)
        if before and now and now[0] not in (before[0], self._became.get(before[0])):
            return False
        pools = self._pools.get(_key(old)), self._pools_now.get(_key(document))
        if pools[0] is not None and pools[1] is not None:
            return bool(pools[0].extent & pools[1].extent)
        if document.path == old.path and self._is_alone(document, old):
            return True
        if document.namespace != old.namespace and document.name != old.name:
            return False
        return share(_said(old, before and before[1]), _said(document, now and now[1])) >= HALF

    def _is_alone(self, document: Document, old: Document) -> bool:
        """In its file no other one went, and no other one came."""
        gone = [it for it in self._gone.values() if it.path == old.path]
        new = [it for it in self._new if it.path == document.path]
        return (gone, new) == ([old], [document])

    def _team(self, document: Document, old: Document) -> str:
        """What has to be of one team besides, where it is not; else empty."""
        family, owner = family_of_kind(document.kind.id), _key(old).owner
        team = family.team(document, self._evaluation.documents) if family is not None else ""
        records = self._evaluation.state.records
        others = sorted({it.owner.team for it in records if it.claim.owner == owner} - {team, ""})
        return f"; and let it be of team {others[0]}, as that was" if others and team else ""

    def _needed(self, document: Document, old: Document) -> str:
        """The line that keeps what somebody holds, and what has to name the new name, too."""
        line, former = written(old.namespace, old.name) + self._team(document, old), _key(old).owner
        left = [f"{it.document.title} ({it.at})" for it in _those_naming(former, self._naming.now)]
        left += [
            f"{it.document.title}, which is gone,"
            for it in _those_naming(former, self._naming.before)
            if it.document.identity in self._gone and _key(it.document).owner not in self._became
        ]
        if not left:
            return line
        return f"{line}; and let tenantClusterRef of {few(left)} be {_key(document).short}"


def _naming(documents: Documents) -> _Names:
    """Documents that name somebody, with whom and where."""
    every = references(documents).items()
    return {it.document.identity: (name, it) for name, items in every for it in items}


def _those_naming(name: Name, names: _Names) -> list[Reference]:
    return [reference for named, reference in names.values() if named == name]


def _said(document: Document, reference: Reference | None = None) -> dict[str, Any]:
    """What a document says but for its name, what it is called by the way, and whom it names."""
    said = {key: value for key, value in document.body.items() if key not in _HEAD}
    if reference is not None:
        *above, whom, _ = reference.place
        node = said = deepcopy(said)
        for step in above:
            node = node[step]
        del node[whom]
    return said


def _lost(evaluation: Evaluation, naming: _Naming) -> dict[Name, _Lost]:
    """What each owner loses by the plan, or each pool that is gone still has given.

    Who is named by others loses what they hold: they go, or name somebody else, or hold it for
    nobody from now on.
    """
    was, now = (
        {_key(it.document).owner: name for name, it in names.values()}
        for names in (naming.before, naming.now)
    )
    former, found = evaluation.state.former, dict[Name, _Lost]()
    for decision in evaluation.plan.decisions:
        if not isinstance(decision, Release | Keep):
            continue
        record = decision.allocation
        before = former[record.path].claim if record.path in former else None
        whom = was.get((before or record.claim).owner)
        if isinstance(decision, Release):
            _add(found, record.claim.owner, changing=record.size)
            _add(found, whom, changing=record.size)
            continue
        what = "changing" if now.get(record.claim.owner) == whom else "going"
        _add(found, whom if record.is_live else None, **{what: record.size})
    for record in evaluation.state.records:
        if record.range is not None and record.pool not in evaluation.state.pools:
            _add(found, record.pool.owner, without_pool=record.range.size)
    return found


def _add(found: dict[Name, _Lost], name: Name | None, **counts: int) -> None:
    """Add to what somebody loses; to nobody's where there is none."""
    if name is not None:
        there = asdict(found.get(name, _Lost()))
        found[name] = _Lost(**{what: n + counts.get(what, 0) for what, n in there.items()})


def _key(document: Document) -> Key:
    family = family_of_kind(document.kind.id)
    name = family.name if family is not None else ""
    return Key(name, document.namespace, document.name, "", document.kind.name)
