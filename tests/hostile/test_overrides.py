"""A change that brings its own permission: an Override counts from the base, and from nowhere else."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.world import CLOCK, commit, git, pool, provider, repository, tenant, write

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
    """An Override; fields of its spec as YAML flow text."""
    name = path.removeprefix("overrides/").removesuffix(".yaml")
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    return (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
        f"metadata: {{name: {name}}}\nspec:\n{lines}"
        f'  reason: agreed with the network team\n  expires: "{expires}"\n'
    )


GATES = {GATE: override(GATE, kind="gate", scope=POOL)}
BRAKES = {BRAKE: override(BRAKE, kind="brake", releases=1)}


def checked(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, list[str]]:
    """The exit code, and the codes of all findings and gates."""
    capsys.readouterr()
    code = run(["check", "--repo", str(folder), "-o", "json", *options])
    said = json.loads(capsys.readouterr().out)
    return code, sorted(it["code"] for it in (*said["findings"], *said["gates"]))


def test_a_pull_request_that_brings_the_override_that_it_needs_stays_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", FULL)
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, {**MORE, **GATES})
    commit(folder)
    assert checked(folder, capsys, "--base", "main") == (3, ["capacity", "override-added"])
    assert checked(folder, capsys) == (3, ["capacity", "override-added"])
    assert checked(folder, capsys, "--worktree") == (
        0,
        ["override-used"],
    )  # the next commit: it stood in HEAD
    write(folder, {"tenants/new.yaml": tenant("new", networking="{lbPoolSize: 19}")})
    assert checked(folder, capsys, "--worktree")[0] == 0


def test_one_that_was_merged_first_lets_the_change_pass_until_it_expires(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, **GATES})
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, MORE)
    commit(folder)
    assert checked(folder, capsys, "--base", "main") == (0, ["override-used"])
    assert checked(folder, capsys) == (0, ["override-used"])
    write(folder, {"README.md": "later\n"})
    commit(folder, clock=CLOCK + 30 * 86_400)
    assert checked(folder, capsys, "--base", "main") == (3, ["capacity", "override-expired"])


def test_a_change_that_is_dated_back_does_not_make_an_override_last_longer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, **GATES})
    write(folder, {"README.md": "later\n"})
    commit(folder, clock=CLOCK + 30 * 86_400)
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, MORE)
    commit(folder, clock=CLOCK + 1)
    # That it has expired main says, too: that is told apart.
    assert checked(folder, capsys, "--base", "main") == (3, ["capacity"])


@pytest.mark.parametrize("more", [0, 1])
def test_nor_does_a_revision_whose_date_is_before_that_of_what_it_stands_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: int
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, **GATES})
    write(folder, {"README.md": "later\n"})
    commit(folder, clock=CLOCK + 30 * 86_400)
    write(folder, MORE)
    commit(folder, clock=CLOCK + 1)
    for at in range(more):
        commit(folder, clock=CLOCK + 2 + at)
    assert checked(folder, capsys) == (3, ["capacity", "override-expired"])
    assert checked(folder, capsys, "--worktree") == (3, ["capacity", "override-expired"])
    assert checked(folder, capsys, "--base", f"HEAD~{1 + more}") == (3, ["capacity"])
    assert run(["reconcile", "--repo", str(folder)]) == 3


@pytest.mark.parametrize(
    "edit",
    [{GATE: override(GATE, "2027-01-01T00:00:00Z", kind="gate", scope=POOL)}, {GATE: "spec: {}\n"}],
)
def test_one_that_the_change_edits_does_not_count_for_it(
    edit: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, **GATES})
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, {**MORE, **edit})
    commit(folder)
    code, found = checked(folder, capsys, "--base", "main")
    assert code in (1, 3)
    assert "capacity" in found


def test_a_merge_counts_as_the_change_that_it_merges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", FULL)
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, GATES)
    commit(folder)
    write(folder, MORE)
    commit(folder)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change")
    assert checked(folder, capsys) == (3, ["capacity", "override-added"])
    git(folder, "reset", "-q", "--hard", "HEAD^")
    git(folder, "merge", "-q", "--squash", "change")
    commit(folder, "squashed")
    assert checked(folder, capsys) == (3, ["capacity", "override-added"])


def test_a_clone_that_is_too_shallow_to_tell_lets_nothing_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, **GATES})
    write(folder, MORE)
    commit(folder)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", str(shallow))
    assert run(["check", "--repo", str(shallow)]) == 4
    git(shallow, "fetch", "-q", "--unshallow")
    assert checked(shallow, capsys) == (0, ["override-used"])


def test_reconcile_carries_out_no_release_that_the_same_commit_allows(tmp_path: Path) -> None:
    folder = two_behind_a_brake(tmp_path)
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


def two_behind_a_brake(tmp_path: Path) -> Path:
    """Two tenants with records, and a brake that holds the release of either."""
    tenants = {path: tenant(name) for path, name in BOTH_TENANTS.items()}
    strict = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    settings = {"ipam.yaml": f"{strict}spec: {{brakes: {{minRecords: 1}}}}\n"}
    folder = repository(tmp_path / "repo", {**FULL, **tenants, **settings})
    assert run(["reconcile", "--repo", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("how", ["pushed", "merged", "beside a page", "squashed with more"])
def test_one_that_comes_alone_lets_go_at_once_what_was_held_back_before(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = two_behind_a_brake(tmp_path)
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
    told = (
        "info override-used: it lets"
        if is_alone
        else "from the next commit that a person makes on it lets"
    )
    assert told in said.out + said.err
    assert ("phase: Released" in git(folder, "show", "HEAD")) is is_alone
    assert run(["verify", "--repo", str(folder)]) == 0


def test_what_reconcile_commits_in_between_lets_no_change_permit_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {
        "pools/other.yaml": pool("other", "10.41.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: other, priority: 1}]"),
    }
    folder = repository(tmp_path / "repo", {**FULL, **other, "tenants/one.yaml": tenant("one")})
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
        assert "from the next commit that a person makes on" in said.out + said.err
        assert "startAddress: 10.40." in git(folder, "show", "main:" + ONE)
    write(folder, {"README.md": "so be it\n"})
    commit(folder, "the next one", clock=CLOCK + 90)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert "startAddress: 10.41." in git(folder, "show", "HEAD")
    assert run(["verify", "--repo", str(folder)]) == 0


def test_an_unreadable_one_permits_nothing_and_makes_check_red(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {**FULL, GATE: GATES[GATE] + "  kidn: gate\n"})
    write(folder, MORE)
    commit(folder)
    assert checked(folder, capsys) == (1, ["capacity", "field-unknown"])
