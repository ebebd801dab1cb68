"""The example repository is current, valid, and follows its own advice."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from reconciler.cli import run
from reconciler.reconcile.init import UNNAMED, Beginning, Forge, InitOptions, wanted
from tests.world import repository

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "example-repo"
MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
WRITTEN = sorted(
    path
    for path in [EXAMPLE / "ipam.yaml", *EXAMPLE.glob("[a-z]*/**/*.yaml")]
    if path.relative_to(EXAMPLE).parts[0] != "allocations"
)


def files(*, records: bool = True) -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {
        path.relative_to(EXAMPLE).as_posix(): path.read_bytes()
        for path in sorted(EXAMPLE.rglob("*"))
        if path.is_file()
    }
    return {
        name: data for name, data in found.items() if records or not name.startswith("allocations/")
    }


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


def test_check_passes_on_it(tmp_path: Path) -> None:
    checkout = repository(tmp_path / "repo", files())
    assert run(["check", "--repo", str(checkout)]) == 0
    assert run(["plan", "--detailed-exitcode", "--repo", str(checkout)]) == 0


def test_its_records_are_exactly_what_reconcile_writes(tmp_path: Path) -> None:
    checkout = repository(tmp_path / "repo", files(records=False))
    assert run(["reconcile", "--repo", str(checkout)]) == 0
    written = {
        path.relative_to(checkout).as_posix(): path.read_bytes()
        for path in (checkout / "allocations").rglob("*.yaml")
    }
    assert written == {
        name: data for name, data in files().items() if name.startswith("allocations/")
    }


@pytest.mark.parametrize("words", [("status",), ("get", "allocations"), ("history",)])
def test_tables_fit_120_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    checkout = repository(tmp_path / "repo", files(records=False))
    assert run(["reconcile", "--repo", str(checkout)]) == 0
    capsys.readouterr()
    assert run([*words, "--repo", str(checkout)]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 120


def test_its_schemas_are_those_of_ipam_schema_all(tmp_path: Path) -> None:
    (tmp_path / "NetworkPool.json").touch()  # a folder keeps its set of kinds
    assert run(["schema", "--out", str(tmp_path)]) == 0
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in (EXAMPLE / ".schemas").iterdir()}
    assert kept == written, "run: ipam schema --out example-repo/.schemas"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(EXAMPLE).as_posix())
def test_each_file_names_the_schema_of_its_documents(path: Path) -> None:
    match = MODELINE.match(path.read_text())
    assert match is not None, "the first line is a yaml-language-server line"
    schema = path.parent / match.group(1)
    assert schema.resolve().is_relative_to(EXAMPLE)
    validator = Draft202012Validator(json.loads(schema.read_text()))
    for document in documents(path):
        assert document["kind"] == schema.stem.partition(".")[0]
        assert [error.message for error in validator.iter_errors(document)] == []


def test_its_workflow_is_what_init_writes() -> None:
    wish = InitOptions("main", Forge.GITHUB, UNNAMED, Beginning.EMPTY)
    assert (EXAMPLE / wish.workflow).read_text(encoding="utf-8") == wanted(wish)[wish.workflow]
