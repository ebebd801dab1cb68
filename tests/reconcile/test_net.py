"""The final safety check before a push: records that share an address, and exceptions."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from reconciler.gitio.interface import Changed, Commit, Parsed, Revision
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Phase
from reconciler.model.errors import ReconcilerError
from reconciler.model.key import Key
from reconciler.model.settings import Limits, Settings
from reconciler.planning.documents import Tree
from reconciler.reconcile.writing import require_no_clash
from reconciler.records.emit import record_text
from tests.fakes import FakeRepository
from tests.memory import MemorySource
from tests.records.examples import CLAIM, FOLDER, record
from tests.world import CLOCK, pool, raw

Files = dict[str, bytes]

TREE = Tree(None, CLOCK, Settings(), (), ())
LAB = "annotations: {gitops-ipam.dev/address-space: lab}"
POOLS: Files = {
    "pools/edge.yaml": pool("vlan40-pool", "10.40.0.0/16").encode(),
    "pools/more.yaml": pool("more", "10.40.0.0/16").encode(),
    "pools/lab.yaml": pool("lab", "10.40.0.0/16").replace("system}", f"system, {LAB}}}").encode(),
}


class Divided(FakeRepository):
    """Commits with ids of folders, as in Git, and the folders that were read."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[MemorySource] = []
        self.parsed = Parsed()

    def source(self, rev: str) -> MemorySource:  # type: ignore[override]  # as good a source
        _, clock, files = self.commits[rev]
        self.sources.append(MemorySource(files, clock))
        self.sources[-1].id, self.sources[-1].parsed = rev, self.parsed
        return self.sources[-1]

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        found, is_contained = super().changed(base, rev, paths, limits)
        old, new = (
            {it.path: it for it in self.source(id_).entries(sorted(self.commits[id_][2]))}
            for id_ in (base, rev)
        )
        return [Changed(it.path, old.get(it.path), new.get(it.path)) for it in found], is_contained


def key(name: str) -> Key:
    return Key("butler", "butler-system", name, "", "NetworkPool")


def of(
    name: str, start: str, end: str, pool_name: str = "vlan40-pool", **more: object
) -> Allocation:
    """Return a record of a tenant's claim."""
    return record(start, end, claim=replace(CLAIM, name=name), pool=key(pool_name), **more)


def at(*records: Allocation, **paths: Allocation) -> Files:
    found = {item.path: record_text(item).encode() for item in records}
    return found | {f"{FOLDER}/{path}.yaml": raw(record_text(it)) for path, it in paths.items()}


def look(before: Files, after: Files, repository: FakeRepository | None = None) -> str:
    """Return the message of the check for a commit between two trees, or empty."""
    repository = repository or Divided()
    base = Revision(repository.add("", CLOCK, before), CLOCK)
    changes = [
        FileChange(path, after.get(path))
        for path in sorted(before | after)
        if before.get(path) != after.get(path)
    ]
    commit = Commit(base, changes, "x\n", ("A", "a@example.com"))
    made = repository.commit(commit)
    try:
        require_no_clash(repository, commit, made, TREE)
    except ReconcilerError as failed:
        return f"{failed} ({failed.exit_code})"
    return ""


def both(before: Files, after: Files) -> str:
    """Return the same with and without ids of folders, and require the same result."""
    said = {look(before, after), look(before, after, FakeRepository())}
    assert len(said) == 1
    return said.pop()


ONE = of("one", "10.40.0.16", "10.40.0.23")
TAKEN = of("two", "10.40.0.20", "10.40.0.27")
FREE = of("two", "10.40.0.24", "10.40.0.27")
BASE = POOLS | at(ONE)


