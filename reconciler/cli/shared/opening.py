"""What verbs read and write: the files, the branch and the cache that their options name."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache as once
from functools import partial
from pathlib import Path

import click
from msgspec import Struct

import reconciler
from reconciler.adapters import cache
from reconciler.adapters.facts import FileFacts, FreshFacts
from reconciler.adapters.git.desk import Desk
from reconciler.adapters.git.opening import (
    ground,
    open_repository,
    open_revision,
    open_worktree,
)
from reconciler.adapters.git.process import PASSED, TOKEN
from reconciler.adapters.git.remotes import bringing, open_mirror, with_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.standing import Seen
from reconciler.adapters.program import known_program
from reconciler.cli.shared.options import ROOT
from reconciler.cli.shared.output import note
from reconciler.commands.replay import believes
from reconciler.documents.shipped import folder
from reconciler.documents.yaml import HAS_LIBYAML
from reconciler.ports import Facts, Source, UsageError

_KNOWN = (*PASSED, TOKEN, "HOME", "GNUPGHOME", "GPG_TTY", "XDG_CONFIG_HOME", "SUDO_UID")


def environment() -> Mapping[str, str]:
    """What git may know of the environment."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _KNOWN or name.startswith("GIT_CONFIG_")
    }


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam`: disposable, whatever is in it.

    Raises:
        UsageError: Nobody knows where that is.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "gitops-ipam"
    try:
        return Path.home() / ".cache" / "gitops-ipam"
    except RuntimeError:
        message = "this user has no home folder to keep a cache in"
        raise UsageError(message, "set XDG_CACHE_HOME, or HOME") from None


class Read(Struct, frozen=True):
    """A repository, the files of it that a verb reads, and what opens the cache, once."""

    repository: GitRepository
    source: Source
    facts: Callable[[], Facts]

    @property
    def ground(self) -> Path | None:
        """Where the files of the root are in the checkout."""
        return ground(self.repository)


def asked_root() -> str | None:
    """The folder that `--root` names; None when it is not given."""
    context = click.get_current_context(silent=True)
    return context.meta.get(ROOT) if context is not None else None


def open_here(repo: Path, branch: str | None = None) -> GitRepository:
    """The repository that `--repo`, `--root` and `--branch` name."""
    return open_repository(repo, environment(), branch, asked_root())


def open_there(remote: str, branch: str | None) -> GitRepository:
    """The mirror of the remote that `--remote`, `--root` and `--branch` name."""
    return open_mirror(remote, cache_folder(), environment(), branch, asked_root())


class Trust(Enum):
    """What a run makes of the cache that others left."""

    FULL = "it reads and writes it"
    READING = "it reads it, and leaves nothing for others"
    NONE = "it knows only what it reads now"


def open_source(
    repo: Path,
    rev: str,
    *,
    worktree: bool,
    trust: Trust = Trust.FULL,
    fetches: bool = False,
    says: bool = True,
) -> Read:
    """The files that `--repo`, `--rev` and `--worktree` name.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        worktree: As `--worktree`.
        trust: What it makes of the cache.
        fetches: As `--fetch-missing`.
        says: Say if reading takes long; to know that, the reader is loaded.
    """
    if says:
        tell_if_slow()
    found = _asking_once(open_here(repo))
    opened = _bringing(found) if fetches else found
    facts = once(partial(_facts, opened, trust))
    repository = _proving(opened, facts)
    if worktree and rev != "HEAD":
        raise UsageError("--worktree and --rev exclude each other")
    if worktree:
        return Read(repository, open_worktree(repository, repo), facts)
    return Read(repository, open_revision(repository, rev), facts)


def tell_if_slow() -> None:
    """Say that reading takes long, where that is so."""
    if not HAS_LIBYAML:
        note("warning: PyYAML was built without libyaml; reading is about eight times slower")


def _bringing(repository: GitRepository) -> GitRepository:

    return bringing(repository)


def _asking_once(repository: GitRepository) -> GitRepository:
    """The repository, of which what is asked twice is remembered until the verb ends."""
    context = click.get_current_context(silent=True)
    if context is None:
        return repository
    desk = Desk()
    context.call_on_close(desk.close)
    return replace(repository, git=replace(repository.git, desk=desk))


def apart(repository: GitRepository, revision: str) -> Read:
    """A revision for a thread of its own: nothing that changes is shared with who else reads."""
    facts = once(partial(open_facts, repository))
    git = replace(repository.git, desk=None)  # its answers come one after the other
    own = _proving(replace(repository, git=git, seen=Seen()), facts)
    return Read(own, own.source(revision), facts)


def open_branch(repo: Path, remote: str | None, branch: str | None) -> GitRepository:
    """The branch that `--repo`, `--remote` and `--branch` name, with its remote."""
    if remote is not None:
        opened = open_there(remote, branch)
    else:
        opened = with_remote(open_here(repo, branch))
    return _proving(opened, once(partial(open_facts, opened)))


def _proving(repository: GitRepository, facts: Callable[[], Facts]) -> GitRepository:
    """The repository, where what a commit says of itself is proven before anything follows."""

    def proves(commit: str) -> bool:

        return believes(repository, facts(), commit)

    return replace(repository, proves=proves)


def _facts(repository: GitRepository, trust: Trust) -> Facts:
    if trust is Trust.NONE:
        return FreshFacts()
    known = open_facts(repository)
    return known if trust is Trust.FULL else FreshFacts(known)


def open_facts(repository: GitRepository) -> Facts:
    """The cache of what is known about a repository's files; an empty one where none can be."""
    try:
        place = cache_folder()
    except UsageError:
        return FreshFacts()
    folders = (place, place / "facts")
    if why := next(filter(None, map(cache.refusal, folders)), ""):
        _tell_unused(why)
        return FreshFacts()
    root = repository.git.root.path
    about = f"{repository.git.git_dir}\n{root}" if root else str(repository.git.git_dir)
    return FileFacts(place, about, _program(place))


@once
def _tell_unused(why: str) -> None:
    note(f"warning: the cache is not used, which takes longer: {why}; remove it, or chmod 700")


@once
def _program(cache_of: Path) -> str:
    """Which program this process runs: its code is read once."""
    folders = (Path(reconciler.__file__).parent, folder("schemas"))
    return known_program(folders, cache_of, time.time())
