"""Records that a person adds, of growth as of all else: an error, and no cluster gets their addresses."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository
from reconciler.cli import run
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.commands.applying.fleet import apply_fleet
from reconciler.commands.by_hand import with_changes_by_hand
from reconciler.commands.reading.reader import evaluate_source
from tests.cli.running import ipam
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, repository, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
FIRST = f"{FOLDER}/one.loadbalancer.yaml"
GROWN = f"{FOLDER}/one.loadbalancer-7.yaml"
HELD, MORE = "10.40.0.0-10.40.0.7", "10.40.0.200-10.40.0.207"
SLOTS = {
    "growth": GROWN,
    "nodes that nobody asked for": f"{FOLDER}/one.nodes.yaml",
    "a second one of the claim": f"{FOLDER}/x/one.loadbalancer.yaml",
}


@dataclass
class World:
    """A repository and the clusters that its head is applied to."""

    folder: Path
    clusters: FakeClusters = field(default_factory=FakeClusters)

    def apply(self) -> list[str] | None:
        """Apply the head; what the tenant's cluster announces then."""
        opened = open_repository(self.folder, ENVIRONMENT)
        source = opened.source("HEAD")
        evaluation = with_changes_by_hand(opened, source, evaluate_source(source))
        apply_fleet(evaluation, self.clusters, ApplyOptions(), opened.is_in)
        return self.clusters.announced("team-a/one")

    @property
    def records(self) -> list[str]:
        """The names of the records in the management cluster."""
        refs = self.clusters.objects[HUB]
        return sorted(ref.name for ref in refs if ref.resource == IP_ALLOCATION)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A tenant whose cluster has its addresses."""
    made = World(repository(tmp_path / "repo", SMALL))
    assert run(["reconcile", "--no-apply", "--repo", str(made.folder)]) == 0
    assert made.apply() == [HELD]
    return made


def forged(folder: Path, path: str) -> str:
    """The tenant's record, as one of more addresses."""
    text = (folder / FIRST).read_text(encoding="utf-8").replace("10.40.0.", "10.40.0.20")
    text = text.replace("  cidr: 10.40.0.200/29\n", "")
    slot = path.rpartition("one.")[2].removesuffix(".yaml")
    text = text.replace("one/loadbalancer", f"one/{slot}")
    if slot.startswith("nodes"):
        text = text.replace(": loadbalancer", ": nodes").replace("one-lb", "one-nodes")
    if slot[-1].isdigit():
        text = text.replace("role: initial", "role: growth").replace("one-lb", "one-lb-7")
    return text


@pytest.mark.parametrize("path", SLOTS.values(), ids=SLOTS)
def test_a_record_that_a_person_adds_is_an_error_and_gives_no_cluster_anything(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path, path: str
) -> None:
    folder, before = world.folder, world.records
    write(folder, {path: forged(folder, path)})
    commit(folder, "more for us", CLOCK + 60)
    for verb in ("check", "plan"):
        ran = ipam(capsys, verb, "--repo", folder)
        assert ran.code == 1
        assert f"{path}:1:1: error record-edited: is added by hand" in ran.out + ran.err
    assert ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out").code == 1
    assert not (tmp_path / "out").exists()
    assert world.apply() == [HELD]
    assert world.records == before
    git(folder, "revert", "--no-edit", "HEAD")
    assert ipam(capsys, "check", "--repo", folder).code == 0
    assert world.apply() == [HELD]


def test_nor_does_one_that_is_edited_give_more_than_it_held(world: World) -> None:
    folder, before = world.folder, world.records
    write(folder, {FIRST: forged(folder, FIRST)})
    commit(folder, "elsewhere", CLOCK + 60)
    assert world.apply() == [HELD]
    assert world.records == before


def override(scope: str, name: str = "2026-02-15-import") -> str:
    return (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
        f"metadata: {{name: {name}}}\nspec:\n  kind: record\n  scope: {scope}\n"
        '  reason: from the old cluster\n  expires: "2026-03-01T00:00:00Z"\n'
    )


