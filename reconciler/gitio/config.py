"""Git configuration and the root folder."""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from reconciler.model.errors import UsageError

CONFIG = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.sshCommand", "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes"),
    ("ssh.variant", "auto"),
    ("core.askPass", ""),
    ("core.pager", "cat"),
    # Without a command, Git runs for-each-ref in each alternate.
    ("core.alternateRefsCommand", "true"),
    # A commit graph can contradict the commits themselves.
    ("core.commitGraph", "false"),
    ("core.quotePath", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "no"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("push.negotiate", "false"),
    ("push.pushOption", ""),
    ("credential.helper", ""),
    # With signatures shown, `git log` runs a program to verify each one.
    ("log.showSignature", "false"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultKeyCommand", ""),
    # Encodings are fixed, so that commits and output have the same bytes on every machine.
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("trailer.separators", ":"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("safe.bareRepository", "explicit"),
    ("advice.detachedHead", "false"),
    ("advice.graftFileDeprecated", "false"),
    # Another Git process can hold a lock for a moment, so wait for it.
    ("core.filesRefLockTimeout", "2000"),
    ("core.packedRefsTimeout", "2000"),
)
NETWORK = (
    # A server must not redirect requests, and the token, to another host.
    ("http.followRedirects", "false"),
    # Abort the transfer if a remote sends nothing for a minute.
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
)
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    # Overrides all protocol settings, also in processes that Git starts.
    "GIT_ALLOW_PROTOCOL": "none",
    # The token is sent in a header, and only to the remote of the call.
    "IPAM_GIT_TOKEN": "",  # nosec B105  # clears the variable
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
}
Pairs = list[tuple[str, str]]


def pairs(name: str, remote: str, credentials: str, asks_as: str) -> Pairs:
    """Return the settings that map `name` to a remote, and the login for this remote only.

    Args:
        name: The name that Git uses for the remote.
        remote: URL or path.
        credentials: `user:secret`, or empty.
        asks_as: The user for whom Git asks a credential helper, or empty if Git must not ask.
    """
    found = [(f"url.{remote}.insteadOf", name), (f"url.{remote}.pushInsteadOf", name)]
    if asks_as:
        found.append((f"credential.{remote}.username", asks_as))
    elif credentials:
        header = f"http.{remote}.extraHeader"
        # The empty value removes the headers that the repository configures.
        found += [(header, ""), (header, f"Authorization: Basic {basic(credentials)}")]
    return found


def configured(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return environment variables that pass settings to Git.

    Other users can read arguments, and Git ends the name of a setting there at the first `=`.
    """
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def protocol(remote: str) -> str:
    """Return the only protocol that Git may use for a checked remote."""
    scheme, separator, _ = remote.partition("://")
    if separator:
        return scheme
    return "file" if remote.startswith("/") else "ssh"


def basic(credentials: str) -> str:
    """Return credentials encoded for HTTP basic authentication."""
    return b64encode(credentials.encode()).decode()


_HINT = "name a folder as it is from the top of the Git repository: --root infra/ipam"
_PLAN = "Ipam-Plan: sha256:[0-9a-f]{64}"
_SAYS = re.compile(f"^({_PLAN})((?: [^\n]*)?)$", re.MULTILINE | re.ASCII)
_BASIC = re.compile(r"[][.*^$\\]")
# Marks the plan of the top when the message is read from another root.
_OF_TOP = " ."
_SLUG = 40


class RootFolder(Struct, frozen=True):
    """Root folder, as its path from the top of the repository. An empty path is the top."""

    path: str = ""

    def inside(self, paths: Sequence[str]) -> list[str]:
        """Return paths of the root as repository paths. Without paths, return the root itself."""
        if not self.path:
            return list(paths)
        return [f"{self.path}/{path.removeprefix('./')}" for path in paths] or [self.path]

    def outside(self, path: str) -> str:
        """Return a repository path relative to the root."""
        return path.removeprefix(f"{self.path}/") if self.path else path

    def holds(self, path: str) -> bool:
        """Report whether a repository path is in the root."""
        return not self.path or path.startswith(f"{self.path}/")

    def named(self, revision: str, path: str = "") -> str:
        """Return the Git name of the root in a revision, or of a file in it."""
        if self.path:
            return f"{revision}:{self.path}/{path}".removesuffix("/")
        return f"{revision}:{path}" if path else f"{revision}^{{tree}}"

    def reference(self, name: str) -> str:
        """Return the name of an ipam reference for this root."""
        if not self.path:
            return f"refs/ipam/{name}"
        slug = re.sub(r"[^A-Za-z0-9]+", "-", self.path).strip("-")[:_SLUG].strip("-")
        told_apart = sha256(self.path.encode()).hexdigest()[:8]
        return f"refs/ipam/{'-'.join(filter(None, (name, slug, told_apart)))}"

    def top(self, place: Path) -> Path:
        """Return the top of the work tree that has the root at `place`."""
        return place.parents[self.path.count("/")] if self.path else place

    @property
    def trailer(self) -> str:
        """A basic regular expression that matches the plan trailer of this root."""
        plan = _PLAN.replace("{", r"\{").replace("}", r"\}")
        mark = _BASIC.sub(r"\\\g<0>", self._mark)
        return f"^{plan}{mark}$"

    def signed(self, message: str) -> str:
        """Return a message whose plan trailer names this root."""
        return _SAYS.sub(lambda it: f"{it[1]}{self._mark}", message) if self.path else message

    def own(self, message: str) -> str:
        """Return a message without the name of this root. The names of other roots stay."""
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
    """Return the folder that `--root` names. An empty text or `.` is the top.

    Raises:
        UsageError: The path is absolute, leaves the repository, or is not a valid folder name.
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
    """Return the nearest folder with Settings from `start` up to the top, or else the top."""
    for place in (start, *start.parents):
        if place == top or top not in place.parents:
            break
        file = place / settings
        if file.is_file() and not file.is_symlink():
            return root_folder(place.relative_to(top).as_posix())
    return TOP
