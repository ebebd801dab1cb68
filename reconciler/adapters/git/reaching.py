"""What git is told of the one remote that a call may reach: its name, who logs in, its protocol."""

from base64 import b64encode
from collections.abc import Sequence

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


def servers(name: str) -> Pairs:
    """Programs that serve a folder of another user: they read nothing of the person's."""
    return [
        (f"remote.{name}.{role}pack", f"git -c 'safe.directory=*' {role}-pack")
        for role in ("upload", "receive")
    ]


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
