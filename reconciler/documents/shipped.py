"""Where what ships with the program is: schemas, CRDs, the example, the starter, the page.

They stand at the top of the source tree; a wheel carries them inside the package. Always as plain
files: `importlib.resources`, which finds them in an archive, too, takes 5 ms to load.
"""

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def folder(name: str) -> Path:
    """A shipped folder: `schemas`, `example-repo`, `starter` or `page`."""
    package = _home("reconciler")
    inside = package / "shipped" / name
    return inside if inside.is_dir() else package / ".." / name


def commit() -> str:
    """The commit that this was built from; empty where nobody noted it, as in a checkout."""
    note = _home("reconciler") / "shipped" / "commit"
    return note.read_text(encoding="utf-8").strip() if note.is_file() else ""


@cache
def schema(name: str) -> dict[str, Any]:
    """A JSON Schema by its path below `schemas/`, or as `package:path` by that in a package."""
    parsed: dict[str, Any] = json.loads(_text(name))
    return parsed


def schema_file(name: str) -> Path:
    """Return the file of a schema or CRD: its path below `schemas/`, or `package:path`."""
    package, _, path = name.rpartition(":")
    return (_home(package) if package else folder("schemas")) / path


def crd_files(*names: str) -> dict[str, str]:
    """CRDs as text by file name.

    Args:
        names: Files of `schemas/crds/`, or of a package as `package:path`.
    """
    found = {
        name.rpartition(":")[2].rpartition("/")[2]: _text(name if ":" in name else f"crds/{name}")
        for name in names
    }
    return {name: found[name] for name in sorted(found)}


def _text(name: str) -> str:
    return schema_file(name).read_text(encoding="utf-8")


def _home(package: str) -> Path:
    """The folder of a package."""
    return Path(str(import_module(package).__file__)).parent
