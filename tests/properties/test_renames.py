"""Histories with renames: no address changes, and none is released that somebody still has."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.documents.findings import has_error
from reconciler.model.plan import Release
from tests.examples import scaled
from tests.moving import KEY, LEAVING, moved
from tests.planning.test_renaming import formerly
from tests.properties.trees import Files
from tests.world import CLOCK, evaluation_of, pool, provider, reconciled, request, tenant

HOUR = 3_600
NAMES = tuple("abcdefgh")


class Town:
    """Tenants with names that change; who they are does not.

    Attributes:
        names: By who they are.
        moved: The names at the last reconcile of who has another one since then.
        gone: Names of those who went since then, also the one that records know them by.
    """

    def __init__(self) -> None:
        self.files: Files = {}
        self.clock = CLOCK
        self.names: dict[int, str] = {}
        self.moved: dict[int, str] = {}
        self.gone: set[str] = set()
        self.pool = "edge"
        self.write_pool()
        self.count = 0

    def write_pool(self, before: str = "") -> None:
        text = pool(self.pool, "10.40.0.0/25")
        self.files["pools/pool.yaml"] = formerly(text, before) if before else text
        self.files["providers/default.yaml"] = provider(pools=f"[{{name: {self.pool}}}]")

    def free(self) -> list[str]:
        """Names that nobody has, nor had since the last reconcile."""
        told = "".join(str(text) for path, text in self.files.items() if "tenants/" in path)
        free = [it for it in NAMES if f"name: {it}," not in told and f"team-a/{it}}}" not in told]
        return [it for it in free if it not in self.gone]

    def add(self, draw: st.DataObject) -> None:
        if free := self.free():
            self.names[self.count] = name = draw.draw(st.sampled_from(free))
            self.files[f"tenants/{self.count}.yaml"] = tenant(name)
            self.count += 1

    def remove(self, draw: st.DataObject) -> None:
        if self.names:
            who = draw.draw(st.sampled_from(sorted(self.names)))
            self.gone |= {self.names[who], self.moved.pop(who, self.names[who])}
            del self.names[who], self.files[f"tenants/{who}.yaml"]

    def rename(self, draw: st.DataObject) -> None:
        still, free = sorted(self.names.keys() - self.moved.keys()), self.free()
        if still and free:
            who, name = draw.draw(st.sampled_from(still)), draw.draw(st.sampled_from(free))
            before, self.names[who] = self.names[who], name
            self.files[f"tenants/{who}.yaml"] = formerly(tenant(name), f"team-a/{before}")
            self.moved[who] = before

    def rename_pool(self, draw: st.DataObject) -> None:
        before = self.pool
        self.pool = draw.draw(
            st.sampled_from([it for it in ("edge", "rim", "hem") if it != before])
        )
        self.write_pool(f"butler-system/{before}")

    def wait(self, draw: st.DataObject) -> None:
        self.clock += draw.draw(st.sampled_from((1, HOUR, 25 * HOUR)))

    def held(self) -> dict[int, str]:
        """What each one holds, by the records."""
        records = evaluation_of(self.files, self.clock).state.records
        live = {record.claim.name: str(record.range) for record in records if record.is_live}
        return {who: live[name] for who, name in self.names.items() if name in live}

    def reconcile(self) -> None:
        evaluation = evaluation_of(self.files, self.clock)
        there = set(self.names.values())
        for decision in evaluation.plan.decisions:
            if isinstance(decision, Release):
                assert decision.claim.name not in there
        for change in evaluation.changes:
            if change.data is None:
                del self.files[change.path]
            else:
                self.files[change.path] = change.data
        self.moved.clear()
        self.gone.clear()


@given(st.data())
@settings(max_examples=scaled(50))
def test_a_history_with_renames_moves_nobody(data: st.DataObject) -> None:
    town = Town()
    steps: list[Callable[[st.DataObject], None]] = [
        town.add, town.add, town.remove, town.rename, town.rename, town.wait,
    ]  # fmt: skip
    known: dict[int, str] = {}
    for _ in range(data.draw(st.integers(2, 6))):
        for _ in range(data.draw(st.integers(1, 4))):
            data.draw(st.sampled_from(steps))(data)
        if data.draw(st.integers(0, 3)) == 0:
            town.rename_pool(data)
        town.reconcile()
        held = town.held()
        assert {who: held[who] for who in known if who in town.names} == {
            who: what for who, what in known.items() if who in town.names
        }
        assert len(set(held.values())) == len(held) == len(town.names)
        known = held


@given(st.data())
@settings(max_examples=scaled(50))
def test_renames_of_one_change_free_nothing_whichever_way_they_hang_together(
    data: st.DataObject,
) -> None:
    """Swaps, chains, requests that name the old name, and a range that a move has left."""
    names = ("one", "two", "three")
    files: Files = {**LEAVING, **{f"tenants/{it}.yaml": tenant(it) for it in names}}
    for name in data.draw(st.sets(st.sampled_from(names))):
        files[f"tenants/r-{name}.yaml"] = request(name, "far", count="3")
    files = moved(files, KEY) if data.draw(st.booleans()) else reconciled(files)
    before = {str(it.range) for it in evaluation_of(files).state.records}
    news = data.draw(st.permutations((*names, "four", "five")))[: len(names)]
    for name in names:
        del files[f"tenants/{name}.yaml"]
    for now, name in zip(news, names, strict=True):
        text = tenant(now)
        files[f"tenants/{now}.yaml"] = text if now == name else formerly(text, f"team-a/{name}")
    evaluation = evaluation_of(files)
    assert not any(isinstance(it, Release) for it in evaluation.plan.decisions)
    after = evaluation_of(reconciled(files), CLOCK + 9 * 86_400)
    ranges = [str(it.range) for it in after.state.records if it.range is not None]
    assert sorted(ranges) == sorted(before)
    if any(now != name and now in names for now, name in zip(news, names, strict=True)):
        assert has_error(evaluation.findings)
