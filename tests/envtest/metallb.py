"""MetalLB's controller beside an API server, without its speakers and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import urllib3

from tests.envtest.assets import METALLB
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


class Metallb:
    """A controller that runs, in namespace `metallb-system`."""

    def __init__(self, server: ApiServer) -> None:
        self._processes = server.fleet.processes
        if server.request("GET", f"/api/v1/namespaces/{_NAMESPACE}")[0] == 404:
            server.namespace(_NAMESPACE)
        path = f"/api/v1/namespaces/{_NAMESPACE}/pods"
        if server.request("GET", f"{path}/controller")[0] == 404:
            server.put(_POD, path=path)
        probe = free_port()
        self._process = server.fleet.run(
            METALLB,
            *("--namespace", _NAMESPACE, "--pod-name", "controller"),
            *("--webhook-mode", "disabled", "--port", str(free_port())),
            *("--health-probe-port", str(probe), "--log-level", "debug"),
            log=f"{server.name}/metallb",
            KUBECONFIG=str(server.kubeconfig),
        )
        self._probe = f"http://127.0.0.1:{probe}/healthz"
        self._pool = urllib3.PoolManager(retries=False, timeout=2.0)
        log = server.folder / "metallb.log"
        until(self._is_ready, "MetalLB is ready", by=self._process, log=log)

    def stop(self) -> None:
        """Stop the controller."""
        self._processes.end(self._process)

    def _is_ready(self) -> bool:
        try:
            return self._pool.request("GET", self._probe).status == 200
        except urllib3.exceptions.HTTPError:
            return False
