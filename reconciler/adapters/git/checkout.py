"""How a work tree follows its branch: is it clean, is it there already, how does it get there."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from reconciler.adapters.git.conversion import file_id
from reconciler.adapters.git.failing import failure
from reconciler.adapters.git.past import changed_file
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import Changed, GitError, Revision, UsageError

_SHOWN = 3
# The index is as HEAD, the file is not.
_EDITED = " M "


class Checkout(Struct, frozen=True):
    """Index and files of a checkout that shows the branch."""

    git: GitProcess
    root: Path

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse changes that are not committed.

        Args:
            folders: Where untracked files count, because reconcile would read them.
            target: What index and files are to become; they may be that already.

        Raises:
            UsageError: Something is not committed, or another git is at work.
        """
        lock = self.git.git_dir / "index.lock"
        if lock.exists():
            hint = f"if no git is running here, remove {lock}"
            raise UsageError("another git is at work in this checkout, or was killed in it", hint)
        changed, unknown = self._dirty()
        inside = tuple(f"{folder}/" for folder in self.git.root.inside(folders))
        unknown = [path for path in unknown if path.startswith(inside)]
        if changed and not unknown and self._shows(target):
            return  # so far had a run come that was killed
        dirty = [*changed, *unknown]
        if dirty:
            more = f" and {len(dirty) - _SHOWN} more" if len(dirty) > _SHOWN else ""
            hint = "commit or stash them, or reconcile a clone or the remote: --remote URL"
            listed = ", ".join(dirty[:_SHOWN])
            raise UsageError(
                f"the work tree has changes that are not committed: {listed}{more}", hint
            )

    def follow(self, old: Revision, new: Revision) -> None:
        """Bring index and files from one revision to another.

        Raises:
            GitError: Git refuses, and nothing was changed.
        """
        done = self.git.run(self._tree, "read-tree", "-m", "-u", old.id, new.id)
        if done.status != 0:
            hint = f"mend that and run it again; it is to become {new.id}"
            raise GitError(f"the work tree cannot follow: {failure('read-tree', done)}", hint)

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        """Files at or below some paths that are not what HEAD has, or that git does not know."""
        # Unlike status, neither of them goes through trees of HEAD beside the paths: what stands
        # there may be without end.
        out = self.git.check(
            self._tree, "-C", str(self.root), "ls-files", "--others", "--exclude-standard", "-z",
            "--", *(inside := self.git.root.inside(paths)),
        )  # fmt: skip
        unknown = out.decode("utf-8", "replace").split("\0")
        found = {*self._differing("HEAD", *inside), *filter(None, unknown)}
        return sorted(map(self.git.root.outside, found))

    @property
    def _tree(self) -> str:
        return f"--work-tree={self.root}"

    def _dirty(self) -> tuple[list[str], list[str]]:
        """Paths that differ from HEAD, and paths that git does not know."""
        out = self.git.check(
            self._tree, "-C", str(self.root), "status", "--porcelain", "-z", "--no-renames",
            "--untracked-files=all", "--ignore-submodules=all",
        )  # fmt: skip
        lines = [line.decode("utf-8", "replace") for line in out.split(b"\0") if line]
        changed = [line for line in lines if not line.startswith("??")]
        if any(line.startswith(_EDITED) for line in changed):
            edited = set(self._differing("HEAD"))
            changed = [it for it in changed if not it.startswith(_EDITED) or it[3:] in edited]
        return [it[3:] for it in changed], [line[3:] for line in lines if line.startswith("??")]

    def _shows(self, revision: Revision) -> bool:
        """Whether index and files are those of a revision."""
        return not self._differing(revision.id)

    def _differing(self, revision: str, *paths: str) -> list[str]:
        """Files that are not those of a revision; of all, or below some paths.

        One that is so byte for byte is, although git would store other ends of lines of it: an
        attribute may have come after it.
        """
        # Unlike diff-index, diff looks again at files whose times alone have changed.
        out = self.git.check(
            self._tree, "-C", str(self.root), "diff", "--raw", "-z", "--no-abbrev",
            "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
            revision, "--", *paths,
        )  # fmt: skip
        parts = iter(out.removesuffix(b"\0").decode("utf-8", "replace").split("\0"))
        found = [changed_file(about, next(parts)) for about in parts if about]
        return [item.path for item in found if not self._is_held(item)]

    def _is_held(self, item: Changed) -> bool:
        """A file has the mode and the bytes that it has in a revision."""
        old, new = item.old, item.new
        if old is None or new is None or old.mode != new.mode or not new.is_file:
            return False
        return file_id(self.root / item.path, old.oid) == old.oid
