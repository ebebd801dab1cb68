"""What was found beside a tree: the files that describe it, and the plan that they lead to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.document import Documents, GroupKind
from reconciler.evaluate import Evaluation, evaluate
from reconciler.families import families, home_of
from reconciler.families._importing import Cluster, Network, Pin, Writing
from reconciler.findings import Finding, Location, few
from reconciler.importing.files import Written, files_of
from reconciler.importing.found import LOAD_BALANCER, Copy, Found, Holding, conflict
from reconciler.importing.joining import joined
from reconciler.importing.naming import fitted
from reconciler.importing.outcome import Line, outcome
from reconciler.importing.pools import placed
from reconciler.importing.standing import homes, taken_in, without_known
from reconciler.sources import source_reader
from reconciler.tree import Tree

_PROVIDER = "imported"


class Imported(Struct, frozen=True):
    """What an import comes to.

    Attributes:
        files: By path.
        lines: Old beside new, for every range.
        conflicts: What a person has to decide.
        notes: What was passed over, and why.
        after: The evaluation of the tree with the files.
        unnamed: Owners of requests that no document describes, by name.
    """

    files: Mapping[str, bytes]
    lines: tuple[Line, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]
    after: Evaluation
    unnamed: tuple[str, ...] = ()


def writing() -> Writing:
    """How what lives is written: by the first family that says it can."""
    return next(it for family in families() if (it := family.objects.writing) is not None)


def assemble(tree: Tree, found: Found) -> Imported:
    """Describe what was found in a tree that does not describe it yet."""
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
    """The tree with more source files."""
    read = source_reader(tree.settings)
    added = [read(path, data) for path, data in files.items()]
    sources = sorted((*tree.sources, *added), key=lambda it: it.path)
    return replace(tree, sources=tuple(sources))


@dataclass
class _Assembling:
    """The documents while they are made."""

    tree: Tree
    before: Evaluation
    found: Found
    conflicts: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    holdings: tuple[Holding, ...] = ()

    def files(self) -> dict[str, bytes]:
        """All of them by path."""
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

    def _copies(self) -> Iterator[Copy]:
        """Objects that nobody describes yet, each once."""
        first: dict[tuple[str, str, str, str], Copy] = {}
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

    def _annotated(self, item: Copy) -> Copy:
        """A cluster's document that names its pool of MetalLB, where that has another name."""
        own = writing()
        empty = own.cluster(Cluster((item.namespace, item.name), "", "", 0))
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
        """Give each range its pool, once what is known is left out; the pools to write."""
        own = writing()
        every = joined(self.found.holdings)
        known = without_known(every.holdings, taken_in(there))
        key = own.pool_key("any")
        before = homes(there, key.family, key.kind, home_of(key.family, key.kind) or "")
        result = placed(self.found, known.holdings, before, own.version)
        self.holdings = result.holdings
        self.conflicts += [*every.conflicts, *known.conflicts, *result.conflicts]
        self.notes += [*known.notes, *result.notes]
        return result.networks

    @staticmethod
    def _network(network: Network, place: Location) -> Written:
        comments = [f"from {_short(place)}"]
        if network.is_full:
            comments.append(
                "It gives out what is in use already, and nothing else. Widen it, reserve what"
                " others use, and remove the gate."
            )
        return Written("pools", network.name, writing().pool(network), tuple(comments))

    def _clusters(
        self,
        there: Evaluation,
        networks: Sequence[tuple[Network, Location]],
        copies: Iterable[Copy],
    ) -> Iterator[tuple[str, Written]]:
        """Documents of clusters that nobody describes, and of what gives them addresses."""
        del networks
        own, named = writing(), {owner: (pool, place) for owner, pool, place in self.found.named}
        firsts: dict[tuple[str, str], Holding] = {}
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
            yield "", Written("providers", provider, own.provider(provider, served), comments)
        copied = {(it.namespace, it.name) for it in copies}
        for owner, item in firsts.items():
            pool, place = named.get(owner, ("", item.place))
            if owner in new:
                cluster = Cluster(owner, item.team, provider, item.item.size, pool)
                told = (f"from {_short(item.place)}",)
                path = "/".join(owner)
                yield path, Written("tenants", path, own.cluster(cluster), told)
            elif pool and owner not in copied:
                self._ask_for_name(there.documents, owner, pool, place)

    def _ask_for_name(
        self, documents: Documents, owner: tuple[str, str], pool: str, place: Location
    ) -> None:
        """A cluster that the repository describes does not say what its pool is called."""
        own = writing()
        document = self._find(documents, own.cluster(Cluster(owner, "", "", 0)))
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

    def _requests(self, documents: Documents) -> Iterator[Written]:
        """A request for each range; the first of an owner stands for what it claims of itself."""
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
            yield Written("tenants", "/".join(item.owner), own.pin(pin), _told(item))


def _told(item: Holding) -> tuple[str, ...]:
    comments = [f"from {_short(item.place)}: {item.said}"]
    if item.users:
        comments.append(f"used by Service {few(item.users)}")
    return tuple(comments)


def _short(place: Location) -> str:
    """A place without the folders of a file, which are those of one machine."""
    path = place.path if place.path.startswith("cluster ") else place.path.rpartition("/")[2]
    return f"{place._replace(path=path)}{place.pointer}"


def _copied(item: Copy) -> Written:
    is_tenants = item.folder in ("tenants", "clusters") and item.namespace
    path = f"{item.namespace}/{item.name}" if is_tenants else item.name
    return Written(item.folder, path, item.body, (f"from {item.place}",))


def _kind(body: Mapping[str, Any]) -> GroupKind:
    group, _, _ = body["apiVersion"].rpartition("/")
    return GroupKind(group, body["kind"])
