"""Pins on main that have no record yet, and a change that takes them away: it is told."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, checked
from tests.world import CLOCK, commit, git, request, tenant, write

Capture = pytest.CaptureFixture[str]
PINNED = {"networking": "{loadBalancerPool: {start: 10.40.0.100, end: 10.40.0.103}}"}


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Two tenants with records; two pins that were merged, and that reconcile has not seen."""
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
    commit(folder, "what lives", clock=CLOCK + 30)
    git(folder, "switch", "-qc", "change")
    return folder


def describe(main: Path, capsys: Capture) -> list[dict[str, Any]]:
    commit(main, "change", clock=CLOCK + 60)
    return [it for it in checked(main, capsys)["findings"] if it["code"] == "pin-withdrawn"]


def test_a_pin_that_is_taken_away_is_told(main: Path, capsys: Capture) -> None:
    write(main, {"tenants/live.yaml": tenant("live")})
    (found,) = describe(main, capsys)
    assert (found["severity"], found["path"]) == ("warning", "tenants/live.yaml")
    assert found["message"] == (
        "team-a/live (loadbalancer) is pinned to 10.40.0.100-10.40.0.103 on main, and has no record"
        " yet: with this change it gets 10.40.0.16-10.40.0.23"
    )


def test_a_request_that_goes_is_told(main: Path, capsys: Capture) -> None:
    (main / "tenants/vip.yaml").unlink()
    (found,) = describe(main, capsys)
    assert found["message"].endswith("with this change it gets nothing")


def test_somebody_else_who_gets_it_is_an_error(main: Path, capsys: Capture) -> None:
    write(
        main, {"tenants/live.yaml": tenant("live"), "tenants/late.yaml": tenant("late", **PINNED)}
    )
    first, second = describe(main, capsys)
    assert (first["severity"], first["path"]) == ("error", "tenants/late.yaml")
    assert first["message"] == (
        "10.40.0.100-10.40.0.103 of team-a/late (loadbalancer) is pinned by team-a/live"
        " (loadbalancer) on main, which has no record yet"
    )
    assert second["severity"] == "warning"


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
    files: dict[str, str], main: Path, capsys: Capture
) -> None:
    write(main, files)
    for path, text in files.items():
        if not text:
            (main / path).unlink()
    assert describe(main, capsys) == []
