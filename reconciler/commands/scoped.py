"""Reading only what a plan needs: components that are known to be settled are left out.

A component whose files are byte for byte those of an earlier run, and that had nothing to do then,
has nothing to do now. Facts about it (how much it keeps, how full its pools are, its warnings)
come from the cache; everything else is read and evaluated as ever. Without a cache, or where the
tree is not plain enough to be divided, the whole tree is read. The plan is the same.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256

from reconciler.addresses import IPRange
from reconciler.commands.reading import is_yaml, read_own_settings, read_tree
from reconciler.documents.load import Loaded, load
from reconciler.evaluate import Evaluation, Settled, Tree, evaluate, source_kinds
from reconciler.families._family import Links
from reconciler.findings import Finding, Location, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Usage
from reconciler.model.pool import Tier
from reconciler.model.settings import Settings
from reconciler.partition import Part, components, file_links, fingerprint, pool_links
from reconciler.ports import Entry, Facts, Source
from reconciler.records.layout import FAMILY_OF_POOL, UNPLACED
from reconciler.records.recall import Recalled, recall

_FOLDER = "040000"
# allocations/<pool kind>/<pool>/<namespace>/<record>: any other depth is somebody's own work.
_DEPTH = 4


class _WholeError(Exception):
    """The tree cannot be divided: read it as a whole."""


def evaluate_scoped(
    source: Source,
    facts: Facts | None,
    settings: Settings | None = None,
    allow_release: int | None = None,
) -> Evaluation:
    """Evaluate a revision, reading as little of it as the cache allows.

    Args:
        source: Its files.
        facts: The cache, or None.
        settings: Settings of another revision to use instead of its own.
        allow_release: How many releases a person expects.
    """
    if facts is not None:
        try:
            scope = _Scope(source, facts, settings)
            evaluation = evaluate(scope.tree(), allow_release)
        except _WholeError:
            pass
        else:
            scope.remember(evaluation)
            return evaluation
    return evaluate(read_tree(source, settings), allow_release)


@dataclass(slots=True)
class _Scope:
    """One reading: the parts of a tree, and which of them are not known to be settled."""

    source: Source
    facts: Facts
    other_settings: Settings | None
    parts: list[Part] = field(default_factory=list)
    loaded: dict[str, Loaded] = field(default_factory=dict)
    recalled: dict[str, list[Recalled]] = field(default_factory=dict)
    unsettled: dict[str, list[Part]] = field(default_factory=dict)

    def tree(self) -> Tree:
        """The tree of what is not settled, with the sum of what is."""
        own, findings = read_own_settings(self.source)
        settings = self.other_settings or own
        files = [entry for entry in self.source.entries(settings.sources) if is_yaml(entry.path)]
        pools = self._pool_folders(settings)
        self._link_files(files)
        self._link_pools(pools, settings)
        if findings or self.source.findings():
            raise _WholeError
        common = self._common(settings)
        grouped = {fingerprint(group, common): group for group in components(self._parts())}
        known = self.facts.recall("settled", list(grouped))
        self.unsettled = {mark: group for mark, group in grouped.items() if mark not in known}
        wanted = [part for group in self.unsettled.values() for part in group]
        self._load([Entry(part.path, "", part.oid) for part in wanted if not part.is_pool])
        self._recall([part.path for part in wanted if part.is_pool], settings)
        revision = self.source.revision()
        paths = {part.path for part in wanted} | {part.path for part in self._shared()}
        return Tree(
            revision=revision.id if revision else None,
            clock=self.source.clock(),
            settings=settings,
            sources=tuple(self.loaded[path] for path in sorted(self.loaded) if path in paths),
            records=tuple(
                item
                # The order of the records' own paths, in which a tree has them.
                for path in sorted(self.recalled, key=lambda folder: f"{folder}/")
                if path in paths
                for item in self.recalled[path]
            ),
            settled=_sum(known.values()),
        )

    def remember(self, evaluation: Evaluation) -> None:
        """Note each component that turned out to have nothing to do."""
        if not self.unsettled:
            return
        rows = {}
        for mark, share in _shares(evaluation, self.unsettled).items():
            if share is not None:
                rows[mark] = _write_settled(share)
        self.facts.note("settled", rows)

    def _pool_folders(self, settings: Settings) -> list[Entry]:
        """The folders of the pools' records; nothing else may stand in the records folder."""
        kinds = [f"{settings.records}/{kind}" for kind in sorted(FAMILY_OF_POOL)]
        listed = self.source.folders([settings.records, *kinds])
        if listed is None:
            raise _WholeError
        found = [entry for entry in listed if entry.path.rpartition("/")[0] in kinds]
        for entry in listed:
            if entry.mode != _FOLDER or entry.path.endswith(f"/{UNPLACED}"):
                raise _WholeError
        return found

    def _link_files(self, files: Sequence[Entry]) -> None:
        known = self.facts.recall("links", [entry.oid for entry in files])
        self._load([entry for entry in files if entry.oid not in known])
        rows = {}
        for entry in files:
            if entry.path in self.loaded:
                links = file_links(self.loaded[entry.path])
                if links is None:
                    raise _WholeError
                rows[entry.oid] = _write_links(links)
            else:
                links = _read_links(known[entry.oid])
            self.parts.append(Part(entry.path, entry.oid, links, is_pool=False))
        self.facts.note("links", rows)

    def _link_pools(self, folders: Sequence[Entry], settings: Settings) -> None:
        known = self.facts.recall("pools", [entry.oid for entry in folders])
        self._recall([entry.path for entry in folders if entry.oid not in known], settings)
        rows = {}
        for entry in folders:
            if entry.path in self.recalled:
                links = pool_links(self.recalled[entry.path])
                rows[entry.oid] = _write_links(links)
            else:
                links = _read_links(known[entry.oid])
            self.parts.append(Part(entry.path, entry.oid, links, is_pool=True))
        self.facts.note("pools", rows)

    def _parts(self) -> list[Part]:
        return [part for part in self.parts if not part.links.is_shared]

    def _shared(self) -> list[Part]:
        """Files that bear on everything, such as teams."""
        return [part for part in self.parts if part.links.is_shared]

    def _common(self, settings: Settings) -> str:
        shared = self._shared()
        self._load([Entry(part.path, "", part.oid) for part in shared])
        text = "\n".join(f"{part.oid} {part.path}" for part in shared)
        return sha256(f"{settings!r}\n{text}".encode()).hexdigest()

    def _load(self, entries: Sequence[Entry]) -> None:
        missing = [entry for entry in entries if entry.path not in self.loaded]
        for item in self.source.each(missing, partial(load, kinds=source_kinds())):
            self.loaded[item.path] = item

    def _recall(self, folders: Iterable[str], settings: Settings) -> None:
        missing = [folder for folder in folders if folder not in self.recalled]
        if not missing:
            return
        # Git's argument list has an end; beyond some folders one listing of all is as good.
        listed = self.source.entries(missing if len(missing) < 200 else [settings.records])
        wanted = frozenset(missing)
        entries = [entry for entry in listed if entry.path.endswith(".yaml")]
        if any(entry.path.count("/") != _DEPTH + settings.records.count("/") for entry in entries):
            raise _WholeError
        entries = [entry for entry in entries if _pool_folder(entry.path) in wanted]
        for folder in missing:
            self.recalled[folder] = []
        found = self.source.each(entries, partial(recall, settings.records))
        for entry, item in zip(entries, found, strict=True):
            self.recalled[_pool_folder(entry.path)].append(item)


