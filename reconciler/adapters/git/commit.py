"""How a commit is made: by one fast-import stream, a function of base and changes alone."""

import os
from collections.abc import Iterable
from pathlib import Path

from reconciler.adapters.git.failing import failure
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import Commit, GitError, Revision

_WORK = b"refs/ipam/work"


def make_commit(git: GitProcess, commit: Commit) -> Revision:
    """Make a commit: no index, no work tree, no hook, and no ref that stays.

    Raises:
        GitError: Git cannot write, or not sign.
    """
    clock = commit.base.clock + 1
    name, email = commit.committer
    stream = b"".join(_stream(git, commit, f"{name} <{email}> {clock} +0000"))
    out = git.check("fast-import", "--quiet", "--date-format=raw", "--force", data=stream)
    revision = Revision(out.decode("ascii").strip(), clock)
    return _signed(git, commit, revision) if commit.sign else revision


def _stream(git: GitProcess, commit: Commit, who: str) -> Iterable[bytes]:
    """The stream of one commit that prints its id; paths go in by their bytes.

    A commit of fast-import needs a ref. It is taken away in the same stream, so that none leaks
    however the run ends.
    """
    message = git.root.signed(commit.message).encode()
    yield b"commit %s\nmark :1\nauthor %s\ncommitter %s\n" % (_WORK, who.encode(), who.encode())
    yield b"data %d\n%s\nfrom %s\n" % (len(message), message, commit.base.id.encode())
    for change in commit.changes:
        (inside,) = git.root.inside([change.path])
        path = _quoted(inside).encode()
        if change.data is None:
            yield b"D %s\n" % path
        else:
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(change.data), change.data)
    yield b"\nget-mark :1\nreset %s\nfrom %s\n\n" % (_WORK, b"0" * len(commit.base.id))


def _quoted(path: str) -> str:
    """A path as fast-import reads it: one that begins with a quote would be the end of another."""
    escaped = path.replace('"', '\\"')
    return f'"{escaped}"' if path.startswith('"') else path


def _signed(git: GitProcess, commit: Commit, revision: Revision) -> Revision:
    """The same commit with a signature: `commit-tree` on the tree that was imported."""
    key, form = commit.sign, "openpgp"
    # Git runs elsewhere: a file is named by its whole path.
    file = Path(os.path.expanduser(key))  # noqa: PTH111 - which leaves it as it is without a home
    if key.startswith("ssh-") or file.is_file():
        key, form = (key if key.startswith("ssh-") else str(file.resolve())), "ssh"
    name, email = commit.committer
    extra = dict[str, str]()
    for role in ("AUTHOR", "COMMITTER"):
        extra |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
        extra[f"GIT_{role}_DATE"] = f"{revision.clock} +0000"
    result = git.run(
        "-c", f"gpg.format={form}", "commit-tree", f"-S{key}", "-p", commit.base.id,
        f"{revision.id}^{{tree}}", data=git.root.signed(commit.message).encode(), extra=extra,
    )  # fmt: skip
    if result.status != 0:
        hint = "--sign takes a GPG key id, or the path of an SSH key without a passphrase"
        raise GitError(f"cannot sign: {failure('commit-tree', result)}", hint)
    return Revision(result.out.decode("ascii").strip(), revision.clock)
