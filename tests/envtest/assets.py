"""Where the binaries and the CRDs are, or why they are not."""

import os
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

GO = Path(__file__).parent / "go"
VERSION = "v1.36.3"
KUBE = ("etcd", "kube-apiserver", "kubectl")
METALLB = "metallb-controller"
FLAGS = (
    "-trimpath",
    "-ldflags",
    f"-s -w -X k8s.io/component-base/version.gitVersion={VERSION}"
    " -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36",
)


@dataclass(frozen=True)
class Assets:
    """Binaries by name, and folders of CRD files by whose they are (`metallb`, `capi`)."""

    binaries: dict[str, Path]
    crds: dict[str, Path]


def pins() -> str:
    """The hash of all that decides what is built."""
    digest = sha256(repr(FLAGS).encode())
    for path in sorted(GO.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(GO).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam/envtest/<hash of the pins>`."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gitops-ipam" / "envtest" / pins()


# Asked for at import, before a test puts variables of its own into the environment.
_CACHE = cache_folder()
_GIVEN = os.environ.get("KUBEBUILDER_ASSETS", "")


@cache
def find() -> Assets | str:
    """What was built or given, or one line that says what is missing."""
    kube = Path(_GIVEN) if _GIVEN else _CACHE
    paths = {name: kube / name for name in KUBE}
    paths[METALLB] = _CACHE / METALLB
    missing = [name for name, path in paths.items() if not os.access(path, os.X_OK)]
    if missing:
        return f"no {', '.join(missing)}: make envtest builds them"
    return Assets(paths, {name: _CACHE / "crds" / name for name in ("metallb", "capi")})
