"""`make schemas`: write anew the code that accepts by each schema, beside the schema."""

from pathlib import Path

from reconciler.documents.accepting import text_of
from reconciler.documents.shipped import beside
from reconciler.sources import schema_files
from tests.caches import ROOT

HOMES = ("schemas", "reconciler")


def wanted() -> dict[Path, str]:
    """The text of each file that should stand."""
    return {file_of(name): text_of(name) for name in sorted(schema_files().values())}


def standing() -> list[Path]:
    """All code that stands in folders of schemas."""
    found = [path for home in HOMES for path in (ROOT / home).rglob("*.py")]
    return sorted(path for path in found if "schemas" in path.relative_to(ROOT).parts)


def file_of(name: str) -> Path:
    """Where the code of a schema stands in the checkout."""
    return Path(str(beside(name, ".py"))).resolve()


def main() -> None:
    written = wanted()
    for path in standing():
        if path not in written:
            path.unlink()
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
