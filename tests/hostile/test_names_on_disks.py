"""Names that some file systems lose, and files that are not read, are findings."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import ipam
from tests.world import SMALL, commit, git, reconciled, repository, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
Files = Mapping[str, str | bytes]


def _odd(after: Files) -> dict[str, tuple[Files, int, str]]:
    """Add files to a reconciled repository. Return the exit code and the findings."""
    record = after[RECORD]
    pool = "allocations/NetworkPool/butler-system.edge"
    return {
        "case": ({"tenants/One.yaml": tenant("two")}, 1,
                 "tenants/one.yaml: error name-clash: the path equals tenants/One.yaml"),
        "case of a folder": ({"tenants/a/x.yaml": tenant("x"), "tenants/A/x.yaml": tenant("y")}, 1,
                             "tenants/a/x.yaml: error name-clash"),
        "case of a record": ({f"{pool}/team-a/One.loadbalancer.yaml": record}, 1, "name-clash"),
        "case of a pool": ({f"{RECORD.replace('edge', 'Edge')}": record}, 1, "name-clash"),
        "case of a kind": ({RECORD.replace("NetworkPool", "networkpool"): record}, 1, "name-clash"),
        "composed signs": ({"tenants/\u00e9.yaml": tenant("x"), "tenants/e\u0301.yaml": tenant("y")},
                           1, "on file systems that ignore the Unicode form (NFC, NFD)"),
        "capitals": ({"tenants/two.YAML": tenant("two")}, 0,
                     "tenants/two.YAML: warning file-not-read: files that end with .YAML"),
        "JSON": ({"tenants/two.json": "{}"}, 0, "tenants/two.json: warning file-not-read"),
        "JSON among records": ({f"{pool}/team-a/two.json": record}, 0, "warning file-not-read"),
        "capitals among records": ({f"{pool}/x.YML": record}, 0, "warning file-not-read"),
        "JSON beside records": ({"allocations/x.json": "{}"}, 0, "warning file-not-read"),
        "yml among records": ({RECORD.replace(".yaml", ".yml"): record}, 1, "record-duplicate"),
    }  # fmt: skip


AFTER = reconciled(SMALL)
ODD = _odd(AFTER)


@pytest.mark.parametrize("name", ODD)
def test_check_tells_it_with_a_cache_and_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    files, code, words = ODD[name]
    author = repository(tmp_path / "author", AFTER)
    assert ipam(capsys, "check", "--repo", author).code == 0
    write(author, files)
    commit(author)
    told = [ipam(capsys, "check", "--repo", author, *more) for more in ((), (), ("--worktree",))]
    for done in told:
        assert (done.code, words in done.out) == (code, True), done
        assert done.out == told[0].out
    write(author, {"tenants/later.yaml": tenant("later")})
    commit(author)
    assert words in ipam(capsys, "check", "--repo", author).out


SETTINGS = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
DEEP = f"{SETTINGS}spec: {{sources: [net/pools, pools, providers, tenants]}}\n"
BESIDE: dict[str, tuple[Files, str]] = {
    "Settings": ({"IPAM.yaml": f"{SETTINGS}spec: {{gate: never}}\n"}, "IPAM.yaml: error name-clash"),
    "a source folder": ({"Pools/edge.yaml": "evil"}, "Pools: error name-clash"),
    "a file in place of a source folder": ({"POOLS": "evil"}, "POOLS: error name-clash"),
    "the records": ({f"Allocations{RECORD[11:]}": "evil"}, "Allocations: error name-clash"),
    "a deeper folder": ({"ipam.yaml": DEEP, "net/pools/x.txt": "", "net/Pools/x.txt": ""},
                        "net/Pools: error name-clash"),
    "the folder above": ({"ipam.yaml": DEEP, "net/pools/x.txt": "", "Net/x.txt": ""},
                         "Net: error name-clash"),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_what_stands_beside_ours_and_is_it_on_some_disks_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    files, words = BESIDE[name]
    folder = repository(tmp_path / "repo", {**AFTER, "ipam.yaml": SETTINGS})
    assert ipam(capsys, "check", "--repo", folder).code == 0  # also writes a cache
    git(folder, "switch", "-qc", "change")
    write(folder, files)
    commit(folder)
    for more in ((), (), ("--worktree",), ("--base", "main")):
        done = ipam(capsys, "check", "--repo", folder, *more)
        assert (done.code, words in done.out) == (1, True), done


def test_what_is_ours_on_some_disks_alone_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", AFTER)
    assert ipam(capsys, "check", "--repo", folder).code == 0
    write(folder, {"Ipam.yaml": f"{SETTINGS}spec: {{gate: never}}\n", "Clusters/x.yaml": "x"})
    commit(folder)
    for more in ((), (), ("--worktree",)):
        done = ipam(capsys, "check", "--repo", folder, *more)
        assert done.code == 0
        for path in ("Ipam.yaml", "Clusters"):
            assert f"{path}: warning name-clash: the path equals {path.lower()} on" in done.out


def test_a_record_that_is_renamed_to_what_is_not_read_gives_nobody_its_address_unseen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    author = repository(tmp_path / "author", AFTER)
    git(author, "mv", RECORD, RECORD.replace(".yaml", ".json"))
    commit(author)
    done = ipam(capsys, "check", "--repo", author, "--base", "HEAD^")
    assert done.code == 1
    assert "file-not-read" in done.out
    assert "error records-changed" in done.out
    assert ipam(capsys, "reconcile", "--repo", author).code == 3
