"""Server processes on free loopback ports, which always end with the tests."""

import base64
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# It reads the ids of started and ended processes. When the pipe closes, because the tests have ended
# or were killed, it ends the remaining processes and removes the folder.
_WATCHDOG = """
import os, shutil, signal, sys
alive = set()
for line in sys.stdin:
    (alive.add if line[0] == "+" else alive.discard)(int(line[1:]))
for group in alive:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
# Below the range of ephemeral ports.
_PORTS = range(16_000, 32_000)
_READY_SECONDS = 60


class Processes:
    """Processes with a common folder for files and logs. They get no signals of the terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self._watchdog = subprocess.Popen(
            [sys.executable, "-c", _WATCHDOG, str(folder)],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, command: Sequence[str], log: Path, **extra: str) -> subprocess.Popen[bytes]:
        """Start a program with PATH as the only variable from the environment."""
        with log.open("ab") as out:
            process = subprocess.Popen(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={"HOME": str(self.folder), "PATH": os.environ["PATH"], **extra},
                start_new_session=True,
            )
        self._started.append(process)
        self._tell(f"+{process.pid}")
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process with its children. A second call has no effect."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._tell(f"-{process.pid}")

    def close(self) -> None:
        """Kill all processes, and remove the folder."""
        if self._watchdog.returncode is None:
            self._watchdog.communicate()  # closes its pipe
            for process in self._started:
                process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _tell(self, line: str) -> None:
        pipe = self._watchdog.stdin
        assert pipe is not None
        pipe.write(line + "\n")
        pipe.flush()


def until(
    asked: Callable[[], Any],
    what: str,
    seconds: float = _READY_SECONDS,
    *,
    by: subprocess.Popen[Any] | None = None,
    log: Path | None = None,
) -> Any:
    """Repeat a check until it is true. Fail with `log` when `by` has ended or time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and (by is None or by.poll() is None):
        if answer := asked():
            return answer
        time.sleep(0.02)
    told = log.read_text(errors="replace")[-2000:] if log and log.exists() else ""
    raise AssertionError(f"waited {seconds} s at most, but not: {what}\n{told}")


def free_port() -> int:
    """Return a free port that is not ephemeral."""
    while True:
        port = random.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def signing_key() -> str:
    """Return a new P-256 key as PEM: RFC 5915 with only the private number."""
    number = secrets.token_bytes(31).rjust(32, b"\1")
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    text = base64.b64encode(bytes.fromhex("30310201010420") + number + curve).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{text}\n-----END EC PRIVATE KEY-----\n"
