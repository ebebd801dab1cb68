"""Settings and variables of every call of Git. They override the repository's own configuration."""

from base64 import b64encode
from collections.abc import Sequence

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
