"""Whether a document fits its schema, by what fastjsonschema makes of the schema: Python.

Making it takes ten milliseconds a schema and loading it one. So for schemas that ship it was made
ahead: of `x.json` it is `x.py` beside it, which `make schemas` writes and a test compares. Where
no such file stands, the schema is compiled when it is first asked.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from reconciler.documents.shipped import beside, schema

# Nobody reads why: `schema.py` explains.
_HOW: Mapping[str, Any] = {"use_formats": False, "use_default": False, "detailed_exceptions": False}
# Its own name for what its code raises would bring the whole compiler with it.
_THEIRS = "from fastjsonschema import JsonSchemaValueException, JsonSchemaValuesException\n"
_OURS = "from reconciler.documents.accepting import RefusedError as JsonSchemaValueException\n"
_TEXT = '''"""What {file} accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

{code}

validate = {name}
'''


class RefusedError(ValueError):
    """What code that was made ahead raises of a document that does not fit."""


@cache
def acceptor(name: str) -> Callable[[object], bool]:
    """The schema as a predicate.

    Args:
        name: The schema, as `shipped.schema` takes it.
    """
    made = beside(name, ".py")
    if made.is_file():
        return _predicate(_loaded(made), RefusedError)
    return compiled(name)


def compiled(name: str) -> Callable[[object], bool]:
    """The same, made now and not ahead."""
    import fastjsonschema  # 2 ms, and no schema that ships needs it

    return _predicate(
        fastjsonschema.compile(_compilable(schema(name)), **_HOW),
        fastjsonschema.JsonSchemaException,
    )


def text_of(name: str) -> str:
    """The file that stands beside a schema: the same for any machine, by one version of the library.

    Raises:
        ValueError: The library writes something else than it did.
    """
    import fastjsonschema

    code = fastjsonschema.compile_to_code(_compilable(schema(name)), **_HOW)
    version, _, code = code.partition("\n")
    functions = re.findall(r"^def (\w+)\(", code, re.MULTILINE)
    if not version.startswith("VERSION = ") or code.count(_THEIRS) != 1 or len(functions) != 1:
        raise ValueError(f"{name}: fastjsonschema writes its code otherwise than it did")
    code = code.replace(_THEIRS, _OURS).rstrip()
    return _TEXT.format(file=name.rpartition("/")[2], code=code, name=functions[0])


def _predicate(
    validate: Callable[[object], object], refusal: type[Exception]
) -> Callable[[object], bool]:
    def accepts(body: object) -> bool:
        try:
            validate(body)
        except refusal:
            return False
        return True

    return accepts


def _loaded(file: Path) -> Callable[[object], object]:
    """The function of a file, by its bytecode where that stands, as any module is loaded."""
    name = f"{__name__}.{file.stem}"
    module = ModuleType(name)
    SourceFileLoader(name, str(file)).exec_module(module)
    found: Callable[[object], object] = module.validate
    return found


def _compilable(part: Any) -> Any:
    """A schema in words for which the library can write code without details: `const` is none."""
    if isinstance(part, list):
        return [_compilable(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {word: _compilable(said) for word, said in part.items()}
    if not isinstance(found.get("const", {}), dict):  # else it is a field of that name
        found["enum"] = [found.pop("const")]
    return found
