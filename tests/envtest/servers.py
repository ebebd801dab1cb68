"""One etcd and several API servers, which start together and always stop."""

import base64
import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import urllib3

from tests.envtest.assets import IPAM_PROVIDER, METALLB, Assets, lacking, lb_ipam
from tests.envtest.controller import Controller, LoadBalancerIPAM, ipam_provider, metallb
from tests.envtest.processes import Processes, free_port, signing_key
from tests.envtest.processes import until as until
from tests.envtest.wiping import Snapshot, snapshot, wipe

# Users and their groups.
USERS = {
    "admin": "system:masters",
    "reconciler": "system:masters",
    "alice": "people",
    "bob": "people,breakers",
    "nobody": "",
}
_AUDIT = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "users": ["system:apiserver"]},
        {"level": "None", "userGroups": ["system:unauthenticated"]},
        {"level": "Metadata"},
    ],
}


class Fleet:
    """API servers by name, which share one etcd."""

    def __init__(self, assets: Assets, folder: Path) -> None:
        self.assets = assets
        self.folder = folder
        self.servers: dict[str, ApiServer] = {}
        self.processes = Processes(folder)
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        rows = [f'{self.tokens[user]},{user},{user},"{USERS[user]}"\n' for user in USERS]
        (folder / "tokens.csv").write_text("".join(rows))
        (folder / "audit.yaml").write_text(json.dumps(_AUDIT))
        (folder / "sa.key").write_text(signing_key())
        self.etcd_url = f"http://127.0.0.1:{free_port()}"
        self.run(
            "etcd",
            *(f"--data-dir={folder / 'etcd'}", "--unsafe-no-fsync", "--log-level=error"),
            *(f"--listen-client-urls={self.etcd_url}", f"--advertise-client-urls={self.etcd_url}"),
            f"--listen-peer-urls=http://127.0.0.1:{free_port()}",
        )

    def start(self, names: Iterable[str]) -> None:
        """Start servers in parallel, and return when all are ready."""
        made = [ApiServer(self, name, free_port()) for name in names]
        for server in made:
            server.launch()
        for server in made:
            server.await_ready()
            server.remember()
            self.servers[server.name] = server

    def run(self, binary: str, *words: str, log: str = "", **extra: str) -> subprocess.Popen[bytes]:
        """Start a binary, which stops at the end of the tests."""
        command = [str(self.assets.binaries[binary]), *words]
        return self.processes.run(command, self.folder / f"{log or binary}.log", **extra)

    def stop(self) -> None:
        self.processes.close()


