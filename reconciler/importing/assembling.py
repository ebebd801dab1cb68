"""Assembly of an import's files."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_cidr, format_range, format_short
from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.documents.findings import Finding, Location, Severity, join_limited, meant, shown
from reconciler.documents.yaml import dump, text
from reconciler.families import importing
from reconciler.families.importing import EntryWriting, ImportedNetwork, ImportedRange, annotated
from reconciler.importing import pools, sources
from reconciler.importing.pools import BOTH_RIGHT, MAX_WINDOWS, Placed, Taken, near, taken_in
from reconciler.importing.sources import ImportedObject, ImportedSource, conflict, full_place
from reconciler.loadbalancers.interface import ImportedPool
from reconciler.loadbalancers.ranges import describe, written
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Keep, Refuse
from reconciler.model.pool import Pool
from reconciler.planning.documents import Tree, source_reader
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.limits import CAPACITY
from reconciler.planning.space import Lookup


def join_sources(holdings: Iterable[ImportedRange], taken: Lookup[Taken]) -> ImportedSource:
    """Merge each owner's new, and known addresses. Ranges of two owners are conflicts."""
    conflicts: list[Finding] = []
    kept = _without_contested(_with_distinct_names(holdings, conflicts), conflicts)
    groups: dict[tuple[object, ...], list[ImportedRange]] = {}
    for item in kept:
        # Pools of a cluster stay apart.
        of_pool = item.place if item.is_cluster else None
        key = (item.namespace, item.name, item.type, item.space, item.pool, of_pool)
        groups.setdefault(key, []).append(item)
    found = [part for group in groups.values() for part in _merged(group, taken)]
    return ImportedSource(holdings=tuple(sorted(found)), conflicts=tuple(conflicts))


def _with_distinct_names(
    holdings: Iterable[ImportedRange], conflicts: list[Finding]
) -> Iterator[ImportedRange]:
    def plain(said: str) -> str:
        return normalize("NFC", said.rpartition("/")[2].strip()).casefold()

    first: dict[tuple[str, str], ImportedRange] = {}
    for item in holdings:
        other = first.setdefault(item.owner, item)
        if plain(other.said) == plain(item.said):
            yield item
            continue
        message = f"{shown(item.said)} and {shown(other.said)} of {full_place(other.place)} both map to the name {item.title}"
        hint = "rename one of the two, or use one spelling if they are the same"
        conflicts.append(conflict(item.place, message, hint))


def _without_contested(
    holdings: Iterable[ImportedRange], conflicts: list[Finding]
) -> list[ImportedRange]:
    kept: list[ImportedRange] = []
    shared: dict[str, list[IPRange]] = {}
    near: list[ImportedRange] = []
    for item in sorted(holdings, key=lambda it: (it.space, *it.item[:2], -it.item.last)):
        near = [it for it in near if it.space == item.space and it.item.overlaps(item.item)]
        others = (it for it in reversed(near) if it.owner != item.owner or it.type != item.type)
        other = max(others, key=lambda it: it.item.last, default=None)
        both = item.item.shared(other.item) if other is not None else None
        if other is not None and both is not None:
            is_inside = item.team and item.team == other.team and other.item.covers(item.item)
            is_inside = is_inside and (item.item != other.item or other.name == other.team)
            if is_inside and (item.type == other.type or not item.is_typed):
                continue
            shared.setdefault(item.space, []).append(both)
            conflicts.append(_contested(item, other, both))
        kept.append(item)
        near.append(item)
    contested = {space: IPSet.of(ranges) for space, ranges in shared.items()}
    return [it for it in kept if not contested.get(it.space, IPSet()).overlapping(it.item)]


def _contested(item: ImportedRange, other: ImportedRange, both: IPRange) -> Finding:
    message = f"{format_short(both)} has two holders: {item.title} has it as {item.type}, {other.title} of {full_place(other.place)} as {other.type}"
    hint = "find out which of the two uses the range, and omit the other"
    if other.team and other.team == item.team and item.is_typed and not other.is_typed:
        hint = f"state the type of {format_short(other.item)} in the source, or omit one"
    if item.is_cluster and other.is_cluster:
        hint = f"{hint}; {BOTH_RIGHT}"
    return conflict(item.place, message, hint)


