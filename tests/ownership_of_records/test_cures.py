"""Edits that an Override accepts, and the commands of messages, run as they are printed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ownership_of_records.play import FOLDER, RECORD, Play, edited, override
from tests.ownership_of_records.test_branch import OTHER, moved, settings
from tests.ownership_of_records.test_changes import BASE, proposal
from tests.world import ENVIRONMENT, tenant

ACCEPTS = override("2026-02-15-edit", kind="record", scope=RECORD)
DAY = 86_400
LEFT = f"{FOLDER}/late.loadbalancer.yaml"


def cure(play: Play, said: str, start: str = ": git ") -> None:
    """Run the command of a message in a shell, at the top of the repository."""
    command = said.partition(start)[2]
    command = f"git {command.partition('Restore records')[0]}Restore records'"
    person = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "A Person"), ("EMAIL", "p@e.com"), ("DATE", f"{play.now} +0"))
    }
    subprocess.run(command, shell=True, check=True, cwd=play.folder, env={**ENVIRONMENT, **person})


def renamed(play: Play, new: str, *more: str) -> None:
    """Rename the records folder, and reconcile once."""
    play.git("mv", "allocations", "between")
    (play.folder / new).parent.mkdir(exist_ok=True)
    play.git("mv", "between", new)
    play.edit({"ipam.yaml": settings(f"records: {new}", *more)})


def edit_in(play: Play, folder: str) -> None:
    path = RECORD.replace("allocations", folder, 1)
    play.edit({path: edited(play.shown(path, "HEAD"))})


def accepted(play: Play) -> None:
    play.edit(ACCEPTS)
    moved(play)
    play.push()
    assert play.reconcile() == 0


def accepted_and_another(play: Play) -> None:
    accepted(play)
    play.edit({"allocations/README": "oops\n", OTHER: edited(play.shown(OTHER))})


def accepted_and_renamed(play: Play) -> None:
    accepted(play)
    renamed(play, "records")
    play.edit(gone=[OTHER.replace("allocations", "records", 1)])


def nested(play: Play) -> None:
    renamed(play, "state/allocations")
    edit_in(play, "state/allocations")


def in_itself(play: Play) -> None:
    renamed(play, "allocations/v2")
    edit_in(play, "allocations/v2")


def swapped(play: Play) -> None:
    renamed(play, "observed", "observed: allocations")
    edit_in(play, "observed")


def old_name_in_use(play: Play) -> None:
    renamed(play, "records")
    play.edit({"allocations/how-to.md": "precious\n"})
    edit_in(play, "records")


def tagged(play: Play) -> None:
    """A tag is named like the newest reconcile commit."""
    last = play.tip
    moved(play)
    play.git("tag", last[:12])


def without_reconcile_commit(play: Play) -> None:
    play.git("checkout", "-q", "--orphan", "new")
    play.edit(message="import")
    play.git("rm", "-rq", "allocations")
    play.edit()
    play.git("branch", "-q", "-M", "new", "main")
    play.git("push", "-q", "origin", ":refs/ipam/last")


@pytest.mark.parametrize(
    "act",
    [
        accepted_and_another, accepted_and_renamed, nested, in_itself, swapped, old_name_in_use,
        tagged, without_reconcile_commit,
    ],
)  # fmt: skip
def test_a_pull_request_with_the_printed_command_is_green(
    play: Play, act: Callable[[Play], None]
) -> None:
    act(play)
    play.push("--force")
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 3, said
    assert {play.ipam(verb)[0] for verb in ("plan", "check")} == {1}
    assert play.ipam("doctor")[0] == 4
    play.git("fetch", "-q")
    play.change()
    cure(play, said, "restore them: git ")
    assert play.codes("check", *BASE) == (0, set())
    play.merge()
    assert play.reconcile() == 0
    text = play.shown(play.git("ls-files", "*/one.loadbalancer.yaml"))
    assert ("10.40.0.128" in text) == (act in (accepted_and_another, accepted_and_renamed))
    if act is old_name_in_use:
        assert play.shown("allocations/how-to.md") == "precious\n"


def test_the_printed_command_of_a_root_works_at_the_top(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play = Play(tmp_path, capsys)
    (play.folder / "a").mkdir()
    play.git("mv", "pools", "providers", "tenants", "a")
    play.edit()
    play.push()
    root = ("--root", "a")
    assert play.reconcile(*root) == 0
    play.edit(gone=[f"a/{RECORD}"])
    play.push()
    _, said = play.ipam("reconcile", "--no-apply", *root)
    play.change()
    cure(play, said)
    assert play.codes("check", *BASE, *root) == (0, set())
    play.merge()
    assert play.reconcile(*root) == 0


@pytest.mark.parametrize("act", [nested, old_name_in_use])
def test_the_command_of_check_undoes_an_edit_in_a_moved_folder(
    play: Play, act: Callable[[Play], None]
) -> None:
    play.change()
    act(play)
    code, said = play.ipam("check", *BASE)
    assert code == 1
    cure(play, said, "undo: git ")
    assert play.codes("check", *BASE) == (0, set())
    play.merge()
    assert play.reconcile() == 0


def test_a_part_of_the_records_is_not_restored_without_a_reconcile_commit(play: Play) -> None:
    without_reconcile_commit(play)
    play.push("--force")
    play.git("fetch", "-q")
    play.change()
    play.git("checkout", "-q", "HEAD^", "--", RECORD)
    play.edit()
    assert play.codes("check", *BASE) == (1, {"records-changed"})


def expired(play: Play) -> None:
    play.now += 20 * DAY
    play.edit({"README.md": "later\n"})


def withdrawn(play: Play) -> None:
    play.edit(gone=["overrides/2026-02-15-edit.yaml"])


def in_another_folder(play: Play) -> None:
    renamed(play, "records")


@pytest.mark.parametrize(
    ("order", "later"),
    [
        ("edit first", expired), ("Override first", withdrawn), ("Override first", expired),
        ("together", in_another_folder), ("together", withdrawn), ("old branch", expired),
    ],
)  # fmt: skip
def test_what_an_override_accepted_stays_accepted(
    play: Play, order: str, later: Callable[[Play], None]
) -> None:
    if order == "edit first":
        moved(play)
        play.push()
        assert play.reconcile() == 3
        play.edit({**ACCEPTS, "README.md": "both\n"})
    elif order == "Override first":
        play.edit(ACCEPTS)
        moved(play)
    elif order == "together":
        play.edit({**ACCEPTS, RECORD: edited(play.shown(RECORD))})
        play.edit({"README.md": "next\n"})
    else:
        play.change("old")
        moved(play)
        play.git("switch", "-q", "main")
        play.edit(ACCEPTS)
        play.git("merge", "-q", "--no-ff", "-m", "Merge", "old")
    play.push()
    play.change()
    later(play)
    assert play.codes("check", *BASE) == (0, set())
    play.merge()
    assert play.reconcile() == 0


def test_a_restoring_change_does_not_move_an_accepted_record(play: Play) -> None:
    first = play.tip
    accepted(play)
    expired(play)
    play.edit({"allocations/README.md": "oops\n"})
    play.push()
    play.change()
    play.git("restore", f"--source={first}", "--staged", "--worktree", "--", "allocations")
    play.edit()
    code, said = play.ipam("check", *BASE)
    assert (code, "records-changed" in said, RECORD in said) == (1, True, True)
    cure(play, said, "undo: git ")
    assert play.codes("check", *BASE) == (0, set())


def test_no_override_accepts_a_file_that_is_not_yaml(play: Play) -> None:
    play.edit({"allocations/README": "oops\n"})
    play.push()
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, "git restore " in said, "kind record" in said) == (3, True, False)


def copied(play: Play, tip: str) -> None:
    """The files of a proposal in a commit of a person."""
    play.git("checkout", "-q", tip, "--", "allocations")
    play.edit()


def amended(play: Play, tip: str) -> None:
    play.git("reset", "-q", "--hard", tip)
    (play.folder / "README.md").write_text("mine\n")
    play.git("add", "README.md")
    play.git("commit", "-q", "--amend", "--no-edit")


def with_another_base(play: Play, tip: str) -> None:
    message = play.git("log", "-1", "--format=%B", tip).replace(
        play.git("rev-parse", f"{tip}^"), play.git("rev-parse", f"{tip}~3")
    )
    play.git("checkout", "-q", tip, "--", "allocations")
    play.edit(message=message)


@pytest.mark.parametrize("act", [copied, amended, with_another_base])
def test_a_proposal_without_its_commit_is_red_because_it_would_stop(
    play: Play, act: Callable[[Play, str], None]
) -> None:
    tip = proposal(play)
    play.change()
    act(play, tip)
    for more in ((), ("--proposed", "origin/ipam")):
        assert "records-changed" in play.codes("check", *BASE, *more)[1]
    play.merge()
    assert play.reconcile() == 3


def test_a_plan_on_a_stopped_branch_does_not_accept_its_edits(play: Play) -> None:
    moved(play)
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    play.change()
    play.edit(ACCEPTS)
    play.git("push", "-q", "origin", "HEAD:refs/heads/x")
    assert play.reconcile("--branch", "x", "--any-branch") == 0
    play.git("fetch", "-q")
    message = play.git("log", "-1", "--format=%B", "origin/x").replace(
        play.tip, play.git("rev-parse", "main")
    )
    play.git("reset", "-q", "--hard", "main")
    play.git("checkout", "-q", "origin/x", "--", LEFT)
    play.edit(message=message)
    assert "records-changed" in play.codes("check", *BASE)[1]
