"""`check FILE…`: documents on their own, for editors and hooks."""

import io
import json
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import SMALL, pool, provider, raw, reconciled, repository, tenant, write

SETTINGS = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec: "
OVERRIDE = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\nmetadata: {name: 2026-02-15-x}\n"
    "spec: {kind: brake, releases: 3, reason: they leave, expires: '2026-03-01T00:00:00Z'}\n"
)
DEMAND = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Demand\n"
    "metadata: {name: one, namespace: team-a}\nspec: {loadBalancer: [{index: 1, count: 2}]}\n"
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository is anywhere near."""
    monkeypatch.chdir(tmp_path)


RECORDS = {path: raw(text).decode() for path, text in reconciled(SMALL).items() if "alloc" in path}
RIGHT = {
    "pools/edge.yaml": pool(),
    "anywhere.yaml": provider(),
    "tenants/one.yaml": tenant("one", providerConfigRef="{name: not-here}"),
    "ipam.yaml": f"{SETTINGS}{{gate: warning}}\n",
    "overrides/2026-02-15-x.yaml": OVERRIDE,
    "observed/Demand.gitops-ipam.dev/team-a/one.yaml": DEMAND,
    **RECORDS,
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_document_of_each_kind_is_fine_wherever_it_is(
    name: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPAM_BASE", "main")  # as in a job of CI
    write(Path(), {name: RIGHT[name]})
    ran = ipam(capsys, "check", name)
    assert (ran.code, ran.out.splitlines()[0][:5]) == (0, "✓ OK:"), ran.out
    assert "checked only these files, without references" in ran.err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", pool("edge", "10.40.0.5/24"), "a.yaml:5:9: error cidr-invalid"),
        ("a.yaml", "a: [\n", "error yaml-syntax"),
        ("x/s.yaml", f"{SETTINGS}{{gates: never}}\n", "x/s.yaml:4:8: error field-unknown"),
        ("o.yaml", OVERRIDE.replace("brake", "gate"), "o.yaml:4:"),
        ("d.yaml", DEMAND.replace("count: 2", "count: 0"), "d.yaml:4:"),
        ("r.yaml", "gitops-ipam.dev/claim: x\n", "r.yaml:1:1: error record-unreadable"),
    ],
)
def test_a_wrong_one_is_named_with_its_place(
    name: str, text: str, said: str, capsys: Capture
) -> None:
    write(Path(), {name: text})
    ran = ipam(capsys, "check", name)
    assert ran.code == 1
    assert said in ran.out
    assert "✗ Invalid" in ran.out


def test_many_files_are_checked_beside_each_other(capsys: Capture) -> None:
    write(Path(), {"a.yaml": pool(), "b.yaml": pool(), "c.yaml": pool("other", "10.40.0.0/25")})
    twice = ipam(capsys, "check", "a.yaml", "b.yaml")
    assert (twice.code, "error document-duplicate" in twice.out) == (1, True)
    assert "pool-overlap" in ipam(capsys, "check", "a.yaml", "c.yaml").out
    assert ipam(capsys, "check", "./a.yaml", "a.yaml").code == 0, "one file, named twice"


def test_stdin_is_a_file_like_any_other(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.TextIOWrapper(io.BytesIO(pool("edge", "10.40.0.5/24").encode()))
    monkeypatch.setattr("sys.stdin", text)
    ran = ipam(capsys, "check", "-", "-o", "json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert (found["kind"], found["ok"], found["plan"]["changed"]) == ("Check", False, False)
    assert [(it["path"], it["line"], it["code"]) for it in found["findings"]] == [
        ("-", 5, "cidr-invalid")
    ]


def test_what_is_no_file_is_wrong_usage(capsys: Capture) -> None:
    Path("folder").mkdir()
    assert ipam(capsys, "check", "not-there.yaml").err.startswith(
        "ipam: not-there.yaml cannot be read: No such file"
    )
    ran = ipam(capsys, "check", "folder")
    assert (ran.code, "folder has no file to check (.yaml, .yml)" in ran.err) == (64, True)
    assert ipam(capsys, "check", "/dev/zero").code == 64


def test_a_folder_is_checked_file_by_file(tmp_path: Path, capsys: Capture) -> None:
    wrong = pool("edge", "10.40.0.5/24")
    write(Path(), {"f/pools/a.yaml": wrong, "f/b.yml": "a: [\n", "f/c.txt": "", "f/.d/e.yaml": "["})
    (tmp_path / "f/again").symlink_to(tmp_path / "f")
    for named in ("f", "f/", str(tmp_path / "f")):
        ran = ipam(capsys, "check", named, "-o", "json")
        found = {(Path(it["path"]).name, it["code"]) for it in json.loads(ran.out)["findings"]}
        assert (ran.code, found) == (1, {("a.yaml", "cidr-invalid"), ("b.yml", "yaml-syntax")})
    assert ipam(capsys, "check", "f", "f/pools/a.yaml").out.count("cidr-invalid") == 1


def test_of_a_folder_of_a_repository_the_files_that_count_are_checked(
    tmp_path: Path, capsys: Capture
) -> None:
    foreign = "on: push\n"
    files = {**reconciled(SMALL), "charts/values.yaml": foreign, ".ci.yml": foreign}
    made = repository(tmp_path / "repo", files)
    assert ipam(capsys, "check", made).out.startswith("✓ OK: no findings")
    assert ipam(capsys, "check", made / "charts").code == 64
    write(made, {"other/pool.yaml": pool("edge"), "tenants/two.yaml": tenant("two", workers="[]")})
    ran = ipam(capsys, "check", made)
    assert (ran.code, "file-not-read" in ran.out, "tenants/two.yaml:" in ran.out) == (1, True, True)


@pytest.mark.parametrize("option", [["--base", "main"], ["--worktree"], ["--rev", "HEAD"]])
def test_files_and_revisions_exclude_each_other(option: list[str], capsys: Capture) -> None:
    write(Path(), {"a.yaml": pool()})
    ran = ipam(capsys, "check", "a.yaml", *option)
    assert (ran.code, f"{option[0]} cannot be combined" in ran.err) == (64, True)