def _merged(group: list[ImportedRange], taken: Lookup[Taken]) -> Iterator[ImportedRange]:
    parts = Lookup((it.item, it) for it in group)
    every = IPSet.of(it.item for it in group)
    own = IPSet.of(it.item for row in group for it in near(taken, row) if it.owner == row.owner)
    for item in (*(every & own), *(every - own)):
        inside = [it for _, it in parts.overlapping(item)]
        first = min(inside, key=lambda it: (it.place, it.item))
        users = tuple(dict.fromkeys(user for it in inside for user in it.users))
        is_cluster = any(it.is_cluster for it in inside)
        yield first._replace(item=item, users=users, is_cluster=is_cluster)


MAX_BYTES = 200 * 1024
"""Maximum size of a file. The read limit of a repository is a quarter higher."""

_FULL = "The addresses in use fill this pool. Widen it, reserve the addresses of other users, and remove the {}."
_HEAD = "# Written by ipam import. You can edit this file. ipam import never overwrites it.\n"


class ImportDocument(NamedTuple):
    """A document to write: its source folder, its path there without suffix, and comment lines."""

    folder: str
    path: str
    body: Mapping[str, object]
    comments: tuple[str, ...] = ()


def files_of(
    documents: Iterable[ImportDocument], sources: Sequence[str], taken: Collection[str] = ()
) -> dict[str, bytes]:
    """Return files by path, none at a `taken` one. Documents of a path share files up to a size."""
    found: dict[str, str] = {}
    parts: dict[str, int] = {}
    for item in documents:
        stem = f"{item.folder if item.folder in sources else sources[0]}/{item.path}"
        comments = "".join(f"# {text(line)}\n" for line in item.comments)
        document = f"{comments}{dump(item.body)}"
        part = parts.get(stem, 1)
        while (path := f"{stem}{f'.{part}' if part > 1 else ''}.yaml") in taken or (
            path in found and len((found[path] + document).encode()) > MAX_BYTES
        ):
            part += 1
        parts[stem], before = part, found.get(path, "")
        found[path] = f"{before}---\n{document}" if before else f"{_HEAD}{document}"
    return {path: content.encode() for path, content in found.items()}


class RangeChange(NamedTuple):
    """A range in the source (or None) and in the plan (None if refused), and its users."""

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
        return self.old is not None and self.old == self.new

    @property
    def is_new(self) -> bool:
        """Return whether an owner without addresses gets some."""
        return self.old is None and self.new is not None


def outcome(
    before: Evaluation,
    after: Evaluation,
    paths: Collection[str],
    holdings: Iterable[ImportedRange],
    field: str,
) -> tuple[tuple[RangeChange, ...], tuple[Finding, ...]]:
    """Return the changes of ranges by files that were added at `paths`, and conflicts.

    `field` has the addresses of pools.
    """
    by_range = {(it.space, it.item): it for it in holdings}
    lines: list[RangeChange] = []
    known = set(before.findings)
    conflicts = [
        conflict(it.location, f"{it.code}: {it.message}", it.hint)
        for it in after.findings
        if it.severity is Severity.ERROR and it not in known
    ]
    kept = {item.claim: item for item in before.plan.decisions if isinstance(item, Keep)}
    moved: list[Finding] = []
    for decision in after.plan.decisions:
        if (old := kept.get(decision.claim)) is not None and not isinstance(decision, Keep):
            message = f"{decision.claim.short} would not keep its addresses"
            hint = "omit the addresses of this claim"
            moved.append(conflict(Location(old.allocation.path), message, hint))
        claim = after.state.claims.get(decision.claim)
        if claim is None or claim.source.path not in paths:
            continue
        pool = _pool_of(claim, decision, after.state.pools)
        holding = by_range.get((pool.space, claim.pin)) if pool and claim.pin else None
        place = holding.place if holding is not None else claim.source
        users = holding.users if holding is not None else ()
        new = None if isinstance(decision, Refuse) else decision.allocation.range
        name = pool.key.name if pool is not None else ", ".join(claim.wanted)
        lines.append(RangeChange(claim.owner.short, claim.type, name, claim.pin, new, place, users))
        if isinstance(decision, Refuse):
            what = format_short(claim.pin) if claim.pin else f"a range of size {claim.size}"
            message = f"{claim.owner.short}: {what} cannot be allocated: {decision.message}"
            is_outside = decision.reason == "pin-outside-pool"
            hint = _widening(pool, holdings, field) if pool and is_outside else ""
            conflicts.append(
                conflict(place, f"{message} ({decision.reason})", hint or decision.hint)
            )
    lines.sort(key=lambda it: (it.pool, it.old is None, it.old or (), it.owner))
    return tuple(lines), (*conflicts, *moved)


