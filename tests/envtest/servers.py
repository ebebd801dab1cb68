"""One etcd and several API servers, started together and stopped for sure."""

import atexit
import base64
import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import urllib3

from tests.envtest.assets import METALLB, Assets
from tests.envtest.wiping import wipe

# Who may log in, and the groups that they are in.
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
_READY_SECONDS = 60
_DIE_WITH_PARENT = 1


class Fleet:
    """API servers by name, with one etcd behind them."""

    def __init__(self, assets: Assets, folder: Path) -> None:
        self.assets = assets
        self.folder = folder
        self.servers: dict[str, ApiServer] = {}
        self.processes: list[subprocess.Popen[bytes]] = []
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        atexit.register(self.stop)
        rows = [f'{self.tokens[user]},{user},{user},"{USERS[user]}"\n' for user in USERS]
        (folder / "tokens.csv").write_text("".join(rows))
        (folder / "audit.yaml").write_text(json.dumps(_AUDIT))
        _make_key(folder)
        client, peer = free_port(), free_port()
        self.etcd_url = f"http://127.0.0.1:{client}"
        self.run(
            "etcd",
            *("-data-dir", str(folder / "etcd")),
            *("-client-url", self.etcd_url, "-peer-url", f"http://127.0.0.1:{peer}"),
        )

    def start(self, names: Iterable[str]) -> None:
        """Start servers side by side; returns when all are ready."""
        made = [ApiServer(self, name, free_port()) for name in names]
        for server in made:
            server.launch()
        for server in made:
            server.await_ready()
            self.servers[server.name] = server

    def run(self, binary: str, *words: str, log: str = "", **extra: str) -> subprocess.Popen[bytes]:
        """Start a binary that dies with this process."""
        with (self.folder / f"{log or binary}.log").open("ab") as out:
            process = subprocess.Popen(
                [str(self.assets.binaries[binary]), *words],
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={"HOME": str(self.folder), "PATH": os.environ["PATH"], **extra},
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        """Stop everything."""
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()
        self.processes.clear()


class ApiServer:
    """One API server.

    Attributes:
        kubeconfig: Of user `admin`, with inline data.
    """

    def __init__(self, fleet: Fleet, name: str, port: int) -> None:
        self.fleet = fleet
        self.name = name
        self.port = port
        self.url = f"https://127.0.0.1:{port}"
        self.folder = fleet.folder / name
        self.folder.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        # The server makes its own certificate when it starts.
        authority = str(self.folder / "apiserver.crt")
        self.pool = urllib3.PoolManager(ca_certs=authority, retries=False, timeout=30.0)
        self.audited = 0
        self.crds: list[Path] = []

    @property
    def kubeconfig(self) -> Path:
        return self.kubeconfig_for("admin")

    def launch(self) -> None:
        """Start the process; it is not ready yet."""
        shared = self.fleet.folder
        self.process = self.fleet.run(
            "kube-apiserver",
            f"--etcd-servers={self.fleet.etcd_url}",
            f"--etcd-prefix=/{self.name}",
            *("--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"),
            *(f"--secure-port={self.port}", f"--cert-dir={self.folder}"),
            "--service-cluster-ip-range=10.0.0.0/22",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={shared / 'sa.pub'}",
            f"--service-account-signing-key-file={shared / 'sa.key'}",
            f"--token-auth-file={shared / 'tokens.csv'}",
            *("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"),
            f"--audit-policy-file={shared / 'audit.yaml'}",
            f"--audit-log-path={self.audit_log}",
            # No wait for connections to drain: nothing else speaks to it.
            "--shutdown-delay-duration=0s",
            log=f"{self.name}/apiserver",
        )

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    def await_ready(self) -> None:
        """Wait until the server serves."""
        _until(self._is_ready, f"{self.name} is ready", self.folder / "apiserver.log")

    def start(self) -> None:
        """Start again what was stopped, on the same port and with the same data."""
        self.launch()
        self.await_ready()

    def stop(self) -> None:
        """Stop the server; what it stored stays."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def kubeconfig_for(self, user: str) -> Path:
        """A kubeconfig of a user, with inline data."""
        path = self.folder / f"{user}.kubeconfig"
        authority = base64.b64encode((self.folder / "apiserver.crt").read_bytes()).decode()
        cluster = {"server": self.url, "certificate-authority-data": authority}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": self.name, "cluster": cluster}],
            "users": [{"name": user, "user": {"token": self.fleet.tokens[user]}}],
            "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": user}}],
            "current-context": self.name,
        }
        path.write_text(json.dumps(config, indent=1))
        return path

    def kubectl(
        self, *words: str, stdin: str = "", user: str = "admin"
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl as a user. It caches nothing of the person who runs the tests."""
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
        """One request without the code under test: status and what came back."""
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
        """What is at a path; fails when nothing is."""

        def answer() -> tuple[int, dict[str, Any]] | None:
            status, body = self.request("GET", path)
            # A server that was started anew reads custom objects when it is first asked.
            return None if status == 429 else (status, body)

        status, body = until(answer, f"{path} can be read")
        assert status == 200, (path, status, body)
        found: dict[str, Any] = body
        return found

    def put(self, *manifests: Mapping[str, Any], path: str) -> None:
        """Create objects below a collection."""
        for manifest in manifests:
            status, body = self.request("POST", path, manifest)
            assert status in (200, 201), (path, status, body)

    def install_crds(self, folder: Path) -> None:
        """Apply all CRD files of a folder, and wait until they are served; once a server."""
        if folder in self.crds:
            return
        self.crds.append(folder)
        done = self.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(folder))
        assert done.returncode == 0, done.stderr
        waited = self.kubectl(
            "wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"
        )
        assert waited.returncode == 0, waited.stderr

    def namespace(self, *names: str) -> None:
        """Make namespaces."""
        for name in names:
            manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self.put(manifest, path="/api/v1/namespaces")

    def uid(self) -> str:
        """The identity of the cluster."""
        uid: str = self.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
        return uid

    def writes(self, user: str = "admin") -> list[str]:
        """Writes of a user since this was asked last: verb and path, by the audit log."""
        found = []
        with self.audit_log.open(encoding="utf-8") as lines:
            lines.seek(self.audited)
            for line in iter(lines.readline, ""):
                event = json.loads(line)
                is_read = event["verb"] in ("get", "list", "watch")
                is_review = "selfsubject" in event["requestURI"]
                if event["user"]["username"] == user and not is_read and not is_review:
                    found.append(f"{event['verb']} {event['requestURI'].partition('?')[0]}")
            self.audited = lines.tell()
        return found

    def reads(self) -> list[str]:
        """All reads of `admin` so far, by the audit log: verb and path, in order."""
        events = [json.loads(line) for line in self.audit_log.read_text("utf-8").splitlines()]
        return [
            f"{event['verb']} {event['requestURI'].partition('?')[0]}"
            for event in events
            if event["user"]["username"] == "admin" and event["verb"] in ("get", "list")
        ]

    def wipe(self) -> None:
        """Bring the server back to what it was when it was new, but for its CRDs."""
        wipe(self)

    def start_metallb(self) -> "Metallb":
        """MetalLB's controller, which hands out addresses to Services."""
        return Metallb(self)

    def _is_ready(self) -> bool:
        try:
            return self.pool.request("GET", f"{self.url}/readyz", timeout=2.0).data == b"ok"
        except (urllib3.exceptions.HTTPError, OSError):
            return False


