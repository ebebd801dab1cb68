"""The past as it is read: each commit once, the same with a cache and without."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import pytest

from reconciler.documents.text import Unread
from reconciler.gitio.interface import CommitRow, Entry, Revision, Touch
from reconciler.history.commits import Caused, History
from reconciler.model.settings import Settings
from tests.memory import MemorySource
from tests.world import CLOCK, SMALL, reconciled, tenant

Files = dict[str, str | bytes]


@dataclass
class MemoryAnnals:
    """A line in memory; it counts what is asked of it."""

    commits: list[CommitRow] = field(default_factory=list)
    told: int = 0
    cut: bool = False

    def line(self, start: str, paths: Sequence[str]) -> Iterator[CommitRow]:
        if list(paths) == ["overrides"]:
            return
        assert list(paths) == ["allocations", *Settings().folders]
        at = next(at for at, row in enumerate(self.commits) if row.id == start)
        for row in self.commits[at:]:
            self.told += 1
            yield row

    def before(self, start: str, seconds: int) -> Revision | None:
        raise NotImplementedError

    def is_cut(self) -> bool:
        return self.cut


class Blobs(MemorySource):
    """Files by id alone."""

    def __init__(self) -> None:
        super().__init__({})
        self.blobs: dict[str, bytes] = {}

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        self.reads += len(entries)
        return [self.blobs[entry.oid] for entry in entries]


class World:
    """A branch that people change, and reconcile after each of them."""

    def __init__(self) -> None:
        self.annals, self.source, self.files = MemoryAnnals(), Blobs(), dict[str, str | bytes]()
        self.clock = CLOCK
        self.change(dict(SMALL))

    def change(self, files: Files) -> None:
        self.commit(files, is_plan=False)
        self.commit(reconciled(reconciled(files, self.clock), self.clock), is_plan=True)

    def commit(self, files: Files, *, is_plan: bool) -> None:
        touched = []
        for path in sorted({*self.files, *files}):
            old, new = (self.oid(it.get(path)) for it in (self.files, files))
            if old != new:
                touched.append(Touch(path, old, new))
        number = len(self.annals.commits)
        self.clock += 60
        if touched:
            row = CommitRow(
                f"{number:040d}", self.clock, "A", "s", "", is_plan, False, tuple(touched)
            )
            self.annals.commits.insert(0, row)
        self.files = files

    def oid(self, data: str | bytes | None) -> str:
        if data is None:
            return ""
        raw = data if isinstance(data, bytes) else data.encode()
        name = sha256(raw).hexdigest()
        self.source.blobs[name] = raw
        return name

    def history(self, back: int = 0) -> History:
        start = self.annals.commits[back].id
        return History(self.annals, self.source, Settings(), start)

    def told(self, most: int = 1 << 30) -> list[Caused]:
        history = self.history()
        return [item for item, _ in zip(history.told(), range(most), strict=False)]


@pytest.fixture
def world() -> World:
    made = World()
    made.change({**made.files, "tenants/two.yaml": tenant("two")})
    made.change({path: it for path, it in made.files.items() if path != "tenants/two.yaml"})
    return made


def test_what_happened_is_told_newest_first_with_its_cause(world: World) -> None:
    told = [(it.what.value, it.fact.owner, c and (c.path, c.line)) for it, c in world.told()]
    assert told == [
        ("released", "team-a/two", ("tenants/two.yaml", 3)),
        ("allocated", "team-a/two", ("tenants/two.yaml", 3)),
        ("allocated", "team-a/one", ("tenants/one.yaml", 3)),
    ]


def test_a_past_that_was_read_in_part_goes_on_where_it_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.history.commits._FIRST", 1)
    monkeypatch.setattr("reconciler.history.commits._MAX_ANNALS", 1)
    whole = world.told()
    for most in (0, 1, 2, 3):
        assert world.told(most) == whole[:most]


def test_an_earlier_revision_has_its_own_past(world: World) -> None:
    history = world.history(back=2)
    assert [it.what.value for it, _ in history.told()] == ["allocated", "allocated"]
    assert history.oldest_before(0) == CLOCK + 60
    assert history.oldest_before(CLOCK + 150) == CLOCK + 120


def test_only_records_of_some_paths_are_read_where_no_others_are_asked_for(world: World) -> None:
    found = list(world.history().told(only=lambda path: path.endswith("one.loadbalancer.yaml")))
    assert [it.fact.owner for it, _ in found] == ["team-a/one"]


def test_what_is_too_large_to_be_read_says_nothing(world: World) -> None:
    for name in world.source.blobs:
        world.source.blobs[name] = Unread(1 << 30)
    assert world.told() == []
