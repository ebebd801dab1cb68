"""Planner input from documents and records."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from msgspec import Struct, structs
from msgspec.structs import replace as replace_

from reconciler.addresses.notation import literal_ranges
from reconciler.addresses.ranges import IPRange
from reconciler.documents.document import Document, Documents, GroupKind, Identity
from reconciler.documents.dump import dump
from reconciler.documents.findings import Finding, Location, Severity, has_error
from reconciler.documents.load import Loaded, duplicate
from reconciler.documents.text import legible
from reconciler.families import families, family_of, family_of_kind, is_pool, meant_in
from reconciler.families.demand import growth_index
from reconciler.families.interface import FamilyReading
from reconciler.families.metallb import hold_back
from reconciler.model.claim import Allocation, Claim, Owner, current_records
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep, Plan
from reconciler.model.pool import Pool
from reconciler.model.settings import OverrideKind, Settings
from reconciler.model.state import Blocked, FormerRecord, State
from reconciler.planning import rules
from reconciler.planning.documents import Tree, counting_of

_WORD = re.compile(r"[-a-z0-9]+")


class _Broken(Struct, frozen=True):
    """A broken file: its words, and the identities that its references might mean."""

    source: Loaded
    words: frozenset[str]
    meant: frozenset[tuple[str, str, str]]


def documents_of(tree: Tree) -> tuple[Documents, list[Finding]]:
    """Return all documents, and findings about duplicates.

    Of two documents for one object, the older one is effective. Its owner keeps its addresses and
    gets nothing new, because the second document might be the intended one. A source document
    replaces an observed document without a finding.
    """
    first, second, _ = counting_of(tree)
    found: list[Finding] = []
    for document in second:
        other = first[document.identity]
        found.append(duplicate(document, other))
        if not other.twice:
            first[document.identity] = replace(other, twice=document.path)
    for document in tree.last_good.documents:
        first.setdefault(document.identity, document)
    broken = {
        identity: source.path
        for source in tree.sources
        for identity in source.broken
        if identity not in first
    }
    return Documents(first.values(), broken), found


def records_of(tree: Tree, documents: Documents) -> tuple[Allocation, ...]:
    """Return all readable records, by path.

    Records are identified by their claim, not by name. A record that was copied from a cluster
    names no claim, and only the documents determine which claim its text means.
    """
    records = [item.allocation for item in tree.records if item.allocation is not None]
    if not any(record.adopted for record in records):
        return tuple(records)
    return tuple(_adopt(record, documents) if record.adopted else record for record in records)


def _adopt(record: Allocation, documents: Documents) -> Allocation:
    """Return the record with the claim that its family derives from all documents."""
    family = family_of(record.claim.family)
    claim = record.claim if family is None else family.adopt(record, documents)
    return structs.replace(record, claim=claim)


def held_by(records: Iterable[Allocation]) -> Mapping[Key, Allocation]:
    """Return the current record of each claim, including records without addresses."""
    return current_records(records)


def join_documents(readings: list[FamilyReading]) -> FamilyReading:
    """Return the joined readings of all families."""
    gateways = tuple(item for reading in readings for item in reading.gateways)
    every = {key: pool for reading in readings for key, pool in reading.pools.items()}
    frozen = {key: path for reading in readings for key, path in reading.frozen.items()}
    pools, held_back = hold_back(every, gateways, frozen)
    return FamilyReading(
        pools=pools,
        claims={key: claim for reading in readings for key, claim in reading.claims.items()},
        findings=(*(found for reading in readings for found in reading.findings), *held_back),
        blocked=tuple(item for reading in readings for item in reading.blocked),
        gateways=gateways,
        inside=tuple(item for reading in readings for item in reading.inside),
        protected=frozenset().union(*(reading.protected for reading in readings)),
        frozen=frozen,
        growing=frozenset().union(*(reading.growing for reading in readings)),
        missing={found: key for reading in readings for found, key in reading.missing.items()},
        presumed={found: keys for each in readings for found, keys in each.presumed.items()},
    )


class DescribedFiles(Struct, frozen=True):
    """Contents of some source files, without the rest of the tree.

    Attributes:
        documents: Valid documents.
        broken: Recognized documents with errors.
        pools: The pools.
        by_hand: Manual ranges, by the title of their holder.
        unread: Paths of files with broken content.
    """

    documents: Mapping[Identity, Document] = MappingProxyType({})
    broken: frozenset[Identity] = frozenset()
    pools: Mapping[Key, Pool] = MappingProxyType({})
    by_hand: Mapping[str, Blocked] = MappingProxyType({})
    unread: frozenset[str] = frozenset()


def described_files(sources: Iterable[Loaded], settings: Settings) -> DescribedFiles:
    """Return the contents of some source files, without the rest of the tree."""
    files = list(sources)
    documents = {item.identity: item for file in files for item in file.documents}
    every = Documents(documents.values())
    reading = join_documents([family.read(every, {}, settings) for family in families()])
    return DescribedFiles(
        documents,
        frozenset(identity for file in files for identity in file.broken),
        reading.pools,
        {item.title: item for item in reading.blocked if item.by_hand is not None},
        frozenset(file.path for file in files if file.is_broken),
    )


def state_of(
    tree: Tree,
    reading: FamilyReading,
    records: tuple[Allocation, ...],
    former: Mapping[str, FormerRecord] = MappingProxyType({}),
    givers: Mapping[str, Owner] = MappingProxyType({}),
) -> State:
    """Return the planner input; `former` and `givers` hold previous names and owners of records."""
    _, second, _ = counting_of(tree)
    broken = {
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in (
            *(identity for source in tree.sources for identity in source.broken),
            *(document.identity for document in second),
        )
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    }
    unclear = [source for source in tree.sources if source.unclear]
    never = {source.path for source in _never_read(tree)}
    pools = {key: pool.source.path for key, pool in reading.pools.items()}
    return State(
        pools={key: reading.pools[key] for key in sorted(reading.pools)},
        claims=_describe(tree, reading.claims),
        records=records,
        clock=tree.clock,
        retention=tree.settings.retention,
        blocked=reading.blocked,
        gateways=reading.gateways,
        inside=reading.inside,
        off_limits=tuple(_off_limits(tree, second)),
        unreadable=tuple(item.unreadable for item in tree.records if item.unreadable),
        protected=reading.protected | broken,
        frozen={**reading.frozen, **{key: path for key, path in pools.items() if path in never}},
        unclear=bool(unclear) or has_error(tree.findings),
        unknown=any(source.path not in tree.last_good.files for source in unclear),
        halted=tree.last_good.halted,
        retained=frozenset(tree.retained).union(_not_expiring(tree, records)),
        grown=frozenset(_grown(reading, records)),
        growth_retention=tree.settings.elastic.retention,
        movable=frozenset(_movable(tree)),
        unused=frozenset(path for path, why in tree.left.items() if not why),
        former=former,
        givers=givers,
    )


def _movable(tree: Tree) -> Iterator[Key]:
    """Yield claims that an Override permits to move and whose cluster can announce two ranges."""
    for item in tree.overrides.counting:
        claim = Key.parse(item.scope) if item.kind == OverrideKind.MOVE else None
        family = family_of(claim.family) if claim is not None else None
        if claim is not None and family is not None and family.moves:
            yield claim


def _grown(reading: FamilyReading, records: Iterable[Allocation]) -> Iterator[str]:
    """Yield paths of growth records of existing tenants."""
    if reading.growing:
        for record in records:
            if growth_index(record) and record.claim.owner in reading.growing:
                yield record.path


def _not_expiring(tree: Tree, records: Iterable[Allocation]) -> Iterator[str]:
    """Yield all released records if the clock is not trustworthy."""
    return (item.path for item in records if item.is_released and tree.clock_ahead is not None)


def _never_read(tree: Tree) -> Iterator[Loaded]:
    """Yield broken files without a readable version, whose readable parts get nothing new."""
    return (
        source for source in tree.sources if source.text and source.path not in tree.last_good.files
    )


def _off_limits(tree: Tree, second: Iterable[Document]) -> Iterator[Blocked]:
    """Yield addresses in files without a readable version, and in duplicate documents.

    A duplicate pool is excluded: its usable ranges are not in use.
    """
    texts = [(it.path, text) for it in _never_read(tree) for text in legible(it.text)]
    texts += [
        (document.path, dump(document.body)) for document in second if not is_pool(document.kind.id)
    ]
    for path, text in texts:
        for item in literal_ranges(text):
            yield _unread(path, item)


def _unread(path: str, item: IPRange) -> Blocked:
    return Blocked(item, f"{path} (which cannot be read)", Location(path, 1, 1))


def _describe(tree: Tree, claims: Mapping[Key, Claim]) -> dict[Key, Claim]:
    """Return the claims, without new allocations for claims that an unreadable file might affect.

    A claim is affected if a broken file without a readable version contains it or names its record.
    An open claim is also affected if such a file names its owner.
    """
    named: dict[str, Loaded] = {}
    broken: list[_Broken] = []
    for source in tree.sources:
        if source.text:
            words = _WORD.findall("\n".join(legible(source.text)))
            broken.append(_Broken(source, frozenset(words), meant_in(source.text)))
            for word in words:
                named.setdefault(word, source)
    never = {source.path: source for source in _never_read(tree)}
    owners = {
        document.identity[1:]: source for source in never.values() for document in source.documents
    }
    found = {key: claims[key] for key in sorted(claims)}
    for key, claim in found.items() if named or never else ():
        why = never.get(claim.source.path) or owners.get((key.kind, key.namespace, key.name))
        if why is None and claim.name != key.name:
            why = named.get(claim.name) or _naming(broken, claim)
        if why is not None and not claim.doubt:
            found[key] = structs.replace(claim, doubt=why.path, doubt_line=_line_of_error(why))
    return found


def _naming(broken: Iterable[_Broken], claim: Claim) -> Loaded | None:
    """Return the broken file that names the owner of an open claim, or might refer to it."""
    if not claim.is_open:
        return None
    owner, family = claim.owner[:2], claim.key.family
    return next(
        (
            it.source
            for it in broken
            if it.words.issuperset(owner)
            or not it.meant.isdisjoint({(family, owner[0], ""), (family, "", owner[1])})
        ),
        None,
    )


def _line_of_error(source: Loaded) -> int:
    return next((it.location.line for it in source.findings if it.severity is Severity.ERROR), 0)


def without_causes(state: State, reading: FamilyReading, plan: Plan) -> Iterator[Finding]:
    """Yield findings without errors that only follow from a file without a readable version.

    Errors that follow from a missing pool with records are also dropped, because that pool has one
    finding. A finding that presumes an allocation is dropped if the claim is refused.
    """
    removed = rules.removed_pools(state) if reading.missing else {}
    given = set[Key]()
    if reading.presumed:
        given = {it.claim for it in plan.decisions if isinstance(it, Grant | Keep)}
    for found in reading.findings:
        if not reading.presumed.get(found, frozenset()) <= given:
            continue
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if not (state.unknown and follows) and reading.missing.get(found) not in removed:
            yield found


def shrinkable(found: Iterable[Finding], tree: Tree, state: State) -> Iterator[Finding]:
    """Yield the findings, with a warning for each shrunk pool that an Override permits."""
    places = {str(pool.source): str(key) for key, pool in state.pools.items()}
    for item in found:
        scope = places.get(str(item.location)) if item.code == rules.OUTSIDE else None
        if scope is not None and tree.overrides.allow(OverrideKind.SHRINK, scope):
            message = f"{item.message}; an Override lets it shrink: it holds them until it goes"
            yield replace_(item, severity=Severity.WARNING, message=message)
        else:
            yield item
