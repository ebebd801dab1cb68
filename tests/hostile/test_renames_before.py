"""A rename on main whose records bear the old name still, and a change that undoes it: it is red."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, HELD, checked
from tests.planning.test_renaming import formerly
from tests.world import CLOCK, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
UNDONE = (
    f"team-a/uno takes over {HELD} of team-a/one on main, where reconcile has not renamed the"
    " records yet: with this change no document takes them over"
)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Two tenants with records; one of them has another name since, and reconcile did not come by."""
    folder = given_out(tmp_path / "repo", BOTH)
    write(folder, {"tenants/one.yaml": formerly(tenant("uno"), "team-a/one")})
    commit(folder, "renamed", clock=CLOCK + 30)
    git(folder, "switch", "-qc", "change")
    return folder


def describe(main: Path, capsys: Capture) -> list[dict[str, Any]]:
    commit(main, "change", clock=CLOCK + 60)
    return [it for it in checked(main, capsys)["findings"] if it["code"] == "rename-refused"]


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
    assert found["message"] == UNDONE


PROVIDER = "providers/default.yaml"
UNO = "tenants/one.yaml"


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """The same rename beside a provider that nobody can read: reconcile went over both, and waits."""
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
    assert (found["severity"], found["path"], found["message"]) == ("error", place, UNDONE)
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
    """Once the records are moved, the line may go."""
    git(main, "switch", "-q", "main")
    assert run(["reconcile", "--repo", str(main)]) == 0
    git(main, "branch", "-qf", "change")
    git(main, "switch", "-q", "change")
    write(main, {UNO: tenant("uno"), "tenants/new.yaml": tenant("one")})
    assert describe(main, capsys) == []
