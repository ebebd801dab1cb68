"""Assembly of an import's files."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.documents.document import Documents, GroupKind
from reconciler.documents.findings import Finding, Location, Severity, join_limited, shown
from reconciler.documents.yaml import dump, text
from reconciler.families import families, home_of
from reconciler.families.importing import ImportedCluster, Network, Pin, Writing
from reconciler.importing.found import (
    LOAD_BALANCER,
    ImportedObject,
    ImportedRange,
    ImportedSource,
    conflict,
    fitted,
)
from reconciler.importing.pools import homes, placed, taken_in, without_known
from reconciler.model.plan import Decision, Keep, Refuse
from reconciler.planning.documents import Tree, source_reader
from reconciler.planning.evaluate import Evaluation, evaluate


class Joined(NamedTuple):
    """Sorted ranges of owners without overlaps, and conflicts that need a decision."""

    holdings: tuple[ImportedRange, ...]
    conflicts: tuple[Finding, ...]


def join_sources(holdings: Iterable[ImportedRange]) -> Joined:
    """Merge each owner's addresses into the fewest ranges. Ranges of two owners are conflicts.

    Adjacent addresses of one owner, type, and pool are one range. A range within another range of
    the same team is merged into it.
    """
    conflicts: list[Finding] = []
    kept = _apart(_one_name(holdings, conflicts), conflicts)
    groups: dict[tuple[object, ...], list[ImportedRange]] = {}
    for item in kept:
        key = (item.namespace, item.name, item.type, item.space, item.pool)
        groups.setdefault(key, []).append(item)
    found = [part for group in groups.values() for part in _ranges(group)]
    return Joined(tuple(sorted(found)), tuple(conflicts))


def _one_name(
    holdings: Iterable[ImportedRange], conflicts: list[Finding]
) -> Iterator[ImportedRange]:
    """Yield ranges whose owners have distinct names: two owners with one name would become one."""
    first: dict[tuple[str, str], ImportedRange] = {}
    for item in holdings:
        other = first.setdefault(item.owner, item)
        if _plain(other.said) == _plain(item.said):
            yield item
            continue
        message = f"{shown(item.said)} and {shown(other.said)} of {where(other)} become one name,"
        hint = "rename one of the two, or write both alike if they are one"
        conflicts.append(conflict(item.place, f"{message} {item.title}", hint))


def _plain(said: str) -> str:
    return said.rpartition("/")[2].strip().casefold()


def where(item: ImportedRange) -> str:
    """Return the location of a holding, for a message that names a second one."""
    return f"{item.place}{item.place.pointer}"


def _apart(holdings: Iterable[ImportedRange], conflicts: list[Finding]) -> list[ImportedRange]:
    """Return ranges that share no address with another owner."""
    kept: list[ImportedRange] = []
    shared: dict[str, list[IPRange]] = {}
    reach = _Reach()
    for item in sorted(holdings, key=_order):
        other = reach.of_others(item)
        if other is None or not other.item.overlaps(item.item):
            kept.append(item)
        elif item.team and item.team == other.team and other.item.covers(item.item):
            continue
        else:
            kept.append(item)
            both = item.item.shared(other.item)
            shared.setdefault(item.space, []).extend([both] if both else [])
            conflicts.append(_contested(item, other))
        reach.add(item)
    contested = {space: IPSet.of(ranges) for space, ranges in shared.items()}
    nothing = IPSet()
    return [it for it in kept if not contested.get(it.space, nothing).overlapping(it.item)]


def _order(item: ImportedRange) -> tuple[object, ...]:
    return item.space, item.item.version, item.item.first, -item.item.last


class _Reach:
    """State of a sweep: the furthest-reaching range, and the furthest of another holder."""

    def __init__(self) -> None:
        self._best: list[ImportedRange] = []

    def of_others(self, item: ImportedRange) -> ImportedRange | None:
        """Return the furthest-reaching range of another holder, or None.

        It contains all addresses that `item` shares with any other holder.
        """
        here = (it for it in self._best if it.space == item.space and _who(it) != _who(item))
        return next(here, None)

    def add(self, item: ImportedRange) -> None:
        """Add a range. Two holders are enough: a third one never reaches as far."""
        found: dict[tuple[object, ...], ImportedRange] = {}
        for it in sorted([item, *self._best], key=_last, reverse=True):
            if it.space == item.space:
                found.setdefault(_who(it), it)
        self._best = list(found.values())[:2]


def _who(item: ImportedRange) -> tuple[object, ...]:
    return *item.owner, item.type


def _last(item: ImportedRange) -> tuple[int, int]:
    return item.item.version, item.item.last


def _contested(item: ImportedRange, other: ImportedRange) -> Finding:
    shared = item.item.shared(other.item)
    text = format_short(shared) if shared else ""
    whose = f"{item.title} has it as {item.type}, {other.title} of {where(other)} as {other.type}"
    hint = "find out who uses it, and leave the other one out"
    return conflict(item.place, f"{text} has two holders: {whose}", hint)


def _ranges(group: list[ImportedRange]) -> Iterator[ImportedRange]:
    """Yield the ranges of one owner, each with its first location and all of its users."""
    ordered = sorted(group, key=lambda it: it.item)
    at = 0
    for item in IPSet.of(it.item for it in ordered):
        inside: list[ImportedRange] = []
        while at < len(ordered) and _within(ordered[at].item, item):
            inside.append(ordered[at])
            at += 1
        first = min(inside, key=lambda it: (it.place, it.item))
        users = tuple(dict.fromkeys(user for it in inside for user in it.users))
        is_cluster = any(it.is_cluster for it in inside)
        yield first._replace(item=item, users=users, is_cluster=is_cluster)


def _within(item: IPRange, outer: IPRange) -> bool:
    return outer.covers(item)


MAX_BYTES = 200 * 1024
"""Maximum size of a file. The read limit of a repository is a quarter higher."""

_HEAD = "# Written by ipam import. It is yours: no later import touches it.\n"


class ImportDocument(NamedTuple):
    """A document to write.

    Attributes:
        folder: The source folder.
        path: Path in the folder, without YAML suffix.
        comments: Comment lines before the document.
    """

    folder: str
    path: str
    body: Mapping[str, object]
    comments: tuple[str, ...] = ()


def files_of(documents: Iterable[ImportDocument], sources: Sequence[str]) -> dict[str, bytes]:
    """Return all files by path. Documents of one path share files up to the maximum size.

    Args:
        documents: Documents in output order.
        sources: The source folders; documents of a missing folder go to the first one.
    """
    found: dict[str, str] = {}
    parts: dict[str, int] = {}
    for item in documents:
        folder = item.folder if item.folder in sources else sources[0]
        stem = f"{folder}/{item.path}"
        told = "".join(f"# {text(line)}\n" for line in item.comments)
        document = f"{told}{dump(item.body)}"
        path = _path(stem, parts.get(stem, 1))
        before = found.get(path, "")
        if before and len((before + document).encode()) > MAX_BYTES:
            parts[stem] = parts.get(stem, 1) + 1
            path, before = _path(stem, parts[stem]), ""
        found[path] = f"{before}---\n{document}" if before else f"{_HEAD}{document}"
    return {path: content.encode() for path, content in found.items()}


def _path(stem: str, part: int) -> str:
    return f"{stem}.yaml" if part == 1 else f"{stem}.{part}.yaml"


class RangeChange(NamedTuple):
    """A range before and after.

    Attributes:
        old: The range in the source; None for an owner without addresses.
        new: The range in the plan; None if it is refused.
        place: The location in the source.
        users: Users of its addresses.
    """

    owner: str
    type: str
    pool: str
    old: IPRange | None
    new: IPRange | None
    place: Location
    users: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Return whether the range is unchanged."""
        return self.old == self.new

    @property
    def is_new(self) -> bool:
        """Return whether an owner without addresses gets some."""
        return self.old is None and self.new is not None


