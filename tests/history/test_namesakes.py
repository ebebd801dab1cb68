"""`who` and `history` name the same cause, also for two tenants with the same name."""

from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import SMALL, repository, tenant


def causes(capsys: Capture, folder: Path, address: str) -> tuple[str, str]:
    who = ipam(capsys, "who", address, "--repo", folder).out
    (line,) = (it for it in who.splitlines() if it.startswith("  cause"))
    history = ipam(capsys, "history", address, "-n", "1", "--repo", folder).out
    return line.split()[1].rstrip(","), history.split()[-1]


@pytest.mark.parametrize("spaces", [("team-a", "team-b"), ("team-b", "team-a")])
def test_the_document_of_the_namespace_is_the_cause(
    spaces: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    first, second = (tenant("shop", space) for space in spaces)
    files = {**SMALL, "tenants/a.yaml": first, "tenants/b.yaml": second}
    del files["tenants/one.yaml"]
    folder = repository(tmp_path / "repo", files)
    assert ipam(capsys, "reconcile", "--no-apply", "--repo", folder).code == 0
    for address, space in (("10.40.0.0", "team-a"), ("10.40.0.8", "team-b")):
        path = f"tenants/{'ab'[spaces.index(space)]}.yaml"
        assert causes(capsys, folder, address) == (f"{path}:3", f"{path}:3")


def test_a_namesake_in_the_same_file_is_told_apart_by_its_line(
    tmp_path: Path, capsys: Capture
) -> None:
    both = f"{tenant('shop', 'team-a')}---\n{tenant('shop', 'team-b')}"
    folder = repository(tmp_path / "repo", {**SMALL, "tenants/one.yaml": both})
    ipam(capsys, "reconcile", "--no-apply", "--repo", folder)
    lines = [
        int(causes(capsys, folder, it)[1].rpartition(":")[2]) for it in ("10.40.0.0", "10.40.0.8")
    ]
    assert lines[0] == 3 < lines[1]
    assert causes(capsys, folder, "10.40.0.8")[0] == f"tenants/one.yaml:{lines[1]}"
