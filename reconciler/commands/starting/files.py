"""Which files a new repository gets, and their bytes: from the folder `starter` of the program."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources.abc import Traversable

from reconciler.commands.starting.forges import WORKFLOWS, Forge
from reconciler.documents.shipped import folder, schema
from reconciler.model.settings import Settings
from reconciler.ports import UsageError
from reconciler.sources import schema_files

SCHEMAS = ".schemas"
SETTINGS = "ipam.yaml"
OWNERS = "CODEOWNERS"
UNNAMED = "<what pip installs ipam from>"
"""Stands where nobody knows what CI installs. pip refuses it, and says what it was given."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._+/:@=~-]*[A-Za-z0-9]")
# What may stand in all files unquoted: a line of shell, an expression of CI, YAML.
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_CI = {Forge.FORGEJO: Forge.GITEA}


class Beginning(StrEnum):
    """What stands in the folders of documents at first."""

    EXAMPLES = "examples"
    EMPTY = "empty"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a new repository shall be.

    Attributes:
        branch: The branch that holds the truth.
        forge: Whose CI it gets; None for none.
        package: What CI installs the program from, as pip takes it.
        beginning: A pool, a provider and a tenant, to be changed; folders without a file; or what
            the person has in them.
    """

    branch: str
    forge: Forge | None
    package: str
    beginning: Beginning


def wanted(wish: Wish) -> dict[str, str]:
    """The files of a new repository: path to text, in the order in which they are shown.

    Raises:
        UsageError: The branch has a name that CI would not take as it is.
    """
    if not _BRANCH.fullmatch(wish.branch):
        message = f"branch {wish.branch!r} cannot be written into files of CI as it is"
        raise UsageError(message, "name another with --branch: letters, digits, dots, - _ and /")
    words = {"__BRANCH__": wish.branch, "__PACKAGE__": _scalar(wish.package)}
    starter = folder("starter")
    found = dict(_below(starter / "repository"))
    if wish.beginning is Beginning.EXAMPLES:
        found |= examples()
    elif wish.beginning is Beginning.EMPTY:
        found |= {f"{name}/.gitkeep": "" for name in Settings().sources}
    if wish.forge is not None:
        name = _CI.get(wish.forge, wish.forge)
        found[WORKFLOWS[wish.forge]] = (starter / "ci" / f"{name}.yml").read_text("utf-8")
    found = {path: _filled(text, words) for path, text in sorted(found.items(), key=_place)}
    return {**found, **schemas()}


def examples() -> dict[str, str]:
    """The pool, the provider and the tenant that a person changes."""
    return dict(_below(folder("starter") / "examples"))


def schemas() -> dict[str, str]:
    """The JSON Schema of each kind that people write, for editors: path to text."""
    return {
        f"{SCHEMAS}/{name}.json": json.dumps(schema(path), indent=2, ensure_ascii=False) + "\n"
        for name, path in schema_files().items()
    }


def _place(item: tuple[str, str]) -> tuple[bool, bool, str]:
    """Settings first, then what people write, then what stands around it."""
    path = item[0]
    return path != SETTINGS, path.startswith(".") or "/" not in path, path


def _below(place: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for item in sorted(place.iterdir(), key=lambda it: it.name):
        if item.is_dir():
            yield from _below(item, f"{prefix}{item.name}/")
        else:
            yield f"{prefix}{item.name}", item.read_text("utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


def _scalar(text: str) -> str:
    """A text as YAML takes it on one line."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