def _pool_folder(path: str) -> str:
    """`allocations/NetworkPool/butler-system.edge` of the path of a record."""
    return path.rsplit("/", 2)[0]


def _shares(
    evaluation: Evaluation, groups: Mapping[str, Sequence[Part]]
) -> dict[str, Settled | None]:
    """What each component adds to the evaluation; None for one that has something to do."""
    mark_of = {part.path: mark for mark, group in groups.items() for part in group}
    restless = {mark_of[path] for path in _restless(evaluation) if path in mark_of}
    shares = {mark: Settled(usage={}) for mark in groups}
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Keep):
            mark = mark_of[_pool_folder(decision.allocation.path)]
            share = shares[mark]
            live = share.live + decision.allocation.is_live
            shares[mark] = replace(share, kept=share.kept + 1, live=live)
    for key, pool in evaluation.state.pools.items():
        mark = mark_of[pool.source.path]
        usage = {**shares[mark].usage, key: evaluation.plan.before[key]}
        shares[mark] = replace(shares[mark], usage=usage)
    for found in evaluation.findings:
        path = found.location.path
        owner = mark_of.get(path) or mark_of.get(_pool_folder(path))
        if owner is not None and owner in shares:
            findings = (*shares[owner].findings, found)
            shares[owner] = replace(shares[owner], findings=findings)
    return {mark: None if mark in restless else share for mark, share in shares.items()}


