"""`ipam move` of a tenant whose request holds its first range, and that has grown: all of it moves."""

from pathlib import Path

import pytest

from tests.cli.running import Ran, given_out, ipam
from tests.world import CLOCK, SMALL, commit, git, pool, provider, request, tenant, write

PIN = "{startAddress: 10.40.0.64, endAddress: 10.40.0.71}"
HELD = request("held", pinnedRange=PIN).replace("type: nodes", "type: loadbalancer")
BESIDE = request("beside", pinnedRange="{startAddress: 10.40.0.96, endAddress: 10.40.0.97}")
BESIDE = BESIDE.replace("name: beside, namespace: team-a", "name: held, namespace: team-a")
GROWN = tenant("held", networking="{lbPoolSize: 16}")
FILES = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
    "tenants/cluster.yaml": tenant("held"),
    "tenants/held.yaml": HELD,
}
BOTH = ("butler-system-held-request", "team-a-held-loadbalancer-1")


class World:
    """A repository with a tenant that was imported, and has grown."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys, self.time = capsys, CLOCK + 10
        self.folder = given_out(folder, FILES)
        self.merge({"tenants/cluster.yaml": GROWN})
        assert self.ipam("reconcile").code == 0
        git(self.folder, "reset", "-q", "--hard", "main")

    def merge(self, files: dict[str, str]) -> None:
        self.time += 10
        write(self.folder, files)
        commit(self.folder, "change", self.time)

    def ipam(self, *words: str) -> Ran:
        return ipam(self.capsys, *words, "--repo", self.folder)

    def moved(self, *overrides: str) -> Ran:
        """What the check of the move says, once its Overrides were merged by themselves."""
        for override in overrides:
            git(self.folder, "add", f"overrides/2026-02-15-move-{override}.yaml")
        self.time += 10
        git(self.folder, "commit", "-qm", "let them", clock=self.time)
        self.merge({})
        checked = self.ipam("check", "--base", "HEAD~1")
        assert self.ipam("reconcile").code == 0
        git(self.folder, "reset", "-q", "--hard", "main")
        return checked

    def live(self) -> dict[str, str]:
        """Whose records are allocated, and of which pool."""
        found = {}
        for path in sorted((self.folder / "allocations").rglob("*.yaml")):
            if "phase: Allocated" in path.read_text(encoding="utf-8"):
                found[path.name.removesuffix(".yaml")] = path.parts[-3].removeprefix(
                    "butler-system."
                )
        return found


@pytest.fixture
def world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> World:
    made = World(tmp_path / "repo", capsys)
    monkeypatch.setattr("reconciler.cli.options.now", lambda: float(made.time))
    return made


@pytest.mark.parametrize("name", ["team-a/held", "butler-system/held"])
def test_the_request_of_a_tenant_and_its_growth_move_together_by_either_name(
    world: World, name: str
) -> None:
    assert world.live()["held.request"] == world.live()["held.loadbalancer-1"] == "edge"
    ran = world.ipam("move", name, "--to", "far")
    assert ran.code == 0, ran.err
    for line in (
        "  2. tenants/held.yaml:5: spec.poolRef.name is far now",
        "     tenants/cluster.yaml:3: metadata.annotations.gitops-ipam.dev/loadbalancer-pool is far now",
        "     git add tenants/held.yaml tenants/cluster.yaml && git commit -m"
        " 'Move butler-system/held (request) to far'",
        "2 moves",
    ):
        assert line in ran.out.splitlines()
    assert "stays" not in ran.out
    checked = world.moved(*BOTH)
    assert (checked.code, checked.out.splitlines()[0]) == (0, "2 moves")
    assert world.live() == {**world.live(), "held.request": "far", "held.loadbalancer-1": "far"}
    again = world.ipam("move", name, "--to", "far")
    assert (again.code, "has its addresses of butler-system/far already" in again.err) == (64, True)


def test_a_tenant_of_which_half_has_moved_moves_the_rest(world: World) -> None:
    assert world.ipam("move", "team-a/held", "--to", "far").code == 0
    git(world.folder, "checkout", "-q", "tenants/held.yaml")
    (world.folder / f"overrides/2026-02-15-move-{BOTH[0]}.yaml").unlink()
    world.moved(BOTH[1])
    assert (world.live()["held.request"], world.live()["held.loadbalancer-1"]) == ("edge", "far")
    ran = world.ipam("move", "team-a/held", "--to", "far")
    assert (ran.code, "1 moves" in ran.out) == (0, True), ran.err
    world.moved(BOTH[0])
    assert world.live()["held.request"] == "far"


def test_what_stays_is_named_with_what_moves_it(world: World) -> None:
    world.merge({"tenants/beside.yaml": BESIDE})
    assert world.ipam("reconcile").code == 0
    git(world.folder, "reset", "-q", "--hard", "main")
    command = "ipam move butler-system/beside/request --to far"
    said = f"10.40.0.96-10.40.0.97 of edge stays, also for team-a/held: {command}"
    ran = world.ipam("move", "team-a/held", "--to", "far")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, said)
    world.moved(*BOTH)
    again = world.ipam("move", "team-a/held", "--to", "far")
    assert (again.code, said in again.err) == (64, True)
    ran = world.ipam(*command.split()[1:])
    assert (ran.code, "1 moves" in ran.out) == (0, True), ran.err


def test_where_the_growth_cannot_move_nothing_is_written(world: World) -> None:
    world.merge({"providers/default.yaml": provider()})
    ran = world.ipam("move", "butler-system/held", "--to", "far")
    assert ran.code == 64
    assert "'far' is not in the poolRefs of ProviderConfig default" in ran.err
    assert git(world.folder, "status", "--porcelain") == ""
