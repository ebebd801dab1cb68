"""What `kubectl` says to the lines that a page prints, as text without ages, ids and times."""

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.envtest.servers import ApiServer

GOLDEN = Path(__file__).parent / "golden"
_MASKS = (
    (
        re.compile(r"^(\s+(?:uid|resourceVersion|creationTimestamp): ).+$", re.MULTILINE),
        r"\1<masked>",
    ),
    (re.compile(r"\b[0-9a-f]{40}\b"), "<revision>"),
    # The server picks the address inside the cluster and the port of nodes.
    (re.compile(r"(?<=CLUSTER-IP) +"), "     "),
    (re.compile(r"(?<=LoadBalancer   )10\.0\.\d+\.\d+ +"), "<cluster-ip>   "),
    (re.compile(r":\d{5}/TCP"), ":<nnn>/TCP"),
    # The age is the last column of a table, and the first one of events.
    (re.compile(r"(?<= )(?:\d+[smhd])+$", re.MULTILINE), "<age>"),
    (re.compile(r"^((?:\d+[smhd])+)( +)(?=Normal|Warning)", re.MULTILINE), "<age>       "),
)


@dataclass
class Transcript:
    """The lines that were run against one server, with what they said."""

    server: ApiServer
    parts: list[str] = field(default_factory=list)

    def title(self, text: str) -> None:
        """Say what is shown next."""
        self.parts.append(f"# {text}\n\n")

    def run(self, line: str, **filled: str) -> str:
        """Run a line as it is printed, with its `<placeholders>` filled in.

        Returns:
            What it said; in the transcript the line stands as it is printed.
        """
        done = self.start(line, **filled)
        said, _ = done.communicate(timeout=60)
        return self.note(line, said, done.returncode)

    def start(self, line: str, **filled: str) -> "subprocess.Popen[str]":
        """Start a line that has to wait for something."""
        for name, value in filled.items():
            line = line.replace(f"<{name.replace('_', '-')}>", value)
        assert "<" not in line, line
        folder = self.server.fleet.assets.binaries["kubectl"].parent
        return subprocess.Popen(
            ["bash", "-c", line],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                "KUBECONFIG": str(self.server.kubeconfig),
                "HOME": str(self.server.folder),
                "PATH": f"{folder}:{os.environ['PATH']}",
                "LC_ALL": "C.UTF-8",
            },
        )

    def note(self, line: str, said: str, code: int) -> str:
        """Keep what a line said."""
        text = said if said.endswith("\n") or not said else f"{said}\n"
        failed = f"exit code {code}\n" if code else ""
        self.parts.append(f"$ {line}\n{_masked(text)}{failed}\n")
        return said

    def check(self, name: str, *, update: bool) -> None:
        """Compare with the golden file of that name, or write it."""
        path = GOLDEN / f"{name}.txt"
        text = "".join(self.parts)
        if update:
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    lines = text.splitlines(keepends=True)
    if lines and lines[0].startswith("LAST SEEN"):
        # Events are listed by names that hold a hash of the pool's uid.
        lines = [lines[0], *_sorted(lines[1:])]
    return "".join(lines)


def _sorted(lines: Iterable[str]) -> list[str]:
    return sorted(lines)
