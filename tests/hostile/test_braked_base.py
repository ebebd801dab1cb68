"""A change to a base that has a brake: what is shown of it is what reconcile does after its merge."""

import json
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import Said, given_out
from tests.hostile.test_brakes import FOLDER, bring, files, leave
from tests.world import CLOCK, commit, git, tenant, write

FOUR = (0, 1, 2, 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve tenants with their records."""
    return given_out(tmp_path / "repo", files(12))


def record(number: int) -> str:
    return f"{FOLDER}/t{number:02}.loadbalancer.yaml"


def take_away(folder: Path, *numbers: int) -> None:
    """Remove records by hand, whose tenants stay; more than a brake lets pass."""
    git(folder, "rm", "-q", *map(record, numbers))
    commit(folder, "records are gone", clock=CLOCK + 30)


def branch(folder: Path, new: dict[str, str | bytes], *leaving: int) -> None:
    git(folder, "switch", "-qc", "change")
    write(folder, new)
    commit(folder, "change", clock=CLOCK + 60)
    if leaving:
        leave(folder, *leaving, clock=CLOCK + 61)


def checked(said: Said, *words: str) -> dict[str, Any]:
    code, text = said("check", "--base", "main", "--format", "json", *words)
    document: dict[str, Any] = json.loads(text)
    assert document["exitCode"] == code
    return document


def given(document: dict[str, Any]) -> dict[str, str]:
    """The first address of each record that a plan makes."""
    return {
        it["record"]: it["start"]
        for it in document["plan"]["actions"]
        if it["action"] == "allocate"
    }


def merged(folder: Path, said: Said) -> dict[str, bytes]:
    """The records that reconcile leaves once the change is merged."""
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 100)
    said("reconcile")
    git(folder, "reset", "-q", "--hard", "main")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted((folder / "allocations").rglob("*.yaml"))
    }


def test_who_comes_gets_nothing_that_a_brake_puts_back(folder: Path, said: Said) -> None:
    take_away(folder, *FOUR)
    branch(folder, {"tenants/late.yaml": tenant("late")})
    document = checked(said)
    assert document["exitCode"] == 0, document["findings"]
    assert "freed-by-hand" not in [it["code"] for it in document["findings"]]
    assert "record-put-back" in [it["code"] for it in document["inherited"]]
    (held,) = given(document).values()
    records = merged(folder, said)
    assert f"startAddress: {held}\n".encode() in records[f"{FOLDER}/late.loadbalancer.yaml"]
    assert all(record(number) in records for number in FOUR)


def test_what_is_released_beside_a_brake_of_the_base_is_shown_as_held(
    folder: Path, said: Said
) -> None:
    leave(folder, 0, 1, 2, 3, 4)
    branch(folder, {"tenants/late.yaml": tenant("late")}, 5)
    code, text = said("check", "--base", "main")
    assert code == 0
    assert "main has a brake already, which holds 5 releases back: they count there" in text
    assert "until that is settled 1 release of this change is held back with them" in text
    assert (
        "team-a/t05   loadbalancer   10.40.0.48-10.40.0.55 of edge   held back by a brake" in text
    )
    assert "6 held back by a brake" in text
    assert "phase: Allocated" in merged(folder, said)[record(5)].decode()


def test_what_is_released_beside_what_is_put_back_is_held_too(folder: Path, said: Said) -> None:
    take_away(folder, *FOUR)
    branch(folder, {}, 5)
    code, text = said("check", "--base", "main")
    assert code == 0
    assert "main has a brake already, which puts 4 records back" in text
    assert "held back by a brake" in text
    assert "phase: Allocated" in merged(folder, said)[record(5)].decode()


def test_who_puts_the_records_back_has_a_plan_without_a_brake(folder: Path, said: Said) -> None:
    take_away(folder, *FOUR)
    git(folder, "switch", "-qc", "change")
    git(folder, "revert", "--no-edit", "main", clock=CLOCK + 60)
    leave(folder, 5, clock=CLOCK + 61)
    code, text = said("check", "--base", "main")
    assert (code, "held back" in text) == (0, False)
    assert "phase: Released" in merged(folder, said)[record(5)].decode()


def test_who_puts_one_back_that_no_brake_holds_passes(folder: Path, said: Said) -> None:
    take_away(folder, 0)
    git(folder, "switch", "-qc", "change")
    git(folder, "revert", "--no-edit", "main", clock=CLOCK + 60)
    assert checked(said)["exitCode"] == 0
    assert record(0) in merged(folder, said)


def test_a_claim_whose_record_the_base_lost_moves_if_the_change_gives_it_another_range(
    folder: Path, said: Said
) -> None:
    take_away(folder, 0)
    branch(folder, {"tenants/t00.yaml": tenant("t00", networking="{lbPoolSize: 5}")})
    document = checked(said)
    (moved,) = (it for it in document["plan"]["actions"] if it["action"] != "keep")
    assert (moved["action"], moved["end"]) == ("move", "10.40.0.12")
    merged(folder, said)
    assert f"Ipam-Plan: {document['plan']['digest']}" in git(folder, "log", "-1", "--format=%B")


def test_who_puts_some_back_lets_the_rest_pass_and_it_is_told(folder: Path, said: Said) -> None:
    take_away(folder, *FOUR)
    git(folder, "switch", "-qc", "change")
    git(folder, "checkout", "main~1", "--", *map(record, FOUR[1:]))
    write(folder, {"tenants/late.yaml": tenant("late")})
    commit(folder, "most of them", clock=CLOCK + 60)
    document = checked(said)
    records = merged(folder, said)
    for path, start in given(document).items():
        assert f"startAddress: {start}\n".encode() in records[path]


def test_a_proposal_of_reconcile_with_what_it_puts_back_passes(folder: Path, said: Said) -> None:
    take_away(folder, *FOUR)
    bring(folder, "late", clock=CLOCK + 60)
    assert run(["reconcile", "--repo", str(folder), "--to-branch", "change"]) == 3
    git(folder, "switch", "-q", "change")
    document = checked(said)
    assert document["exitCode"] == 0, document["findings"]
