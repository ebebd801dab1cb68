"""The repository's own configuration: no program that it names is run."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from reconciler.adapters.git.process import GitProcess
from reconciler.ports import UsageError

# Of a filter without a command git hands content through as it is.
_FILTERS = {"clean": "", "smudge": "", "process": "", "required": "false"}
# What git starts at a remote of the same machine.
_SERVERS = {"uploadpack": "git-upload-pack", "receivepack": "git-receive-pack"}
# A merge that a program would make is a conflict.
_MERGES = {"driver": "false"}
_SECTIONS = {"filter": _FILTERS, "remote": _SERVERS, "merge": _MERGES}
# Programs that newer versions run as hooks, wherever `core.hooksPath` leads.
_HOOKS = ("command", "event")
_SCOPES = ("local", "worktree")
TRUE = ("1", "true", "yes", "on")
"""What Git reads as true, in small letters; in a configuration a name without a value, too."""


class Setting(Struct, frozen=True):
    """A setting of a repository: section and variable in lower case, what stands between."""

    section: str
    between: str
    variable: str
    value: str


def read_configuration(git: GitProcess) -> list[Setting]:
    """What the repository's own configuration says, with all that it includes.

    Raises:
        GitError: It cannot be read.
    """
    listed = git.check("config", "--null", "--show-scope", "--list")
    parts = os.fsdecode(listed).split("\0")  # a name may be any bytes, and git gets it back
    found = []
    for scope, text in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = text.partition("\n")
        section, _, rest = name.partition(".")
        between, _, variable = rest.rpartition(".")
        if scope in _SCOPES:
            found.append(Setting(section.lower(), between, variable.lower(), value))
    return found


def guarded(git: GitProcess, settings: Iterable[Setting] | None = None) -> GitProcess:
    """Return Git that runs no filter, merge driver, or server of the repository's configuration.

    Args:
        git: The repository.
        settings: Its own configuration, if it is known already.

    Raises:
        UsageError: Newer versions of Git run a program of it that cannot be switched off.
    """
    guards: dict[str, str] = {}
    for item in read_configuration(git) if settings is None else settings:
        if item.variable in _SECTIONS.get(item.section, {}):
            # All of them: Git takes `process` before `clean`.
            for variable, value in _SECTIONS[item.section].items():
                guards[f"{item.section}.{item.between}.{variable}"] = value
        elif item.section == "hook" and item.variable in _HOOKS:
            name = os.fsencode(f"hook.{item.between}.{item.variable}").decode("utf-8", "replace")
            message = f"{name} of the repository's own configuration is not taken"
            raise UsageError(message, "git config --unset it: no hook of a repository is run")
    return replace(git, guards=tuple(guards.items()))


def require_apart(folders: Iterable[Path], own: Iterable[Path]) -> None:
    """Refuse as remote what came along with the repository: its configuration alone names it.

    What serves a folder obeys that folder's configuration and hooks.

    Args:
        folders: Where the remote is.
        own: The folders of the repository.

    Raises:
        UsageError: One of them is in the other.
    """
    around = [path for folder in own for path in (folder, folder.resolve())]
    for folder in folders:
        for place in (Path(os.path.normpath(folder)), folder.resolve()):
            if any(place.is_relative_to(it) or it.is_relative_to(place) for it in around):
                message = (
                    f"the remote of the repository's own configuration is a part of it: {folder}"
                )
                raise UsageError(message, f"if its hooks may run: name it, --remote {folder}")
