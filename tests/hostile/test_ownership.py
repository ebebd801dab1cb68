"""A change that grants itself rights is also checked with the rights of the base."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.planning.test_ownership import MINE, team, world
from tests.world import commit, git, repository, settings, tenant, write

THEIRS = {"namespaces": "team-b", "folders": "tenants/b"}
BASE = world(a=MINE, b=THEIRS)
STOLEN = {"tenants/b/one.yaml": tenant("one")}


def judged(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, set[str], list[tuple[str, str | None]]]:
    capsys.readouterr()
    code = run(["check", "--repo", str(folder), "-o", "json", *options])
    said = json.loads(capsys.readouterr().out)
    decided = [(it["action"], it["reason"]) for it in said["plan"]["actions"]]
    return code, {it["code"] for it in (*said["findings"], *said["gates"])}, decided


def changed(folder: Path, files: dict[str, str | None]) -> None:
    git(folder, "checkout", "-q", "-b", "change")
    for path in (path for path, text in files.items() if text is None):
        (folder / path).unlink()
    write(folder, {path: text for path, text in files.items() if text is not None})
    commit(folder)


@pytest.mark.parametrize(
    "way",
    [
        {"teams/b.yaml": team("b", namespaces="team-a team-b", folders="tenants/b")},
        {"teams/a.yaml": team("a", namespaces="team-a", folders="tenants")},
        {"teams/a.yaml": None, "teams/b.yaml": None},
        {"teams/a.yaml": team("a"), "teams/b.yaml": team("b")},
        {"teams/a.yaml": "a: [\n", "teams/b.yaml": "a: [\n"},
        {"teams/a.yaml": None, "teams/b.yaml": None, "old/a.yaml": team("a", **MINE)},
        {"ipam.yaml": settings("{sources: [pools, providers, tenants]}")},
    ],
)
def test_a_change_cannot_give_itself_what_is_anothers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: dict[str, str | None]
) -> None:
    folder = repository(tmp_path / "repo", BASE)
    changed(folder, {**STOLEN, **way})
    for options in (["--base", "main"], ["--base", "main", "--worktree"]):
        code, codes, decided = judged(folder, capsys, *options)
        assert code == 1
        assert "not-yours" in codes
        assert decided == [("refuse", "not-yours")]


def test_a_team_that_cannot_be_read_counts_as_it_was_also_for_who_removes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", BASE)
    write(folder, {"teams/a.yaml": "a: [\n", "teams/b.yaml": "a: [\n"})
    commit(folder)
    changed(folder, {**STOLEN, "teams/a.yaml": None, "teams/b.yaml": None})
    code, codes, decided = judged(folder, capsys, "--base", "main")
    assert code == 1
    assert "not-yours" in codes
    assert decided == [("refuse", "not-yours")]


def test_a_change_that_takes_rights_away_is_held_to_that_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", BASE)
    less = {"teams/a.yaml": team("a", **MINE | {"max_addresses": "7"})}
    changed(folder, {"tenants/a/one.yaml": tenant("one"), **less})
    code, _, decided = judged(folder, capsys, "--base", "main")
    assert (code, decided) == (3, [("refuse", "not-yours")])
