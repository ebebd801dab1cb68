"""Certificates for tests, made by the openssl of the machine."""

import ssl
import subprocess
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key."""

    certificate: Path
    key: Path

    def inline(self, name: str) -> dict[str, str]:
        """Both as a kubeconfig holds them: `client-certificate-data`, `client-key-data`."""
        return {
            f"{name}-certificate-data": encoded(self.certificate),
            f"{name}-key-data": encoded(self.key),
        }

    def server(self, clients: "Certificate | None" = None) -> ssl.SSLContext:
        """TLS for a server that shows it, and that asks clients for theirs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        if clients is not None:
            context.load_verify_locations(clients.certificate)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def encoded(path: Path) -> str:
    return b64encode(path.read_bytes()).decode()


def make(
    folder: Path, name: str, days: int = 36_500, alternative: str = "IP:127.0.0.1", *options: str
) -> Certificate:
    """Create a self-signed certificate. `options` are additional options of `openssl req`."""
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", str(days), "-subj", f"/CN={name}"]
    command += ["-addext", f"subjectAltName={alternative}"]
    command += [*options, "-keyout", str(made.key), "-out", str(made.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return made