def _restless(evaluation: Evaluation) -> Iterable[str]:
    """Paths of the parts that have something to do, now or when the clock moves on."""
    state = evaluation.state
    files = [change.path for change in evaluation.changes]
    files += [record.path for record in state.records if not record.is_live]
    files += [item.path for item in state.unreadable]
    for decision in evaluation.plan.decisions:
        if not isinstance(decision, Keep) and decision.claim in state.claims:
            yield state.claims[decision.claim].source.path
    for found in evaluation.findings:
        if found.severity is Severity.ERROR:
            yield found.location.path
            files.append(found.location.path)
    yield from map(_pool_folder, files)


def _sum(texts: Iterable[str]) -> Settled:
    kept = live = 0
    usage: dict[Key, Usage] = {}
    findings: list[Finding] = []
    for text in texts:
        share = json.loads(text)
        kept += share["kept"]
        live += share["live"]
        for key, values in share["usage"]:
            usage[Key(*key)] = Usage(**{**values, "tier": Tier(values["tier"])})
        for code, severity, message, location, hint in share["findings"]:
            findings.append(Finding(code, Severity(severity), message, Location(*location), hint))
    return Settled(kept, live, usage, tuple(findings))


def _write_settled(share: Settled) -> str:
    usage = [[key, asdict(item)] for key, item in share.usage.items()]
    findings = [
        [item.code, item.severity, item.message, item.location, item.hint]
        for item in share.findings
    ]
    value = {"kept": share.kept, "live": share.live, "usage": usage, "findings": findings}
    return json.dumps(value, separators=(",", ":"))


def _write_links(links: Links) -> str:
    """Lines: a node; after one tab a range, after two a default, after three the shared mark."""
    lines = list(links.nodes)
    lines += [
        f"\t{space}\t{item.version}\t{item.first}\t{item.last}" for space, item in links.ranges
    ]
    if links.default is not None:
        lines.append(f"\t\t{links.default[0]}\t{links.default[1]}")
    if links.is_shared:
        lines.append("\t\t\t")
    return "\n".join(lines)


def _read_links(text: str) -> Links:
    if "\t" not in text:
        return Links(tuple(text.split("\n")))
    nodes: list[str] = []
    ranges: list[tuple[str, IPRange]] = []
    default: tuple[str, str] | None = None
    for line in text.split("\n"):
        match line.split("\t"):
            case ["", "", preferred, beginning] if preferred:
                default = (preferred, beginning)
            case ["", space, version, first, last]:
                ranges.append((space, IPRange(int(version), int(first), int(last))))
            case [node] if node:
                nodes.append(node)
    return Links(tuple(nodes), tuple(ranges), default, text.endswith("\t\t\t"))
