"""Changes: a pull request does not edit files that only reconcile writes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ownership_of_records.play import FOLDER, RECORD, Play, edited, override
from tests.ownership_of_records.test_branch import (
    added,
    emptied,
    foreign,
    moved,
    observed,
    removed,
    settings,
)
from tests.world import tenant

BASE = ("--base", "origin/main")


@pytest.mark.parametrize("act", [removed, moved, added, emptied, foreign, observed])
def test_a_change_of_records_is_red_and_the_shown_command_undoes_it(
    play: Play, act: Callable[[Play], None]
) -> None:
    play.change()
    play.edit({"tenants/mine.yaml": tenant("mine")})
    act(play)
    code, errors = play.codes("check", *BASE)
    assert (code, "records-changed" in errors) == (1, True)
    said = play.ipam("check", *BASE)[1]
    assert said.count("records-changed") == 1
    command = said.partition("undo: ")[2].partition(" && git commit")[0]
    play.git(*command.split()[1:])
    play.edit(message="Restore records")
    assert play.codes("check", *BASE) == (0, set())


def test_an_edit_that_the_change_undoes_is_green(play: Play) -> None:
    play.change()
    moved(play)
    play.git("revert", "--no-edit", "HEAD")
    assert play.codes("check", *BASE) == (0, set())


def test_a_renamed_records_folder_brings_its_records_along(play: Play) -> None:
    play.change()
    play.edit({"ipam.yaml": settings("records: elsewhere")})
    assert "settings-changed" in play.codes("check", *BASE)[1]
    play.git("mv", "allocations", "elsewhere")
    play.edit()
    assert play.codes("check", *BASE) == (0, set())


def test_a_change_behind_its_base_is_green(play: Play) -> None:
    play.change()
    play.edit({"tenants/mine.yaml": tenant("mine")})
    play.git("switch", "-q", "main")
    play.add()
    play.git("switch", "-q", "change")
    assert play.codes("check", *BASE) == (0, set())


def test_an_override_of_the_base_permits_it_and_one_of_the_change_does_not(play: Play) -> None:
    said = override("2026-02-15-edit", kind="record", scope=RECORD)
    play.change()
    play.edit(said)
    moved(play)
    assert "records-changed" in play.codes("check", *BASE)[1]
    play.git("switch", "-q", "main")
    play.edit(said)
    play.push()
    play.git("branch", "-qD", "change")
    play.change()
    moved(play)
    code, text = play.ipam("check", *BASE)
    assert (code, "records-changed" in text) == (0, False)
    assert (
        f"{RECORD}:1:1: warning claim-moves: team-a/one (loadbalancer) had 10.40.0.0-10.40.0.7 and"
        " gets 10.40.0.128-10.40.0.135 through an edited record"
    ) in text


def test_a_range_that_edits_give_to_another_claim_is_shown_with_both(play: Play) -> None:
    other = RECORD.replace("one.", "two.")
    play.edit({"tenants/two.yaml": tenant("two")})
    play.push()
    assert play.reconcile() == 0
    names = {"2026-02-15-one": RECORD, "2026-02-15-two": other}
    for name, scope in names.items():
        play.edit(override(name, kind="record", scope=scope))
    play.push()
    play.change()
    texts = play.shown(RECORD), play.shown(other)
    play.edit({RECORD: numbered(texts[0], 48), other: numbered(texts[1], -48)})
    code, said = play.ipam("check", *BASE)
    assert code == 0, said
    one, two = "team-a/one (loadbalancer)", "team-a/two (loadbalancer)"
    low, high = "10.40.0.0-10.40.0.7", "10.40.0.48-10.40.0.55"
    for claim, had, gets, of in ((one, low, high, two), (two, high, low, one)):
        assert f"{claim} had {had} and gets {gets} of {of} through an edited record" in said
    play.edit(gone=[RECORD, "tenants/one.yaml"])
    assert (
        f"{one} had {low} and gets nothing through an edited record" in play.ipam("check", *BASE)[1]
    )


def numbered(text: str, more: int) -> str:
    """A record whose addresses are that many higher."""
    return re.sub(r"10\.40\.0\.(\d+)", lambda it: f"10.40.0.{int(it[1]) + more}", text)


def test_a_change_that_restores_records_is_green(play: Play) -> None:
    moved(play)
    play.push()
    play.change()
    play.git("revert", "--no-edit", "HEAD")
    assert play.codes("check", *BASE) == (0, set())
    removed(play)
    assert "records-changed" in play.codes("check", *BASE)[1]


def reconcile_change(play: Play) -> None:
    play.git("push", "-q", "origin", "change")
    how = ("--branch", "change", "--any-branch", "--remote", str(play.remote))
    assert play.reconcile(*how) == 0
    play.git("pull", "-q", "origin", "change")


def test_the_plan_of_the_base_may_be_committed_by_a_change(play: Play) -> None:
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    play.change()
    reconcile_change(play)
    assert play.codes("check", *BASE) == (0, set())
    moved(play)
    assert play.codes("check", *BASE)[1] >= {"records-changed", "commit-carried"}


def proposal(play: Play) -> str:
    """Create a proposal with reconcile. Return its head."""
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    assert play.reconcile("--to-branch", "ipam") == 0
    play.git("fetch", "-q", "origin")
    return play.git("rev-parse", "origin/ipam")


def merged(play: Play, tip: str) -> None:
    play.git("merge", "-q", "--no-ff", "-m", "Merge", tip)


def forwarded(play: Play, tip: str) -> None:
    play.git("merge", "-q", "--ff-only", tip)


def squashed(play: Play, tip: str) -> None:
    message = play.git("log", "--format=%B", f"main..{tip}")
    play.git("merge", "-q", "--squash", tip)
    said = f"Records (#12)\n\n* {message}\n\nCo-authored-by: A <a@example.com>"
    play.git("commit", "-q", "-m", said)


def rebased(play: Play, tip: str) -> None:
    play.git("cherry-pick", f"main..{tip}")


@pytest.mark.parametrize(
    ("how", "is_deleted"),
    [(merged, False), (merged, True), (forwarded, True), (squashed, True), (rebased, True)],
)
def test_a_merged_proposal_is_accepted(
    play: Play, how: Callable[[Play, str], None], *, is_deleted: bool
) -> None:
    tip = proposal(play)
    if how is rebased or how is squashed:
        play.edit({"tenants/meanwhile.yaml": tenant("meanwhile")})
    how(play, tip)
    play.push()
    if is_deleted:
        play.git("push", "-q", "origin", ":ipam")
    held = play.held()
    assert any("/late/" in claim for claim in held)
    assert play.reconcile() == 0
    assert held.items() <= play.held().items()


def test_a_squash_that_drops_the_line_stops_and_says_how_to_set_the_forge(play: Play) -> None:
    tip = proposal(play)
    play.git("merge", "-q", "--squash", tip)
    play.git("commit", "-q", "-m", "Records (#12)")
    play.push()
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 3
    assert "%{all_commits}" in said


@pytest.mark.parametrize("how", [squashed, rebased, merged])
def test_a_stale_proposal_stops(play: Play, how: Callable[[Play, str], None]) -> None:
    tip = proposal(play)
    play.add("aaa")
    try:
        how(play, tip)
    except AssertionError:
        return  # Git cannot merge it
    play.push()
    assert play.reconcile() == 3


def test_a_carried_reconcile_commit_is_red_although_it_was_reverted(play: Play) -> None:
    play.change()
    play.edit({"tenants/mine.yaml": tenant("mine")})
    reconcile_change(play)
    assert "commit-carried" in play.codes("check", *BASE)[1]
    play.git("revert", "--no-edit", "HEAD")
    assert play.codes("check", *BASE) == (1, {"commit-carried"})


def test_a_cherry_picked_reconcile_commit_is_red(play: Play) -> None:
    play.add()
    made = play.tip
    play.add("later")
    play.git("switch", "-q", "-c", "change", f"{made}^^")
    play.git("cherry-pick", made)
    assert "commit-carried" in play.codes("check", *BASE)[1]


def test_the_revert_of_a_reconcile_commit_is_red(play: Play) -> None:
    play.add()
    play.change()
    play.git("revert", "--no-edit", "HEAD")
    assert play.codes("check", *BASE) == (1, {"records-changed"})


def test_first_records_are_imported(fresh: Play, tmp_path: Path) -> None:
    other = Play(_made(tmp_path / "other"), fresh.capsys)
    assert other.reconcile() == 0
    texts = {RECORD: other.shown(RECORD)}
    fresh.change()
    fresh.edit(texts)
    code, said = fresh.ipam("check", *BASE)
    assert (code, "records-imported" in said) == (0, True)
    fresh.merge()
    assert fresh.reconcile() == 0
    assert fresh.held()["butler/TenantCluster/team-a/one/loadbalancer"]
    fresh.change("again")
    fresh.edit({f"{FOLDER}/new.loadbalancer.yaml": edited(texts[RECORD].replace("one", "new"))})
    assert "records-changed" in fresh.codes("check", *BASE)[1]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_change_that_is_dated_before_its_base_releases_nothing_early(play: Play) -> None:
    began = play.now
    play.now += 5 * 86_400
    play.edit({"README.md": "friday\n"})
    play.push()
    play.change()
    play.now = began
    play.edit(gone=["tenants/t1.yaml"])
    assert play.codes("check", *BASE) == (1, {"commit-dated-back"})


def test_a_base_that_is_dated_back_itself_releases_nothing_early(play: Play) -> None:
    began = play.now
    play.now += 5 * 86_400
    play.edit({"README.md": "friday\n"})
    play.push()
    play.change()
    play.now = began
    play.edit({"README.md": "monday\n"})
    assert play.codes("check", *BASE) == (0, set())
    play.push()
    play.edit(gone=["tenants/t1.yaml"])
    assert play.codes("check", *BASE) == (1, {"commit-dated-back"})


def test_a_release_whose_retention_is_over_before_the_merge_is_red(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = play.now + 20 * 86_400
    monkeypatch.setattr("reconciler.cli.options.now", lambda: today)
    play.change()
    play.edit({"README.md": "long ago\n"})
    assert play.codes("check", *BASE) == (0, set())
    play.edit(gone=["tenants/t1.yaml"])
    assert play.codes("check", *BASE) == (1, {"commit-dated-back"})
    old, play.now = play.tip, today - 7_200
    play.git("commit", "-q", "--amend", "--no-edit")
    assert play.codes("check", *BASE) == (0, set())
    play.git("switch", "-q", "main")
    play.edit({"ipam.yaml": settings("retention: 0s")})
    play.push()
    # The merge commit of a change that is behind gets a date of its own.
    play.git("switch", "-q", "--detach", old)
    assert play.codes("check", *BASE) == (0, set())
    play.git("switch", "-q", "change")
    play.git("rebase", "-q", "main")
    today += 86_400  # without retention there is nothing to lose
    assert play.codes("check", *BASE) == (0, set())