def _pool_of(claim: Claim, decision: Decision, pools: Mapping[Key, Pool]) -> Pool | None:
    """Return the pool that gives the range of a claim, or that has some of the addresses it pins."""
    keys = claim.candidates if isinstance(decision, Refuse) else (decision.allocation.pool,)
    there = [pools[key] for key in keys if key in pools]
    around = (it for it in there if claim.pin and it.extent.overlapping(claim.pin))
    return next(around, there[0] if there else None)


def _widening(pool: Pool, holdings: Iterable[ImportedRange], field: str) -> str:
    inside = (it.item for it in holdings if (it.space, it.pool) == (pool.space, pool.key.name))
    ranges = IPSet.of((*pool.windows, *inside)).ranges
    listed = ", ".join(map(format_range, ranges))
    hint = f"set {field} of pool {pool.key.name} to {listed}"
    return hint if len(ranges) <= MAX_WINDOWS else ""


class Imported(Struct, frozen=True):
    """The result of an import; `unnamed` are owners of requests that no document describes."""

    files: Mapping[str, bytes]
    lines: tuple[RangeChange, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]
    after: Evaluation
    writer: importing.Writing
    unnamed: tuple[str, ...] = ()


def assemble(tree: Tree, found: ImportedSource, provider: str | None = None) -> Imported:
    """Return the documents for new addresses, and with a `provider` or "" a cluster per owner."""
    before = evaluate(tree)
    work = _Assembling(tree, before, found, provider)
    after = evaluate(_with_files(tree, files)) if (files := work.files()) else before
    gates = {it.location for it in after.gates if it.code == CAPACITY}
    if full := {key for key, pool in after.state.pools.items() if pool.source in gates}:
        files = work.files(full)
        after = evaluate(_with_files(tree, files)) if files else before
    lines, errors = outcome(before, after, files.keys(), work.holdings, work.writer.ranges)
    places, every = dict(found.places), (*found.conflicts, *work.conflicts, *errors)
    conflicts = dict.fromkeys(_in_file(it, places) for it in every)
    known = {*before.findings, *before.gates}
    more = {CAPACITY: f", or set {work.writer.limit}: never"}
    warned = [
        f"{it.location}: {it.severity} {it.code}: {it.message}; {it.hint}{more.get(it.code, '')}"
        for it in (*after.findings, *after.gates)
        if it.code in ("load-balancer-new", *more) and it not in known
    ]
    unserved = work.writer.unserved(after.documents, [*work.holdings, *work.known])
    notes = dict.fromkeys([*warned, *work.notes, *unserved])
    is_tenant = provider is None and work.writer.entries is None
    owners = sorted({item.owner for item in work.holdings if is_tenant})
    alone = (it for it in owners if after.documents.find(work.writer.kind, *it) is None)
    unnamed = tuple(map("/".join, alone))
    return Imported(files, lines, tuple(conflicts), tuple(notes), after, work.writer, unnamed)


def _in_file(it: Finding, places: Mapping[str, Callable[[], Location]]) -> Finding:
    """Return a conflict at the place of its object in a file, if it is known."""
    find = places.get(it.location.path)
    return conflict(find(), f"{it.location.path}: {it.message}", it.hint) if find else it