class ApiServer:
    """One API server.

    Attributes:
        kubeconfig: Kubeconfig of user `admin`, with inline data.
    """

    def __init__(self, fleet: Fleet, name: str, port: int) -> None:
        self.fleet = fleet
        self.name = name
        self.port = port
        self.url = f"https://127.0.0.1:{port}"
        self.folder = fleet.folder / name
        self.folder.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        # The server creates its certificate when it starts.
        authority = str(self.folder / "apiserver.crt")
        self.pool = urllib3.PoolManager(ca_certs=authority, retries=False, timeout=30.0)
        self.audited = 0
        self.crds: list[Path] = []
        self.controllers: list[Controller | LoadBalancerIPAM] = []
        self.new: Snapshot = {}

    @property
    def kubeconfig(self) -> Path:
        return self.kubeconfig_for("admin")

    def launch(self) -> None:
        shared = self.fleet.folder
        self.process = self.fleet.run(
            "kube-apiserver",
            f"--etcd-servers={self.fleet.etcd_url}",
            f"--etcd-prefix=/{self.name}",
            *("--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"),
            *(f"--secure-port={self.port}", f"--cert-dir={self.folder}"),
            "--service-cluster-ip-range=10.0.0.0/22,fd00:10::/112",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={shared / 'sa.key'}",
            f"--service-account-signing-key-file={shared / 'sa.key'}",
            f"--token-auth-file={shared / 'tokens.csv'}",
            *("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"),
            f"--audit-policy-file={shared / 'audit.yaml'}",
            f"--audit-log-path={self.audit_log}",
            # Do not wait for connections to drain: there are no other clients.
            "--shutdown-delay-duration=0s",
            log=f"{self.name}/apiserver",
        )

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    def await_ready(self) -> None:
        log = self.folder / "apiserver.log"
        until(self._is_ready, f"{self.name} is ready", by=self.process, log=log)

    def remember(self) -> None:
        """Remember the stored objects as those of a new server, for `wipe`."""
        self.new = snapshot(self)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the server again, on the same port and with the same data."""
        self.launch()
        self.await_ready()

    def stop(self) -> None:
        """Stop the server immediately. Its data stays."""
        if self.process is not None:
            self.fleet.processes.end(self.process)

    def kubeconfig_for(self, user: str) -> Path:
        """Return a kubeconfig of a user, with inline data."""
        path = self.folder / f"{user}.kubeconfig"
        if not path.exists():
            path.write_text(self.kubeconfig_with(self.fleet.tokens[user]))
        return path

    def kubeconfig_with(self, token: str) -> str:
        authority = base64.b64encode((self.folder / "apiserver.crt").read_bytes()).decode()
        cluster = {"server": self.url, "certificate-authority-data": authority}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": self.name, "cluster": cluster}],
            "users": [{"name": "user", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": self.name, "user": "user"}}],
            "current-context": "it",
        }
        return json.dumps(config, indent=1)

    def kubectl(
        self, *words: str, stdin: str = "", user: str = "admin"
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl as a user, without the cache of the home folder."""
        return subprocess.run(
            [str(self.fleet.assets.binaries["kubectl"]), *words],
            input=stdin,
            capture_output=True,
            text=True,
            env={
                "KUBECONFIG": str(self.kubeconfig_for(user)),
                "HOME": str(self.folder),
                "PATH": os.environ["PATH"],
            },
            check=False,
            timeout=60,
        )

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        content_type: str = "application/json",
        user: str = "admin",
    ) -> tuple[int, dict[str, Any]]:
        """Send a request without the code under test. Return status and body."""
        answer = self.pool.request(
            method,
            self.url + path,
            body=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.fleet.tokens[user]}",
                "Content-Type": content_type,
            },
        )
        try:
            return answer.status, json.loads(answer.data)
        except ValueError:
            return answer.status, {"text": answer.data.decode(errors="replace")}

    def get(self, path: str) -> dict[str, Any]:
        """Return the object at a path. Fail if there is none."""

        def answer() -> tuple[int, dict[str, Any]] | None:
            status, body = self.request("GET", path)
            # After a restart, the server loads custom objects at the first request.
            return None if status == 429 else (status, body)

        status, body = until(answer, f"{path} can be read")
        assert status == 200, (path, status, body)
        found: dict[str, Any] = body
        return found

    def put(self, *manifests: Mapping[str, Any], path: str) -> None:
        for manifest in manifests:
            status, body = self.request("POST", path, manifest)
            assert status in (200, 201), (path, status, body)

    def install_crds(self, folder: Path) -> None:
        """Apply all CRD files of a folder once per server, and wait until the kinds are served."""
        if folder in self.crds:
            return
        self.crds.append(folder)
        # The discovery cache of kubectl is outdated.
        shutil.rmtree(self.folder / ".kube", ignore_errors=True)
        done = self.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(folder))
        assert done.returncode == 0, done.stderr
        words = ("wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
        # kubectl wait fails for a new CRD that has no conditions yet.
        until(lambda: self.kubectl(*words).returncode == 0, "the CRDs are established")

    def namespace(self, *names: str) -> None:
        for name in names:
            manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self.put(manifest, path="/api/v1/namespaces")

    def uid(self) -> str:
        uid: str = self.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
        return uid

    def writes(self, user: str = "admin") -> list[str]:
        """Return verb and path of a user's writes since the last call, from the audit log."""
        found = []
        with self.audit_log.open(encoding="utf-8") as lines:
            lines.seek(self.audited)
            for line in iter(lines.readline, ""):
                event = json.loads(line)
                is_read = event["verb"] in ("get", "list", "watch")
                is_review = "selfsubject" in event["requestURI"]
                if event["user"].get("username") == user and not is_read and not is_review:
                    found.append(f"{event['verb']} {event['requestURI'].partition('?')[0]}")
            self.audited = lines.tell()
        return found

    def reads(self) -> list[str]:
        """Return verb and path of all reads of `admin`, in order, from the audit log."""
        events = [json.loads(line) for line in self.audit_log.read_text("utf-8").splitlines()]
        return [
            f"{event['verb']} {event['requestURI'].partition('?')[0]}"
            for event in events
            if event["user"].get("username") == "admin" and event["verb"] in ("get", "list")
        ]

    def wipe(self, *, crds: bool = False) -> None:
        """Reset the server to its initial objects, and optionally its CRDs."""
        wipe(self, crds=crds)

    def start_metallb(self) -> Controller:
        """Start MetalLB's controller, which assigns addresses to Services."""
        if METALLB not in self.fleet.assets.binaries:
            lacking("no MetalLB controller: make envtest")
        self.install_crds(self.fleet.assets.crds["metallb"])
        started = metallb(self)
        self.controllers.append(started)
        return started

    def start_cilium(self) -> LoadBalancerIPAM:
        """Start Cilium's LB-IPAM, which assigns addresses to Services."""
        binary = lb_ipam()
        self.install_crds(binary.parent / "crds")
        started = LoadBalancerIPAM(self, binary)
        self.controllers.append(started)
        return started

    def start_ipam_provider(self) -> Controller:
        """Start Cluster API's in-cluster IPAM provider, which serves IPAddressClaims. CRDs must exist."""
        if IPAM_PROVIDER not in self.fleet.assets.binaries:
            lacking("no in-cluster IPAM provider: make envtest")
        started = ipam_provider(self)
        self.controllers.append(started)
        return started

    def install_cluster_api(self, version: str) -> None:
        """Install the CRDs of Cluster API, up to this version, and of its in-cluster IPAM provider."""
        theirs = [self.fleet.assets.crds[name] for name in (f"capi-{version}", "in-cluster")]
        if not all(folder.is_dir() for folder in theirs):
            lacking("no CRDs of Cluster API: make envtest")
        for folder in theirs:
            self.install_crds(folder)

    def stop_controllers(self) -> None:
        while self.controllers:
            self.controllers.pop().stop()

    def _is_ready(self) -> bool:
        try:
            return self.pool.request("GET", f"{self.url}/readyz", timeout=2.0).data == b"ok"
        except (urllib3.exceptions.HTTPError, OSError):
            return False
