"""The clusters of a kubeconfig that a person named, by context."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reconciler.adapters.kube.cluster import KubeCluster
from reconciler.adapters.kube.deadline import Timeouts
from reconciler.adapters.kube.kubeconfig import check, read_file
from reconciler.adapters.kube.kubeconfig_files import read_files
from reconciler.adapters.kube.limits import MANAGEMENT


def open_contexts(
    path: Path,
    contexts: Sequence[str],
    seconds: float,
    environment: Mapping[str, str],
    *,
    allow_exec: bool = False,
) -> list[tuple[str, KubeCluster]]:
    """The clusters of some contexts of a kubeconfig, else of its current one. Sends nothing yet.

    Any of them may be the management cluster, which holds an object for each record.

    Raises:
        KubeconfigError: It cannot be used.
    """
    read_file(str(path), path)
    config = read_files(str(path), [path])
    wanted = list(contexts) or [str(config.get("current-context") or "")]
    return [
        (
            name,
            KubeCluster(
                check(str(path), config, name, allow_exec=allow_exec),
                Timeouts(seconds),
                environment,
                MANAGEMENT,
            ),
        )
        for name in wanted
    ]
