"""An import that is killed anywhere leaves whole files alone, and the next one goes on."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.cli.running import environment
from tests.e2e.site import METALLB, versions
from tests.e2e.test_import_kinds import metallb
from tests.envtest.servers import ApiServer
from tests.families.novaedge import pool, vip
from tests.world import git, repository

TABLE = "ip,cluster\n10.0.0.5,a/web\n10.0.0.9,a/shop\n10.0.0.20,b/blog\n"
LIST = "reconciler.kube.clusters:KubeCluster.list"
# While clusters are read, before anything is written, between files, and when all are there.
MOMENTS = (
    (LIST, 0), (LIST, 4), ("tempfile:mkdtemp", 0), ("os:link", 2), ("shutil:rmtree", 0)
)  # fmt: skip
KILLED = """
import os, sys
from pkgutil import resolve_name
name, at = sys.argv.pop(1), [int(sys.argv.pop(1))]
owner, _, call = name.replace(":", ".").rpartition(".")
owner = resolve_name(owner)
real = getattr(owner, call)
def dying(*arguments, **more):
    if not at[0]:
        os.kill(os.getpid(), 9)
    at[0] -= 1
    return real(*arguments, **more)
setattr(owner, call, dying)
from reconciler.cli import main
main()
"""
RUN = ("-m", "reconciler")


def killed_at(call: str, at: int) -> tuple[str, ...]:
    return ("-c", KILLED, call, str(at))


def ran(folder: Path, program: Iterable[str], *source: str) -> subprocess.CompletedProcess[bytes]:
    words = [*program, "import", *(source or ("csv", str(folder.parent / "a.csv")))]
    return subprocess.run(
        [sys.executable, *words, "--repo", str(folder)],
        check=False,
        capture_output=True,
        env=environment(),
    )


def run(folder: Path, program: Iterable[str], *source: str) -> int:
    return ran(folder, program, *source).returncode


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.yaml"))
    }


@pytest.mark.parametrize(("call", "at"), [("fsync", 0), ("fsync", 2), ("link", 0), ("link", 2)])
def test_a_killed_import_leaves_the_repository_as_it_was_and_whole_files(
    tmp_path: Path, call: str, at: int
) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    whole = repository(tmp_path / "whole", {"README.md": "x\n"})
    assert run(whole, RUN) == 0
    folder = repository(tmp_path / "killed", {"README.md": "x\n"})
    head = git(folder, "rev-parse", "HEAD")
    assert run(folder, killed_at(f"os:{call}", at)) == -9
    left = files(folder)
    assert git(folder, "rev-parse", "HEAD") == head
    assert left.items() <= files(whole).items()
    assert len(left) == (at if call == "link" else 0)
    # What was put there is known by then; the rest is as good as new.
    assert run(folder, RUN) == 0
    assert files(folder) == files(whole)


def test_an_import_of_clusters_that_is_killed_anywhere_leaves_clusters_as_they_are(
    tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]
) -> None:
    objects = "---\n".join((pool(cidrs="[10.200.0.0/24]"), vip("web"), vip("api")))
    done = management.kubectl("apply", "-f", "-", stdin=objects)
    assert done.returncode == 0, done.stderr
    metallb(tenants[0], "main", "10.60.1.64-10.60.1.71")
    collections = {
        management: [f"/apis/novaedge.io/v1alpha1/{it}" for it in ("proxyippools", "proxyvips")],
        tenants[0]: [f"{METALLB}/{it}" for it in ("ipaddresspools", "l2advertisements")],
    }
    before = {server.name: versions(server, paths) for server, paths in collections.items()}
    for server in collections:
        server.writes()
    source = ("cluster", f"x/hub={management.kubeconfig}", f"a/web={tenants[0].kubeconfig}")
    whole = repository(tmp_path / "whole", {"README.md": "x\n"})
    assert run(whole, RUN, *source) == 0
    for number, (call, at) in enumerate(MOMENTS):
        folder = repository(tmp_path / str(number), {"README.md": "x\n"})
        head = git(folder, "rev-parse", "HEAD")
        assert run(folder, killed_at(call, at), *source) == -9, (call, at)
        assert git(folder, "rev-parse", "HEAD") == head
        assert files(folder).items() <= files(whole).items(), (call, at)
        assert run(folder, RUN, *source) == 0, (call, at)
        assert files(folder) == files(whole), (call, at)
    assert [server.writes() for server in collections] == [[], []]
    assert {it.name: versions(it, paths) for it, paths in collections.items()} == before