def _with_files(tree: Tree, files: Mapping[str, bytes]) -> Tree:
    read = source_reader(tree.settings)
    added = [read(path, data) for path, data in files.items()]
    sources = sorted((*tree.sources, *added), key=lambda it: it.path)
    return replace(tree, sources=tuple(sources))


def _of_versions(found: ImportedSource, versions: Collection[int]) -> ImportedSource:
    """Return the ranges of IP versions; a note lists each other one."""
    notes: list[str] = []

    def kept(it: Any) -> Iterable[Any]:
        item = it.extent if isinstance(it, ImportedNetwork) else it.item
        if item.version in versions:
            return (it,)
        of = f" of {it.title}" if isinstance(it, ImportedRange) else ""
        text = format_cidr(item) if item.size > 1 else format_short(item)
        what = f"IPv{item.version} is not imported: {text or format_short(item)}{of}"
        notes.append(f"{full_place(it.place)}: {what}")
        return ()

    parts = found.mapped(kept)
    return replace(parts, notes=(*found.notes, *dict.fromkeys(notes)))


class _Assembling:
    def __init__(
        self, tree: Tree, before: Evaluation, found: ImportedSource, provider: str | None
    ) -> None:
        self.provider = provider
        self.tree = tree
        self.before = before
        self.writer = sources.writing(tree)
        self.found = found = _of_versions(found, self.writer.versions)
        self.named = {owner: (pool, place) for owner, pool, place in found.named}
        self.conflicts: list[Finding] = []
        self.notes: list[str] = [*found.notes]
        self.holdings: Sequence[ImportedRange] = ()
        self.known: Sequence[ImportedRange] = ()
        self.networks: Sequence[ImportedNetwork] = ()
        copies = list(self._copies())
        self.written = [_copied(item) for item in copies]
        there = evaluate(_with_files(tree, self.files())) if copies else before
        self.networks = self._place(there)
        names = {(it.namespace, it.name) for it in copies}
        if self.writer.entries is not None:
            self.written += self._with_entries(there.documents, self.writer.entries)
        else:
            self.written += self._clusters(there.documents, names)
        self.written += self._requests(there.documents)

    def files(self, full: Collection[Key] = ()) -> dict[str, bytes]:
        """Return the files; some pools are full of addresses that are in use."""
        key = self.writer.pool_key
        networks = (it._replace(is_full=key(it.name) in full) for it in self.networks)
        taken = {it.path for it in self.tree.sources}
        written = (*map(self._network, networks), *self.written)
        return files_of(written, self.tree.settings.sources, taken)

    def _copies(self) -> Iterator[ImportedObject]:
        first: dict[tuple[GroupKind, str, str], ImportedObject] = {}
        for item in self.found.copies:
            if _find(self.before.documents, item.body) is not None:
                self.notes.append(f"{item.place}: already in the repository")
                continue
            other = first.setdefault((_kind(item.body), item.namespace, item.name), item)
            if other is item:
                pool, _ = self.named.get((item.namespace, item.name), ("", None))
                is_named = pool and self.writer.kind == _kind(item.body)
                more = {self.writer.annotation: pool}
                yield item._replace(body=annotated(item.body, more)) if is_named else item
            elif other.body != item.body:
                message = f"the object differs from the one in {other.place}"
                hint = "pass only one management cluster"
                self.conflicts.append(conflict(item.place, message, hint))

    def _place(self, there: Evaluation) -> Sequence[ImportedNetwork]:
        taken, holdings = taken_in(there), self.found.holdings
        if self.writer.entries is not None:
            holdings = tuple(_as_clusters(it, taken) for it in holdings)
        every = join_sources(holdings, taken)
        if self.writer.entries is not None:
            every = replace(every, holdings=tuple(_one_each(every.holdings)))
        found = replace(self.found, holdings=every.holdings)
        key = self.writer.pool_key
        existing = {it: pool for it, pool in there.state.pools.items() if it == key(it.name)}
        placed = Placed(found, existing, taken, is_exact=self.writer.entries is not None)
        self.known = placed.known if self.provider is not None else ()
        self.holdings = placed.holdings
        self.conflicts += [*every.conflicts, *pools.with_retries(placed.conflicts, self.before)]
        rows = {it.name for it in self.holdings if not it.is_cluster and it.type != sources.NODES}
        text = f"{join_limited(sorted(rows))}: no {self.writer.kind.kind} has these load-balancer addresses, so they become claims; if a cluster has them, import it first"
        first = [text] if rows and self.writer.entries is not None else []
        self.notes = [*placed.uses, *first, *self.notes, *placed.notes]
        return placed.networks

    def _network(self, network: ImportedNetwork) -> ImportDocument:
        limit = self.writer.limit.rpartition("/")[2]
        is_exact = network.is_found and self.writer.entries is not None
        comments = [f"from {_short(network.place)}"]
        if network.is_full or is_exact:
            own = IPSet.of(network.windows if is_exact else (network.extent,))
            others = [(", ".join(written(used - own)), by) for by, used in network.users]
            comments += [
                _FULL.format(limit),
                *(f"Reserve {its} ({by})" for its, by in others if its),
            ]
        return ImportDocument("pools", network.name, self.writer.pool(network), tuple(comments))

    def _with_entries(self, documents: Documents, write: EntryWriting) -> Iterator[ImportDocument]:
        for cluster in self.found.clusters:
            document = documents.find(self.writer.kind, "", cluster.name)
            held = [it for it in self.holdings if it.is_cluster and it.name == cluster.name]
            placed, pools = IPSet.of(it.item for it in held), list[tuple[ImportedPool, list[str]]]()
            for it in cluster.pools:
                ranges = IPSet.of(it.pool.ranges)
                new = ranges & placed
                if new and document is not None:
                    message = f"pool {it.pool.name} has {describe(new)}, which {document.title} ({document.start}) does not list"
                    hint = f"add the range to an entry of spec.loadBalancers: addresses: [{', '.join(written(new))}]"
                    self.conflicts.append(conflict(cluster.place, message, hint))
                elif new and new == ranges:  # else, the conflict was reported
                    names = [part.pool for part in held if ranges.overlapping(part.item)]
                    pools.append((it, list(dict.fromkeys(names))))
            if pools:
                comments = (f"from {cluster.place}",)
                yield ImportDocument("clusters", cluster.name, write(cluster, pools), comments)

    def _clusters(
        self, documents: Documents, copied: Collection[tuple[str, str]]
    ) -> Iterator[ImportDocument]:
        firsts: dict[tuple[str, str], ImportedRange] = {}
        pools: dict[tuple[str, str], list[str]] = {}
        # The first range of an earlier import is the owner's own.
        for item in (*sorted(self.known), *self.holdings):
            if self._becomes_cluster(item):
                firsts.setdefault(item.owner, item)
                pools.setdefault(item.owner, []).append(item.pool)
        new = [it for it in firsts if documents.find(self.writer.kind, *it) is None]
        served = dict.fromkeys(pool for owner in new for pool in pools[owner])
        provider = (yield from self._provider(documents, served)) if new else ""
        for owner, item in firsts.items():
            pool, place = self.named.get(owner, ("", item.place))
            if owner in new:
                body = self.writer.cluster(item, provider, pool)
                comments = (f"from {_short(item.place)}",)
                yield ImportDocument("tenants", "/".join(owner), body, comments)
            elif pool and owner not in copied:
                there, annotation = documents.find(self.writer.kind, *owner), self.writer.annotation
                if there is not None and there.annotations().get(annotation) != pool:
                    message = (
                        f"its pool is {pool}, which {there.title} ({there.start}) does not name"
                    )
                    hint = f"add the annotation {annotation}: {pool} to {there.title}"
                    self.conflicts.append(conflict(place, message, hint))

    def _becomes_cluster(self, item: ImportedRange) -> bool:
        if item.is_cluster or self.provider is None or item.place.path.startswith("cluster "):
            return item.is_cluster and item.type == sources.LOAD_BALANCER
        return sources.slug(item.said.rpartition("/")[2]) == item.name  # the source names the owner

    def _provider(
        self, documents: Documents, served: Collection[str]
    ) -> Generator[ImportDocument, None, str]:
        """Return the provider of new clusters, and yield it if it is not there yet."""
        name = self.provider or self.writer.provider_of(documents, served)
        names = [name] if name else _numbered("imported")
        bodies = (self.writer.provider(it, served) for it in names)
        body = next(it for it in bodies if name or _find(documents, it) is None)
        others = documents.every(_kind(body), body["metadata"]["namespace"])
        if name and name not in others and others:
            message = f"{_kind(body).kind} {name} does not exist in this repository"
            hint = meant(name, others) or f"use one of: {join_limited(others, ' or ')}"
            self.conflicts.append(conflict(Location(f"--provider {name}"), message, hint))
        elif name not in others:
            name = body["metadata"]["name"]
            comments = ("This provider names the pools of the imported clusters.",)
            yield ImportDocument("providers", name, body, comments)
        return name

    def _requests(self, documents: Documents) -> Iterator[ImportDocument]:
        """Yield a request for each range; an owner's first range replaces its own claim."""
        names: set[str] = set()
        for item in self.holdings:
            if self.writer.entries is not None and item.is_cluster:
                continue
            base = self.writer.request_name(item.owner, item.type)
            free = (it for it in _numbered(base) if it not in names)
            name = next(it for it in free if _find(documents, self.writer.pin(item, it)) is None)
            names.add(name)
            comments = [f"from {_short(item.place)}: {item.said}"]
            if item.users:
                comments.append(f"used by Service {join_limited(item.users)}")
            path, body = "/".join(item.owner), self.writer.pin(item, name)
            is_other = self.provider is not None and not self._becomes_cluster(item)
            if is_other and documents.find(self.writer.kind, *item.owner) is None:
                body = annotated(body, dict([self.writer.external]))
            yield ImportDocument(self.writer.folder, path, body, tuple(comments))


