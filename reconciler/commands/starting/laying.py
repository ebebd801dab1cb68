"""What of a new repository is there already, what is not, and what a person has otherwise."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from reconciler.commands.starting.files import OWNERS, SCHEMAS, SETTINGS, examples
from reconciler.model.settings import Settings

_DOCUMENTS = (".yaml", ".yml")
# Where forges look for owners, beside the top. One counts, so a second one would be read by nobody.
_OTHER_OWNERS = (".github", ".gitlab", ".gitea", ".forgejo", "docs")


class Ground(Protocol):
    """A folder in which a repository begins."""

    def text(self, path: str) -> str | None:
        """The text of a file; None when nothing is there.

        Raises:
            OSError: Something is there or on the way to it that is no such file.
        """
        ...

    def below(self, folder: str) -> list[str]:
        """The paths of all files below a folder."""
        ...

    def add(self, path: str, text: str) -> None:
        """Write a file that is not there. One that is there stays.

        Raises:
            OSError: It is there, or cannot be written.
        """
        ...


class State(StrEnum):
    """How a file that is wanted stands to what is there."""

    NEW = "new"
    SAME = "same"
    YOURS = "yours"
    LEFT_OUT = "left out"


class Item(Struct, frozen=True):
    """A file that is wanted.

    Attributes:
        path: Its place from the top of the repository.
        text: What it shall hold.
        state: How that stands to what is there.
        why: Why it is not written, where that is not plain.
    """

    path: str
    text: str
    state: State
    why: str = ""


def has_own_documents(ground: Ground) -> bool:
    """Whether the folders of a repository hold files that are not the examples as they were made."""
    shown = examples()
    return any(path not in shown or ground.text(path) != shown[path] for path in documents(ground))


def documents(ground: Ground) -> list[str]:
    """The paths of all documents that people and reconcile wrote, in the folders of a new one."""
    default = Settings()
    folders = (*default.sources, default.records, default.observed, "overrides")
    found = [path for folder in folders for path in ground.below(folder)]
    return [path for path in found if path.endswith(_DOCUMENTS)]


def survey(wanted: Mapping[str, str], ground: Ground) -> list[Item]:
    """Compare what is wanted with what is there; in the order of what is wanted."""
    return [_judged(path, text, ground) for path, text in wanted.items()]


def lay(
    items: Iterable[Item], ground: Ground, agrees: Callable[[list[Item]], bool]
) -> tuple[list[Item], list[Item]]:
    """Write what is new, file by file, as far as that is agreed to; schemas are one question.

    Args:
        items: As `survey` gave them.
        ground: Where to write.
        agrees: Asked about what would be written next.

    Returns:
        What was written, and what nobody wanted.

    Raises:
        OSError: One cannot be written; those before it are.
    """
    written: list[Item] = []
    declined: list[Item] = []
    for group in groups(item for item in items if item.state is State.NEW):
        if not agrees(group):
            declined += group
            continue
        for item in group:
            ground.add(item.path, item.text)
        written += group
    return written, declined


def groups(items: Iterable[Item]) -> list[list[Item]]:
    """Files that are shown together: all schemas, and each other one by itself."""
    found: list[list[Item]] = []
    for item in items:
        if is_schema(item) and found and is_schema(found[-1][0]):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def is_schema(item: Item) -> bool:
    """It is one of many that nobody reads one by one."""
    return item.path.startswith(f"{SCHEMAS}/")


def _judged(path: str, text: str, ground: Ground) -> Item:
    try:
        there = ground.text(path)
    except OSError as failure:
        return Item(path, text, State.LEFT_OUT, failure.strerror or str(failure))
    if there is None:
        return _unless_elsewhere(path, text, ground)
    if there == text:
        return Item(path, text, State.SAME)
    return Item(path, text, State.YOURS, _beside(path))


def _unless_elsewhere(path: str, text: str, ground: Ground) -> Item:
    up, _, name = path.rpartition("../") if path.startswith("../") else ("", "", path)
    if name == OWNERS:
        top = f"{up}../" if name != path else ""
        for folder in _OTHER_OWNERS:
            with suppress(OSError):
                if ground.text(f"{top}{folder}/{OWNERS}") is not None:
                    return Item(path, text, State.LEFT_OUT, f"there is {top}{folder}/{OWNERS}")
    return Item(path, text, State.NEW)


def _beside(path: str) -> str:
    """What a person does where a file of theirs differs."""
    if path.startswith(f"{SCHEMAS}/"):
        return f"ipam schema --all {SCHEMAS} writes it anew"
    return "" if path == SETTINGS else "ipam init --dry-run shows what it would hold"
