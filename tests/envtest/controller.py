"""Controllers of other projects, which run next to an API server without their webhooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import urllib3

from tests.envtest.assets import IPAM_PROVIDER, METALLB
from tests.envtest.processes import free_port, until

if TYPE_CHECKING:
    from tests.envtest.servers import ApiServer

_NAMESPACE = "metallb-system"
# The controller looks for the Pod that it runs in, and ends without.
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "controller", "namespace": _NAMESPACE},
    "spec": {"containers": [{"name": "controller", "image": "controller"}]},
}


class Controller:
    """A controller that runs. It knows the API server as `admin`."""

    def __init__(self, server: ApiServer, binary: str, probe: int, *words: str) -> None:
        self._processes = server.fleet.processes
        kubeconfig = str(server.kubeconfig)
        name = f"{server.name}/{binary}"
        self._process = server.fleet.run(binary, *words, log=name, KUBECONFIG=kubeconfig)
        self._probe = f"http://127.0.0.1:{probe}/healthz"
        self._pool = urllib3.PoolManager(retries=False, timeout=2.0)
        log = server.folder / f"{binary}.log"
        until(self._is_ready, f"{binary} is ready", by=self._process, log=log)

    def stop(self) -> None:
        """Stop the controller."""
        self._processes.end(self._process)

    def _is_ready(self) -> bool:
        try:
            return self._pool.request("GET", self._probe).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def metallb(server: ApiServer) -> Controller:
    """MetalLB's controller, without its speakers, in namespace `metallb-system`."""
    if server.request("GET", f"/api/v1/namespaces/{_NAMESPACE}")[0] == 404:
        server.namespace(_NAMESPACE)
    path = f"/api/v1/namespaces/{_NAMESPACE}/pods"
    if server.request("GET", f"{path}/controller")[0] == 404:
        server.put(_POD, path=path)
    probe = free_port()
    return Controller(
        *(server, METALLB, probe),
        *("--namespace", _NAMESPACE, "--pod-name", "controller"),
        *("--webhook-mode", "disabled", "--port", str(free_port())),
        *("--health-probe-port", str(probe), "--log-level", "debug"),
    )


class LoadBalancerIPAM:
    """Cilium's LB-IPAM that runs. It says nothing before it has seen a pool."""

    def __init__(self, server: ApiServer, binary: Path) -> None:
        self._processes = server.fleet.processes
        command = [str(binary), "--k8s-kubeconfig-path", str(server.kubeconfig)]
        self._process = self._processes.run(command, server.folder / f"{binary.name}.log")

    def stop(self) -> None:
        """Stop the controller."""
        self._processes.end(self._process)


def ipam_provider(server: ApiServer) -> Controller:
    """Cluster API's in-cluster IPAM provider."""
    probe = free_port()
    return Controller(
        *(server, IPAM_PROVIDER, probe),
        *("--webhook-port", "0", "--metrics-bind-address", "0"),
        *("--health-probe-bind-address", f"127.0.0.1:{probe}"),
    )