def _as_clusters(item: ImportedRange, taken: Lookup[Taken]) -> ImportedRange:
    """Return a row of a cluster's load balancer as the cluster's own if its entries have the range."""
    own = IPSet.of(it.item for it in near(taken, item) if it.owner == ("", item.name))
    if item.type != sources.LOAD_BALANCER or not own.covers(item.item):
        return item
    return item._replace(namespace="", is_cluster=True)


def _one_each(holdings: Iterable[ImportedRange]) -> Iterator[ImportedRange]:
    """Yield ranges of one owner each: all but the first of an owner are named by their address."""
    seen: set[tuple[str, str]] = set()
    for item in holdings:
        is_further = not item.is_cluster and item.owner in seen
        seen.add(item.owner)
        name = sources.by_address(item.name, item.item) if is_further else item.name
        yield item._replace(name=name, is_typed=False)


def _numbered(base: str) -> Iterator[str]:
    """Yield a name, and then the name with numbers from 2."""
    yield sources.fitted(base)
    for number in count(2):
        yield sources.fitted(f"{base}-{number}")


def _short(place: Location) -> str:
    path = place.path if place.path.startswith("cluster ") else place.path.rpartition("/")[2]
    return full_place(replace(place, path=path))


def _copied(item: ImportedObject) -> ImportDocument:
    is_tenants = item.folder in ("tenants", "clusters") and item.namespace
    path = f"{item.namespace}/{item.name}" if is_tenants else item.name
    return ImportDocument(item.folder, path, item.body, (f"from {item.place}",))


def _kind(body: Mapping[str, Any]) -> GroupKind:
    return GroupKind(body["apiVersion"].rpartition("/")[0], body["kind"])


def _find(documents: Documents, body: Mapping[str, Any]) -> Document | None:
    metadata = body["metadata"]
    return documents.find(_kind(body), metadata.get("namespace", ""), metadata["name"])
