"""Where the files that ship with the program are: schemas, CRDs, the example repository.

They stand at the top of the source tree; a wheel carries them inside the package.
"""

import json
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any


def folder(name: str) -> Traversable:
    """A shipped folder: `schemas` or `example-repo`."""
    package = files("reconciler")
    inside = package / "shipped" / name
    if inside.is_dir():
        return inside
    return files("reconciler").joinpath("..", name)


@cache
def schema(name: str) -> dict[str, Any]:
    """A JSON Schema by its path below `schemas/`, or as `package:path` by that in a package."""
    package, _, path = name.rpartition(":")
    home = files(package) if package else folder("schemas")
    text = home.joinpath(*path.split("/")).read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def crd_files(*names: str) -> dict[str, str]:
    """CRDs that ship with the program, as text by file name."""
    found = folder("schemas").joinpath("crds")
    return {name: found.joinpath(name).read_text(encoding="utf-8") for name in sorted(names)}
