"""A Pod of the chart as a local process, with its arguments, variables, and service account."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.caches import PYTHON
from tests.chart.rendering import Manifest, only
from tests.envtest.servers import ApiServer

# The kubelet mounts the account in a system folder. Here it is in another one.
_START = """
import pathlib, sys
from reconciler.kube import kubeconfig
kubeconfig.SERVICE_ACCOUNT = pathlib.Path(sys.argv.pop(1))
from reconciler.cli import main
main()
"""


@dataclass
class Pod:
    """A Pod with the folders `/cache`, `/tmp`, and `/etc/gitops-ipam` below `folder`.

    Attributes:
        template: Pod template of a Deployment or CronJob.
        settings: Data of the ConfigMap with its variables.
        secrets: Data of Secrets by name and key.
    """

    template: Manifest
    settings: Mapping[str, str]
    secrets: Mapping[str, Mapping[str, str]]
    server: ApiServer
    folder: Path

    def command(self, **extra: str) -> list[str]:
        """Return the command, with variables in arguments expanded as by the kubelet."""
        known = {**self.settings, **self.variables(), **extra}
        words = [
            re.sub(r"\$\((\w+)\)", lambda found: known[found[1]], word)
            for word in self._container["args"]
        ]
        account = self.folder / "account"
        return [sys.executable, "-c", _START, str(account), *map(self._here, words)]

    def variables(self) -> dict[str, str]:
        """Return the variables of its manifest, and the variables of every Pod."""
        found = {}
        for entry in self._container["env"]:
            reference = entry.get("valueFrom", {}).get("secretKeyRef")
            value = self.secrets[reference["name"]][reference["key"]] if reference else None
            found[entry["name"]] = self._here(entry["value"]) if value is None else value
        return {
            **self.settings,
            **found,
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(self.server.port),
        }

    def environment(self) -> dict[str, str]:
        """Return all variables, and create the folders that they name."""
        (self.folder / "cache").mkdir(exist_ok=True, mode=0o700)
        (self.folder / "tmp").mkdir(exist_ok=True)
        self._be_account()
        return {
            "PATH": os.environ["PATH"],
            "TMPDIR": str(self.folder / "tmp"),
            **PYTHON,
            **self.variables(),
        }

    def run(self, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run the Pod to its end, like a Job."""
        done = subprocess.run(
            self.command(**extra),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    @property
    def _container(self) -> Manifest:
        (container,) = self.template["spec"]["containers"]
        found: Manifest = container
        return found

    def _be_account(self) -> None:
        """Write the files of the service account, as the kubelet does."""
        spec = self.template["spec"]
        if spec["automountServiceAccountToken"]:
            folder = self.folder / "account"
            folder.mkdir(exist_ok=True)
            (folder / "token").write_text(token(self.server, spec["serviceAccountName"]))
            (folder / "ca.crt").write_bytes((self.server.folder / "apiserver.crt").read_bytes())
            (folder / "namespace").write_text("gitops-ipam")

    def _here(self, text: str) -> str:
        for path in ("/cache", "/etc/gitops-ipam"):
            text = re.sub(rf"(?<![\w/]){path}", f"{self.folder}{path}", text)
        return text


def token(server: ApiServer, account: str) -> str:
    path = f"/api/v1/namespaces/gitops-ipam/serviceaccounts/{account}/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    status, answer = server.request("POST", path, body)
    assert status == 201, answer
    told: str = answer["status"]["token"]
    return told


def kubeconfig(server: ApiServer, account: str) -> str:
    """Return a kubeconfig with a token of a service account, as for a tenant."""
    return server.kubeconfig_with(token(server, account))


def install(server: ApiServer, objects: list[Manifest]) -> None:
    """Apply the manifests of the chart, namespaces first, without workloads."""
    ordered = sorted(objects, key=lambda item: item["kind"] != "Namespace")
    for item in ordered:
        done = server.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(item))
        assert done.returncode == 0, done.stderr


def settings(objects: list[Manifest], remote: str) -> dict[str, str]:
    """Return the data of the ConfigMap with another remote."""
    data: dict[str, str] = only(objects, "ConfigMap")["data"]
    return {**data, "REMOTE": remote}
