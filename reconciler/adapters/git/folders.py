"""What the repository's own folder tells by itself: git need not be asked."""

from pathlib import Path

from reconciler.adapters.git.process import GitProcess


def common_folder(git: GitProcess) -> Path:
    """The repository's own folder that all of its work trees share."""
    common = git.git_dir / "commondir"
    shared = common.read_text(encoding="utf-8").strip() if common.is_file() else ""
    return git.git_dir / shared


def is_filtered(git: GitProcess) -> bool:
    """A filter left something out when this was fetched, and a remote promised to have it.

    Who asks git for that has it look through all that was promised, which takes it as long as
    reading it: so nobody asks for what may not be here.
    """
    return any((common_folder(git) / "objects" / "pack").glob("*.promisor"))


def quoted(path: str) -> str:
    """A path as one of a list of alternates: git takes one in quotes as C writes it (git(1))."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
