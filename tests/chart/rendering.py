"""Render the chart with the real helm."""

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.documentation import ROOT
from tests.envtest.assets import find_helm, lacking

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "chart"
NAME = "gitops-ipam"
# Values by name: values in `ci/` are test examples, and the others are for plain manifests.
MATRIX = {path.name.removesuffix("-values.yaml"): path for path in (CHART / "ci").glob("*.yaml")}
PLAIN = {path.name: path for path in (DEPLOY / "values").glob("*.yaml")}
Manifest = dict[str, Any]


def helm(*words: str) -> subprocess.CompletedProcess[str]:
    """Run helm with a separate home folder. Skip the test if helm was not built."""
    found = find_helm()
    if isinstance(found, str):
        lacking(found)
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run(
            [str(found), *words],
            capture_output=True,
            text=True,
            env={"HOME": home, "PATH": os.environ["PATH"]},
            check=False,
            timeout=120,
        )


def template(values: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Return the manifests of the chart for some values."""
    return helm("template", NAME, str(CHART), "--namespace", NAME, "--values", str(values), *words)


@cache
def rendered(values: Path, *words: str) -> str:
    """The same as text; it must be possible."""
    done = template(values, *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def manifests(text: str) -> list[Manifest]:
    """The objects of some rendered text."""
    return [item for item in yaml.safe_load_all(text) if item]


def only(found: list[Manifest], kind: str, name: str = "") -> Manifest:
    """The one object of a kind, or of that name."""
    (item,) = [
        item for item in found if item["kind"] == kind and name in ("", item["metadata"]["name"])
    ]
    return item


def pods(found: list[Manifest]) -> dict[str, Manifest]:
    """Return the Pod templates by the name of their workload."""
    made = {}
    for item in found:
        spec = item.get("spec", {})
        if item["kind"] == "CronJob":
            spec = spec["jobTemplate"]["spec"]
        if item["kind"] in ("CronJob", "Deployment"):
            made[item["metadata"]["name"]] = spec["template"]
    return made


def kinds_of(text: str) -> set[str]:
    """The kinds of some rendered text."""
    return {item["kind"] for item in manifests(text)}
