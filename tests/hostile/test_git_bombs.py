"""Small packs that expand to many or large objects, in all paths that `ipam` reads."""

import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import Ran, environment
from tests.world import SMALL, commit, git, pool, reconciled, repository, settings, tenant, write

MEMORY = 768 << 20
BOMB = 400 << 20
TOO_LARGE = f"error file-too-large: the file has {BOMB:,} bytes"
SECONDS = 120
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


def limited(*arguments: str | Path, most: int = MEMORY) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "reconciler", *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=SECONDS,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def tree(folder: Path, entries: Mapping[str, str]) -> str:
    """Create a tree of objects by `mode type id` and name, without checks."""
    lines = "".join(f"{about}\t{name}\n" for name, about in entries.items())
    return git(folder, "mktree", data=lines.encode())


def with_entry(folder: Path, path: str, about: str, message: str = "change") -> str:
    """Commit an object at a path to the branch."""
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        above = "/".join(parts[:depth])
        is_there = not above or git(folder, "ls-tree", "-d", "HEAD", above)
        listed = git(folder, "ls-tree", f"HEAD:{above}").splitlines() if is_there else []
        entries = {name: known for known, _, name in (line.partition("\t") for line in listed)}
        about = f"040000 tree {tree(folder, {**entries, parts[depth]: about})}"
    made = git(folder, "commit-tree", about.split()[-1], "-p", "HEAD", "-m", message)
    git(folder, "update-ref", "refs/heads/main", made)
    return made


def tree_bomb(folder: Path, name: str = "a", levels: int = 12) -> str:
    """Return a tree of twelve levels with ten times the same folder each: 10^12 files."""
    blob = git(folder, "hash-object", "-w", "--stdin", data=b"kind: Nothing\n")
    made = f"100644 blob {blob}"
    suffix = ".yaml"
    for _ in range(levels):
        oid = tree(folder, {f"{name}{number}{suffix}": made for number in range(10)})
        made, suffix = f"040000 tree {oid}", ""
    return made


@pytest.fixture(scope="module")
def blob_bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an object of 400 MiB, which takes 400 kB in the repository."""
    folder = tmp_path_factory.mktemp("bomb") / "objects"
    folder.mkdir()
    git(folder, "init", "-q", "--bare", ".")
    huge = folder / "huge"
    with huge.open("wb") as file:
        file.truncate(BOMB)
    (folder / "id").write_text(git(folder, "-c", "core.compression=1", "hash-object", "-w", "huge"))
    return folder


def bombed(folder: Path, bomb: Path, files: Mapping[str, str | bytes]) -> tuple[Path, str]:
    """Return a repository, and the tree entry of the huge object."""
    repo = repository(folder / "repo", files)
    alternates = repo / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{bomb / 'objects'}\n")
    return repo, f"100644 blob {(bomb / 'id').read_text()}"


def test_a_tree_of_the_same_tree_again_and_again_is_refused(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", SMALL)
    with_entry(repo, "tenants/bomb", tree_bomb(repo))
    for verb in ("check", "status"):
        ran = limited(verb, "--repo", repo)
        assert ran.code == 1, ran
        assert "has more than 200,000 files" in ran.err
        assert "spec.limits.files" in ran.err


def test_a_change_is_held_to_the_limits_of_its_base(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {**SMALL, "ipam.yaml": settings("{limits: {files: 50}}")})
    git(repo, "branch", "base")
    write(repo, {"ipam.yaml": settings("{limits: {files: 90000000}}")})
    write(repo, {f"tenants/{number}.yaml": "a: 1\n" for number in range(60)})
    commit(repo)
    ran = limited("check", "--repo", repo, "--base", "base")
    assert ran.code == 1, ran
    assert "has more than 50 files" in ran.err


def test_more_bytes_than_are_read_are_refused(tmp_path: Path) -> None:
    files = {f"tenants/{n}.yaml": f"{tenant(f't{n}')}{'# x' * 20_000}\n" for n in range(30)}
    limits = {"ipam.yaml": settings("{limits: {bytes: 1Mi}}")}
    repo = repository(tmp_path / "repo", {**SMALL, **files, **limits})
    ran = limited("check", "--repo", repo)
    assert ran.code == 1, ran
    assert "has more than 1,048,576 bytes" in ran.err
    assert "spec.limits.bytes" in ran.err


@pytest.mark.parametrize("path", ["tenants/two.yaml", "pools/deep/er.yml"])
def test_a_huge_source_file_is_a_finding_and_stops_what_it_may_bear_on(
    path: str, tmp_path: Path, blob_bomb: Path
) -> None:
    repo, bomb = bombed(tmp_path, blob_bomb, SMALL)
    with_entry(repo, path, bomb)
    ran = limited("check", "--repo", repo)
    assert ran.code == 1, ran
    assert f"{path}: {TOO_LARGE}" in ran.out
    ran = limited("plan", "--repo", repo)
    assert "allocate" not in ran.out, "addresses in use were not read"


def test_a_huge_file_that_could_be_read_before_counts_as_it_was(
    tmp_path: Path, blob_bomb: Path
) -> None:
    repo, bomb = bombed(tmp_path, blob_bomb, {**reconciled(SMALL), "pools/b.yaml": pool("b")})
    with_entry(repo, "pools/edge.yaml", bomb)
    ran = limited("check", "--repo", repo)
    assert ran.code == 1, ran
    assert TOO_LARGE in ran.out
    assert "warning last-good" in ran.out
    assert "0 to" not in ran.out
    assert "1 kept" in ran.out


def test_huge_settings_and_records_are_findings(tmp_path: Path, blob_bomb: Path) -> None:
    for path in ("ipam.yaml", RECORD, "allocations/NetworkPool/butler-system.edge/x/y.nodes.yaml"):
        repo, bomb = bombed(tmp_path / path.replace("/", "-"), blob_bomb, reconciled(SMALL))
        with_entry(repo, path, bomb)
        ran = limited("check", "--repo", repo)
        assert ran.code == 1, ran
        assert path in ran.out


def test_a_huge_version_in_the_history_or_in_the_base_is_passed_over(
    tmp_path: Path, blob_bomb: Path
) -> None:
    repo, bomb = bombed(tmp_path, blob_bomb, reconciled(SMALL))
    with_entry(repo, "tenants/one.yaml", bomb)
    broken = git(repo, "hash-object", "-w", "--stdin", data=b"kind: [\n")
    made = with_entry(repo, "tenants/one.yaml", f"100644 blob {broken}")
    ran = limited("check", "--repo", repo)
    assert ran.code == 1, ran
    assert "tenants/one.yaml:1:1: warning last-good" in ran.out
    assert "TenantCluster team-a/one" in ran.out
    ran = limited("check", "--repo", repo, "--base", "HEAD~1", "--rev", made)
    assert ran.code == 1, ran


def test_a_huge_file_of_a_work_tree_is_a_finding(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", SMALL)
    with (repo / "tenants" / "two.yaml").open("wb") as file:
        file.truncate(1 << 40)
    ran = limited("check", "--repo", repo, "--worktree")
    assert ran.code == 1, ran
    assert f"error file-too-large: the file has {1 << 40:,} bytes" in ran.out
