"""Package data and validators. The build runs this module: import only fastjsonschema."""

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

VERSIONS = ("v1beta1", "v1beta2")
"""Versions of the kinds that have one schema for all of them."""


def folder(name: str) -> Path:
    """Return a folder of package data: `schemas`, `example-repo`, `starter`, or `page`."""
    package = _home("reconciler")
    inside = package / "shipped" / name
    return inside if inside.is_dir() else package / ".." / name


def commit() -> str:
    """Return the commit of the build; empty if unknown, as in a checkout."""
    note = _home("reconciler") / "shipped" / "commit"
    return note.read_text(encoding="utf-8").strip() if note.is_file() else ""


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema by its path below `schemas/`, or by `package:path`."""
    parsed: dict[str, Any] = json.loads(shipped_file(name))
    return parsed


def shipped_file(name: str) -> bytes:
    """Return a schema or CRD: its path below `schemas/`, or `package:path`."""
    package, _, path = name.rpartition(":")
    file = (_home(package) if package else folder("schemas")) / path
    if file.is_file():
        return file.read_bytes()
    version = file.stem.rpartition(".")[2]
    return schemas_of(file.with_name(file.name.replace(version, "VERSION")))[version]


def schemas_of(file: Path) -> dict[str, bytes]:
    """Return the schemas of a file by version: `X.VERSION.json` has all versions of X."""
    text, is_any = file.read_bytes(), file.stem.endswith(".VERSION")
    return {it: text.replace(b"VERSION", it.encode()) for it in VERSIONS} if is_any else {"": text}


def crd_files(*names: str) -> dict[str, str]:
    """Return CRDs as text by file name: files of `schemas/crds/`, or `package:path`."""
    paths = [name if ":" in name else f"crds/{name}" for name in names]
    found = {re.split("[:/]", path)[-1]: shipped_file(path).decode() for path in paths}
    return dict(sorted(found.items()))


def _home(package: str) -> Path:
    return Path(str(import_module(package).__file__)).parent


_PACKAGE = "reconciler._validators"
_IMPORT = "from fastjsonschema import JsonSchemaValueException, JsonSchemaValuesException\n"


@cache
def acceptor(name: str) -> Callable[[object], bool]:
    """Return the schema of a name as a predicate."""
    text = shipped_file(name)
    try:
        validate = import_module(f"{_PACKAGE}.{module_name(text)}").validate
    except ModuleNotFoundError:
        namespace: dict[str, Any] = {}
        exec(code(text), namespace)  # noqa: S102 - generated from a shipped schema  # nosec B102
        validate = namespace["validate"]

    def accepts(body: object) -> bool:
        try:
            validate(body)
        except ValueError:
            return False
        return True

    return accepts


def module_name(text: bytes) -> str:
    """Return the name of the module with the code for a schema."""
    return f"schema_{hashlib.sha256(text).hexdigest()[:16]}"


def code(text: bytes) -> str:
    """Return the code for a schema: its `validate` raises ValueError for invalid values."""
    import fastjsonschema  # 20 ms, and an installed package contains the code of every schema

    schema = json.loads(text)
    written = fastjsonschema.compile_to_code(
        _compilable(schema), use_formats=False, use_default=False, detailed_exceptions=False
    )
    # JsonSchemaValueException is a ValueError. Importing it would import the compiler.
    written = written.replace(_IMPORT, "JsonSchemaValueException = ValueError\n")
    (function,) = re.findall(r"^def (\w+)\(", written, re.MULTILINE)
    return f'"""Code of {schema["$id"]}."""\n\n{written.rstrip()}\n\nvalidate = {function}\n'


def _compilable(part: Any) -> Any:
    """Write `const` as `enum`: without details, the library writes wrong code for `const`."""
    if isinstance(part, list):
        return [_compilable(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {word: _compilable(value) for word, value in part.items()}
    if not isinstance(found.get("const", {}), dict):  # a mapping is a field of that name
        found["enum"] = [found.pop("const")]
    return found
