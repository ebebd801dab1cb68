"""What a repository's own configuration may say: who owns it, and what of it is beaten or refused.

Whoever can write `.git/config` can name programs. As git does, a folder of another user is not
believed. Of one's own folder all is switched off that would run something or lead elsewhere: what
has a fixed name in `process.py`, what the repository names itself here.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from reconciler.adapters.git.process import GitProcess
from reconciler.ports import GitError, UsageError

# Of a filter without a command git hands content through as it is.
_FILTERS = {"clean": "", "smudge": "", "process": "", "required": "false"}
# What git starts at a remote of the same machine.
_SERVERS = {"uploadpack": "git-upload-pack", "receivepack": "git-receive-pack"}
# A merge that a program would make is a conflict.
_MERGES = {"driver": "false"}
_SECTIONS = {"filter": _FILTERS, "remote": _SERVERS, "merge": _MERGES}
# Of `http`, what leads nowhere else and weakens nothing, and what it lets others do as a server.
_HARMLESS = (
    "extraheader", "postbuffer", "version", "maxrequests", "minsessions",
    "receivepack", "uploadpack", "getanyfile",
)  # fmt: skip
_ELSEWHERE = (
    "git config --unset it, and name proxies and certificates by the environment:"
    " HTTPS_PROXY, GIT_SSL_CAINFO"
)
_CERTIFICATES = "name the certificates by the environment, which beats it: GIT_SSL_CAINFO"
_ABOUT = re.compile(r"https?://(?:[^/@]*@)?([A-Za-z0-9.-]+)(?::[0-9]+)?(?:/.*)?", re.ASCII)
# Programs that newer versions run as hooks, wherever `core.hooksPath` leads.
_HOOKS = ("command", "event")
_SCOPES = ("local", "worktree")
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
_MOST = 1_000
TRUE = ("1", "true", "yes", "on")
"""What git reads as true, in small letters; in a configuration a name without a value, too."""


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


def guarded(git: GitProcess, settings: Iterable[Setting], remote: str) -> GitProcess:
    """Git that runs no filter and no server that these settings name.

    Args:
        git: The repository.
        settings: Its own configuration.
        remote: What it may reach; empty when that is nothing.

    Raises:
        UsageError: One of them would lead a connection to the remote elsewhere, or weaken it; or
            newer versions of git run it, and it cannot be beaten.
    """
    beats = ("sslcainfo",) if git.environment.get("GIT_SSL_CAINFO") else ()
    guards: dict[str, str] = {}
    for item in settings:
        name = ".".join(part for part in (item.section, item.between, item.variable) if part)
        if item.variable in _SECTIONS.get(item.section, {}):
            # All of them: git takes `process` before `clean`.
            for variable, value in _SECTIONS[item.section].items():
                guards[f"{item.section}.{item.between}.{variable}"] = value
        elif item.section == "hook" and item.variable in _HOOKS:
            raise _refused(name, "git config --unset it: no hook of a repository is run")
        elif item.variable not in beats and _leads_elsewhere(item, remote):
            raise _refused(name, _CERTIFICATES if item.variable == "sslcainfo" else _ELSEWHERE)
    return replace(git, guards=tuple(guards.items()))


def _refused(name: str, hint: str) -> UsageError:
    readable = os.fsencode(name).decode("utf-8", "replace")
    return UsageError(f"{readable} of the repository's own configuration is not taken", hint)


def _leads_elsewhere(item: Setting, remote: str) -> bool:
    if item.section != "http":
        return (item.section, item.variable) == ("fetch", "bundleuri")
    parts = urlsplit(remote)
    if parts.scheme not in ("http", "https"):
        return False
    # What is plainly about another host; git takes letters there as they are.
    about = _ABOUT.fullmatch(item.between)
    if about is not None and about[1].lower() != parts.hostname:
        return False
    return item.variable not in _HARMLESS


def require_own(folders: Sequence[Path], environment: Mapping[str, str]) -> None:
    """Refuse a repository that another user owns, unless the person's configuration names it.

    Args:
        folders: Its own folder, its work tree, and the file that leads from one to the other, as
            far as there are any.
        environment: Where the person's configuration is.

    Raises:
        GitError: Another user owns one of them.
    """
    strange = _strange(folders, environment)
    if strange and not _is_named(folders, environment):
        message = f"{strange[0]} belongs to another user, who could have anything run by it"
        hint = f"if you trust it: git config --global --add safe.directory {folders[0]}"
        raise GitError(message, hint)


def is_called_safe(folders: Sequence[Path], environment: Mapping[str, str]) -> bool:
    """Another user owns a repository, and the person's configuration names it."""
    return bool(_strange(folders, environment)) and _is_named(folders, environment)


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


def _strange(folders: Iterable[Path], environment: Mapping[str, str]) -> list[Path]:
    """Those that another user owns."""
    return [folder for folder in folders if not _is_own(folder, environment)]


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
    git = GitProcess(Path(os.sep), environment)
    found: list[str] = []
    for file in _configurations(environment, home):
        if not os.path.isfile(file):  # noqa: PTH113 - what cannot be looked at is none, and no error
            continue
        told = git.run(
            "config", "--file", file, "--includes", "--null", "--type=path", "--get-all",
            "safe.directory", extra={"HOME": home} if home else None,
        )  # fmt: skip
        found += os.fsdecode(told.out).split("\0")[:-1]
    for entry in _said(environment):
        found.append(f"{home}{entry[1:]}" if entry.startswith("~/") else entry)
    last = max((at + 1 for at, entry in enumerate(found) if not entry), default=0)
    return found[last:]


def _configurations(environment: Mapping[str, str], home: str) -> list[str]:
    """The files in which the machine and the person say something, as git looks for them."""
    xdg = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    own = [*([f"{xdg}/git/config"] if xdg else []), *([f"{home}/.gitconfig"] if home else [])]
    named = environment.get("GIT_CONFIG_GLOBAL")
    system = environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")
    skips = environment.get("GIT_CONFIG_NOSYSTEM", "").lower() in TRUE
    return [*([] if skips else [system]), *(own if named is None else [named])]


def _said(environment: Mapping[str, str]) -> list[str]:
    """What the person says by variables, as in a container."""
    count = environment.get("GIT_CONFIG_COUNT", "")
    numbers = range(min(int(count), _MOST)) if _NUMBER.fullmatch(count) else ()
    return [
        environment.get(f"GIT_CONFIG_VALUE_{number}", "")
        for number in numbers
        if environment.get(f"GIT_CONFIG_KEY_{number}", "").lower() == "safe.directory"
    ]
