"""Where this program was installed from, as pip takes it again: for those who install it in CI."""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution

_NAME = "gitops-ipam"
# Nothing of a person: no password, and no name but that under which all use ssh.
_PUBLIC = re.compile(r"(?:https://[^/@\s]+|ssh://(?:git@)?[^/@:\s]+(?::\d+)?)/[^\s@#]+")


def installed_from() -> str:
    """What pip would install the same from; empty when that is on this machine alone, or unknown."""
    try:
        found = distribution(_NAME)
    except PackageNotFoundError:
        return ""
    return requirement(found.read_text("direct_url.json"), found.version)


def with_extra(extra: str) -> str:
    """What pip takes to install the same with an extra; `SOURCE` stands where nobody knows it.

    The name alone would do where an index serves this very project, and bring in a stranger's where
    it does not.
    """
    source = installed_from() or "SOURCE"
    is_of_index = source.startswith(f"{_NAME}==")
    version = source.removeprefix(_NAME) if is_of_index else f" @ {source}"
    return f"{_NAME}[{extra}]{version}"


def requirement(direct_url: str | None, version: str) -> str:
    """The requirement that follows from what an installer noted.

    Args:
        direct_url: Its `direct_url.json`; None where the program came from an index.
        version: The version that was installed.
    """
    if direct_url is None:
        return f"{_NAME}=={version}"
    try:
        noted = json.loads(direct_url)
        url, origin = str(noted["url"]), noted.get("vcs_info")
        if not _PUBLIC.fullmatch(url):
            return ""
        return f"{origin['vcs']}+{url}@{origin['commit_id']}" if origin else url
    except (KeyError, TypeError, ValueError, AttributeError):
        return ""
