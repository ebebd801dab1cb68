"""Build hooks: add the commit, the URLs of the project, and the validators of the schemas."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# The file with the commit: at the top of a source archive, or in the package of a wheel.
_PLACES = {"sdist": "COMMIT", "wheel": "reconciler/shipped/commit"}
# `git archive` fills this in, for example when a forge delivers an action without its history.
_ARCHIVED = ".archived"
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\n")

HOME = "PROJECT_URL"
"""The variable with the URL of the project. A release sets it."""


class HomeHook(MetadataHookInterface):
    """Add the URLs of the project if `PROJECT_URL` is set. No file of the project contains them."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `urls`."""
        metadata["urls"] = urls_of(Path(self.root), os.environ.get(HOME, ""))


class BuildHook(BuildHookInterface):  # type: ignore[type-arg]  # any configuration
    """Adds validators to wheels and editable installs, the commit to wheels and source archives."""

    _note: str = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the validators, and the commit if it is known."""
        if self.target_name == "wheel":
            write_validators(Path(self.root))
        if version == "editable" or not (commit := commit_of(Path(self.root))):
            return
        handle, self._note = tempfile.mkstemp()
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(commit)
        build_data["force_include"][self._note] = _PLACES[self.target_name]

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary files of the build."""
        del version, build_data, artifact_path
        if self._note:
            Path(self._note).unlink(missing_ok=True)


def write_validators(root: Path) -> None:
    """Write the code that checks documents by each schema, and remove the code of older schemas."""
    sys.path.insert(0, str(root))
    from reconciler.documents.validators import code, module_name, schemas_of

    folder = root / "reconciler" / "_validators"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    schemas = [*root.glob("schemas/*/*.json"), *root.glob("reconciler/families/*/schemas/*.json")]
    read = [it for it in schemas if it.parent.name != "output"]  # `ipam` writes such documents
    for schema in read:
        for text in schemas_of(schema).values():
            (folder / f"{module_name(text)}.py").write_text(code(text), encoding="utf-8")


def urls_of(root: Path, home: str) -> dict[str, str]:
    """Return the content of `[project.urls]`, from a URL or from the source archive."""
    if home:
        home = home.rstrip("/")
        return {"Source": home, "Issues": f"{home}/issues", "Releases": f"{home}/releases"}
    noted = root / "PKG-INFO"
    lines = noted.read_text(encoding="utf-8").splitlines() if noted.is_file() else []
    said = [line.removeprefix("Project-URL: ") for line in lines[: (*lines, "").index("")]]
    return dict(text.split(", ", 1) for text in said if ", https://" in text)


def commit_of(root: Path) -> str:
    """The commit of a source tree with a line feed; empty when there is none, or files differ."""
    noted = root / "COMMIT"
    archived = root / _ARCHIVED
    if noted.is_file():
        said = noted.read_text(encoding="utf-8")
    elif (root / ".git").exists():
        is_whole = _git(root, "status", "--porcelain", "-uno") == ""
        said = _git(root, "rev-parse", "HEAD") if is_whole else ""
    else:
        said = archived.read_text(encoding="utf-8") if archived.is_file() else ""
    return said if _ID.fullmatch(said) else ""


def _git(root: Path, *arguments: str) -> str:
    """Return the output of git, or a word that is not a valid answer if git fails."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)  # noqa: S603 - no shell
    except OSError:
        return "unknown"
    return done.stdout if done.returncode == 0 else "unknown"
