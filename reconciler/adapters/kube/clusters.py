"""Connections to clusters: from flags, `$KUBECONFIG`, the pod's account, or a given kubeconfig."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.adapters.kube.cluster import KubeCluster
from reconciler.adapters.kube.deadline import Timeouts
from reconciler.adapters.kube.kubeconfig import (
    Kubeconfig,
    ServiceAccount,
    check,
    parse,
    read_file,
    read_files,
)
from reconciler.adapters.kube.transport import MANAGEMENT, TENANT, Limits
from reconciler.ports import KubeconfigError


@dataclass(frozen=True)
class KubeClusters:
    """Clusters of kubeconfigs that a person named, or that the management cluster holds.

    Attributes:
        kubeconfig: The management cluster's kubeconfig, if a flag names it.
        context: Its context; empty for the current one.
        clusters: Kubeconfigs of tenant clusters, by `namespace/name` or `name`.
        folder: A folder of `<namespace>.<name>.kubeconfig` files.
        allow_exec: Whether kubeconfigs that a person named may run commands, read files, and use
            a proxy. Kubeconfigs from Secrets never may.
        environment: The variables of the process.
        account: The folder of the pod's service account.
        timeouts: Time limits for each cluster.
    """

    kubeconfig: Path | None = None
    context: str = ""
    clusters: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    allow_exec: bool = field(default=False, kw_only=True)
    environment: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    account: Path | None = field(default=None, kw_only=True)
    timeouts: Timeouts = field(default_factory=Timeouts, kw_only=True)

    def management(self) -> KubeCluster | None:
        """Return the cluster of the flag, of `$KUBECONFIG`, or of the pod's account, or None."""
        named = self.environment.get("KUBECONFIG", "")
        if self.kubeconfig is not None:
            config = read_files("management", [self._there(self.kubeconfig)])
        elif named:
            config = read_files("management", [Path(step) for step in named.split(":") if step])
        else:
            account = ServiceAccount(
                self.environment, *(() if self.account is None else (self.account,))
            )
            return self._cluster(account, MANAGEMENT) if account.is_there() else None
        access = check("management", config, self.context, allow_exec=self.allow_exec)
        return self._cluster(access, MANAGEMENT)

    def named(self, cluster: str) -> bytes | None:
        """Return the kubeconfig that a person named for a cluster, or None."""
        if cluster in self.clusters:
            return read_file(cluster, self.clusters[cluster])
        if self.folder is None:
            return None
        path = self.folder / f"{cluster.replace('/', '.')}.kubeconfig"
        try:
            is_folder, is_there = self.folder.is_dir(), path.exists()
        except OSError as failure:
            message = f"kubeconfig of {cluster}: {path} cannot be read: {failure.strerror}"
            raise KubeconfigError(message) from failure
        if not is_folder:
            # With a misspelled folder, every cluster would look like a future one.
            raise KubeconfigError(f"kubeconfig of {cluster}: {self.folder} is not a folder")
        return read_file(cluster, path) if is_there else None

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> KubeCluster:
        """Return the cluster of a kubeconfig. Sends no request yet."""
        config = parse(cluster, kubeconfig)
        allowed = self.allow_exec and is_named
        return self._cluster(check(cluster, config, allow_exec=allowed, is_named=is_named), TENANT)

    def _there(self, path: Path) -> Path:
        read_file("management", path)
        return path

    def _cluster(self, access: Kubeconfig | ServiceAccount, limits: Limits) -> KubeCluster:
        return KubeCluster(access, self.timeouts, self.environment, limits)


def open_contexts(
    path: Path,
    contexts: Sequence[str],
    seconds: float,
    environment: Mapping[str, str],
    *,
    allow_exec: bool = False,
) -> list[tuple[str, KubeCluster]]:
    """Return the clusters of some contexts, or of the current one. Sends no request yet.

    Each of them can be the management cluster, which holds one object per record.

    Raises:
        KubeconfigError: The kubeconfig cannot be used.
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
