"""What the name of a revision means: one commit, or nothing; never one of two.

Git takes a tag before a branch of its name, and a local branch before a remote one. Who may push a
tag could then choose what a change is compared with. So a name that several references bear is
refused, and one that a reference bears is read by the whole name of it.
"""

import re

from reconciler.adapters.git.process import GitProcess
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
