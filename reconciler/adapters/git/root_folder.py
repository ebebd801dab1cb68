"""The folder of a repository that is a root: what is in it is all that a run reads and writes.

Everywhere else paths count from the root. Here, and only here, they become paths of the whole
repository and back. What git keeps by a name, and what a commit says of itself, names the root, too:
several roots of one repository know nothing of each other.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from reconciler.ports import UsageError

_HINT = "name a folder as it is from the top of the Git repository: --root infra/ipam"
_PLAN = "Ipam-Plan: sha256:[0-9a-f]{64}"
_SAYS = re.compile(f"^({_PLAN})((?: [^\n]*)?)$", re.MULTILINE | re.ASCII)
_BASIC = re.compile(r"[][.*^$\\]")
# What stands behind the plan of the top, for a root that reads it.
_OF_TOP = " ."
_SLUG = 40


class RootFolder(Struct, frozen=True):
    """A folder, by its path from the top; an empty path is the top itself."""

    path: str = ""

    def inside(self, paths: Sequence[str]) -> list[str]:
        """Where paths of the root are in the repository; of no paths, the root, so that it is all."""
        if not self.path:
            return list(paths)
        return [f"{self.path}/{path.removeprefix('./')}" for path in paths] or [self.path]

    def outside(self, path: str) -> str:
        """What a path of the repository is in the root."""
        return path.removeprefix(f"{self.path}/") if self.path else path

    def holds(self, path: str) -> bool:
        """Whether a path of the repository is of the root."""
        return not self.path or path.startswith(f"{self.path}/")

    def named(self, revision: str, path: str = "") -> str:
        """What git calls the root in a revision, or a file of it."""
        if self.path:
            return f"{revision}:{self.path}/{path}".removesuffix("/")
        return f"{revision}:{path}" if path else f"{revision}^{{tree}}"

    def reference(self, name: str) -> str:
        """The name of a reference of ours that is about this root."""
        if not self.path:
            return f"refs/ipam/{name}"
        slug = re.sub(r"[^A-Za-z0-9]+", "-", self.path).strip("-")[:_SLUG].strip("-")
        told_apart = sha256(self.path.encode()).hexdigest()[:8]
        return f"refs/ipam/{'-'.join(filter(None, (name, slug, told_apart)))}"

    def top(self, place: Path) -> Path:
        """The top of a work tree, of the place of the root in it."""
        return place.parents[self.path.count("/")] if self.path else place

    @property
    def trailer(self) -> str:
        """A basic regular expression of the line by which a commit says that it is of this root."""
        plan = _PLAN.replace("{", r"\{").replace("}", r"\}")
        mark = _BASIC.sub(r"\\\g<0>", self._mark)
        return f"^{plan}{mark}$"

    def signed(self, message: str) -> str:
        """A message that says of which root it is."""
        return _SAYS.sub(lambda it: f"{it[1]}{self._mark}", message) if self.path else message

    def own(self, message: str) -> str:
        """A message without the root in it; of one of another root, it says so still."""
        return _SAYS.sub(self._own, message) if self.path else message

    @property
    def _mark(self) -> str:
        return f" {self.path}" if self.path else ""

    def _own(self, found: re.Match[str]) -> str:
        plan, mark = found.groups()
        return plan if mark == self._mark else f"{plan}{mark or _OF_TOP}"


TOP = RootFolder()
"""The top of a repository."""


def root_folder(text: str) -> RootFolder:
    """The folder that `--root` names; nothing, or `.`, is the top.

    Raises:
        UsageError: It leads elsewhere, or is the name of no folder that could be one.
    """
    if text.startswith("/"):
        raise UsageError(f"--root {text!r} is an absolute path", _HINT)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UsageError(f"--root {text!r} has .. in it", _HINT)
    if any(part.casefold() == ".git" for part in parts):
        raise UsageError(f"--root {text!r} is what Git keeps for itself", _HINT)
    path = "/".join(parts)
    if not path.isprintable() or "\\" in path or "\ufffd" in path or path != path.strip():
        raise UsageError(f"--root {text!r} has characters that a path must not have", _HINT)
    return RootFolder(path)


def found_root(start: Path, top: Path, settings: str) -> RootFolder:
    """The nearest folder with Settings, from one up to the top of its work tree; else the top."""
    for place in (start, *start.parents):
        if place == top or top not in place.parents:
            break
        file = place / settings
        if file.is_file() and not file.is_symlink():
            return root_folder(place.relative_to(top).as_posix())
    return TOP