class ImportOutcome(NamedTuple):
    """The result of a plan with files added to a tree."""

    lines: tuple[RangeChange, ...]
    conflicts: tuple[Finding, ...]


def outcome(
    before: Evaluation,
    after: Evaluation,
    paths: Collection[str],
    holdings: Iterable[ImportedRange],
) -> ImportOutcome:
    """Compare the ranges of sources with the ranges of a plan.

    Args:
        before: The evaluation without the files.
        after: The evaluation with the files.
        paths: Paths of the files.
        holdings: Ranges that were written as requests.
    """
    told = {(it.space, it.item): it for it in holdings}
    lines: list[RangeChange] = []
    conflicts = [*_new_errors(before, after)]
    for decision in after.plan.decisions:
        claim = after.state.claims.get(decision.claim)
        if claim is None or claim.source.path not in paths:
            continue
        pool = after.state.pools.get(claim.candidates[0]) if claim.candidates else None
        holding = told.get((pool.space, claim.pin)) if pool and claim.pin else None
        place = holding.place if holding is not None else claim.source
        users = holding.users if holding is not None else ()
        new = _given(decision)
        name = pool.key.name if pool is not None else ", ".join(claim.wanted)
        lines.append(RangeChange(claim.owner.short, claim.type, name, claim.pin, new, place, users))
        if isinstance(decision, Refuse):
            what = format_short(claim.pin) if claim.pin else f"{claim.size} addresses"
            message = f"{claim.owner.short}: {what} cannot be granted: {decision.message}"
            conflicts.append(conflict(place, f"{message} ({decision.reason})", decision.hint))
    conflicts += _moved(before, after)
    lines.sort(key=lambda it: (it.pool, it.old is None, it.old or (), it.owner))
    return ImportOutcome(tuple(lines), tuple(conflicts))


