"""Settings of Git and the folder of a root."""

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
    # Without a command git asks the alternates themselves.
    ("core.alternateRefsCommand", "true"),
    # It may say of a commit what the commit does not.
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
    # `git log` would have each signature judged by a program.
    ("log.showSignature", "false"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultKeyCommand", ""),
    # A commit is the same bytes everywhere, and what is read of one, too.
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("trailer.separators", ":"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("safe.bareRepository", "explicit"),
    ("advice.detachedHead", "false"),
    ("advice.graftFileDeprecated", "false"),
    # Another git may hold a lock for a moment; wait for it.
    ("core.filesRefLockTimeout", "2000"),
    ("core.packedRefsTimeout", "2000"),
)
NETWORK = (
    # A server may not send us, and the token, elsewhere.
    ("http.followRedirects", "false"),
    # A remote that has gone silent is given up after a minute.
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
    # Beats what any configuration says of protocols, also in what git itself starts.
    "GIT_ALLOW_PROTOCOL": "none",
    # It is sent by a header to the one remote that a call names.
    "IPAM_GIT_TOKEN": "",
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
}
Pairs = list[tuple[str, str]]


def pairs(name: str, remote: str, credentials: str, asks_as: str) -> Pairs:
    """What leads from our name for a remote to the remote itself, and what is said to it alone.

    Args:
        name: What git knows it by.
        remote: URL or path.
        credentials: `user:secret`, or empty.
        asks_as: The user for whom git asks for the secret instead; empty when it does not.
    """
    found = [(f"url.{remote}.insteadOf", name), (f"url.{remote}.pushInsteadOf", name)]
    if asks_as:
        found.append((f"credential.{remote}.username", asks_as))
    elif credentials:
        header = f"http.{remote}.extraHeader"
        # The empty one takes away those of the repository.
        found += [(header, ""), (header, f"Authorization: Basic {basic(credentials)}")]
    return found


def configured(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Settings by the environment: arguments can be read by anybody, and end names at a `=`."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def protocol(remote: str) -> str:
    """The one protocol by which a checked remote is reached."""
    scheme, separator, _ = remote.partition("://")
    if separator:
        return scheme
    return "file" if remote.startswith("/") else "ssh"


def basic(credentials: str) -> str:
    """Who logs in, as a header says it."""
    return b64encode(credentials.encode()).decode()


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
