"""Which kubeconfig leads to a cluster: named by a person, found in the pod, or handed in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.adapters.kube.account import Account
from reconciler.adapters.kube.cluster import KubeCluster
from reconciler.adapters.kube.deadline import Timeouts
from reconciler.adapters.kube.kubeconfig import Kubeconfig, check, parse, read_file
from reconciler.adapters.kube.kubeconfig_files import read_files
from reconciler.adapters.kube.limits import MANAGEMENT, TENANT, Limits
from reconciler.ports import KubeconfigError


@dataclass(frozen=True)
class KubeClusters:
    """Clusters by the kubeconfigs that a person named, or that the management cluster holds.

    Attributes:
        kubeconfig: The management cluster's, when it is named by a flag.
        context: The context of it, in place of its current one.
        clusters: Kubeconfigs of tenant clusters, by `namespace/name` or `name`.
        folder: Where `<namespace>.<name>.kubeconfig` are, too.
        allow_exec: Whether kubeconfigs that a person named may run commands, read files and name
            a proxy. Those of Secrets never may.
        environment: The variables of the process.
        account: Where a pod finds its account.
        timeouts: How long each cluster may take.
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
        """The management cluster: by flag, by `$KUBECONFIG`, by the pod's account, or None."""
        named = self.environment.get("KUBECONFIG", "")
        if self.kubeconfig is not None:
            config = read_files("management", [self._there(self.kubeconfig)])
        elif named:
            config = read_files("management", [Path(step) for step in named.split(":") if step])
        else:
            account = self._account()
            return self._cluster(account, MANAGEMENT) if account.is_there() else None
        access = check("management", config, self.context, allow_exec=self.allow_exec)
        return self._cluster(access, MANAGEMENT)

    def named(self, cluster: str) -> bytes | None:
        """The kubeconfig that a person named for a cluster, or None."""
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
            # Else a folder that is misspelt would make every cluster one that is yet to come.
            raise KubeconfigError(f"kubeconfig of {cluster}: {self.folder} is not a folder")
        return read_file(cluster, path) if is_there else None

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> KubeCluster:
        """A cluster by its kubeconfig. Sends nothing yet."""
        config = parse(cluster, kubeconfig)
        allowed = self.allow_exec and is_named
        return self._cluster(check(cluster, config, allow_exec=allowed, is_named=is_named), TENANT)

    def _there(self, path: Path) -> Path:
        read_file("management", path)
        return path

    def _account(self) -> Account:
        return (
            Account(self.environment, self.account)
            if self.account is not None
            else Account(self.environment)
        )

    def _cluster(self, access: Kubeconfig | Account, limits: Limits) -> KubeCluster:
        return KubeCluster(access, self.timeouts, self.environment, limits)
