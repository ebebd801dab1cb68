"""A change that removes the request with a tenant's range is reported as a move."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Capture, given_out, ipam
from tests.moving import KEY
from tests.ownership_of_records.play import override
from tests.world import SMALL, commit, git, request, tenant, write


def asked(name: str, start: int, kind: str = "loadbalancer") -> str:
    pin = f"{{startAddress: 10.40.0.{start}, endAddress: 10.40.0.{start + 7}}}"
    text = request(name, pinnedRange=pin).replace(f"name: {name}, namespace: team-a", ONE)
    return text.replace("type: nodes", f"type: {kind}")


ONE = "name: one, namespace: team-a"
FILES = {
    **SMALL,
    **{f"tenants/t{number}.yaml": tenant(f"t{number}") for number in range(5)},
    "tenants/lb.yaml": asked("one-lb", 40),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A tenant whose range belongs to a request, with branch `change`."""
    made = given_out(tmp_path / "repo", FILES)
    git(made, "switch", "-q", "-c", "change")
    return made


def checked(capsys: Capture, repo: Path) -> tuple[int, list[tuple[str, str, str]]]:
    commit(repo)
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main", "-o", "json")
    said = json.loads(ran.out)
    found = [*said["findings"], *said["gates"]]
    return ran.code, [
        (it["code"], it["severity"], it["message"]) for it in found if it["code"] == "claim-moves"
    ]


WAS = "moves from 10.40.0.40-10.40.0.47 (pool edge) of butler-system/one-lb (request)"


@pytest.mark.parametrize("how", ["gone", "nodes", "renamed"])
def test_a_tenant_whose_range_a_request_had_moves_when_that_goes(
    capsys: Capture, repo: Path, how: str
) -> None:
    if how == "gone":
        git(repo, "rm", "-q", "tenants/lb.yaml")
    else:
        other = asked("one-lb", 40, "nodes") if how == "nodes" else asked("other-lb", 64)
        write(repo, {"tenants/lb.yaml": other})
    code, told = checked(capsys, repo)
    assert (code, [it[:2] for it in told]) == (3, [("claim-moves", "gate")])
    gets = "10.40.0.64-10.40.0.71" if how == "renamed" else "10.40.0.48-10.40.0.55"
    assert told[0][2].endswith(f"{WAS} to {gets} (pool edge)")


def test_an_override_that_was_merged_before_lets_it_go(capsys: Capture, repo: Path) -> None:
    git(repo, "switch", "-q", "main")
    write(repo, override("2026-02-15-one", kind="move", scope=KEY))
    commit(repo)
    git(repo, "switch", "-q", "-C", "change")
    git(repo, "rm", "-q", "tenants/lb.yaml")
    code, told = checked(capsys, repo)
    assert (code, [it[1] for it in told]) == (0, ["warning"])
    assert told[0][2].endswith("; an Override permits this")
