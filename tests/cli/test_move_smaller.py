"""A tenant that asks for less than it holds: what `size-smaller` and `ipam move` do about it."""

import re
from pathlib import Path

import pytest

from reconciler.cli import options
from tests.cli.running import Ran, given_out, ipam
from tests.world import CLOCK, SMALL, commit, git, pool, provider, tenant, write

FILES = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
}
TENANT = "tenants/one.yaml"


class World:
    """A repository with a tenant that holds ranges, and then asks for less."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.capsys, self.time = capsys, CLOCK + 10
        self.folder = given_out(folder, FILES)
        monkeypatch.setattr(options, "now", lambda: float(self.time))

    def ipam(self, *words: str) -> Ran:
        return ipam(self.capsys, *words, "--repo", self.folder)

    def merge(self, size: int | None = None) -> None:
        self.time += 10
        if size is not None:
            write(self.folder, {TENANT: tenant("one", networking=f"{{lbPoolSize: {size}}}")})
        commit(self.folder, "change", self.time)

    def reconcile(self) -> None:
        assert self.ipam("reconcile").code == 0
        git(self.folder, "reset", "-q", "--hard", "main")

    def hint(self) -> str:
        return self.ipam("check").out.partition("size-smaller")[2].partition("hint: ")[2]

    def live(self) -> dict[str, str]:
        """The sizes of allocated records, by pool and file."""
        found = {}
        for path in sorted((self.folder / "allocations").rglob("*.yaml")):
            text = path.read_text(encoding="utf-8")
            if "phase: Allocated" in text:
                size, *_ = re.findall(r"  count: ([0-9]+)", text)
                found[f"{path.parts[-3].removeprefix('butler-system.')}/{path.name}"] = size
        return found


@pytest.fixture
def world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> World:
    return World(tmp_path / "repo", capsys, monkeypatch)


def test_a_move_takes_the_size_that_the_document_asks_for_by_the_command_of_the_hint(
    world: World,
) -> None:
    world.merge(4)
    world.reconcile()
    assert list(world.live().values()) == ["8"]
    (command,) = re.findall(r"ipam (move .*) --to POOL", world.hint())
    ran = world.ipam(*command.split(), "--to", "far")
    assert ran.code == 0
    assert "10.40.0.0-10.40.0.7 of edge" in ran.out
    assert "10.50.0.0-10.50.0.3 of far" in ran.out
    git(world.folder, "add", "overrides")
    git(world.folder, "commit", "-qm", "let it", clock=world.time + 5)
    world.merge()
    checked = world.ipam("check", "--base", "HEAD~1")
    assert checked.code == 0
    assert "size-smaller" not in checked.out
    world.reconcile()
    assert world.live() == {"far/one.loadbalancer.yaml": "4"}
    assert "size-smaller" not in world.ipam("check").out


def test_a_further_range_goes_by_the_deletion_that_the_hint_names(world: World) -> None:
    world.merge(16)
    world.reconcile()
    world.merge(8)
    world.reconcile()
    (path,) = re.findall(r"deleting (\S+\.yaml)", world.hint())
    override = (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
        "metadata: {name: 2026-02-15-less}\nspec:\n  kind: record\n"
        f"  scope: {path}\n  reason: not in use\n"
        '  expires: "2026-03-15T00:00:00Z"\n'
    )
    write(world.folder, {"overrides/2026-02-15-less.yaml": override})
    world.merge()
    (world.folder / path).unlink()
    world.merge()
    assert world.ipam("check", "--base", "HEAD~1").code == 0
    world.reconcile()
    assert world.live() == {"edge/one.loadbalancer.yaml": "8"}
    assert "size-smaller" not in world.ipam("check").out


def test_a_further_range_that_is_no_longer_asked_for_is_left_without_a_successor(
    world: World,
) -> None:
    world.merge(16)
    world.reconcile()
    world.merge(8)
    ran = world.ipam("move", "team-a/one", "--to", "far")
    assert ran.code == 0
    git(world.folder, "add", "overrides")
    git(world.folder, "commit", "-qm", "let it", clock=world.time + 5)
    world.merge()
    checked = world.ipam("check", "--base", "HEAD~1")
    assert checked.code == 0
    assert "10.40.0.8-10.40.0.15 of edge   announced until no Service uses it" in checked.out
    world.reconcile()
    assert world.live() == {"far/one.loadbalancer.yaml": "8"}
    assert world.ipam("reconcile").code == 0
    assert world.ipam("verify").code == 0
    assert world.ipam("reconcile", "--confirm-withdrawn", "team-a/one").code == 0
