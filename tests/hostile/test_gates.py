"""A pull request cannot relax the gate that stops it: a pool is judged by the base's document."""

import json
from pathlib import Path

import pytest

from tests.cli.running import given_out, ipam
from tests.world import CLOCK, SMALL, commit, git, pool, settings, tenant, write

FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/28")}
MORE = {"tenants/two.yaml": tenant("two")}
Files = dict[str, str]
Capsys = pytest.CaptureFixture[str]


def annotated(**annotations: object) -> str:
    listed = ", ".join(f'gitops-ipam.dev/{key}: "{value}"' for key, value in annotations.items())
    text = pool(cidr="10.40.0.0/28")
    return text.replace("butler-system}", f"butler-system, annotations: {{{listed}}}}}")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", FULL)


def checked(capsys: Capsys, tmp_path: Path, base: Files, change: Files) -> tuple[int, list[str]]:
    """The exit code of `check --base` and the codes of all that is found."""
    made = given_out(tmp_path / "repo", base)
    git(made, "checkout", "-q", "-b", "change")
    for path in base:
        (made / path).unlink(missing_ok=True)
    write(made, {**base, **change})
    commit(made, "change", CLOCK + 60)
    ran = ipam(capsys, "check", "--repo", made, "--base", "main", "-o", "json")
    document = json.loads(ran.out)
    return ran.code, [item["code"] for item in (*document["findings"], *document["gates"])]


@pytest.mark.parametrize(
    "annotations",
    [{"gate": "never"}, {"exhausted": 100, "critical": 100, "warning": 100, "gate": "never"}],
)
def test_a_change_that_takes_the_gate_away_is_stopped_by_it(
    capsys: Capsys, tmp_path: Path, annotations: dict[str, object]
) -> None:
    change = {**MORE, "pools/edge.yaml": annotated(**annotations)}
    code, codes = checked(capsys, tmp_path, FULL, change)
    assert code == 3
    assert codes == ["pool-changed", "gate-changed", "capacity"]


def test_a_pool_that_moves_to_another_file_takes_its_gate_along(capsys: Capsys, made: Path) -> None:
    git(made, "checkout", "-q", "-b", "change")
    git(made, "mv", "pools/edge.yaml", "pools/moved.yaml")
    write(made, {**MORE, "pools/moved.yaml": annotated(gate="never")})
    commit(made, "change", CLOCK + 60)
    for verb in ("check", "plan"):
        assert ipam(capsys, verb, "--repo", made, "--base", "main").code == 3
    out = ipam(capsys, "check", "--repo", made, "--base", "main").out
    assert "warning gate-changed" in out
    assert "NetworkPool edge change from exhausted (70, 85, 95) to never (70, 85, 95);" in out


def test_a_gate_that_the_base_opened_is_open(capsys: Capsys, tmp_path: Path) -> None:
    base = {**FULL, "pools/edge.yaml": annotated(gate="never")}
    assert checked(capsys, tmp_path, base, MORE) == (0, [])
    code, codes = checked(
        capsys, tmp_path / "closed", base, {**MORE, "pools/edge.yaml": FULL["pools/edge.yaml"]}
    )
    assert (code, codes) == (0, ["pool-changed", "gate-changed"])


def test_a_pool_whose_source_folder_gets_another_name_takes_its_gate_along(
    capsys: Capsys, made: Path
) -> None:
    git(made, "checkout", "-q", "-b", "change")
    git(made, "mv", "pools", "networks")
    folders = settings("{sources: [networks, providers, tenants]}")
    write(made, {**MORE, "networks/edge.yaml": annotated(gate="never"), "ipam.yaml": folders})
    commit(made, "change", CLOCK + 60)
    ran = ipam(capsys, "check", "--repo", made, "--base", "main")
    assert ran.code == 3
    assert "gate-changed" in ran.out
    assert "is new" not in ran.out


def mended(capsys: Capsys, made: Path, broken: str, change: Files) -> tuple[int, str]:
    """Break the pool on main, and fix it in a change. Return the result of `check`."""
    write(made, {"pools/edge.yaml": broken})
    commit(made, "a slip", CLOCK + 30)
    git(made, "checkout", "-q", "-b", "change")
    git(made, "rm", "-q", "pools/edge.yaml")
    write(made, {**MORE, **change})
    commit(made, "change", CLOCK + 60)
    ran = ipam(capsys, "check", "--repo", made, "--base", "main")
    return ran.code, ran.out


SLIPS = {
    "a field that nobody knows": FULL["pools/edge.yaml"] + "  oops: 1\n",
    "no YAML": "\t" + FULL["pools/edge.yaml"],
}


@pytest.mark.parametrize("broken", SLIPS.values(), ids=SLIPS)
@pytest.mark.parametrize("path", ["pools/edge.yaml", "pools/mended.yaml"])
def test_a_pool_that_is_broken_on_the_base_is_judged_as_it_last_could_be_read(
    capsys: Capsys, made: Path, broken: str, path: str
) -> None:
    code, out = mended(capsys, made, broken, {path: annotated(gate="never")})
    assert code == 3
    assert "NetworkPool edge change from exhausted (70, 85, 95) to never (70, 85, 95);" in out
    assert "is new" not in out


def test_nor_does_it_shrink_where_it_is_broken_on_the_base(capsys: Capsys, made: Path) -> None:
    small = {"pools/edge.yaml": pool(cidr="10.40.0.0/29")}
    code, out = mended(capsys, made, SLIPS["no YAML"], small)
    assert code == 1
    assert (
        "error pool-shrunk: NetworkPool edge no longer contains all of 10.40.0.0-10.40.0.15" in out
    )
