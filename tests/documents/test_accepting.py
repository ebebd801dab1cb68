"""Code that accepts by a schema: it stands beside the schema, follows from it, and needs no compiler."""

import subprocess
import sys
from pathlib import Path

import fastjsonschema
import pytest

from reconciler.documents import accepting
from reconciler.documents.accepting import acceptor, compiled, text_of
from reconciler.documents.shipped import beside
from reconciler.sources import schema_files
from tests import acceptors
from tests.caches import PYTHON

SCHEMAS = sorted(set(schema_files().values()))
TEAM = "butler/Team.json"
GOOD = {
    "apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "Team", "metadata": {"name": "a"},
    "spec": {},
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_stands_beside_a_schema_is_what_the_schema_compiles_to(name: str) -> None:
    assert acceptors.file_of(name).read_text(encoding="utf-8") == text_of(name), "make schemas"


def test_nothing_else_stands_there() -> None:
    assert acceptors.standing() == sorted(acceptors.file_of(name) for name in SCHEMAS)


def test_the_code_follows_from_the_schema_alone() -> None:
    """Not from the order of sets: that is another in each process."""
    code = "from reconciler.documents.accepting import *\nprint(text_of(sys.argv[1]), end='')"
    texts = {
        subprocess.run(
            [sys.executable, "-c", f"import sys\n{code}", "own/Settings.json"],
            env={**PYTHON, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.decode()
        for seed in ("1", "2")
    }
    assert texts == {text_of("own/Settings.json")}


def test_no_schema_that_ships_brings_the_compiler() -> None:
    code = (
        "import sys\nfrom reconciler.documents.accepting import acceptor\n"
        "print([acceptor(name)({}) for name in sys.argv[1:]].count(False))\n"
        "print('fastjsonschema' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, *SCHEMAS], env=PYTHON, capture_output=True, check=True
    )
    assert said.stdout.decode().split() == [str(len(SCHEMAS)), "False"]


def test_a_schema_that_was_not_made_ahead_is_compiled_when_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "beside", lambda *_: tmp_path / "none.py")
    accepts = acceptor.__wrapped__(TEAM)
    assert accepts(GOOD)
    assert not accepts({**GOOD, "spek": {}})


def test_what_stands_beside_a_schema_is_what_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "Team.v1.py"
    file.write_text(text_of(TEAM).replace("'spec'", "'spek'").replace('"spec"', '"spek"'))
    monkeypatch.setattr(accepting, "beside", lambda *_: file)
    assert acceptor.__wrapped__(TEAM)({key: GOOD[key] for key in GOOD if key != "spec"})
    assert not acceptor.__wrapped__(TEAM)(GOOD)


def test_the_file_of_a_schema_has_its_name_to_the_last_point() -> None:
    name = "reconciler.families.capi:schemas/Cluster.v1beta1.json"
    assert str(beside(name, ".py")).endswith("capi/schemas/Cluster.v1beta1.py")


@pytest.mark.parametrize("value", ["a", 1, True, None, ["a"]])
def test_a_constant_is_that_value_and_no_other(value: object) -> None:
    part = accepting._compilable({"const": value})
    assert "const" not in part
    accepts = fastjsonschema.compile(part, detailed_exceptions=False)
    accepts(value)
    others: tuple[object, ...] = ("b", 2, False, 0, ["b"], {})
    for other in others:
        with pytest.raises(fastjsonschema.JsonSchemaException):
            accepts(other)


def test_a_field_may_be_called_like_a_word_of_the_schema() -> None:
    part = {"properties": {"const": {"const": "a"}}, "required": ["const"]}
    found = accepting._compilable(part)
    assert found == {"properties": {"const": {"enum": ["a"]}}, "required": ["const"]}


def test_code_that_the_library_writes_otherwise_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for code in ("", "VERSION = '3'\n", "import re\ndef validate(data): ..."):
        monkeypatch.setattr(fastjsonschema, "compile_to_code", lambda *_, code=code, **__: code)
        with pytest.raises(ValueError, match=r"Team\.json: fastjsonschema writes"):
            text_of(TEAM)


def test_made_now_and_made_ahead_say_the_same_of_what_is_no_mapping() -> None:
    bodies: tuple[object, ...] = (None, [], "a", 1)
    for body in bodies:
        assert not acceptor(TEAM)(body)
        assert not compiled(TEAM)(body)
