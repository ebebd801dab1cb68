"""What a repository's own configuration may say: who owns it, and what of it is beaten or refused.

Whoever can write `.git/config` can name programs. As git does, a folder of another user is not
believed. Of one's own folder all is switched off that would run something or lead elsewhere: what
has a fixed name in `process.py`, what the repository names itself here.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reconciler.adapters.git.process import GitProcess
from reconciler.ports import GitError, UsageError

# Of a filter without a command git hands content through as it is.
_FILTERS = {"clean": "", "smudge": "", "process": "", "required": "false"}
# What git starts at a remote of the same machine.
_SERVERS = {"uploadpack": "git-upload-pack", "receivepack": "git-receive-pack"}
_SECTIONS = {"filter": _FILTERS, "remote": _SERVERS}
# Of `http`, what leads nowhere else and weakens nothing, and what it lets others do as a server.
_HARMLESS = (
    "extraheader", "postbuffer", "version", "maxrequests", "minsessions",
    "receivepack", "uploadpack", "getanyfile",
)  # fmt: skip
_ELSEWHERE = (
    "git config --unset it, and name proxies and certificates by the environment:"
    " HTTPS_PROXY, GIT_SSL_CAINFO"
)
_SCOPES = ("local", "worktree")
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)


class Setting(NamedTuple):
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


def guarded(git: GitProcess, settings: Iterable[Setting]) -> GitProcess:
    """Git that runs no filter and no server that these settings name.

    Raises:
        UsageError: One of them would lead a connection elsewhere, or weaken it.
    """
    guards: dict[str, str] = {}
    for item in settings:
        name = ".".join(part for part in (item.section, item.between, item.variable) if part)
        if item.variable in _SECTIONS.get(item.section, {}):
            # All of them: git takes `process` before `clean`.
            for variable, value in _SECTIONS[item.section].items():
                guards[f"{item.section}.{item.between}.{variable}"] = value
        elif _leads_elsewhere(item):
            readable = os.fsencode(name).decode("utf-8", "replace")
            message = f"{readable} of the repository's own configuration is not taken"
            raise UsageError(message, _ELSEWHERE)
    return replace(git, guards=tuple(guards.items()))


def _leads_elsewhere(item: Setting) -> bool:
    if item.section == "http":
        return item.variable not in _HARMLESS
    return (item.section, item.variable) == ("fetch", "bundleuri")


def require_own(folders: Iterable[Path], environment: Mapping[str, str]) -> None:
    """Refuse a repository that another user owns, unless the person's configuration names it.

    Args:
        folders: Its own folder, its work tree, and the file that leads from one to the other, as
            far as there are any.
        environment: Where `HOME` and `XDG_CONFIG_HOME` are.

    Raises:
        GitError: Another user owns one of them.
    """
    for folder in folders:
        if not _is_own(folder, environment) and not _is_named(folders, environment):
            message = f"{folder} belongs to another user, who could have anything run by it"
            top = next(iter(folders))
            hint = f"if you trust it: git config --global --add safe.directory {top}"
            raise GitError(message, hint)


def _is_own(path: Path, environment: Mapping[str, str]) -> bool:
    """The user owns it, and what it leads to. With sudo, as git: or who called that."""
    users = {os.geteuid()}
    caller = environment.get("SUDO_UID", "")
    if os.geteuid() == 0 and _NUMBER.fullmatch(caller):
        users.add(int(caller))
    try:
        return path.lstat().st_uid in users and path.stat().st_uid in users
    except OSError:
        return False


def _is_named(folders: Iterable[Path], environment: Mapping[str, str]) -> bool:
    """The person's own configuration, or the machine's, calls one of the folders safe."""
    names = {str(folder) for folder in folders}
    return any(_covers(entry, name) for entry in _safe(environment) for name in names)


def _covers(entry: str, name: str) -> bool:
    if entry.endswith("/*"):
        return name.startswith(entry.removesuffix("*"))
    return entry == "*" or os.path.normpath(entry) == name


def _safe(environment: Mapping[str, str]) -> list[str]:
    """The entries of `safe.directory`; an empty one takes back those before it."""
    home = environment.get("HOME", "")
    xdg = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    files = ["/etc/gitconfig", *([f"{xdg}/git/config"] if xdg else [])]
    files += [f"{home}/.gitconfig"] if home else []
    git = GitProcess(Path(os.sep), environment)
    found: list[str] = []
    for file in files:
        if not os.path.isfile(file):  # noqa: PTH113 - what cannot be looked at is none, and no error
            continue
        told = git.run(
            "config", "--file", file, "--includes", "--null", "--type=path", "--get-all",
            "safe.directory", extra={"HOME": home} if home else None,
        )  # fmt: skip
        for entry in told.out.decode("utf-8", "replace").split("\0")[:-1]:
            found = [*found, entry] if entry else []
    return found
