"""Objects of every cluster as files."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from reconciler.addresses import IPSet, format_short, literal_ranges
from reconciler.apply.rights import crd_texts, used
from reconciler.apply.targets import refused_pins, targets
from reconciler.documents.findings import Finding, Severity, error, shown
from reconciler.documents.yaml import dump
from reconciler.families.clusters import balancer_records, cluster_documents, cluster_of
from reconciler.kube.resources import desired_objects, resource_of
from reconciler.model.errors import UsageError
from reconciler.model.objects import MANAGEMENT, Manifest, owned_labels
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import file_of, folder_of, object_files, project

MARKER = ".ipam-render"
_PART = re.compile(r"(?!\.\.?$)[A-Za-z0-9._-]{1,255}")
# A marker names only files inside the folder, whatever wrote the marker.
_OURS = re.compile(r"(?!.*\.\.)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")


def render(
    evaluation: Evaluation, out: Path, policies: Sequence[Manifest] = (), kept: Collection[str] = ()
) -> dict[str, int]:
    """Write the objects below a folder in place of the last rendering; return the files by cluster.

    A cluster of which only the last rendering had files has 0. The earlier files of `kept` clusters
    stay. Nothing is written if `out` has no earlier files, or others would get their addresses.
    """
    files, folders = rendered(evaluation, policies), {folder_of(it) for it in kept}
    old = _earlier(out, files)
    there = {it: (out / it).read_text("utf-8") for it in old if folders and (out / it).is_file()}
    stay = {it: text for it, text in there.items() if _folder(it) in folders}
    files = {path: text for path, text in files.items() if _folder(path) not in folders}
    gained = _ranges(files.values()) - _ranges(there[it] for it in there.keys() - stay.keys())
    if (folders and not old) or gained & _ranges(stay.values()):
        return {}
    out.mkdir(parents=True, exist_ok=True)
    _mark(out, [*old, *files])  # before the first write
    for path in sorted(files):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        _write(out / path, files[path])
    for path in sorted(old - files.keys() - stay.keys()):
        (out / path).unlink(missing_ok=True)
        for folder in (out / path).parents:  # remove folders that are empty after that
            if folder == out or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    _mark(out, [*files, *stay])
    counts = Counter(map(_folder, [*files, *stay]))
    return {it: counts[it] for it in sorted(set(map(_folder, [*old, *files])))}


def _folder(path: str) -> str:
    return path.partition("/")[0]


def _ranges(texts: Iterable[str]) -> IPSet:
    return IPSet.of(literal_ranges("\n".join(texts)))


def kept_clusters(evaluation: Evaluation, wrong: Iterable[str]) -> set[str] | None:
    """Return `wrong` and clusters with an error in a readable file; None for all clusters."""
    paths = {it.location.path for it in evaluation.findings if it.severity is Severity.ERROR}
    if evaluation.tree.last_good.halted or paths - {it.path for it in evaluation.tree.sources}:
        return None
    listed = cluster_documents(evaluation.documents)
    found = {name for name, it in listed if it.path in paths and not it.unread}
    return (found & balancer_records(evaluation.state.records).keys()).union(wrong)


def incomplete_pools(evaluation: Evaluation) -> Iterator[tuple[str, Finding]]:
    """Return errors of clusters whose pool lacks a range, because its claim is refused."""
    written = {(cluster_of(it), it.object) for it in evaluation.state.records if it.is_live}
    for refused, record in refused_pins(evaluation):
        cluster, name = cluster_of(record), record.object
        if name and (cluster, name) in written:
            message = f"pool {name} of {cluster} would be incomplete: {refused.message}"
            yield cluster, error(refused.reason, refused.source, message, refused.hint)


def left_ranges(evaluation: Evaluation, kept: Collection[str] = ()) -> Iterator[str]:
    """Yield notes about ranges without a claim that written files no longer have."""
    every = targets(evaluation, desired_objects(project(evaluation)), {})
    given = {target.name: target.addresses() for target in every}
    for record in evaluation.state.records:
        cluster = cluster_of(record)
        is_claimed = record.is_live and record.claim in evaluation.state.claims
        if is_claimed or record.range is None or cluster in (MANAGEMENT, *kept):
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
    for cluster in sorted({_folder(path) for path in files}):
        for manifest in policies:
            files[file_of(cluster, manifest)] = dump(manifest)
        kind = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
        labels = {"labels": [{"pairs": owned_labels()}]} if policies else {}
        listed = sorted(path.partition("/")[2] for path in files if path.startswith(f"{cluster}/"))
        files[f"{cluster}/kustomization.yaml"] = dump({**kind, **labels, "resources": listed})
    return files


def _earlier(out: Path, files: Iterable[str]) -> frozenset[str]:
    """Return the files of an earlier run, after checks that the new ones can be written."""
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
            raise UsageError(message, "move or delete it")
    _require_no_link(out, old)
    return old


def _require_no_link(out: Path, paths: Iterable[str]) -> None:
    every = {it for path in paths for it in (Path(path), *Path(path).parents)}
    for path in sorted(every - {Path()}):
        if (out / path).is_symlink():
            raise UsageError(f"{out / path} is a symlink", "remove it, or pass another folder")


def _write(target: Path, text: str) -> None:
    target.unlink(missing_ok=True)
    with target.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _mark(out: Path, files: Iterable[str]) -> None:
    listed = "".join(f"{path}\n" for path in sorted(frozenset(files)))
    _write(out / MARKER, f"# written by ipam render\n{listed}")
