"""Past the brake, what people took out of records is put back: nobody gets it, and all else goes on."""

import re
from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository
from reconciler.cli import run
from reconciler.commands.last_made import LastMade, last_made
from tests.cli.running import Said, given_out
from tests.hostile.test_overrides import override
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
GONE = [f"{FOLDER}/t{n}.loadbalancer.yaml" for n in range(5)]
LATE = f"{FOLDER}/late.loadbalancer.yaml"
LEAVE = "overrides/2026-02-15-move-out.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve tenants with their records, and one more that asks; five records are removed."""
    tenants = {f"tenants/t{n}.yaml": tenant(f"t{n}") for n in range(11)}
    return given_out(tmp_path / "repo", {**SMALL, **tenants})


def remove(folder: Path, paths: list[str] = GONE) -> str:
    git(folder, "rm", "-q", *paths)
    write(folder, {"tenants/late.yaml": tenant("late")})
    return commit(folder, "tidy", clock=CLOCK + 60)


def is_as_before(folder: Path, head: str, paths: list[str] = GONE) -> bool:
    return git(folder, "diff", "--stat", f"{head}^", "main", "--", *paths) == ""


def test_what_was_removed_is_put_back_with_its_reason_and_a_newcomer_is_served(
    folder: Path, said: Said
) -> None:
    head = remove(folder)
    for verb in ("check", "plan", "reconcile"):
        code, text = said(verb)
        assert code == 3
        assert f"{GONE[0]}:1:1: warning record-put-back: reconcile puts it back" in text
    assert "Committed" in text
    assert is_as_before(folder, head)
    assert "startAddress: 10.40.0.96" in git(folder, "show", f"main:{LATE}")
    assert git(folder, "log", "-1", "--format=%s") == "ipam: allocate 1, put back 5"
    made = git(folder, "log", "-1", "--format=%(trailers:key=Ipam-Put-Back,valueonly)").strip()
    assert made == git(folder, "rev-parse", f"{head}^")
    assert said("reconcile")[0] == 0
    assert is_as_before(folder, head)


def test_a_replay_proves_what_was_put_back_and_later_runs_go_on_from_it(
    folder: Path, said: Said
) -> None:
    remove(folder)
    assert said("reconcile")[0] == 3
    assert said("verify")[0] == 0
    opened = open_repository(folder, ENVIRONMENT)
    head = opened.resolve("HEAD")
    assert last_made(opened, head) == LastMade(head.id, (), True)
    git(folder, "rm", "-q", *GONE)
    commit(folder, "once more", clock=CLOCK + 120)
    assert said("reconcile")[0] == 3
    assert said("verify")[0] == 0
    assert (folder / GONE[0]).is_file()


def test_a_commit_that_only_says_so_is_not_believed(folder: Path, said: Said) -> None:
    head = remove(folder)
    assert said("reconcile")[0] == 3
    message = git(folder, "log", "-1", "--format=%B")
    other = message.replace(git(folder, "rev-parse", f"{head}^"), git(folder, "rev-parse", head))
    git(folder, "commit", "-q", "--amend", "-m", other, clock=CLOCK + 61)
    assert said("verify")[0] != 0
    write(folder, {GONE[0]: git(folder, "show", f"{head}^:{GONE[1]}") + "\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "-m", message, clock=CLOCK + 61)
    assert said("verify")[0] != 0


def test_nothing_is_put_back_from_a_commit_that_a_person_made(folder: Path, said: Said) -> None:
    text = (folder / GONE[0]).read_text(encoding="utf-8")
    write(folder, {GONE[0]: text.replace("2026-02-15T", "2026-02-14T")})
    theirs = commit(folder, "since yesterday", clock=CLOCK + 30)
    remove(folder)
    assert said("reconcile")[0] == 3
    message = git(folder, "log", "-1", "--format=%B")
    (proven,) = re.findall("^Ipam-Put-Back: (.*)$", message, re.MULTILINE)
    git(folder, "checkout", "-q", theirs, "--", *GONE)
    forged = message.replace(proven, theirs)
    git(folder, "commit", "-q", "--amend", "-m", forged, clock=CLOCK + 61)
    assert said("verify", "HEAD^..HEAD")[0] != 0


def test_tenants_that_left_with_their_records_are_released_when_a_person_says_so(
    folder: Path, said: Said
) -> None:
    git(folder, "rm", "-q", *(f"tenants/t{n}.yaml" for n in range(5)))
    head = remove(folder)
    for _ in "12":
        code, text = said("reconcile")
        assert (code, git(folder, "diff", "--numstat", f"{head}^", "main", "--", *GONE)) == (
            3,
            "\n".join(f"1\t0\t{path}" for path in GONE),  # the mark, for somebody came
        )
        assert 'held-of: "12"' in git(folder, "show", f"main:{GONE[0]}")
        assert "held brake: the plan releases 5 of 1" in text
    assert said("verify")[0] == 0
    assert said("reconcile", "--allow-release", "5")[0] == 0
    assert "phase: Released" in git(folder, "show", f"main:{GONE[0]}")


def test_edits_are_taken_back_whole(folder: Path, said: Said) -> None:
    for path in GONE:
        text = (folder / path).read_text(encoding="utf-8")
        text = re.sub(r"10\.40\.0\.(\d+)", lambda it: f"10.40.0.{int(it[1]) + 128}", text)
        write(folder, {path: text})
    head = remove(folder, [f"{FOLDER}/t5.loadbalancer.yaml"])
    assert said("reconcile")[0] == 1  # an edit is an error as long as it stands
    assert is_as_before(folder, head, [*GONE, f"{FOLDER}/t5.loadbalancer.yaml"])
    assert said("verify")[0] == 0


def test_an_override_that_was_merged_first_lets_records_go(folder: Path, said: Said) -> None:
    write(folder, {LEAVE: override(LEAVE, kind="brake", releases=5)})
    commit(folder, "allow five", clock=CLOCK + 30)
    remove(folder)
    code, text = said("reconcile")
    assert (code, "put back" in text, "info override-used" in text) == (0, False, True)


def test_where_somebody_brought_another_record_of_the_addresses_all_waits(
    folder: Path, said: Said
) -> None:
    thief = (folder / GONE[0]).read_text(encoding="utf-8").replace("t0", "thief")
    write(folder, {f"{FOLDER}/thief.loadbalancer.yaml": thief, "tenants/x.yaml": tenant("thief")})
    head = remove(folder)
    code, text = said("reconcile")
    assert code == 1
    assert f"nor is anything else: {GONE[0]} cannot be put back" in text
    assert f"{FOLDER}/thief.loadbalancer.yaml holds its addresses" in text
    assert git(folder, "rev-parse", "main") == head


def test_beside_a_record_that_cannot_be_read_all_waits(folder: Path, said: Said) -> None:
    write(folder, {f"{FOLDER}/t9.loadbalancer.yaml": "kind: IPAllocation\n"})
    head = remove(folder)
    code, text = said("reconcile")
    assert code == 1
    assert "nothing is put back beside a record that cannot be read: " in text
    assert git(folder, "rev-parse", "main") == head


def test_where_it_cannot_be_proven_what_reconcile_left_all_waits(
    folder: Path, said: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove(folder)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{folder}", str(shallow))
    capsys.readouterr()
    assert run(["check", "--repo", str(shallow)]) == 3
    assert "nor is anything else: that reconcile made commit" in capsys.readouterr().out
    assert said("check")[0] == 3
