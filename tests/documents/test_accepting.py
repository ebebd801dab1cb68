"""Code that a build writes for each schema, and schemas that a build has not seen."""

import json
from pathlib import Path

import pytest

from hatch_build import write_validators
from reconciler.documents import validators
from reconciler.documents.validators import acceptor, code, module_name, shipped_file
from reconciler.planning.documents import schema_files
from tests.caches import ROOT

TEAM = "butler/Team.json"
GOOD = {
    "apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "Team", "metadata": {"name": "a"},
    "spec": {},
}  # fmt: skip


def test_a_build_writes_the_code_of_every_schema_and_removes_older_code(tmp_path: Path) -> None:
    for source in [*ROOT.glob("schemas/*/*.json"), *ROOT.glob("reconciler/*/*/schemas/*.json")]:
        copy = tmp_path / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    folder = tmp_path / "reconciler" / "_validators"
    folder.mkdir()
    (folder / "schema_of_old.py").write_text("")
    write_validators(tmp_path)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        f"{module_name(text)}.py": code(text) for text in map(shipped_file, schema_files().values())
    }


@pytest.mark.parametrize("is_built", [True, False])
def test_a_schema_accepts_the_same_whether_its_code_was_built_or_not(
    is_built: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / f"validators_{is_built}"
    package.mkdir()
    if is_built:
        text = shipped_file(TEAM)
        (package / f"{module_name(text)}.py").write_text(code(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(validators, "_PACKAGE", package.name)
    accepts = acceptor.__wrapped__(TEAM)
    assert accepts(GOOD)
    bodies: tuple[object, ...] = ({**GOOD, "spek": {}}, {}, None, [], "a", 1)
    assert not any(accepts(body) for body in bodies)


def test_an_edited_schema_does_not_use_the_code_of_the_old_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = json.loads(shipped_file(TEAM))
    schema["properties"]["spek"] = schema["properties"]["spec"]
    monkeypatch.setattr(validators, "shipped_file", lambda _: json.dumps(schema).encode())
    assert acceptor.__wrapped__(TEAM)({**GOOD, "spek": {}})
