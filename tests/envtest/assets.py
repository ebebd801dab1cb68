"""Paths of binaries and CRDs for tests, or the reason why they are missing."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import pytest

GO = Path(__file__).parent / "go"
# Separate modules, so that a new version does not rebuild Kubernetes.
LINTER = Path(__file__).parent / "tools" / "actionlint"
CILIUM = Path(__file__).parent / "tools" / "cilium-lbipam"
# The CRDs of MetalLB, for tests that do not need its controller.
METALLB_CRDS = Path(__file__).parent / "crds" / "metallb"
VERSION = "v1.36.3"
KUBE = ("etcd", "kube-apiserver", "kubectl")
METALLB = "metallb-controller"
IPAM_PROVIDER = "ipam-in-cluster"
PROMETHEUS, PROMTOOL = "prometheus", "promtool"
# Prometheus without service discovery, which would add the modules of all cloud providers.
# Its web UI is not built, because it needs more than Go.
PROMETHEUS_TAGS = "netgo,remove_all_sd"
HELM = "helm"
PROMETHEUS_OPERATOR = "prometheus-operator"
# The newest API version that each release serves: v1beta1 is Cluster API 1.10, v1beta2 is 1.14.
CLUSTER_API = ("v1beta1", "v1beta2")
FLAGS = (
    "-trimpath",
    "-ldflags",
    f"-s -w -X k8s.io/component-base/version.gitVersion={VERSION}"
    " -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36",
)


@dataclass(frozen=True)
class Assets:
    """Existing binaries by name, and folders of CRD files, which might not exist."""

    binaries: dict[str, Path]
    crds: dict[str, Path]

    @cached_property
    def version(self) -> str:
        """Return the version of Kubernetes that the API server binary prints."""
        command = (str(self.binaries["kube-apiserver"]), "--version")
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[
            -1
        ]


def pins() -> str:
    """Return the hash of all inputs of the build."""
    digest = sha256(repr((FLAGS, PROMETHEUS_TAGS)).encode())
    for path in sorted(GO.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(GO).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam/envtest/<hash of the pins>`."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gitops-ipam" / "envtest" / pins()


def tool_path(source: Path) -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam/<name>/<hash of its pins>/<name>`."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    files = [source / "go.sum", *sorted(source.glob("*.go"))]
    digest = sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    return Path(base) / "gitops-ipam" / source.name / digest / source.name


# Evaluated at import, before a test changes environment variables.
_CACHE = cache_folder()
_LINTER, _CILIUM = tool_path(LINTER), tool_path(CILIUM)
_GIVEN = os.environ.get("KUBEBUILDER_ASSETS", "")
# `.ci/run` sets it, so that missing binaries fail the run.
_REQUIRED = bool(os.environ.get("ENVTEST_REQUIRED"))


@cache
def find() -> Assets | str:
    """Return built or given files, or one line that names the missing ones."""
    kube = Path(_GIVEN) if _GIVEN else _CACHE
    paths = {name: kube / name for name in KUBE}
    paths |= {name: _CACHE / name for name in (METALLB, IPAM_PROVIDER, HELM)}
    there = {name: path for name, path in paths.items() if os.access(path, os.X_OK)}
    if missing := [name for name in KUBE if name not in there]:
        return f"no API server binaries ({', '.join(missing)}): make envtest"
    names = ("in-cluster", PROMETHEUS_OPERATOR, *(f"capi-{it}" for it in CLUSTER_API))
    crds = {name: _CACHE / "crds" / name for name in names}
    return Assets(there, {**crds, "metallb": METALLB_CRDS})


@cache
def find_helm() -> Path | str:
    """Return the built helm, or one line that names the missing file."""
    path = _CACHE / HELM
    return path if os.access(path, os.X_OK) else "no helm: make envtest"


def monitoring(name: str) -> Path:
    """Return the path of Prometheus or promtool, or skip the test. They need no API server."""
    path = _CACHE / name
    if not os.access(path, os.X_OK):
        lacking(f"no {name}: make envtest")
    return path


def actionlint() -> Path:
    """Return the path of the workflow linter, or skip the test."""
    if not os.access(_LINTER, os.X_OK):
        lacking("no actionlint: make envtest")
    return _LINTER


def lb_ipam() -> Path:
    """Return the path of Cilium's LB-IPAM, next to its CRDs in `crds`, or skip the test."""
    if not os.access(_CILIUM, os.X_OK):
        lacking("no Cilium LB-IPAM: make envtest")
    return _CILIUM


def lacking(reason: str) -> NoReturn:
    """Skip a test whose files are missing. One place in the code, so pytest groups all skips."""
    if _REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)
