"""The real `ipam` in a process of its own, with a `git` of ours in front of the real one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.caches import PYTHON
from tests.cli.running import Ran
from tests.world import git

# One line per call, without the options that each call has.
_RECORDING = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
exec "{git}" "$@"
"""
# Each call takes a number; the chosen one ends `ipam`, its parent, before or after it. What to
# choose is in a file, because nothing of the environment gets through to git. Processes that only
# answer questions about objects are not counted.
_KILLING = """#!/bin/sh
case " $* " in *" cat-file --batch"*) exec "{git}" "$@" ;; esac
n=$(( $(cat "{count}" 2>/dev/null || echo 0) + 1 ))
echo $n > "{count}"
read -r when at < "{count}.kill" || exec "{git}" "$@"
ipam=$(cut -d' ' -f4 /proc/$$/stat)
if [ $n = "$at" ]; then
  [ $when = after ] && "{git}" "$@" > "{count}.out" 2>&1
  kill -9 $ipam
  exit 1
fi
exec "{git}" "$@"
"""


@dataclass
class Command:
    """`ipam` with its own cache, and a PATH that can begin with shims."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str, **variables: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "reconciler", *arguments],
            cwd=self.root,
            env=self.environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **variables: str) -> Ran:
        """Run to the end, and require an output without tracebacks."""
        process = self.start(*arguments, **variables)
        out, err = process.communicate(timeout=120)
        done = Ran(process.returncode, out.decode(), err.decode())
        assert "Traceback" not in done.err or "--debug" in arguments, done.err
        return done

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            **PYTHON,
            "XDG_CACHE_HOME": str(self.root / "cache"),
            **self.variables,
            **variables,
        }

    def recording(self) -> Path:
        """Log the arguments of git, and of the program that starts it, to this file."""
        log = self.root / "calls.log"
        for name in ("git", "sh", "env"):
            self._shim(name, _RECORDING.format(log=log, git=shutil.which(name)))
        return log

    def killing(self) -> Path:
        """From now on git counts its calls in this file, and ends `ipam` at a chosen one."""
        count = self.root / "count"
        count.with_suffix(".kill").write_text("")
        self._shim("git", _KILLING.format(count=count, git=shutil.which("git")))
        return count

    def _shim(self, name: str, text: str) -> None:
        folder = self.root / "shims"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        self.variables["PATH"] = f"{folder}:{os.environ['PATH']}"


def served(root: Path, author: Path) -> Path:
    """Create a bare repository as the remote of a checkout."""
    remote = root / "served" / "remote.git"
    git(root, "clone", "-q", "--bare", str(author), str(remote))
    git(remote, "config", "http.receivepack", "true")
    git(author, "remote", "add", "origin", str(remote))
    git(author, "fetch", "-q", "origin")
    git(author, "branch", "-q", "-u", "origin/main")
    return remote
