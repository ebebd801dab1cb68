"""Names that would be paths, and folders that lead elsewhere: nothing is written outside."""

from pathlib import Path

import pytest

from reconciler.apply.render import MARKER, render
from reconciler.cli import run
from reconciler.model.errors import UsageError
from reconciler.records.parse import parse_record
from tests.cli.running import given_out
from tests.hostile.test_records import FOLDER, VICTIM
from tests.world import SMALL, commit, evaluation_of, git, raw, reconciled, request, tenant, write

RECORDS = reconciled(SMALL)
DONE = evaluation_of(RECORDS)
NAMES = [
    "x/../../../../PWNED", "..", ".", "../x", "a/b", "/etc/x", "a..b", ".git", "A", "a_b", "a b",
    "-a", "a-", "a." + "b" * 260, "a\\b", "a%2f", "$(id)", "con:x", "ä",
]  # fmt: skip


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "deep/er/still/repo", SMALL)


def named(text: str, field: str, name: str) -> str:
    quoted = name.replace("'", "''")
    old = {
        "name": "  name: team-a-one-lb\n",
        "namespace": "  namespace: butler-system\n",
        "owner": "    name: one\n    namespace: team-a\n",
        "owner's namespace": "    namespace: team-a\n",
    }[field]
    key = "namespace" if "namespace" in field else "name"
    new = old.replace(
        f"{key}: {old.partition(f'{key}: ')[2].splitlines()[0]}", f"{key}: '{quoted}'"
    )
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", ["name", "namespace", "owner", "owner's namespace"])
def test_a_record_whose_names_are_no_names_is_unreadable_and_holds_its_addresses(
    field: str, name: str
) -> None:
    text = raw(RECORDS[VICTIM]).decode()
    found = parse_record("allocations", VICTIM, named(text, field, name).encode())
    assert found.allocation is None
    assert found.unreadable is not None
    assert sum(item.size for item in found.unreadable.ranges) >= 8
    (told,) = found.findings
    assert (told.code, told.severity) == ("record-unreadable", "error")


@pytest.mark.parametrize("name", NAMES)
def test_a_request_says_itself_whose_it_is_but_only_by_a_name(name: str) -> None:
    files = reconciled({**SMALL, "tenants/x.yaml": request("x")})
    path = f"{FOLDER}/butler-system/x.request.yaml"
    text = raw(files[path]).decode()
    text = text.replace("    name: x\n", "    name: '{}'\n".format(name.replace("'", "''")))
    found = parse_record("allocations", path, text.encode())
    assert (found.allocation is None, found.unreadable is None) == (True, False)


@pytest.mark.parametrize("field", ["name", "namespace", "owner"])
def test_a_record_that_names_a_path_gets_nothing_out_of_the_folder(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str
) -> None:
    text = (folder / VICTIM).read_text(encoding="utf-8")
    write(folder, {VICTIM: named(text, field, "x/../../../../PWNED")})
    commit(folder)
    before = everything(tmp_path)
    capsys.readouterr()
    assert run(["render", "--repo", str(folder), "--out", str(folder.parent / "out/in")]) == 3
    assert f"{VICTIM}: 1 file differs from" in capsys.readouterr().err
    assert everything(tmp_path) == before
    assert run(["check", "--repo", str(folder)]) == 1
    assert f"{VICTIM}:1:1: error record-unreadable" in capsys.readouterr().out
    assert run(["reconcile", "--repo", str(folder)]) == 3
    assert not list(tmp_path.rglob("*PWNED*"))


def test_forged_records_with_odd_names_stop_a_reconcile(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder / VICTIM).read_text(encoding="utf-8")
    long = "a" * 64
    for at, name in enumerate(("a..b", "a.-b", long)):
        forged = text.replace("/team-a/one/", f"/team-a/{name}/").replace("10.40.0.", "10.40.0.11")
        write(folder, {f"allocations/x/{at}.yaml": forged.replace("  cidr: 10.40.0.110/29\n", "")})
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    assert run(["check", "--repo", str(folder)]) == 1
    assert run(["reconcile", "--repo", str(folder)]) == 3
    assert "bug" not in capsys.readouterr().err
    listed = git(folder, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert not [path for path in listed if ".." in path or long in path]


@pytest.mark.parametrize(("path", "same"), [("ipam.yaml", ""), ("tenants/two.yaml", "team-a.one/")])
def test_a_tree_with_errors_leaves_what_was_rendered_before(
    folder: Path, tmp_path: Path, path: str, same: str
) -> None:
    out = tmp_path / "out"
    words = ["render", "--repo", str(folder), "--out", str(out)]
    assert run(words) == 0
    before = everything(out / same)
    write(folder, {path: "kind: Nothing\n", "tenants/one.yaml": tenant("other")})
    commit(folder)
    assert run(words) == 1
    assert everything(out / same) == before
    assert run([*words, "-o", "json"]) == 1


@pytest.mark.parametrize(
    "link",
    [MARKER, "management", "management/IPAllocation", "team-a.one/kustomization.yaml",
     "management/IPAllocation/butler-system.team-a-one-lb.yaml"],
)  # fmt: skip
@pytest.mark.parametrize("leads", ["to a folder", "to a file", "nowhere"])
@pytest.mark.parametrize("when", ["at first", "between two runs"])
def test_nothing_is_written_or_removed_through_a_symlink_in_the_folder(
    tmp_path: Path, link: str, leads: str, when: str
) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (elsewhere / "folder/IPAllocation").mkdir(parents=True)
    (elsewhere / "file").write_text("precious")
    target = {"to a folder": "folder", "to a file": "file", "nowhere": "new"}[leads]
    render(DONE, out)
    if when == "at first":
        for path in sorted(out.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (out / MARKER).write_text("# written by ipam render\n")
    path = out / link
    if path.is_dir():
        path.rename(tmp_path / "aside")
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(elsewhere / target)
    before, inside = everything(elsewhere), everything(out)
    with pytest.raises(UsageError, match="is a symlink"):
        render(DONE, out)
    assert (everything(elsewhere), everything(out)) == (before, inside)
    assert not (elsewhere / "new").exists()
