"""Reading only what a plan needs: components that are known to be settled are left out.

A component whose files are byte for byte those of an earlier run, and that had nothing to do then,
has nothing to do now. Facts about it (how much it keeps, how full its pools are, its warnings)
come from the cache; everything else is read and evaluated as ever. Without a cache, or where the
tree is not plain enough to be divided, the whole tree is read. The plan is the same.

A large tree that nothing is known of is divided, too: each processor evaluates some components,
and only what they come to is passed on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from reconciler.commands.reading import is_yaml, read_own_settings, read_tree
from reconciler.commands.settling import (
    pool_folder,
    read_links,
    read_settled,
    shares,
    sum_of,
    write_links,
    write_settled,
)
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.evaluate import Evaluation, Settled, Tree, evaluate, source_kinds
from reconciler.families._family import Links
from reconciler.model.settings import Settings
from reconciler.partition import (
    Part,
    components,
    file_links,
    fingerprint,
    links_by_path,
    pool_links,
    within,
)
from reconciler.ports import Entry, Facts, Source
from reconciler.records.layout import FAMILY_OF_POOL, UNPLACED
from reconciler.records.recall import Recalled, recall

_FOLDER = "040000"
# allocations/<pool kind>/<pool>/<namespace>/<record>: any other depth is somebody's own work.
_DEPTH = 4
# Below so many records, processes of their own cost more than they save.
_SPREAD_FROM = 5_000

Groups = Mapping[str, Sequence[Part]]


class _WholeError(Exception):
    """The tree cannot be divided: read it as a whole."""


class _Outcome(NamedTuple):
    """What a process found: settled components by mark, and links of folders, as texts.

    `is_plain` is False when a record says something else than its path.
    """

    settled: dict[str, str]
    links: dict[str, str]
    is_plain: bool


def evaluate_scoped(
    source: Source,
    facts: Facts | None,
    settings: Settings | None = None,
    allow_release: int | None = None,
    retained: Mapping[str, str] = MappingProxyType({}),
) -> Evaluation:
    """Evaluate a revision, reading as little of it as the cache allows.

    Args:
        source: Its files.
        facts: The cache, or None.
        settings: Settings of another revision to use instead of its own.
        allow_release: How many releases a person expects.
        retained: Released records that stay although their retention has ended, and why.
    """
    if facts is not None:
        try:
            scope = _Scope(source, facts, settings)
            tree = replace(scope.tree(), retained=retained)
            evaluation = evaluate(tree, allow_release)
        except _WholeError:
            pass
        else:
            scope.remember(evaluation)
            return evaluation
    return evaluate(replace(read_tree(source, settings), retained=retained), allow_release)


@dataclass(slots=True)
class _Scope:
    """One reading: the parts of a tree, and which of them are not known to be settled."""

    source: Source
    facts: Facts
    other_settings: Settings | None
    settings: Settings = field(default_factory=Settings)
    kinds: Kinds = field(default_factory=source_kinds)
    parts: list[Part] = field(default_factory=list)
    loaded: dict[str, Loaded] = field(default_factory=dict)
    listed: dict[str, list[Entry]] = field(default_factory=dict)
    recalled: dict[str, list[Recalled]] = field(default_factory=dict)
    unsettled: dict[str, Sequence[Part]] = field(default_factory=dict)

    def tree(self) -> Tree:
        """The tree of what is not settled, with the sum of what is."""
        own, findings = read_own_settings(self.source)
        self.settings = self.other_settings or own
        entries = self.source.entries(self.settings.sources)
        folders = self._pool_folders()
        if findings or self.source.findings():
            raise _WholeError
        self._link_files([entry for entry in entries if is_yaml(entry.path)])
        assumed = self._link_pools(folders)
        common = self._common()
        parts = [part for part in self.parts if not part.links.is_shared]
        grouped = {fingerprint(group, common): group for group in components(parts)}
        known = self.facts.recall("settled", list(grouped))
        if assumed:
            unknown = {mark: group for mark, group in grouped.items() if mark not in known}
            known |= self._settle(unknown)
        self.unsettled = {mark: group for mark, group in grouped.items() if mark not in known}
        return self._tree_of(self.unsettled, sum_of(map(read_settled, known.values())))

    def remember(self, evaluation: Evaluation) -> None:
        """Note each component that turned out to have nothing to do."""
        found = shares(evaluation, self.unsettled)
        self.facts.note("settled", _texts(found))

    def _tree_of(self, groups: Groups, settled: Settled) -> Tree:
        """The tree of some components."""
        wanted = [part for group in groups.values() for part in group]
        self._load([Entry(part.path, "", part.oid) for part in wanted if not part.is_pool])
        self._recall([part.path for part in wanted if part.is_pool])
        files = [part.path for part in wanted if not part.is_pool]
        files += [part.path for part in self._shared()]
        # In the order of the records' own paths, as a tree has them.
        folders = sorted(f"{part.path}/" for part in wanted if part.is_pool)
        revision = self.source.revision()
        return Tree(
            revision=revision.id if revision else None,
            clock=self.source.clock(),
            clock_ahead=self.source.clock_ahead(),
            settings=self.settings,
            sources=tuple(self.loaded[path] for path in sorted(files)),
            records=tuple(item for path in folders for item in self.recalled[path[:-1]]),
            settled=settled,
        )

    def _pool_folders(self) -> list[Entry]:
        """The folders of the pools' records; nothing else may stand in the records folder."""
        kinds = [f"{self.settings.records}/{kind}" for kind in sorted(FAMILY_OF_POOL)]
        listed = self.source.folders([self.settings.records, *kinds])
        if listed is None:
            raise _WholeError
        for entry in listed:
            if entry.mode != _FOLDER or entry.path.endswith(f"/{UNPLACED}"):
                raise _WholeError
        return [entry for entry in listed if entry.path.rpartition("/")[0] in kinds]

    def _link_files(self, files: Sequence[Entry]) -> None:
        known = self.facts.recall("links", [entry.oid for entry in files])
        self._load([entry for entry in files if entry.oid not in known])
        rows = {}
        for entry in files:
            if entry.oid in known:
                found: Links | None = read_links(known[entry.oid])
            else:
                found = file_links(self.loaded[entry.path])
                if found is not None:
                    rows[entry.oid] = write_links(found)
            if found is None:
                raise _WholeError
            self.parts.append(Part(entry.path, entry.oid, found, is_pool=False))
        self.facts.note("links", rows)

    def _link_pools(self, folders: Sequence[Entry]) -> bool:
        """Link the folders of records; True when links are taken from paths, to be verified."""
        known = self.facts.recall("pools", [entry.oid for entry in folders])
        unknown = [entry for entry in folders if entry.oid not in known]
        self._list([entry.path for entry in unknown])
        by_path = sum(len(self.listed[entry.path]) for entry in unknown) >= _SPREAD_FROM
        if not by_path:
            self._recall([entry.path for entry in unknown])
        rows = {}
        for entry in folders:
            if entry.oid in known:
                links = read_links(known[entry.oid])
            elif by_path:
                links = links_by_path(
                    self.settings.records, [item.path for item in self.listed[entry.path]]
                )
            else:
                links = pool_links(self.recalled[entry.path])
                rows[entry.oid] = write_links(links)
            self.parts.append(Part(entry.path, entry.oid, links, is_pool=True))
        self.facts.note("pools", rows)
        return by_path

    def _settle(self, groups: Groups) -> dict[str, str]:
        """Evaluate components on all processors; those that are settled, as texts by mark."""
        outcomes = self.source.spread(list(groups), self._evaluated(groups))
        if not all(outcome.is_plain for outcome in outcomes):
            raise _WholeError
        for outcome in outcomes:
            self.facts.note("pools", outcome.links)
            self.facts.note("settled", outcome.settled)
        return {mark: text for outcome in outcomes for mark, text in outcome.settled.items()}

    def _evaluated(self, groups: Groups) -> Callable[[Sequence[str]], _Outcome]:
        def work(marks: Sequence[str]) -> _Outcome:
            mine = {mark: groups[mark] for mark in marks}
            found = shares(evaluate(self._tree_of(mine, Settled())), mine)
            links: dict[str, str] = {}
            is_plain = True
            for group in mine.values():
                for part in group:
                    if part.is_pool:
                        actual = pool_links(self.recalled[part.path])
                        is_plain = is_plain and within(actual, group)
                        links[part.oid] = write_links(actual)
            return _Outcome(_texts(found), links, is_plain)

        return work

    def _shared(self) -> list[Part]:
        """Files that bear on everything, such as teams."""
        return [part for part in self.parts if part.links.is_shared]

    def _common(self) -> str:
        shared = self._shared()
        self._load([Entry(part.path, "", part.oid) for part in shared])
        text = "\n".join(f"{part.oid} {part.path}" for part in shared)
        return sha256(f"{self.settings!r}\n{text}".encode()).hexdigest()

    def _load(self, entries: Sequence[Entry]) -> None:
        missing = [entry for entry in entries if entry.path not in self.loaded]
        for item in self.source.each(missing, partial(load, kinds=self.kinds)):
            self.loaded[item.path] = item

    def _list(self, folders: Sequence[str]) -> None:
        """List the records of some folders."""
        missing = [folder for folder in folders if folder not in self.listed]
        if not missing:
            return
        # Git's argument list has an end; beyond some folders one listing of all is as good.
        few = len(missing) < 200
        listed = self.source.entries(missing if few else [self.settings.records])
        self.listed |= {folder: [] for folder in missing}
        depth = _DEPTH + self.settings.records.count("/")
        for entry in listed:
            if not entry.path.endswith(".yaml"):
                continue
            if entry.path.count("/") != depth:
                raise _WholeError
            if (folder := pool_folder(entry.path)) in self.listed:
                self.listed[folder].append(entry)
        if self.source.findings():
            raise _WholeError

    def _recall(self, folders: Sequence[str]) -> None:
        missing = [folder for folder in folders if folder not in self.recalled]
        self._list(missing)
        entries = [entry for folder in missing for entry in self.listed[folder]]
        self.recalled |= {folder: [] for folder in missing}
        found = self.source.each(entries, partial(recall, self.settings.records))
        for entry, item in zip(entries, found, strict=True):
            self.recalled[pool_folder(entry.path)].append(item)


def _texts(found: Mapping[str, Settled | None]) -> dict[str, str]:
    return {mark: write_settled(share) for mark, share in found.items() if share is not None}
