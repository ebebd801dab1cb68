"""The modules of the program with their first lines: `make map` prints them."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def first_lines() -> Iterator[tuple[str, str]]:
    """Each module, as a path below the project, with the first line of its docstring."""
    for path in sorted((ROOT / "reconciler").rglob("*.py")):
        if path.parent.name == "schemas":  # made of the schema beside it
            continue
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        yield str(path.relative_to(ROOT)), docstring.partition("\n")[0]


def main() -> None:
    """Print the map."""
    listed = list(first_lines())
    width = max(len(path) for path, _ in listed)
    for path, line in listed:
        sys.stdout.write(f"{path:<{width}}  {line}\n")


if __name__ == "__main__":
    main()
