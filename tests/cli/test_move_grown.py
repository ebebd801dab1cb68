"""`ipam move` of a tenant whose request holds its first range, and that has grown: all of it moves."""

from collections.abc import Callable

import pytest

from tests.cli.conftest import Moves
from tests.cli.running import Ran
from tests.world import SMALL, git, pool, provider, request, tenant

PIN = "{startAddress: 10.40.0.64, endAddress: 10.40.0.71}"
HELD = request("held", pinnedRange=PIN).replace("type: nodes", "type: loadbalancer")
SECOND = request("second", pinnedRange="{startAddress: 10.40.0.96, endAddress: 10.40.0.97}")
SECOND = SECOND.replace("name: second, namespace: team-a", "name: held, namespace: team-a")
FILES = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
    "tenants/cluster.yaml": tenant("held"),
    "tenants/held.yaml": HELD,
}
BOTH = ("butler-system-held-request", "team-a-held-loadbalancer-1")


@pytest.fixture
def play(moves: Callable[..., Moves]) -> Moves:
    """A tenant that was imported, and has grown."""
    made = moves(FILES)
    made.commit({"tenants/cluster.yaml": tenant("held", networking="{lbPoolSize: 16}")})
    assert made.reconcile().code == 0
    return made


def moved(play: Moves, *overrides: str) -> Ran:
    checked = play.checked(*overrides)
    assert play.reconcile().code == 0
    return checked


def pools(play: Moves) -> dict[str, str]:
    """The pool of each live record of the tenant."""
    live = (it.split("/") for it in play.live())
    return {name.removeprefix("held."): pool for pool, name in live if name.startswith("held.")}


@pytest.mark.parametrize("name", ["team-a/held", "butler-system/held"])
def test_the_request_of_a_tenant_and_its_growth_move_together_by_either_name(
    play: Moves, name: str
) -> None:
    assert pools(play) == {"request": "edge", "loadbalancer-1": "edge"}
    ran = play("move", name, "--to", "far")
    assert ran.code == 0, ran.err
    for line in (
        "  2. tenants/held.yaml:5: spec.poolRef.name: now far",
        "     tenants/cluster.yaml:3: metadata.annotations.gitops-ipam.dev/loadbalancer-pool: now far",
        "     git add tenants/held.yaml tenants/cluster.yaml && git commit -m"
        " 'Move butler-system/held (request) to far'",
        "2 moves",
    ):
        assert line in ran.out.splitlines()
    assert "stays" not in ran.out
    checked = moved(play, *BOTH)
    assert (checked.code, checked.out.splitlines()[0]) == (0, "2 moves")
    assert pools(play) == {"request": "far", "loadbalancer-1": "far"}
    again = play("move", name, "--to", "far")
    assert (again.code, "already has its addresses in pool butler-system/far" in again.err) == (
        64,
        True,
    )


def test_a_tenant_of_which_half_has_moved_moves_the_rest(play: Moves) -> None:
    assert play("move", "team-a/held", "--to", "far").code == 0
    git(play.folder, "checkout", "-q", "tenants/held.yaml")
    (play.folder / f"overrides/2026-02-15-move-{BOTH[0]}.yaml").unlink()
    moved(play, BOTH[1])
    assert pools(play) == {"request": "edge", "loadbalancer-1": "far"}
    ran = play("move", "team-a/held", "--to", "far")
    assert (ran.code, "1 move" in ran.out) == (0, True), ran.err
    moved(play, BOTH[0])
    assert pools(play)["request"] == "far"


def test_what_stays_is_named_with_what_moves_it(play: Moves) -> None:
    play.commit({"tenants/second.yaml": SECOND})
    assert play.reconcile().code == 0
    command = "ipam move butler-system/second/request --to far"
    said = f"team-a/held also keeps 10.40.0.96-10.40.0.97 of edge; to move it: {command}"
    ran = play("move", "team-a/held", "--to", "far")
    assert (ran.code, ran.out.splitlines()[-1:]) == (0, [said]), ran.err
    moved(play, *BOTH)
    again = play("move", "team-a/held", "--to", "far")
    assert (again.code, said in again.err) == (64, True)
    ran = play(*command.split()[1:])
    assert (ran.code, "1 move" in ran.out) == (0, True), ran.err


def test_where_the_growth_cannot_move_nothing_is_written(play: Moves) -> None:
    play.commit({"providers/default.yaml": provider()})
    ran = play("move", "butler-system/held", "--to", "far")
    assert ran.code == 64
    assert "'far' is not in the poolRefs of ProviderConfig default" in ran.err
    assert play.status() == []
