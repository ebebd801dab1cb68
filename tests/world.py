"""Small helpers that tests build repositories and trees with."""

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from reconciler.planning.documents import Tree, source_reader
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.settings import read_settings
from reconciler.records.changes import records_after
from reconciler.records.parse import Recalled, parse_record

CLOCK = 1_771_149_630  # 2026-02-15T10:00:30Z
AHEAD = 4_070_908_800  # 2099-01-01T00:00:00Z; git takes no later date of a person
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
}


def git(folder: Path, *arguments: str, data: bytes | None = None, clock: int = CLOCK) -> str:
    """Run git as a person would, with a fixed identity and date; its output."""
    dates = {"GIT_AUTHOR_DATE": f"{clock} +0000", "GIT_COMMITTER_DATE": f"{clock} +0000"}
    names = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "A Person"), ("EMAIL", "person@example.com"))
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=data,
        capture_output=True,
        check=False,
        env={**ENVIRONMENT, **dates, **names},
    )
    if done.returncode != 0:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode()}")
    return done.stdout.decode().strip()


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(folder: Path, message: str = "change", clock: int = CLOCK) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message, clock=clock)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, files: Mapping[str, str | bytes], clock: int = CLOCK) -> Path:
    """A checkout on branch main with one commit of the files."""

    def make(template: Path) -> None:
        git(template, "init", "-q", "-b", "main", "--template=")
        write(template, files)
        commit(template, "first", clock)

    return copied(folder, ("repository", tuple(files.items()), clock), make)


_TEMPLATES: dict[Hashable, Path] = {}
_MAX_TEMPLATES = 100


def copied(folder: Path, key: Hashable, make: Callable[[Path], None]) -> Path:
    """A copy of the repository that `make` creates, once per process and key."""
    if key not in _TEMPLATES:
        if len(_TEMPLATES) == _MAX_TEMPLATES:
            shutil.rmtree(_TEMPLATES.pop(next(iter(_TEMPLATES))))
        template = Path(tempfile.mkdtemp(dir=_templates()))
        make(template)
        _TEMPLATES[key] = template
    shutil.copytree(_TEMPLATES[key], folder, dirs_exist_ok=True, symlinks=True)
    return folder


@cache
def _templates() -> Path:
    folder = tempfile.mkdtemp(prefix="ipam-templates-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def tree_of(files: Mapping[str, str | bytes], clock: int = CLOCK) -> Tree:
    """Return the tree of files, read without Git."""
    raw = {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()}
    settings, findings = read_settings(raw.get("ipam.yaml"))
    read = source_reader(settings)
    return Tree(
        revision="a" * 40,
        clock=clock,
        settings=settings,
        sources=tuple(
            read(path, raw[path]) for path in sorted(raw) if path.startswith(settings.folders)
        ),
        records=tuple(
            parse_record(settings.records, path, raw[path])
            for path in sorted(raw)
            if path.startswith(f"{settings.records}/")
        ),
        findings=findings,
    )


def evaluation_of(files: Mapping[str, str | bytes], clock: int = CLOCK) -> Evaluation:
    return evaluate(tree_of(files, clock))


def carried(files: Mapping[str, str | bytes], evaluation: Evaluation) -> dict[str, str | bytes]:
    """Return the files after the changes of a plan."""
    after = {**files, **{it.path: it.data for it in evaluation.changes if it.data is not None}}
    for change in evaluation.changes:
        if change.data is None:
            after.pop(change.path, None)
    return after


def reconciled(files: Mapping[str, str | bytes], clock: int = CLOCK) -> dict[str, str | bytes]:
    """The files with their plan carried out."""
    return carried(files, evaluation_of(files, clock))


def planned(evaluation: Evaluation) -> Evaluation:
    """The evaluation as it will be when its plan is committed."""
    folder = evaluation.tree.settings.records
    after = records_after(evaluation.plan, evaluation.state, folder)
    return evaluate(replace(evaluation.tree, records=tuple(Recalled(record) for record in after)))


def raw(data: str | bytes) -> bytes:
    return data if isinstance(data, bytes) else data.encode()


def settings_text(spec: str) -> str:
    """Settings; the spec as YAML flow text."""
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    return f"{head}spec: {spec}\n"


def pool(
    name: str = "edge", cidr: str = "10.40.0.0/24", namespace: str = "butler-system", **spec: object
) -> str:
    """A NetworkPool; further fields of the spec as YAML flow text."""
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: NetworkPool\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec:\n  cidr: {cidr}\n{lines}"
    )


def provider(name: str = "default", pools: str = "[{name: edge}]", **network: object) -> str:
    """A ProviderConfig of mode ipam; further fields of spec.network as YAML flow text."""
    lines = "".join(f"    {key}: {value}\n" for key, value in network.items())
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: ProviderConfig\n"
        f"metadata: {{name: {name}}}\nspec:\n  provider: harvester\n  network:\n    mode: ipam\n"
        f"    poolRefs: {pools}\n{lines}"
    )


def tenant(name: str, namespace: str = "team-a", **spec: object) -> str:
    """A TenantCluster; further fields of the spec as YAML flow text."""
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: TenantCluster\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec:\n"
        f"  workers: {{replicas: 1}}\n{lines}"
    )


def request(name: str, pool_name: str = "edge", **spec: object) -> str:
    """A hand-made IPAllocation; further fields of the spec as YAML flow text."""
    lines = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: IPAllocation\n"
        f"metadata: {{name: {name}, namespace: butler-system}}\nspec:\n"
        f"  poolRef: {{name: {pool_name}}}\n"
        f"  tenantClusterRef: {{name: {name}, namespace: team-a}}\n"
        f"  type: nodes\n{lines}"
    )


def settings(spec: str = "{}") -> str:
    """The Settings; their spec as YAML flow text."""
    return (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\n"
        f"metadata: {{name: ipam}}\nspec: {spec}\n"
    )


SMALL: Mapping[str, str] = {
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
}
"""One pool, one provider, one tenant: eight load-balancer addresses."""
