"""Documents to files of the repository: where each stands, and its bytes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.documents.dump import dump, text

MOST_BYTES = 200 * 1024
"""Of a file; a repository reads a quarter more."""

_HEAD = "# Written by ipam import. It is yours: no later import touches it.\n"


class Written(NamedTuple):
    """A document that is to be written.

    Attributes:
        folder: The source folder.
        path: In the folder, without what makes it YAML.
        comments: Lines that stand before it.
    """

    folder: str
    path: str
    body: Mapping[str, object]
    comments: tuple[str, ...] = ()


def files_of(documents: Iterable[Written], sources: Sequence[str]) -> dict[str, bytes]:
    """All files by path. Documents of one path share a file, until it is as long as one may be.

    Args:
        documents: In the order in which they stand.
        sources: The source folders; what belongs in one that is not there stands in the first.
    """
    found: dict[str, str] = {}
    parts: dict[str, int] = {}
    for item in documents:
        folder = item.folder if item.folder in sources else sources[0]
        stem = f"{folder}/{item.path}"
        told = "".join(f"# {text(line)}\n" for line in item.comments)
        document = f"{told}{dump(item.body)}"
        path = _path(stem, parts.get(stem, 1))
        before = found.get(path, "")
        if before and len((before + document).encode()) > MOST_BYTES:
            parts[stem] = parts.get(stem, 1) + 1
            path, before = _path(stem, parts[stem]), ""
        found[path] = f"{before}---\n{document}" if before else f"{_HEAD}{document}"
    return {path: content.encode() for path, content in found.items()}


def _path(stem: str, part: int) -> str:
    return f"{stem}.yaml" if part == 1 else f"{stem}.{part}.yaml"
