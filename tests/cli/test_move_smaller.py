"""A tenant that requests fewer addresses than it has: `size-smaller` and `ipam move`."""

import re
from collections.abc import Callable

import pytest

from tests.cli.conftest import Moves
from tests.ownership_of_records.play import override
from tests.world import SMALL, pool, provider, tenant

FILES = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
}


class Sized:
    """A tenant that holds ranges, and then asks for less."""

    def __init__(self, play: Moves) -> None:
        self.play = play

    def asks(self, size: int) -> None:
        self.play.commit({"tenants/one.yaml": tenant("one", networking=f"{{lbPoolSize: {size}}}")})

    def reconcile(self) -> None:
        assert self.play.reconcile().code == 0

    def hint(self) -> str:
        return self.play("check").out.partition("size-smaller")[2].partition("hint: ")[2]

    def sizes(self) -> dict[str, str]:
        return {
            it: re.findall(r"  count: ([0-9]+)", text)[0] for it, text in self.play.live().items()
        }


@pytest.fixture
def world(moves: Callable[..., Moves]) -> Sized:
    return Sized(moves(FILES))


def test_a_move_takes_the_size_that_the_document_asks_for_by_the_command_of_the_hint(
    world: Sized,
) -> None:
    world.asks(4)
    world.reconcile()
    assert list(world.sizes().values()) == ["8"]
    (command,) = re.findall(r"ipam (move .*) --to POOL", world.hint())
    ran = world.play(*command.split(), "--to", "far")
    assert ran.code == 0
    assert "10.40.0.0-10.40.0.7 in pool edge" in ran.out
    assert "10.50.0.0-10.50.0.3 in pool far" in ran.out
    checked = world.play.checked("team-a-one-loadbalancer")
    assert checked.code == 0
    assert "size-smaller" not in checked.out
    world.reconcile()
    assert world.sizes() == {"far/one.loadbalancer": "4"}
    assert "size-smaller" not in world.play("check").out


def test_a_further_range_goes_by_the_deletion_that_the_hint_names(world: Sized) -> None:
    world.asks(16)
    world.reconcile()
    world.asks(8)
    world.reconcile()
    (path,) = re.findall(r"delete (\S+\.yaml)", world.hint())
    world.play.commit(override("2026-02-15-less", kind="record", scope=path))
    (world.play.folder / path).unlink()
    world.play.commit()
    assert world.play("check", "--base", "HEAD~1").code == 0
    world.reconcile()
    assert world.sizes() == {"edge/one.loadbalancer": "8"}
    assert "size-smaller" not in world.play("check").out


def test_a_further_range_that_is_no_longer_asked_for_is_left_without_a_successor(
    world: Sized,
) -> None:
    world.asks(16)
    world.reconcile()
    world.asks(8)
    ran = world.play("move", "team-a/one", "--to", "far")
    assert ran.code == 0
    checked = world.play.checked("*")
    assert checked.code == 0
    assert "10.40.0.8-10.40.0.15 of edge   announced while in use" in checked.out
    world.reconcile()
    assert world.sizes() == {"far/one.loadbalancer": "8"}
    assert world.play("reconcile").code == 0
    assert world.play("verify").code == 0
    assert world.play("reconcile", "--confirm-withdrawn", "team-a/one").code == 0