LAB_ONE = of("two", "10.40.0.16", "10.40.0.23", "lab")
DEEP = POOLS | at(**{"imported/deep/x": ONE})
LOOSE = POOLS | at(x=ONE)
YML = POOLS | {f"{FOLDER}/imported/one.loadbalancer.yml": at(ONE)[ONE.path]}
UNREADABLE = POOLS | {ONE.path: at(ONE)[ONE.path].replace(b"status:", b"status: [")}
OVERLAPPED = POOLS | at(ONE, **{"imported/deep/x": TAKEN})
SAME_SPACE = of("two", "10.40.0.23", "10.40.0.23", "more")
CLASHES: dict[str, tuple[Files, Files, str]] = {
    "another pool of the same space": (BASE, BASE | at(SAME_SPACE), SAME_SPACE.path),
    "a record in a deep folder": (DEEP, DEEP | at(TAKEN), f"{FOLDER}/imported/deep/x.yaml"),
    "a record in no folder": (LOOSE, LOOSE | at(TAKEN), f"{FOLDER}/x.yaml"),
    "a record named .yml": (YML, YML | at(TAKEN), "one.loadbalancer.yml"),
    "a record that cannot be read": (UNREADABLE, UNREADABLE | at(TAKEN), "10.40.0.16-10.40.0.23"),
    "a touch of what overlapped before": (
        OVERLAPPED,
        POOLS | at(ONE, TAKEN, of("three", "10.40.0.27", "10.40.0.27")),
        "three",
    ),
    "a range that the claim held in another space": (
        BASE | at(LAB_ONE),
        BASE | at(of("two", "10.40.0.16", "10.40.0.23", "more")),
        ONE.path,
    ),
}
LATER = replace(ONE, claim=TAKEN.claim)
HARMLESS: dict[str, tuple[Files, Files]] = {
    "a free range": (BASE, BASE | at(FREE)),
    "a free range beside a deep record": (DEEP, DEEP | at(FREE)),
    "a free range beside a record named .yml": (YML, YML | at(FREE)),
    "a record that gets its usual name": (YML, BASE),
    "a record that moves": (DEEP, BASE),
    "a record that is allocated again": (POOLS | at(replace(ONE, phase=Phase.RELEASED)), BASE),
    "a record that is there twice": (POOLS | at(ONE, **{"imported/x": ONE}), BASE),
    "a free range where others overlapped before": (
        OVERLAPPED,
        POOLS | at(ONE, TAKEN, of("three", "10.40.0.40", "10.40.0.40")),
    ),
    "a record that another claim replaces": (BASE, BASE | {ONE.path: at(LATER)[LATER.path]}),
    "a record that another one replaces": (BASE, POOLS | at(TAKEN)),
    "another known space": (BASE, BASE | at(LAB_ONE)),
}


def test_a_range_that_is_taken_is_not_given_out_and_both_records_are_named() -> None:
    said = both(BASE, BASE | at(TAKEN))
    for item, ends in ((ONE, "10.40.0.16-10.40.0.23"), (TAKEN, "10.40.0.20-10.40.0.27")):
        assert f"{item.claim} ({item.path}: {ends})" in said
    assert said.startswith("internal error: butler/TenantCluster/team-backend/two/loadbalancer")
    assert said.endswith("(70)")


@pytest.mark.parametrize(("before", "after", "named"), CLASHES.values(), ids=CLASHES)
def test_a_clash_is_stopped(before: Files, after: Files, named: str) -> None:
    assert named in both(before, after)


@pytest.mark.parametrize(("before", "after"), HARMLESS.values(), ids=HARMLESS)
def test_what_gives_no_address_twice_passes(before: Files, after: Files) -> None:
    assert both(before, after) == ""


@pytest.mark.parametrize(
    "more",
    [
        {"pools/lab.yaml": b""},
        {"pools/lab.yaml": POOLS["pools/lab.yaml"] + b"]"},
        {"pools/lab2.yaml": pool("lab").encode()},
        {"pools/lab2.yaml": b"kind: NetworkPool\nlab: ]"},
    ],
)
def test_a_space_that_is_not_certain_may_be_any(more: Files) -> None:
    assert "two/loadbalancer" in both(BASE | more, BASE | more | at(LAB_ONE))


@pytest.mark.parametrize(
    "after",
    [
        POOLS,
        BASE | at(replace(ONE, phase=Phase.RELEASED)),
        BASE | {f"{FOLDER}/_unplaced/a/b.yaml": b"status: {phase: Failed}"},
    ],
)
def test_a_commit_that_gives_nothing_out_is_not_looked_at(after: Files) -> None:
    repository = Divided()
    assert look(BASE, after, repository) == ""
    assert repository.sources == []


def test_a_process_reads_a_record_of_the_base_once() -> None:
    repository, more = Divided(), of("three", "10.40.0.40", "10.40.0.40")
    assert look(BASE, BASE | at(FREE), repository) == ""
    read = sum(source.reads for source in repository.sources)
    assert look(BASE | at(FREE), BASE | at(FREE, more), repository) == ""
    assert sum(source.reads for source in repository.sources) == read + 1
