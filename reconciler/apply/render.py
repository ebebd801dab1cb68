"""Objects of every cluster as files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reconciler.addresses import IPSet, format_short
from reconciler.apply.rights import crd_texts, used
from reconciler.apply.targets import targets
from reconciler.documents.findings import shown
from reconciler.documents.yaml import dump
from reconciler.families.clusters import cluster_of
from reconciler.kube.resources import desired_objects, resource_of
from reconciler.model.errors import UsageError
from reconciler.model.objects import MANAGEMENT, Manifest, owned_labels
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import file_of, object_files, project

MARKER = ".ipam-render"
_PART = re.compile(r"(?!\.\.?$)[A-Za-z0-9._-]{1,255}")
# A marker names only files inside the folder, whatever wrote the marker.
_OURS = re.compile(r"(?!.*\.\.)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")


def render(evaluation: Evaluation, out: Path, policies: Sequence[Manifest] = ()) -> dict[str, int]:
    """Write the objects below a folder in place of the last rendering; return the files by cluster."""
    files = rendered(evaluation, policies)
    old = _begin(out, files)
    counts: dict[str, int] = {}
    for path in sorted(files):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        _write(out / path, files[path])
        cluster = path.partition("/")[0]
        counts[cluster] = counts.get(cluster, 0) + 1
    for path in sorted(old - files.keys()):
        (out / path).unlink(missing_ok=True)
        for folder in (out / path).parents:  # remove folders that are empty after that
            if folder == out or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    _mark(out, files)
    return counts


def left_ranges(evaluation: Evaluation) -> Iterator[str]:
    """Yield notes about released ranges that the files no longer give to a cluster."""
    every = targets(evaluation, desired_objects(project(evaluation)), {})
    given = {target.name: target.addresses() for target in every}
    for record in evaluation.state.records:
        cluster = cluster_of(record)
        if not record.is_released or record.range is None or cluster == MANAGEMENT:
            continue
        if not given.get(cluster, IPSet()).covers(record.range):
            what = f"{format_short(record.range)} is removed from {cluster}"
            yield f"{what}; not checked: whether {cluster} uses it"


def rendered(evaluation: Evaluation, policies: Sequence[Manifest] = ()) -> dict[str, str]:
    """Return all files by path. With policies, kustomizations add the label that they select."""
    objects = object_files(evaluation)
    files = {path: dump(it) for path, it in objects.items()}
    kinds = [resource_of(it) for path, it in objects.items() if path.startswith(f"{MANAGEMENT}/")]
    for name, text in crd_texts(used(kinds) if kinds else ()).items():
        files[f"{MANAGEMENT}/crds/{name}"] = text
    for cluster in sorted({path.partition("/")[0] for path in files}):
        for manifest in policies:
            files[file_of(cluster, manifest)] = dump(manifest)
        kind = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
        labels = {"labels": [{"pairs": owned_labels()}]} if policies else {}
        listed = sorted(path.partition("/")[2] for path in files if path.startswith(f"{cluster}/"))
        files[f"{cluster}/kustomization.yaml"] = dump({**kind, **labels, "resources": listed})
    return files


def _begin(out: Path, files: Iterable[str]) -> frozenset[str]:
    """Return the files of an earlier run. The marker lists all files before the first write."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder")
    for path in files:
        if not all(map(_PART.fullmatch, path.split("/"))):
            message = f"{shown(path)} cannot be the path of a file"
            raise UsageError(message, "use names of a-z, 0-9, -, and .")
    _require_no_link(out, [MARKER, *files])
    marker = out / MARKER
    lines = marker.read_text(encoding="utf-8").splitlines() if marker.is_file() else []
    old = frozenset(line for line in lines if _OURS.fullmatch(line))
    if not lines and out.is_dir() and any(out.iterdir()):
        message = f"{out} contains files that ipam render did not write"
        raise UsageError(message, "choose an empty folder")
    for path in files:
        if path not in old and (out / path).exists():
            message = f"{out / path} exists, but was not written by ipam render"
            raise UsageError(message, "move it away")
    _require_no_link(out, old)
    out.mkdir(parents=True, exist_ok=True)
    _mark(out, [*old, *files])
    return old


def _require_no_link(out: Path, paths: Iterable[str]) -> None:
    every = {it for path in paths for it in (Path(path), *Path(path).parents)}
    for path in sorted(every - {Path()}):
        if (out / path).is_symlink():
            raise UsageError(f"{out / path} is a symlink", "remove it, or name another folder")


def _write(target: Path, text: str) -> None:
    target.unlink(missing_ok=True)
    with target.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _mark(out: Path, files: Iterable[str]) -> None:
    listed = "".join(f"{path}\n" for path in sorted(frozenset(files)))
    _write(out / MARKER, f"# written by ipam render\n{listed}")
