"""Several kubeconfigs as one, as kubectl merges those that `$KUBECONFIG` names."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reconciler.adapters.kube.kubeconfig import (
    CLUSTER_FILES,
    LISTS,
    USER_FILES,
    parse,
    read_file,
    refused,
)


def read_files(cluster: str, paths: Sequence[Path]) -> Mapping[str, Any]:
    """Several kubeconfigs as one, as kubectl merges them: the first that says a thing wins.

    Paths in a kubeconfig are relative to its folder. A file that is not there is passed over, as
    long as one is.

    Raises:
        KubeconfigError: None is there, or one cannot be used.
    """
    present = [path for path in paths if path.exists()]
    if not present:
        raise refused(cluster, "no file of $KUBECONFIG is there")
    return merge(
        _rooted(parse(cluster, read_file(cluster, path)), path.absolute().parent)
        for path in present
    )


def merge(configs: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Several kubeconfigs as one; of two entries of one name the first is taken."""
    merged: dict[str, Any] = {}
    found: dict[str, dict[str, Any]] = {key: {} for key in LISTS}
    for config in configs:
        if config.get("current-context"):
            merged.setdefault("current-context", config["current-context"])
        for key in LISTS:
            for entry in config.get(key) or ():
                found[key].setdefault(entry["name"], entry)
    return merged | {key: list(entries.values()) for key, entries in found.items()}


def _rooted(config: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The same, with its paths made absolute."""

    def rooted(entry: Mapping[str, Any], inner: str, keys: Sequence[str]) -> Mapping[str, Any]:
        value = entry.get(inner)
        if not isinstance(value, dict):
            return entry
        paths = {key: str(folder / value[key]) for key in keys if isinstance(value.get(key), str)}
        return {**entry, inner: value | {key: path for key, path in paths.items() if value[key]}}

    return {
        **config,
        "clusters": [
            rooted(item, "cluster", CLUSTER_FILES) for item in config.get("clusters") or ()
        ],
        "users": [rooted(item, "user", USER_FILES) for item in config.get("users") or ()],
    }
