"""A rename on main that reconcile has not gone over yet, and a change that undoes it: it is red."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, HELD, checked
from tests.test_renaming import formerly
from tests.world import CLOCK, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Two tenants with records; one of them has another name since, and reconcile did not come by."""
    folder = given_out(tmp_path / "repo", BOTH)
    write(folder, {"tenants/one.yaml": formerly(tenant("uno"), "team-a/one")})
    commit(folder, "renamed", clock=CLOCK + 30)
    git(folder, "switch", "-qc", "change")
    return folder


def told(main: Path, capsys: Capture) -> list[dict[str, Any]]:
    commit(main, "change", clock=CLOCK + 60)
    return [it for it in checked(main, capsys)["findings"] if it["code"] == "rename-refused"]


@pytest.mark.parametrize(
    ("files", "gets"),
    [
        ({"tenants/new.yaml": tenant("one")}, "10.40.0.16-10.40.0.23"),
        ({"tenants/one.yaml": tenant("uno")}, "10.40.0.16-10.40.0.23"),
        ({"tenants/one.yaml": formerly(tenant("eins"), "team-a/uno")}, "nothing"),
    ],
)
def test_who_undoes_it_is_told(
    files: dict[str, str], gets: str, main: Path, capsys: Capture
) -> None:
    write(main, files)
    (found,) = told(main, capsys)
    assert found["severity"] == "error"
    assert found["message"] == (
        f"team-a/uno (loadbalancer) has {HELD} of team-a/one (loadbalancer) on main, where reconcile"
        f" has not renamed the record yet: with this change it gets {gets}"
    )


def test_who_leaves_it_as_it_is_passes(main: Path, capsys: Capture) -> None:
    write(main, {"tenants/new.yaml": tenant("new")})
    assert told(main, capsys) == []


def test_who_says_the_first_name_of_a_further_one_passes(main: Path, capsys: Capture) -> None:
    write(main, {"tenants/one.yaml": formerly(tenant("eins"), "team-a/one")})
    assert told(main, capsys) == []


def test_who_removes_the_tenant_passes(main: Path, capsys: Capture) -> None:
    (main / "tenants/one.yaml").unlink()
    assert told(main, capsys) == []
