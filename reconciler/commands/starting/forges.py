"""Whose CI a repository gets: the forge that its remote names, or that has files in it already."""

import re
from collections.abc import Iterable
from enum import StrEnum


class Forge(StrEnum):
    """Who hosts a repository, and runs its CI."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"
    FORGEJO = "forgejo"


WORKFLOWS = {
    Forge.GITHUB: ".github/workflows/ipam.yml",
    Forge.GITLAB: ".gitlab-ci.yml",
    Forge.GITEA: ".gitea/workflows/ipam.yml",
    Forge.FORGEJO: ".forgejo/workflows/ipam.yml",
}
"""Where each looks for what CI does."""

# A forge is known by a word of its host's name. These two have none in it.
_HOSTS = {"codeberg.org": Forge.FORGEJO, "gitea.com": Forge.GITEA}
_URL = re.compile(r"[a-z+]+://(?:[^/@]*@)?(?P<host>[^/:]+)")
_SSH = re.compile(r"(?:[^/@:]+@)?(?P<host>[^/@:]+):(?!/)")


# A package that is a commit of a repository there: `git+https://github.com/acme/gitops-ipam@<commit>`.
_COMMIT = re.compile(
    r"git\+https://github\.com/(?P<repository>[\w-]+/[\w.-]+?)(?:\.git)?@(?P<commit>[0-9a-f]{40})"
)


def action_of(package: str) -> tuple[str, str] | None:
    """The repository on GitHub and the commit that a package is, whose actions a workflow can use.

    None for all other packages: they are installed by pip.
    """
    found = _COMMIT.fullmatch(package)
    return (found["repository"], found["commit"]) if found else None


def forge_of(url: str) -> Forge | None:
    """The forge that the URL of a remote names; None when it names none that is known."""
    found = _URL.match(url) or _SSH.match(url)
    host = found["host"].lower() if found else ""
    if host in _HOSTS:
        return _HOSTS[host]
    words = re.split(r"[.-]", host)
    return next((forge for forge in Forge if forge.value in words), None)


def forge_in(paths: Iterable[str]) -> Forge | None:
    """The forge whose files stand in a repository; None when those of none, or of several, do."""
    found = {
        forge
        for forge, workflow in WORKFLOWS.items()
        if any(path == workflow.partition("/")[0] for path in paths)
    }
    return found.pop() if len(found) == 1 else None
