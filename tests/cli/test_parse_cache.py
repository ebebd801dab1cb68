"""The cache of parsed files: no state of it changes an answer, and a warm run parses nothing."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reconciler.gitio import files
from reconciler.gitio.interface import Entry
from reconciler.gitio.revision import GitSource
from reconciler.planning import cache
from tests.cli.running import Capture, Ran, environment, ipam
from tests.world import commit, repository, tenant, write

EXAMPLE = Path(__file__).parents[2] / "example-repo"
FILES: dict[str, str | bytes] = {
    "tenants/odd.yaml": tenant("odd", "team-x", addons="{size: 1.5}"),
    "tenants/status.yaml": tenant("status", "team-x") + "status: {phase: Ready}\n",
}
for file in (EXAMPLE / "ipam.yaml", *EXAMPLE.glob("[!.]*/**/*.yaml")):
    FILES[file.relative_to(EXAMPLE).as_posix()] = file.read_bytes()
ANSWERS = ("plan -o json", "check -o json", "get allocations -o json", "check --base HEAD -o json")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "MIN_FILES", 0)
    return repository(tmp_path / "repo", FILES)


def answers(capsys: Capture, repo: Path) -> list[Ran]:
    return [ipam(capsys, *line.split(), "--repo", repo) for line in ANSWERS]


def kept(repo: Path) -> Path:
    (found,) = (repo.parent / "cache/gitops-ipam/parsed").iterdir()
    return found


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


SPOILED: dict[str, Callable[[Path], object]] = {
    "nothing": bool,
    "a changed bit": flip,
    "half of it": lambda it: it.write_bytes(it.read_bytes()[: it.stat().st_size // 2]),
    "empty": lambda it: it.write_bytes(b""),
    "a folder": lambda it: it.rename(it.with_suffix(".old")).with_suffix("").mkdir(),
    "a folder of all": lambda it: it.parent.chmod(0o770),
    "no folder": lambda it: it.parent.rename(it.parents[1] / "old").with_name("parsed").touch(),
    "a killed run": lambda it: it.with_suffix(".new").write_bytes(b"x"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_no_state_of_the_cache_changes_an_answer(repo: Path, capsys: Capture, how: str) -> None:
    first = answers(capsys, repo)
    SPOILED[how](kept(repo))
    assert answers(capsys, repo) == first
    assert answers(capsys, repo) == first
    assert how == "a killed run" or not [*repo.parent.glob("cache/gitops-ipam/*/*.new")]


def test_only_files_with_findings_are_parsed_again_and_all_for_a_change(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(capsys, repo)
    parsed, each = list[str](), GitSource.each

    def reading(source: GitSource, entries: Sequence[Entry], work: Any) -> list[Any]:
        parsed.extend(it.path for it in entries)
        return each(source, entries, work)

    monkeypatch.setattr(GitSource, "each", reading)
    ipam(capsys, "plan", "--repo", repo)
    assert parsed == ["tenants/odd.yaml", "tenants/status.yaml"]
    ipam(capsys, "check", "--base", "HEAD", "--repo", repo)
    assert len(parsed) > len(FILES)


def test_a_cache_of_another_version_or_of_other_settings_is_not_used(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = answers(capsys, repo)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_seal", lambda _: b"0" * 32)
        assert answers(capsys, repo) == first
    assert answers(capsys, repo) == first
    text = (repo / "ipam.yaml").read_text("utf-8")
    write(repo, {"ipam.yaml": text.replace("tenants: [TenantCluster, ", "tenants: [")})
    commit(repo)
    there = answers(capsys, repo)
    kept(repo).unlink()
    assert (answers(capsys, repo), there == first) == (there, False)


def test_two_processes_at_once_give_the_same_answer(repo: Path) -> None:
    code = "from reconciler.planning import cache; cache.MIN_FILES = 0; from reconciler.cli import main; main()"
    command = [sys.executable, "-c", code, "plan", "-o", "json", "--repo", str(repo)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) for _ in range(2)]
    told = {it.communicate()[0] for it in both}
    told.add(subprocess.run(command, stdout=subprocess.PIPE, env=environment(), check=False).stdout)
    assert len(told) == 1