class Metallb:
    """MetalLB's controller beside one API server, without its speakers and webhooks."""

    def __init__(self, server: ApiServer) -> None:
        container = {"name": "controller", "image": "controller"}
        metadata = {"name": "controller", "namespace": "metallb-system"}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"containers": [container]},
        }
        server.request("POST", "/api/v1/namespaces/metallb-system/pods", pod)
        probe = free_port()
        self._process = server.fleet.run(
            METALLB,
            *("--namespace", "metallb-system", "--pod-name", "controller"),
            *("--webhook-mode", "disabled", "--port", str(free_port())),
            *("--health-probe-port", str(probe), "--log-level", "debug"),
            log=f"{server.name}/metallb",
            KUBECONFIG=str(server.kubeconfig),
        )
        self._probe = f"http://127.0.0.1:{probe}/healthz"
        self._pool = urllib3.PoolManager(retries=False, timeout=2.0)
        _until(self._is_ready, "MetalLB is ready", server.folder / "metallb.log")

    def stop(self) -> None:
        """Stop the controller."""
        self._process.kill()
        self._process.wait()

    def _is_ready(self) -> bool:
        try:
            return self._pool.request("GET", self._probe).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def until(asked: Callable[[], Any], what: str, seconds: float = 20) -> Any:
    """Ask a real server until the answer is true; returns it."""
    return _until(asked, what, None, seconds)


def _until(
    asked: Callable[[], Any], what: str, log: Path | None, seconds: float = _READY_SECONDS
) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := asked():
            return answer
        time.sleep(0.05)
    told = log.read_text(errors="replace")[-2000:] if log and log.exists() else ""
    raise AssertionError(f"waited {seconds} s, but not: {what}\n{told}")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _make_key(folder: Path) -> None:
    openssl = shutil.which("openssl")
    assert openssl, "openssl is needed to make a key"
    private, public = folder / "sa.key", folder / "sa.pub"
    for words in (
        ("genrsa", "-out", str(private), "2048"),
        ("rsa", "-in", str(private), "-pubout", "-out", str(public)),
    ):
        subprocess.run([openssl, *words], check=True, capture_output=True)


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
