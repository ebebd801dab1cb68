"""A step of a composite action, run as a runner runs it: its shell, its variables, its files."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.caches import PYTHON
from tests.documentation import ROOT

ACTIONS = ROOT / ".github" / "actions"
_EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")


def action(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ACTIONS / name / "action.yml").read_text())
    return found


def evaluated(text: str, contexts: dict[str, str]) -> str:
    """A text with its expressions: `||`, `&&` and `==` of paths and texts, and nothing more."""

    def value(word: str) -> str:
        return word[1:-1] if word.startswith("'") else contexts.get(word, "")

    def term(part: str) -> str:
        left, is_compared, right = part.partition(" == ")
        if is_compared:
            return "true" if value(left) == value(right) else ""
        return value(left)

    def both(part: str) -> str:
        terms = [term(it) for it in part.split(" && ")]
        return terms[-1] if all(terms) else ""

    def whole(found: re.Match[str]) -> str:
        return next(filter(None, map(both, found[1].split(" || "))), "")

    return _EXPRESSION.sub(whole, text)


@dataclass
class Runner:
    """A machine of a forge, with a checkout.

    Attributes:
        workspace: The checkout, where steps run.
        temp: The folder for temporary files.
        event: The name of the event.
        contexts: Values of expressions by path, such as `github.ref_name`.
        env: Variables of the job.
    """

    workspace: Path
    temp: Path
    event: str = "pull_request"
    contexts: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def install(self, lock: str = "requirements-check") -> None:
        """Replace the step `Install`: use the program of this checkout."""
        programs = self.temp / f"ipam-{lock}" / "bin"
        programs.mkdir(parents=True)
        python = shlex.join(
            [sys.executable, "-X", f"pycache_prefix={PYTHON['PYTHONPYCACHEPREFIX']}"]
        )
        # An installed program knows its own place: PYTHONPATH and the current folder count nothing.
        whole = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); from reconciler.cli import main;"
            " main()"
        )
        starts = {"ipam": f"exec {python} -I -c {shlex.quote(whole)}", "python": f"exec {python}"}
        for name, start in starts.items():
            (programs / name).write_text(f'#!/bin/sh\n{start} "$@"\n')
            (programs / name).chmod(0o755)

    def use(self, name: str, **inputs: str) -> "Used":
        about = action(name)
        given = {key: evaluated(str(it["default"]), self.contexts) for key, it in about["inputs"].items()}  # fmt: skip
        named = {key.replace("_", "-"): value for key, value in inputs.items()}
        assert named.keys() <= given.keys()
        contexts = {f"inputs.{key}": value for key, value in {**given, **named}.items()}
        contexts |= self.contexts | {f"env.{key}": value for key, value in self.env.items()}
        used = Used(0, "", {}, "")
        for step in about["runs"]["steps"]:
            self._step(step, ACTIONS / name, contexts, used)
            if used.code != 0:
                break
        given_outputs = {f"steps.{name}.outputs.{key}": it for key, it in used.outputs.items()}
        used.outputs = {
            key: evaluated(it["value"], given_outputs) for key, it in about["outputs"].items()
        }
        return used

    def _step(
        self, step: dict[str, Any], path: Path, contexts: dict[str, str], used: "Used"
    ) -> None:
        assert step["shell"] == "bash"
        files = {
            name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        for file in files.values():
            file.write_text("")
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        own = {key: evaluated(value, contexts) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.temp),
                "LC_ALL": "C.UTF-8",
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(path),
                "GITHUB_EVENT_NAME": self.event,
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.temp),
                **{name: str(file) for name, file in files.items()},
                **self.env,
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=300,
        )
        used.code = done.returncode
        used.log += done.stdout.decode()
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        used.outputs |= dict(line.split("=", 1) for line in lines)
        used.summary += files["GITHUB_STEP_SUMMARY"].read_text()


@dataclass
class Used:
    """The result of an action: exit code, log, outputs, and summary."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
