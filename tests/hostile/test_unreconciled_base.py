"""A change that undoes renames or pins on main before they are reconciled is reported."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, HELD, checked
from tests.planning.test_renaming import formerly
from tests.world import CLOCK, commit, git, request, tenant, write

Capture = pytest.CaptureFixture[str]
UNDONE = f"team-a/uno takes over {HELD} of team-a/one"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Two tenants with records. One of them is renamed, but not reconciled."""
    folder = given_out(tmp_path / "repo", BOTH)
    write(folder, {"tenants/one.yaml": formerly(tenant("uno"), "team-a/one")})
    commit(folder, "renamed", clock=CLOCK + 30)
    git(folder, "switch", "-qc", "change")
    return folder


def describe(main: Path, capsys: Capture, code: str = "rename-refused") -> list[dict[str, Any]]:
    commit(main, "change", clock=CLOCK + 60)
    return [it for it in checked(main, capsys)["findings"] if it["code"] == code]


@pytest.mark.parametrize(
    "files",
    [
        {"tenants/new.yaml": tenant("one")},
        {"tenants/one.yaml": tenant("uno")},
        {"tenants/one.yaml": formerly(tenant("eins"), "team-a/uno")},
    ],
)
def test_who_undoes_it_is_told(files: dict[str, str], main: Path, capsys: Capture) -> None:
    write(main, files)
    (found,) = describe(main, capsys)
    assert found["severity"] == "error"
    assert UNDONE in found["message"]


PROVIDER = "providers/default.yaml"
UNO = "tenants/one.yaml"


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """The same rename with an unreadable provider. It is reconciled, but the rename must wait."""
    folder = given_out(tmp_path / "repo", BOTH)
    broken = {UNO: formerly(tenant("uno"), "team-a/one"), PROVIDER: "kind: [\n"}
    write(folder, broken)
    commit(folder, "renamed", clock=CLOCK + 30)
    assert run(["reconcile", "--repo", str(folder)]) == 1
    git(folder, "switch", "-qc", "change")
    return folder


@pytest.mark.parametrize("is_mended", [False, True])
@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({UNO: tenant("uno")}, UNO),
        ({UNO: formerly(tenant("uno"), "team-a/other")}, UNO),
        ({UNO: formerly(tenant("eins"), "team-a/uno")}, UNO),
        ({"tenants/new.yaml": tenant("one")}, UNO),
    ],
    ids=["without the line", "another name", "a further name", "the old name comes back"],
)
def test_who_gives_up_a_rename_that_waits_is_told(
    files: dict[str, str], place: str, is_mended: bool, waiting: Path, capsys: Capture
) -> None:
    write(waiting, {**files, **({PROVIDER: BOTH[PROVIDER]} if is_mended else {})})
    (found,) = describe(waiting, capsys)
    assert (found["severity"], found["path"]) == ("error", place)
    assert UNDONE in found["message"]
    assert "formerly: team-a/one" in found["hint"]


@pytest.mark.parametrize(
    "files",
    [
        {PROVIDER: BOTH[PROVIDER]},
        {UNO: formerly(tenant("uno"), "team-a/one") + "# words\n"},
        {UNO: formerly(tenant("eins"), "team-a/one")},
        {UNO: tenant("one")},
        {UNO: formerly(tenant("one"), "team-a/uno"), PROVIDER: BOTH[PROVIDER]},
        {UNO: None},
    ],
    ids=["mended", "words", "a further name", "taken back", "back by a line", "removed"],
)
def test_who_lets_it_wait_or_takes_it_back_passes(
    files: dict[str, str | None], waiting: Path, capsys: Capture
) -> None:
    for path in files:
        (waiting / path).unlink()
    write(waiting, {path: text for path, text in files.items() if text is not None})
    assert describe(waiting, capsys) == []


def test_who_mends_the_file_of_the_old_name_takes_nothing_from_it(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = given_out(tmp_path / "repo", BOTH)
    write(folder, {UNO: "kind: [\n", "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one")})
    commit(folder, "one breaks", clock=CLOCK + 30)
    assert run(["reconcile", "--repo", str(folder)]) == 1
    git(folder, "switch", "-qc", "change")
    write(folder, {UNO: tenant("one"), "tenants/uno.yaml": tenant("uno")})
    assert describe(folder, capsys) == []


def test_what_was_renamed_is_nobodys_to_wait_for(main: Path, capsys: Capture) -> None:
    """After the records are moved, the annotation can be removed."""
    git(main, "switch", "-q", "main")
    assert run(["reconcile", "--repo", str(main)]) == 0
    git(main, "branch", "-qf", "change")
    git(main, "switch", "-q", "change")
    write(main, {UNO: tenant("uno"), "tenants/new.yaml": tenant("one")})
    assert describe(main, capsys) == []


PINNED = {"networking": "{loadBalancerPool: {start: 10.40.0.100, end: 10.40.0.103}}"}


@pytest.fixture
def pinned(tmp_path: Path) -> Path:
    """Two tenants with records, and two merged pins that are not reconciled."""
    folder = given_out(tmp_path / "repo", BOTH)
    write(
        folder,
        {
            "tenants/live.yaml": tenant("live", **PINNED),
            "tenants/vip.yaml": request(
                "vip", "edge", pinnedRange="{startAddress: 10.40.0.120, endAddress: 10.40.0.121}"
            ),
        },
    )
    commit(folder, "pin addresses in use", clock=CLOCK + 30)
    git(folder, "switch", "-qc", "change")
    return folder


def test_a_pin_that_is_taken_away_is_told(pinned: Path, capsys: Capture) -> None:
    write(pinned, {"tenants/live.yaml": tenant("live")})
    (found,) = describe(pinned, capsys, "manual-range-removed")
    assert (found["severity"], found["path"]) == ("warning", "tenants/live.yaml")
    assert found["message"].startswith(
        "team-a/live (loadBalancerPool) no longer holds 10.40.0.100-10.40.0.103"
    )


def test_a_request_that_goes_is_told(pinned: Path, capsys: Capture) -> None:
    (pinned / "tenants/vip.yaml").unlink()
    (found,) = describe(pinned, capsys, "manual-range-removed")
    assert found["message"].startswith(
        "butler-system/vip (request) no longer holds 10.40.0.120-10.40.0.121"
    )


def test_somebody_else_who_gets_it_is_an_error(pinned: Path, capsys: Capture) -> None:
    write(
        pinned, {"tenants/live.yaml": tenant("live"), "tenants/late.yaml": tenant("late", **PINNED)}
    )
    (found,) = describe(pinned, capsys, "manual-range-removed")
    assert (found["severity"], found["path"]) == ("error", "tenants/live.yaml")
    assert found["message"].startswith(
        "team-a/live (loadBalancerPool) no longer holds 10.40.0.100-10.40.0.103"
    )
    assert found["message"].endswith("10.40.0.100-10.40.0.103 to team-a/late (loadbalancer)")


@pytest.mark.parametrize(
    "files",
    [
        {"tenants/live.yaml": tenant("live", **PINNED) + "# words\n"},
        {"tenants/other.yaml": tenant("live", **PINNED), "tenants/live.yaml": ""},
        {"tenants/one.yaml": tenant("one") + "# words\n"},
        {"tenants/new.yaml": tenant("new")},
    ],
)
def test_whose_pin_stays_is_told_nothing(
    files: dict[str, str], pinned: Path, capsys: Capture
) -> None:
    write(pinned, files)
    for path, text in files.items():
        if not text:
            (pinned / path).unlink()
    assert describe(pinned, capsys, "manual-range-removed") == []