def _given(decision: Decision) -> IPRange | None:
    return None if isinstance(decision, Refuse) else decision.allocation.range


def _new_errors(before: Evaluation, after: Evaluation) -> Iterator[Finding]:
    known = set(before.findings)
    for item in after.findings:
        if item.severity is Severity.ERROR and item not in known:
            message = f"{item.code}: {item.message}"
            yield conflict(item.location, message, item.hint)


def _moved(before: Evaluation, after: Evaluation) -> Iterator[Finding]:
    """Yield findings for records that only change because of the files."""
    kept = {item.claim: item for item in before.plan.decisions if isinstance(item, Keep)}
    for decision in after.plan.decisions:
        other = kept.get(decision.claim)
        if other is None or isinstance(decision, Keep):
            continue
        place = Location(other.allocation.path)
        message = f"{decision.claim.short} would not keep what it has"
        yield conflict(place, message, "leave out what is imported for it")


_PROVIDER = "imported"


class Imported(Struct, frozen=True):
    """The result of an import.

    Attributes:
        files: Files by path.
        lines: Old and new range, for every range.
        conflicts: Conflicts that need a decision.
        notes: Skipped entries, with the reason.
        after: The evaluation of the tree with the files.
        unnamed: Owners of requests without a document, by name.
    """

    files: Mapping[str, bytes]
    lines: tuple[RangeChange, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]
    after: Evaluation
    unnamed: tuple[str, ...] = ()


def writing() -> Writing:
    """Return the writer of the first family that has one."""
    return next(it for family in families() if (it := family.objects.writing) is not None)


def assemble(tree: Tree, found: ImportedSource) -> Imported:
    """Return the documents for all found addresses that the tree does not describe yet."""
    before = evaluate(tree)
    work = _Assembling(tree, before, found)
    files = work.files()
    after = evaluate(with_files(tree, files)) if files else before
    what = outcome(before, after, files.keys(), work.holdings)
    conflicts = dict.fromkeys([*found.conflicts, *work.conflicts, *what.conflicts])
    notes = dict.fromkeys([*found.notes, *work.notes])
    owners = sorted({item.owner for item in work.holdings})
    alone = [it for it in owners if not writing().is_there(after.documents, *it)]
    unnamed = tuple(map("/".join, alone))
    return Imported(files, what.lines, tuple(conflicts), tuple(notes), after, unnamed)


