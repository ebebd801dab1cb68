"""What the name of a revision means: one commit, or nothing; never one of two.

Git takes a tag before a branch of its name, and a local branch before a remote one. Who may push a
tag could then choose what a change is compared with. So a name that several references bear is
refused, and one that a reference bears is read by the whole name of it.
"""

import re
from dataclasses import replace
from pathlib import Path

from reconciler.adapters.git.process import GitProcess, common_folder
from reconciler.findings import article_list
from reconciler.ports import GitError, UsageError

# `git check-ref-format`, and no `-` at the start. Nothing at all before `@{u}` is what HEAD names.
_NAME = re.compile(r"(?:[^\x00-\x20~^:?*\[\\\x7f@\s]|@(?!\{))*")
_WRONG = re.compile(r"[-./]|.*(?:\.\.|//|/\.|\.lock/|\.lock$|[./]$)")
_STEP = re.compile(r"\^\{commit\}|\^\d*|~\d*", re.ASCII)
_UPSTREAM = re.compile(r"@\{(?:u|upstream|push)\}")  # the configuration of a branch says it
_HEX = re.compile(r"[0-9a-f]{4,64}", re.ASCII | re.IGNORECASE)
# Git keeps these, and HEAD, beside the references, and looks there first: no push can make one.
_OWN = re.compile(r"(?:[A-Z]+_)+HEAD", re.ASCII)
_BRANCH = r"(?![-./])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)|/$|\.$))[A-Za-z0-9._/-]{1,200}"
_WHOLE = (40, 64)
_ORDER = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_HINT = "name a branch (main, origin/main), a tag or a commit id; git log shows the revisions"


def check_branch(branch: str) -> str:
    """A branch name, if it is one that git takes and that no option hides in.

    Raises:
        UsageError: It is not.
    """
    # Git lets nobody make a branch HEAD, and one below refs/ is confused with what is no branch.
    if (
        not re.fullmatch(_BRANCH, branch, re.ASCII)
        or branch == "HEAD"
        or branch.startswith("refs/")
    ):
        raise UsageError(
            f"{branch!r} is not a valid branch name", "letters, digits, and . _ - / between them"
        )
    return branch


def whole_name(git: GitProcess, rev: str) -> str:
    """The same revision by a name that can mean nothing else.

    Args:
        git: The repository.
        rev: A branch, a tag, a commit id or `HEAD`, and steps from there such as `^1` and `~2`.

    Raises:
        UsageError: It is no such name, or several references bear it.
        GitError: It begins with `refs/`, and there is no such reference.
    """
    name, steps = _parted(rev)
    is_whole = _HEX.fullmatch(name) and len(name) in _WHOLE
    if is_whole or _UPSTREAM.match(steps) or _is_own(git, name):
        return rev
    wanted = [name] if name.startswith("refs/") else [form.format(name) for form in _ORDER]
    listed = git.check("for-each-ref", "--format=%(refname)", "--", *wanted).decode()
    found = [form for form in wanted if form in listed.splitlines()]
    if name.startswith("refs/") and not found:
        raise GitError(f"no reference {name!r} in the repository", "git for-each-ref shows them")
    commits = [f"the commits {name}…"] if found and _begins_commit(git, name) else []
    if len(found) + len(commits) > 1:
        raise UsageError(
            f"{rev!r} is ambiguous: {article_list([*found, *commits], 'and')}",
            f"write {article_list(f'{form}{steps}' for form in found)},"
            f" or {'the whole' if commits else 'a'} commit id",
        )
    return f"{found[0]}{steps}" if found else rev


def _parted(rev: str) -> tuple[str, str]:
    """The name, and the steps behind it."""
    name = rev[: _end(_NAME, rev, 0)]
    at = upstream = _end(_UPSTREAM, rev, len(name))
    while (end := _end(_STEP, rev, at)) > at:
        at = end
    is_named = name or upstream > 0
    if not is_named or at < len(rev) or _WRONG.match(name) or not rev.isprintable():
        raise UsageError(f"{rev!r} is not a revision", _HINT)
    return name, rev[len(name) :]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


def _is_own(git: GitProcess, name: str) -> bool:
    """Git itself keeps it: `HEAD`, and what a fetch or a merge leaves."""
    is_left = _OWN.fullmatch(name) is not None and (git.git_dir / name).is_file()
    return name in ("@", "HEAD") or is_left


def _begins_commit(git: GitProcess, name: str) -> bool:
    """The name is also the beginning of an object's id, which a person may have meant."""
    return bool(_HEX.fullmatch(name)) and bool(git.check("rev-parse", f"--disambiguate={name}"))


# A path, and a few words.
_MOST = 1 << 16


def shown_branch(git: GitProcess) -> str:
    """The branch that HEAD names, whether it has a commit or not; empty when it names none."""
    text = small_text(git.git_dir / "HEAD")
    name = text.removeprefix("ref: refs/heads/")
    if name == ".invalid":  # another format of references, which only git reads
        return git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    return name if name != text else ""


def require_unshown(git: GitProcess, branch: str) -> None:
    """Refuse to move a branch that another work tree of the repository shows.

    Its index and files would stay behind, and its next commit take back what the branch got.

    Raises:
        UsageError: One does.
    """
    own, common = git.git_dir.resolve(), common_folder(git).resolve()
    for folder in (common, *sorted(common.glob("worktrees/*"))):
        there = replace(git, git_dir=folder)
        if folder == own or not (folder / "HEAD").is_file() or shown_branch(there) != branch:
            continue
        if folder != common:
            place = Path(small_text(folder / "gitdir")).parent
        elif there.run("rev-parse", "--is-bare-repository").out.strip() == b"true":
            continue
        else:
            place = common.parent if common.name == ".git" else common
        message = f"branch {branch} is checked out in another work tree, which would stay behind"
        hint = f"reconcile there: --repo {place}; if it is gone: git worktree prune"
        raise UsageError(message, hint)


def small_text(path: Path) -> str:
    """A small file of a repository, which may hold anything."""
    with path.open("rb") as file:
        return file.read(_MOST).decode("utf-8", "replace").replace("\0", "\ufffd").strip()
