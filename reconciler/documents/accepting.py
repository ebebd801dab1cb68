"""Whether a document fits its JSON Schema, by the Python code that fastjsonschema writes for it.

To compile a schema takes ten milliseconds, to import the code takes one. So a build of the package
writes the code of every schema to `reconciler/_validators` (`hatch_build.py`). A file there has the
digest of its schema in its name: a schema that was edited since the build is compiled when it is
first needed.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from reconciler.documents.shipped import schema_file

_PACKAGE = "reconciler._validators"
_IMPORT = "from fastjsonschema import JsonSchemaValueException, JsonSchemaValuesException\n"


@cache
def acceptor(name: str) -> Callable[[object], bool]:
    """Return the schema as a predicate.

    Args:
        name: The schema, as `shipped.schema` takes it.
    """
    text = schema_file(name).read_bytes()
    try:
        validate = import_module(f"{_PACKAGE}.{module_name(text)}").validate
    except ModuleNotFoundError:
        namespace: dict[str, Any] = {}
        exec(code(text), namespace)  # noqa: S102 - fastjsonschema wrote it from a shipped schema
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
    """Return the code for a schema: its `validate` raises ValueError for what does not fit."""
    import fastjsonschema  # 20 ms, and an installed package has the code of every schema

    schema = json.loads(text)
    written = fastjsonschema.compile_to_code(
        _compilable(schema), use_formats=False, use_default=False, detailed_exceptions=False
    )
    # JsonSchemaValueException is a ValueError; to import it would import the compiler.
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
