"""A release limit holds back only its own releases, names their author, and cannot be evaded."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Said, given_out
from tests.hostile.test_overrides import override
from tests.world import CLOCK, SMALL, commit, git, settings, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
LEAVE = "overrides/2026-02-15-move-out.yaml"


def files(count: int) -> dict[str, str | bytes]:
    """That many tenants, one of them in a file of its own name."""
    return {**SMALL, **{f"tenants/t{n:02}.yaml": tenant(f"t{n:02}") for n in range(count - 1)}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", files(12))


def leave(folder: Path, *numbers: int, clock: int = CLOCK + 60) -> str:
    git(folder, "rm", "-q", *(f"tenants/t{n:02}.yaml" for n in numbers))
    return commit(folder, "they leave", clock=clock)


def of_settings(folder: Path, spec: str, clock: int = CLOCK + 50) -> str:
    write(folder, {"ipam.yaml": settings(spec)})
    return commit(folder, "settings", clock=clock)


def brakes(text: str) -> list[dict[str, Any]]:
    return [it for it in json.loads(text)["gates"] if it["code"] == "brake"]


def test_each_release_that_is_held_is_told_with_the_commit_and_its_author(
    folder: Path, said: Said
) -> None:
    left = leave(folder, 0, 1, 2, 3, 4)
    write(folder, {"tenants/late.yaml": tenant("late")})
    commit(folder, "one more", clock=CLOCK + 90)
    for verb in ("check", "plan", "reconcile"):
        code, text = said(verb)
        assert code == 3
        assert text.count("warning brake-held") == 5
        assert (
            f"{FOLDER}/t00.loadbalancer.yaml:1:1: warning brake-held: release held back by the release limit: team-a/t00 (loadbalancer) keeps 10.40.0.8-10.40.0.15: commit {left[:12]} by 'A Person' removed 'tenants/t00.yaml'"
        ) in text
    assert git(folder, "log", "-1", "--format=%s") == "ipam: allocate 1"


def test_an_unrelated_change_is_not_red_for_a_brake_of_its_base(folder: Path, said: Said) -> None:
    leave(folder, 0, 1, 2, 3, 4)
    git(folder, "switch", "-qc", "change")
    write(folder, {"tenants/late.yaml": tenant("late")})
    commit(folder, "one more", clock=CLOCK + 90)
    code, text = said("check", "--base", "main")
    assert code == 0
    assert "Already in main" in text
    leave(folder, 5, clock=CLOCK + 91)
    assert said("check", "--base", "main")[0] == 0
    leave(folder, 6, 7, 8, clock=CLOCK + 92)
    code, text = said("check", "--base", "main", "-o", "json")
    (brake,) = brakes(text)
    assert code == 3
    assert "9 of 12 allocated records (75.0%)" in brake["message"]


def test_what_the_base_would_release_counts_while_no_brake_of_its_own_holds_it(
    folder: Path, said: Said
) -> None:
    leave(folder, 0, 1, 2)
    assert said("check")[0] == 0
    git(folder, "switch", "-qc", "change")
    leave(folder, 3, clock=CLOCK + 61)
    code, text = said("check", "--base", "main", "-o", "json")
    assert (code, len(brakes(text))) == (3, 1)


def test_all_that_is_left_is_everything_though_the_base_holds_the_rest(
    folder: Path, said: Said
) -> None:
    leave(folder, *range(9))
    git(folder, "switch", "-qc", "change")
    git(folder, "rm", "-q", "tenants/one.yaml")
    leave(folder, 9, 10, clock=CLOCK + 61)
    code, text = said("check", "--base", "main", "-o", "json")
    assert (code, "all records: 12 of 12" in brakes(text)[0]["message"]) == (3, True)


def test_two_half_size_changes_are_one(folder: Path, said: Said) -> None:
    leave(folder, 0, 1, 2)
    assert said("reconcile")[0] == 0
    head = leave(folder, 3, 4, clock=CLOCK + 100)
    code, text = said("reconcile")
    assert (code, git(folder, "rev-parse", "main")) == (3, head)
    assert "release 2 of 9 allocated records (22.2%), with records in retention 5 of 12" in text


@pytest.mark.parametrize("is_same", [True, False])
def test_settings_that_were_loosened_count_only_once_reconcile_went_by_them(
    folder: Path, said: Said, *, is_same: bool
) -> None:
    of_settings(folder, "{brakes: {maxReleasePercent: 90}}")
    if not is_same:
        assert said("check")[0] == 0
    leave(folder, 0, 1, 2, 3, 4)
    for verb in ("check", "reconcile"):
        code, text = said(verb)
        assert code == 3
        assert "warning settings-loosened" in text
        assert "brakes.maxReleasePercent from 30 to 90" in text
    write(folder, {"tenants/late.yaml": tenant("late")})
    commit(folder, "one more", clock=CLOCK + 90)
    assert said("reconcile")[0] == 3  # this is the first one by the new Settings
    code, text = said("reconcile")
    assert (code, "settings-loosened" in text) == (0, False)
    assert "phase: Released" in git(folder, "show", f"main:{FOLDER}/t00.loadbalancer.yaml")


def test_a_work_tree_with_loosened_settings_is_judged_as_its_commit_will_be(
    folder: Path, said: Said
) -> None:
    git(folder, "rm", "-q", *(f"tenants/t{n:02}.yaml" for n in range(5)))
    write(folder, {"ipam.yaml": settings("{brakes: {maxReleasePercent: 90}}")})
    work_tree = said("check", "--worktree")
    commit(folder, "loosened", clock=CLOCK + 60)
    for code, text in (work_tree, said("check"), said("reconcile")):
        assert code == 3
        assert (
            "this plan would release 5 of 12 allocated records (41.7%), more than brakes.maxReleasePercent (30%),"
            in text
        )


def test_a_change_to_a_base_with_loosened_settings_is_judged_as_its_merge_will_be(
    folder: Path, said: Said
) -> None:
    of_settings(folder, "{gate: never, brakes: {minRecords: 50}}")
    git(folder, "switch", "-qc", "change")
    write(folder, {"tenants/big.yaml": tenant("big", networking="{lbPoolSize: 150}")})
    leave(folder, 0, 1, 2, 3, 4)
    code, text = said("check", "--base", "main", "-o", "json")
    document = json.loads(text)
    assert (code, [it["code"] for it in document["gates"]]) == (3, ["brake", "capacity"])
    assert "settings-loosened" in {it["code"] for it in document["inherited"]}
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    code, text = said("reconcile")
    assert code == 3
    assert "held brake" in text
    assert "exceeded capacity" in text
    assert "brakes.minRecords from 10 to 50, gate from exhausted to" in text


def test_an_override_that_was_used_lets_no_second_removal_pass(folder: Path, said: Said) -> None:
    write(folder, {LEAVE: override(LEAVE, kind="brake", releases=6)})
    commit(folder, "allow six", clock=CLOCK + 30)
    leave(folder, 0, 1, 2, 3)
    assert said("reconcile")[0] == 0
    leave(folder, 4, 5, 6, clock=CLOCK + 100)
    code, text = said("reconcile")
    assert (code, text.count("warning brake-held")) == (3, 3)
    assert "merge an Override with kind: brake, releases: 7," in text
    bring(folder, "t06", clock=CLOCK + 200)
    assert said("reconcile")[0] == 0  # six in all, as was agreed


def bring(folder: Path, *names: str, clock: int) -> str:
    write(folder, {f"tenants/{name}.yaml": tenant(name) for name in names})
    return commit(folder, "they come", clock=clock)
