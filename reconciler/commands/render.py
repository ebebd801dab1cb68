"""Render: what will be applied, as files, a folder a cluster."""

import shutil
from pathlib import Path

from reconciler.documents.dump import dump
from reconciler.evaluate import Evaluation, crd_files, project
from reconciler.families._family import Projection
from reconciler.ports import UsageError

MARKER = ".ipam-render"
_MANAGEMENT = "management"


def render(evaluation: Evaluation, out: Path) -> dict[str, int]:
    """Write the objects of every cluster below a folder, in place of what was rendered before.

    A folder a cluster, with a kustomization that lists its files; so kubectl, Flux and Argo CD
    take it as it is.

    Returns:
        The number of files by cluster.

    Raises:
        UsageError: The folder holds something that was not rendered.
    """
    files = rendered(evaluation)
    _prepare(out)
    counts: dict[str, int] = {}
    for path in sorted(files):
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files[path], encoding="utf-8", newline="\n")
        counts[path.partition("/")[0]] = counts.get(path.partition("/")[0], 0) + 1
    return counts


def rendered(evaluation: Evaluation) -> dict[str, str]:
    """All files by path."""
    files: dict[str, str] = {}
    for projection in project(evaluation):
        files[_path(projection)] = dump(projection.manifest)
    for name, text in crd_files().items():
        files[f"{_MANAGEMENT}/crds/{name}"] = text
    clusters = sorted({path.partition("/")[0] for path in files})
    for cluster in clusters:
        listed = sorted(path.partition("/")[2] for path in files if path.startswith(f"{cluster}/"))
        files[f"{cluster}/kustomization.yaml"] = dump(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": listed,
            }
        )
    return files


def _path(projection: Projection) -> str:
    manifest = projection.manifest
    metadata = manifest["metadata"]
    assert isinstance(metadata, dict)  # noqa: S101 - every object has metadata
    folder = projection.cluster.replace("/", ".")
    return f"{folder}/{manifest['kind']}/{metadata['namespace']}.{metadata['name']}.yaml"


def _prepare(out: Path) -> None:
    """Empty the folder. Its marker is never away, so a run that was cut off can be repeated."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder")
    if out.is_dir() and any(out.iterdir()):
        if not (out / MARKER).is_file():
            raise UsageError(
                f"{out} holds files that ipam render did not write", "name an empty folder"
            )
        for entry in sorted(out.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != MARKER:
                entry.unlink()
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).write_text("written by ipam render; replaced as a whole\n", encoding="utf-8")
