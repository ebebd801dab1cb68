"""A move without clusters: a person says that nobody uses what was left, and then it ends."""

from pathlib import Path

import pytest

from tests.cli.running import Ran, given_out, ipam
from tests.moving import KEY
from tests.world import CLOCK, SMALL, commit, git, pool, provider, tenant, write

DAY = 86_400
OLD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
OVERRIDE = f"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Override
metadata:
  name: 2026-02-15-move
spec:
  kind: move
  scope: {KEY}
  reason: the old VLAN goes
  expires: "2026-02-20T12:00:00Z"
"""


class World:
    """A repository, and the time."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.capsys, self.time = folder, capsys, CLOCK + 100
        patch.setattr("reconciler.cli.options.now", lambda: float(self.time))

    def reconcile(self, *words: str, later: int = 0) -> Ran:
        self.time += later
        ran = ipam(self.capsys, "reconcile", *words, "--repo", self.folder)
        git(self.folder, "reset", "-q", "--hard", "main")
        return ran

    @property
    def old(self) -> str:
        path = self.folder / OLD
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> World:
    """A claim that has moved from one pool to another."""
    folder = given_out(tmp_path / "repo", SMALL)
    made = World(folder, capsys, monkeypatch)
    write(folder, {"overrides/2026-02-15-move.yaml": OVERRIDE})
    commit(folder, "let it move", clock=CLOCK + 10)
    far = {
        "pools/far.yaml": pool("far", "10.50.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: far}]"),
    }
    write(folder, far)
    commit(folder, "move it", clock=CLOCK + 20)
    assert made.reconcile().code == 0
    assert "announced: until-unused" in made.old
    return made


def test_it_stays_while_nobody_says_so(world: World) -> None:
    assert "claim-left" in world.reconcile(later=3600).err
    assert "announced: until-unused" in world.old


CONFIRMED, FORCED = ("--confirm-withdrawn", "team-a/one"), ("--force-withdraw-claim", "team-a/one")


@pytest.mark.parametrize("words", [CONFIRMED, FORCED])
def test_within_a_minute_of_another_commit_it_is_told_from_when_on(
    world: World, words: tuple[str, ...]
) -> None:
    commit(world.folder, "the Override goes", clock=CLOCK + 300)  # 10:05:30; it moved at 10:00:50
    world.time = CLOCK + 315
    ran = world.reconcile(*words)
    assert (ran.code, "Nothing to commit" in ran.out) == (0, True)
    line = (
        "Not yet: 10.40.0.0-10.40.0.7, which team-a/one (loadbalancer) left, can be withdrawn"
        " from 2026-02-15T10:05:50Z on, the next full minute since the move, because the newest commit"
        " is younger than the last one: --confirm-withdrawn had no effect. Say so again then."
    )
    assert line in ran.err.splitlines()
    assert "announced: until-unused" in world.old
    world.time = CLOCK + 320  # 10:05:50
    assert "Not yet" not in world.reconcile(*words).err
    assert "announced" not in world.old


@pytest.mark.parametrize("words", [CONFIRMED, FORCED, ("--force-withdraw",)])
def test_it_ends_where_a_person_says_so(world: World, words: tuple[str, ...]) -> None:
    ran = world.reconcile(*words, later=3600)
    assert ran.code == 0
    assert "announced" not in world.old
    assert "phase: Released" in world.old
    assert ipam(world.capsys, "verify", "--repo", world.folder).code == 0
    world.reconcile(later=2 * DAY)
    assert world.old == ""


def test_what_a_tenant_left_that_is_gone_ends_so_too(world: World) -> None:
    git(world.folder, "rm", "-q", "tenants/one.yaml")
    commit(world.folder, "it goes", clock=CLOCK + 200)
    world.reconcile("--allow-release", "1", later=3600)
    assert "announced: until-unused" in world.old
    assert world.reconcile("--confirm-withdrawn", "team-a/one", later=60).code == 0
    assert "announced" not in world.old


@pytest.mark.parametrize(
    ("option", "kind"), [("--confirm-withdrawn", "cluster"), ("--force-withdraw-claim", "claim")]
)
def test_a_name_that_nobody_has_is_refused(world: World, option: str, kind: str) -> None:
    ran = world.reconcile(option, "team-a/onne", later=3600)
    says = f"{option}: {kind} 'team-a/onne' does not exist"
    assert (ran.code, says in ran.err) == (64, True), ran.err
    assert "announced: until-unused" in world.old


def test_who_names_another_cluster_ends_nothing(world: World) -> None:
    write(world.folder, {"tenants/two.yaml": tenant("two")})
    commit(world.folder, "another", clock=CLOCK + 200)
    assert world.reconcile("--confirm-withdrawn", "team-a/two", later=3600).code == 0
    assert "announced: until-unused" in world.old