def with_files(tree: Tree, files: Mapping[str, bytes]) -> Tree:
    """Return the tree with additional source files."""
    read = source_reader(tree.settings)
    added = [read(path, data) for path, data in files.items()]
    sources = sorted((*tree.sources, *added), key=lambda it: it.path)
    return replace(tree, sources=tuple(sources))


@dataclass
class _Assembling:
    """Builder of the documents."""

    tree: Tree
    before: Evaluation
    found: ImportedSource
    conflicts: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    holdings: tuple[ImportedRange, ...] = ()

    def files(self) -> dict[str, bytes]:
        """Return all files by path."""
        sources = self.tree.settings.sources
        copies = list(self._copies())
        there = self.before
        if copies:
            copied = files_of(map(_copied, copies), sources)
            there = evaluate(with_files(self.tree, copied))
        networks = self._place(there)
        clusters = dict(self._clusters(there, networks, copies))
        documents = [
            *map(_copied, copies),
            *(self._network(network, place) for network, place in networks),
            *clusters.values(),
            *self._requests(there.documents),
        ]
        return files_of(documents, sources)

    def _copies(self) -> Iterator[ImportedObject]:
        """Yield objects without a document, each once."""
        first: dict[tuple[str, str, str, str], ImportedObject] = {}
        for item in self.found.copies:
            identity = (*_kind(item.body), item.namespace, item.name)
            if self._find(self.before.documents, item.body) is not None:
                self.notes.append(f"{item.place}: the repository describes it already")
                continue
            other = first.setdefault(identity, item)
            if other is item:
                yield self._annotated(item)
            elif other.body != item.body:
                message = f"it differs from that of {other.place}"
                hint = "name one management cluster only"
                self.conflicts.append(conflict(item.place, message, hint))

    def _annotated(self, item: ImportedObject) -> ImportedObject:
        """Return a cluster's document with the name of its MetalLB pool, unless default."""
        own = writing()
        empty = own.cluster(ImportedCluster((item.namespace, item.name), "", "", 0))
        if _kind(empty) != _kind(item.body):
            return item
        pools = {owner: pool for owner, pool, _ in reversed(self.found.named)}
        if (pool := pools.get((item.namespace, item.name))) is not None:
            metadata = item.body["metadata"]
            annotations = {**(metadata.get("annotations") or {}), own.annotation: pool}
            body = {**item.body, "metadata": {**metadata, "annotations": annotations}}
            return item._replace(body=body)
        return item

    @staticmethod
    def _find(documents: Documents, body: Mapping[str, Any]) -> Any:
        metadata = body["metadata"]
        return documents.find(_kind(body), metadata.get("namespace", ""), metadata["name"])

    def _place(self, there: Evaluation) -> Sequence[tuple[Network, Location]]:
        """Assign a pool to each new range; return the pools to write."""
        own = writing()
        every = join_sources(self.found.holdings)
        known = without_known(every.holdings, taken_in(there))
        key = own.pool_key("any")
        before = homes(there, key.family, key.kind, home_of(key.family, key.kind) or "")
        result = placed(self.found, known.holdings, before, own.version)
        self.holdings = result.holdings
        self.conflicts += [*every.conflicts, *known.conflicts, *result.conflicts]
        self.notes += [*known.notes, *result.notes]
        return result.networks

    @staticmethod
    def _network(network: Network, place: Location) -> ImportDocument:
        comments = [f"from {_short(place)}"]
        if network.is_full:
            comments.append(
                "It gives out what is in use already, and nothing else. Widen it, reserve what"
                " others use, and remove the gate."
            )
        return ImportDocument("pools", network.name, writing().pool(network), tuple(comments))

    def _clusters(
        self,
        there: Evaluation,
        networks: Sequence[tuple[Network, Location]],
        copies: Iterable[ImportedObject],
    ) -> Iterator[tuple[str, ImportDocument]]:
        """Yield documents of clusters without a document, and of their providers."""
        del networks
        own, named = writing(), {owner: (pool, place) for owner, pool, place in self.found.named}
        firsts: dict[tuple[str, str], ImportedRange] = {}
        pools: dict[tuple[str, str], dict[str, None]] = {}
        for item in self.holdings:
            if item.is_cluster and item.type == LOAD_BALANCER:
                firsts.setdefault(item.owner, item)
                pools.setdefault(item.owner, {})[item.pool] = None
        new = [it for it in firsts if not own.is_there(there.documents, *it)]
        served = dict.fromkeys(pool for owner in new for pool in pools[owner])
        if not new:
            provider = ""
        elif not (provider := own.provider_of(there.documents, served)):
            provider = self._free_name(there.documents, own)
            comments = ("Which pools serve the clusters that were imported.",)
            yield (
                "",
                ImportDocument("providers", provider, own.provider(provider, served), comments),
            )
        copied = {(it.namespace, it.name) for it in copies}
        for owner, item in firsts.items():
            pool, place = named.get(owner, ("", item.place))
            if owner in new:
                cluster = ImportedCluster(owner, item.team, provider, item.item.size, pool)
                told = (f"from {_short(item.place)}",)
                path = "/".join(owner)
                yield path, ImportDocument("tenants", path, own.cluster(cluster), told)
            elif pool and owner not in copied:
                self._ask_for_name(there.documents, owner, pool, place)

    def _ask_for_name(
        self, documents: Documents, owner: tuple[str, str], pool: str, place: Location
    ) -> None:
        """Report a described cluster whose document does not name its MetalLB pool."""
        own = writing()
        document = self._find(documents, own.cluster(ImportedCluster(owner, "", "", 0)))
        if document is None or document.annotations().get(own.annotation) == pool:
            return
        message = f"its pool is {pool}, which {document.title} of {document.start} does not say"
        hint = f"annotate it there: {own.annotation}: {pool}"
        self.conflicts.append(conflict(place, message, hint))

    def _free_name(self, documents: Documents, own: Writing) -> str:
        number, name = 1, _PROVIDER
        while self._find(documents, own.provider(name, ())) is not None:
            number += 1
            name = f"{_PROVIDER}-{number}"
        return name

    def _requests(self, documents: Documents) -> Iterator[ImportDocument]:
        """Yield a request for each range; an owner's first range replaces its own claim."""
        own = writing()
        names: set[str] = set()
        for item in self.holdings:
            base = own.request_name(item.owner, item.type)
            pin = Pin(item.owner, item.team, item.type, item.pool, item.item, fitted(base))
            number = 1
            while pin.name in names or self._find(documents, own.pin(pin)) is not None:
                number += 1
                pin = replace(pin, name=fitted(f"{base}-{number}"))
            names.add(pin.name)
            yield ImportDocument("tenants", "/".join(item.owner), own.pin(pin), _describe(item))


def _describe(item: ImportedRange) -> tuple[str, ...]:
    comments = [f"from {_short(item.place)}: {item.said}"]
    if item.users:
        comments.append(f"used by Service {join_limited(item.users)}")
    return tuple(comments)


def _short(place: Location) -> str:
    """Return a location without the local folders of a file."""
    path = place.path if place.path.startswith("cluster ") else place.path.rpartition("/")[2]
    return f"{place._replace(path=path)}{place.pointer}"


def _copied(item: ImportedObject) -> ImportDocument:
    is_tenants = item.folder in ("tenants", "clusters") and item.namespace
    path = f"{item.namespace}/{item.name}" if is_tenants else item.name
    return ImportDocument(item.folder, path, item.body, (f"from {item.place}",))


def _kind(body: Mapping[str, Any]) -> GroupKind:
    group, _, _ = body["apiVersion"].rpartition("/")
    return GroupKind(group, body["kind"])