def test_an_override_of_the_base_lets_one_be_brought_in(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = world.folder
    write(folder, {"overrides/2026-02-15-import.yaml": override(GROWN)})
    commit(folder, "an Override", CLOCK + 30)
    write(folder, {GROWN: forged(folder, GROWN)})
    commit(folder, "an import", CLOCK + 60)
    assert ipam(capsys, "check", "--repo", folder).code == 0
    assert world.apply() == [HELD, MORE]


def test_what_reconcile_wrote_is_nobodys_hand_also_where_nodes_grow(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = world.folder
    pool = (folder / "pools/edge.yaml").read_text(encoding="utf-8")
    nodes = f"{pool}  tenantAllocation: {{defaults: {{nodesPerTenant: 2}}}}\n"
    write(folder, {"pools/edge.yaml": nodes})
    for workers in (1, 6):
        grown = tenant("one").replace("replicas: 1", f"replicas: {workers}")
        write(folder, {"tenants/one.yaml": grown})
        commit(folder, "more nodes", CLOCK + 60 * workers)
        assert ipam(capsys, "reconcile", "--no-apply", "--repo", folder).code == 0
        assert ipam(capsys, "check", "--repo", folder).code == 0
    world.apply()
    assert "team-a-one-nodes-1" in world.records


def test_records_that_are_there_before_the_first_reconcile_are_an_honest_import(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = world.folder
    records = {
        FIRST: (old / FIRST).read_text(encoding="utf-8"),
        GROWN: forged(old, GROWN),
    }
    fresh = World(repository(tmp_path / "fresh", {**SMALL, **records}))
    assert ipam(capsys, "check", "--repo", fresh.folder).code == 0
    assert ipam(capsys, "reconcile", "--no-apply", "--repo", fresh.folder).code == 0
    assert fresh.apply() == [HELD, MORE]


@pytest.mark.parametrize("scope", ["allocations/", f"{FOLDER}/"])
def test_an_override_for_a_folder_lets_a_whole_import_of_records_pass(
    scope: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    write(world.folder, {"overrides/2026-02-15-import.yaml": override(scope)})
    commit(world.folder, "let the import pass", CLOCK + 60)
    git(world.folder, "switch", "-q", "-c", "import")
    added = {}
    for name, first in (("two", 100), ("three", 110)):
        text = (world.folder / FIRST).read_text().replace("one", name)
        for at in range(8):
            text = text.replace(f"10.40.0.{at}\n", f"10.40.0.{first + at}\n")
        text = "".join(it for it in text.splitlines(True) if "cidr:" not in it)
        added[f"{FOLDER}/{name}.loadbalancer.yaml"] = text
        added[f"tenants/{name}.yaml"] = tenant(name)
    write(world.folder, added)
    commit(world.folder, "import", CLOCK + 120)
    ran = ipam(capsys, "check", "--base", "main", "--repo", world.folder)
    assert (ran.code, ran.out.count("warning record-edited")) == (0, 2), ran.out
    assert f"it lets records that are added below {scope} pass" in ran.out


@pytest.mark.parametrize(
    "what", ["edited", "moved", "removed", "a second one", "one in another pool", "elsewhere"]
)
def test_it_lets_nothing_else_pass(
    what: str, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = "allocations/ProxyIPPool/" if what == "elsewhere" else "allocations/"
    write(world.folder, {"overrides/2026-02-15-import.yaml": override(scope)})
    commit(world.folder, "let the import pass", CLOCK + 60)
    git(world.folder, "switch", "-q", "-c", "import")
    text = (world.folder / FIRST).read_text()
    match what:
        case "edited":
            write(world.folder, {FIRST: text.replace("count: 8", "count: 9")})
        case "moved":
            git(world.folder, "mv", FIRST, f"{FOLDER}/x.yaml")
        case "removed":
            (world.folder / FIRST).unlink()
        case "a second one":
            second = SLOTS["a second one of the claim"]
            write(world.folder, {second: forged(world.folder, second)})
        case "one in another pool":
            second = FIRST.replace("edge", "next")
            write(world.folder, {second: forged(world.folder, second)})
        case _:
            write(world.folder, {f"{FOLDER}/two.loadbalancer.yaml": text.replace("one", "two")})
    commit(world.folder, "import", CLOCK + 120)
    ran = ipam(capsys, "check", "--base", "main", "--repo", world.folder)
    assert ran.code == 1, ran.out
    assert re.search("error record-(edited|moved|removed): ", ran.out), ran.out
