"""`ipam reconcile --watch` as a separate process. Tests wait for its log lines."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.caches import PYTHON

PATIENCE = 60.0
"""Seconds after which a daemon that says nothing has failed."""
Document = Mapping[str, Any]


class Daemon:
    patience = PATIENCE

    def __init__(self, folder: Path, cache: Path, words: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reconciler", "reconcile", "--watch", "-o", "json", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                "PATH": os.environ["PATH"],
                **PYTHON,
                "XDG_CACHE_HOME": str(cache),
                "LC_ALL": "C.UTF-8",
            },
        )
        self.log: list[str] = []
        self._lines: Queue[str | None] = Queue()
        self._logged: Queue[str | None] = Queue()
        self._readers = [
            threading.Thread(target=self._read, args=words_, daemon=True)
            for words_ in ((self.process.stdout, self._lines), (self.process.stderr, self._logged))
        ]
        for reader in self._readers:
            reader.start()

    def round(self, is_it: Callable[[Document], bool] = lambda _found: True) -> Document:
        """Return the next matching round, and skip others before it."""
        while True:
            found = json.loads(self._next(self._lines))
            if is_it(found):
                return dict(found)

    def says(self, words: str) -> str:
        while True:
            line = self._next(self._logged)
            self.log.append(line)
            if words in line:
                return line

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def errors(self) -> str:
        for reader in self._readers:
            reader.join(PATIENCE)
        while (line := self._logged.get_nowait()) is not None:
            self.log.append(line)
        return "".join(self.log)

    def printed(self) -> str:
        """All that is left on stdout, when it has ended."""
        for reader in self._readers:
            reader.join(PATIENCE)
        lines: list[str] = []
        while (line := self._lines.get_nowait()) is not None:
            lines.append(line)
        return "".join(lines)

    def close(self) -> None:
        self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _read(self, stream: Any, lines: "Queue[str | None]") -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    def _next(self, lines: "Queue[str | None]") -> str:
        try:
            line = lines.get(timeout=self.patience)
        except Empty:
            line = None
        if line is None:
            while not self._logged.empty():
                self.log.append(self._logged.get_nowait() or "")
            raise AssertionError(f"the daemon said nothing more:\n{''.join(self.log)}")
        return line


@contextmanager
def daemon(folder: Path, cache: Path, *words: str) -> Iterator[Daemon]:
    made = Daemon(folder, cache, words)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.close()


def clusters(found: Document) -> dict[str, Document]:
    applied = found.get("apply") or {"clusters": []}
    return {item["cluster"]: item for item in applied["clusters"]}


def changed(name: str, cluster: str) -> Callable[[Document], bool]:
    """A round in which an object of a cluster was written."""

    def is_it(found: Document) -> bool:
        objects = clusters(found).get(cluster, {}).get("objects", ())
        return any(item["object"] == name and item["result"] != "failed" for item in objects)

    return is_it


def applied_to(cluster: str) -> Callable[[Document], bool]:
    """A round that got into a cluster."""
    return lambda found: clusters(found).get(cluster, {}).get("state") == "applied"
