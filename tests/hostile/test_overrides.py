"""A change that brings its own permission: an Override counts from the base, and from nowhere else."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.documents.findings import Location
from reconciler.model.settings import Override, OverrideKind, Overrides
from tests.cli.running import Checked
from tests.world import CLOCK, commit, git, pool, provider, repository, settings, tenant, write

FULL = {
    "pools/edge.yaml": pool(tenantAllocation="{start: 10.40.0.1, end: 10.40.0.20}"),
    "providers/default.yaml": provider(),
}
BOTH_TENANTS = {f"tenants/{name}.yaml": name for name in ("one", "two")}
MORE = {"tenants/new.yaml": tenant("new", networking="{lbPoolSize: 20}")}
GATE = "overrides/2026-02-15-edge-full.yaml"
BRAKE = "overrides/2026-02-15-move-out.yaml"
ONE = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
POOL = "butler/NetworkPool/butler-system/edge"


def override(path: str, expires: str = "2026-03-01T00:00:00Z", **spec: object) -> str:
    """Return an Override. Fields of its spec are in YAML flow style."""
    name = path.removeprefix("overrides/").removesuffix(".yaml")
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    return (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
        f"metadata: {{name: {name}}}\nspec:\n{lines}"
        f'  reason: agreed with the network team\n  expires: "{expires}"\n'
    )


GATES = {GATE: override(GATE, kind="gate", scope=POOL)}
BRAKES = {BRAKE: override(BRAKE, kind="brake", releases=1)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "repo"


def test_a_pull_request_that_brings_the_override_that_it_needs_stays_refused(
    folder: Path, checked: Checked
) -> None:
    repository(folder, FULL)
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, {**MORE, **GATES})
    commit(folder)
    assert checked("--base", "main") == (3, ["capacity", "override-added"])
    assert checked() == (3, ["capacity", "override-added"])
    assert checked("--worktree") == (0, ["override-used"])  # the next commit: HEAD contained it
    write(folder, {"tenants/new.yaml": tenant("new", networking="{lbPoolSize: 19}")})
    assert checked("--worktree")[0] == 0


def test_one_that_was_merged_first_lets_the_change_pass_until_it_expires(
    folder: Path, checked: Checked
) -> None:
    repository(folder, {**FULL, **GATES})
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, MORE)
    commit(folder)
    assert checked("--base", "main") == (0, ["override-used"])
    assert checked() == (0, ["override-used"])
    write(folder, {"README.md": "later\n"})
    commit(folder, clock=CLOCK + 30 * 86_400)
    assert checked("--base", "main") == (3, ["capacity"])


@pytest.mark.parametrize("more", [0, 1])
def test_nor_does_a_revision_whose_date_is_before_that_of_what_it_stands_on(
    folder: Path, checked: Checked, more: int
) -> None:
    repository(folder, {**FULL, **GATES})
    write(folder, {"README.md": "later\n"})
    commit(folder, clock=CLOCK + 30 * 86_400)
    write(folder, MORE)
    commit(folder, clock=CLOCK + 1)
    for at in range(more):
        commit(folder, clock=CLOCK + 2 + at)
    assert checked() == (3, ["capacity", "override-expired"])
    assert checked("--worktree") == (3, ["capacity", "override-expired"])
    assert checked("--base", f"HEAD~{1 + more}") == (3, ["capacity"])
    assert run(["reconcile", "--repo", str(folder)]) == 3


@pytest.mark.parametrize(
    "edit",
    [{GATE: override(GATE, "2027-01-01T00:00:00Z", kind="gate", scope=POOL)}, {GATE: "spec: {}\n"}],
)
def test_one_that_the_change_edits_does_not_count_for_it(
    folder: Path, checked: Checked, edit: dict[str, str]
) -> None:
    repository(folder, {**FULL, **GATES})
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, {**MORE, **edit})
    commit(folder)
    code, found = checked("--base", "main")
    assert code in (1, 3)
    assert "capacity" in found


def test_a_merge_counts_as_the_change_that_it_merges(folder: Path, checked: Checked) -> None:
    repository(folder, FULL)
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, GATES)
    commit(folder)
    write(folder, MORE)
    commit(folder)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change")
    assert checked() == (3, ["capacity", "override-added"])
    git(folder, "reset", "-q", "--hard", "HEAD^")
    git(folder, "merge", "-q", "--squash", "change")
    commit(folder, "squashed")
    assert checked() == (3, ["capacity", "override-added"])


def test_a_clone_that_is_too_shallow_to_tell_lets_nothing_pass(
    folder: Path, tmp_path: Path, checked: Checked
) -> None:
    repository(folder, {**FULL, **GATES})
    write(folder, MORE)
    commit(folder)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", str(shallow))
    assert run(["check", "--repo", str(shallow)]) == 4
    git(shallow, "fetch", "-q", "--unshallow")
    assert checked("--repo", str(shallow)) == (0, ["override-used"])


def test_reconcile_carries_out_no_release_that_the_same_commit_allows(folder: Path) -> None:
    two_behind_a_brake(folder)
    git(folder, "rm", "-q", "tenants/one.yaml")
    write(folder, BRAKES)
    commit(folder)
    before = git(folder, "rev-parse", "HEAD")
    assert run(["reconcile", "--repo", str(folder)]) == 3
    assert git(folder, "rev-parse", "HEAD") == before
    write(folder, {"README.md": "the next revision\n"})
    commit(folder)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert "phase: Released" in git(folder, "show", "HEAD")


def two_behind_a_brake(folder: Path) -> None:
    """Two tenants with records, and a brake that holds the release of either."""
    tenants = {path: tenant(name) for path, name in BOTH_TENANTS.items()}
    strict = {"ipam.yaml": settings("{brakes: {minRecords: 1}}")}
    repository(folder, {**FULL, **tenants, **strict})
    assert run(["reconcile", "--repo", str(folder)]) == 0


@pytest.mark.parametrize("how", ["pushed", "merged", "beside a page", "squashed with more"])
def test_one_that_comes_alone_lets_go_at_once_what_was_held_back_before(
    folder: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    two_behind_a_brake(folder)
    git(folder, "rm", "-q", "tenants/one.yaml")
    commit(folder, "one goes")
    assert run(["reconcile", "--repo", str(folder)]) == 3
    is_alone = how in {"pushed", "merged"}
    git(folder, "switch", "-q", "-c", "allow")
    write(folder, BRAKES if is_alone else {**BRAKES, "README.md": "moving out\n"})
    commit(folder, "allow it")
    if how != "pushed":
        git(folder, "switch", "-q", "main")
        options = ("--squash",) if how.startswith("squashed") else ("--no-ff", "-m", "merge")
        git(folder, "merge", "-q", *options, "allow")
        if how.startswith("squashed"):
            commit(folder, "squashed")
    else:
        git(folder, "branch", "-q", "-f", "main", "allow")
        git(folder, "switch", "-q", "main")
    capsys.readouterr()
    assert run(["reconcile", "--repo", str(folder)]) == (0 if is_alone else 3)
    said = capsys.readouterr()
    told = "info override-used" if is_alone else "info override-added"
    assert told in said.out + said.err
    assert ("phase: Released" in git(folder, "show", "HEAD")) is is_alone
    assert run(["verify", "--repo", str(folder)]) == 0


def test_what_reconcile_commits_in_between_lets_no_change_permit_itself(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {
        "pools/other.yaml": pool("other", "10.41.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: other, priority: 1}]"),
    }
    repository(folder, {**FULL, **other, "tenants/one.yaml": tenant("one")})
    assert run(["reconcile", "--repo", str(folder)]) == 0
    claim = "butler/TenantCluster/team-a/one/loadbalancer"
    moved = tenant("one").replace(
        "name: one", "name: one, annotations: {gitops-ipam.dev/loadbalancer-pool: other}"
    )
    move = override(BRAKE, kind="move", scope=claim)
    write(folder, {BRAKE: move, "tenants/one.yaml": moved, "tenants/new.yaml": tenant("new")})
    commit(folder, "all in one", clock=CLOCK + 60)
    for _ in "12":
        assert run(["reconcile", "--repo", str(folder)]) == 0
        said = capsys.readouterr()
        assert "from the next commit that is not a reconcile commit" in said.out + said.err
        assert "startAddress: 10.40." in git(folder, "show", "main:" + ONE)
    write(folder, {"README.md": "so be it\n"})
    commit(folder, "the next one", clock=CLOCK + 90)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert "startAddress: 10.41." in git(folder, "show", "HEAD")
    assert run(["verify", "--repo", str(folder)]) == 0


def test_an_unreadable_one_permits_nothing_and_makes_check_red(
    folder: Path, checked: Checked
) -> None:
    repository(folder, {**FULL, GATE: GATES[GATE] + "  kidn: gate\n"})
    write(folder, MORE)
    commit(folder)
    assert checked() == (1, ["capacity", "field-unknown"])


EXPIRED = CLOCK + 30 * 86_400
SHRINK = "overrides/2026-02-15-edge-shrinks.yaml"


def test_a_pool_shrinks_by_an_override_and_what_records_hold_stays_held(
    folder: Path, checked: Checked
) -> None:
    wide = {"providers/default.yaml": provider(), "pools/edge.yaml": pool(cidr="10.40.0.0/24")}
    repository(folder, {**wide, "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 40}")})  # fmt: skip
    assert run(["reconcile", "--repo", str(folder)]) == 0
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, {"pools/edge.yaml": pool(cidr="10.40.0.0/27")})
    commit(folder, clock=CLOCK + 60)
    codes = ["pool-changed", "pool-shrunk", "record-outside-pool"]
    assert checked("--base", "main") == (1, codes)
    git(folder, "checkout", "-q", "main")
    write(folder, {SHRINK: override(SHRINK, kind="shrink", scope=POOL)})
    commit(folder, clock=CLOCK + 61)
    git(folder, "checkout", "-q", "change")
    git(folder, "merge", "-q", "-m", "merge", "main")
    assert checked("--base", "main") == (0, sorted([*codes, "override-used"]))
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change")
    for _ in "12":  # warm and cold
        assert checked() == (0, ["override-unused", "record-outside-pool"])
        assert run(["reconcile", "--repo", str(folder)]) == 0
    (record,) = (folder / "allocations").rglob("*.yaml")
    assert "count: 40" in record.read_text(encoding="utf-8")
    # An accepted change stays accepted after the Override has expired.
    git(folder, "checkout", "-q", "-b", "other")
    write(folder, {"README.md": "so be it\n"})
    commit(folder, clock=EXPIRED)
    assert checked("--base", "main") == (0, [])
    write(folder, {"pools/edge.yaml": pool(cidr="10.40.0.0/26")})
    commit(folder, clock=EXPIRED)
    assert checked("--base", "main")[0] == 0  # a part of them is back
    write(folder, {"pools/edge.yaml": pool(cidr="10.40.0.0/28")})
    commit(folder, clock=EXPIRED)
    assert checked("--base", "main") == (1, codes)
    git(folder, "checkout", "-q", "main")
    git(folder, "rm", "-q", SHRINK)
    commit(folder, clock=EXPIRED)
    assert checked() == (0, ["record-outside-pool"])
    assert run(["reconcile", "--repo", str(folder)]) == 0


def test_an_override_that_expires_before_reconcile_fails_no_change_of_others(
    folder: Path, checked: Checked
) -> None:
    repository(folder, {**FULL, "tenants/one.yaml": tenant("one")})
    assert run(["reconcile", "--repo", str(folder)]) == 0
    write(folder, BRAKES)
    commit(folder, clock=CLOCK + 60)
    (folder / "tenants/one.yaml").unlink()
    commit(folder, clock=CLOCK + 61)
    assert checked() == (0, ["override-used"])
    git(folder, "checkout", "-q", "-b", "other")
    write(folder, {"README.md": "so be it\n"})
    commit(folder, clock=EXPIRED)
    assert checked("--base", "main") == (0, [])


def test_many_overrides_are_matched_in_a_time_that_grows_with_their_number() -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return str(self) == str(other)

        __hash__ = str.__hash__

    def compared(number: int) -> int:
        Counted.compared = 0
        place = Location("overrides/2026-02-15-why.yaml", 1, 1)
        scopes = [Counted(f"{POOL}-{it}") for it in range(number)]
        every = [Override(OverrideKind.GATE, it, "why", 1 << 40, 0, it, place) for it in scopes]
        overrides = Overrides(tuple(every))
        assert all(overrides.allow("gate", f"{POOL}-{it}") for it in range(0, number, 2))
        assert len(list(overrides.unused())) == number // 2
        return Counted.compared

    assert compared(400) < 5 * compared(100)
