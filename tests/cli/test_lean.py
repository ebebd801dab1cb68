"""Without the extra `clusters`, commands without clusters work, and others name the extra."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from reconciler.cli import cluster_options
from tests.cli.running import environment, given_out
from tests.test_locks import pins, project
from tests.world import SMALL, git

# Runs commands with only the standard library, `ipam`, and the packages of a lock.
LEAN = """
import json, re, sys
from importlib.metadata import packages_distributions
named = lambda text: re.sub(r"[-_.]+", "-", text).lower()
allowed, runs = json.loads(sys.argv[1])
owners = {top: {named(it) for it in found} for top, found in packages_distributions().items()}
class Lean:
    def find_spec(self, name, path=None, target=None):
        if owners.get(name.partition(".")[0], set(allowed)).isdisjoint(allowed):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Lean())
from reconciler.cli import run
codes = []
for arguments in runs:
    print("---", file=sys.stderr, flush=True)
    codes.append(run(arguments))
print("---" + json.dumps(codes), file=sys.stderr)
"""
LACKS = "needs packages that are not installed: cryptography, kubernetes, prometheus_client\n"
HINT = "  hint: pip install 'gitops-ipam[clusters] @ "


class Lean(NamedTuple):
    codes: list[int]
    said: list[str]


def lean(*runs: list[str]) -> Lean:
    allowed = [*pins("requirements-check.lock"), "gitops-ipam"]
    command = [sys.executable, "-c", LEAN, json.dumps([allowed, runs])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    *said, codes = done.stderr.split("---")[1:]
    return Lean(json.loads(codes), [text.lstrip("\n") for text in said])


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("lean")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        return given_out(place / "repo", SMALL)


def test_what_asks_no_cluster_runs_with_the_packages_of_the_lean_lock(checkout: Path) -> None:
    bare = checkout.parent / "bare.git"
    git(checkout, "clone", "-q", "--bare", ".", str(bare))
    here = ["--repo", str(checkout)]
    verbs = (
        *("check", "check -o sarif", "plan", "plan -o yaml", "status", "get allocations"),
        *("who 10.40.0.1", "explain team-a/one", "find --count 4", "simulate --tenants 4"),
        *("forecast", "history", "map", "verify"),
    )
    runs = [[*verb.split(), *here] for verb in verbs]
    runs += [["reconcile", "--no-apply", "--remote", str(bare)], ["reconcile", *here]]
    runs += [["render", *here, "--out", str(checkout.parent / "rendered")], ["doctor", *here]]
    runs += [["version"], ["schema", "NetworkPool"], ["help", "apply"]]
    found = lean(*runs)
    assert found.codes == [0] * len(runs), found.said


def test_what_asks_clusters_says_in_one_error_how_it_is_installed(checkout: Path) -> None:
    here = ["--repo", str(checkout)]
    clusters = ["--kubeconfig", "management.kubeconfig"]
    runs = [
        ["apply", *here, *clusters],
        ["reconcile", *here, *clusters],
        ["reconcile", *here, *clusters, "--watch"],
        ["doctor", *here, *clusters],
        ["import", "cluster", *here, "one.kubeconfig"],
        ["reconcile", *here, "--metrics-file", "ipam.prom"],
        ["reconcile", *here, "--watch", "--listen", "127.0.0.1:0"],
    ]
    found = lean(*runs)
    assert found.codes == [64] * len(runs), found.said
    asking = "asking the clusters that --kubeconfig, $KUBECONFIG or the pod's account name "
    begins = [*[asking] * 4, "import cluster ", "--metrics-file ", "--listen "]
    for said, begin in zip(found.said, begins, strict=True):
        assert said.startswith(f"ipam: {begin}{LACKS}{HINT}"), said
        assert said.count("\n") == 2


def test_the_extra_has_what_is_asked_for_and_the_default_has_none_of_it() -> None:
    about = project()
    wanted = {it.replace("_", "-") for it in cluster_options.CLUSTERS}
    assert {line.partition(">")[0].replace("_", "-") for line in about["clusters"]} == wanted
    assert wanted <= {*pins("requirements.lock")}
    assert wanted.isdisjoint(pins("requirements-check.lock"))


@pytest.mark.parametrize("module", ["entry", "review"])
def test_what_asks_no_cluster_loads_no_code_of_clusters(module: str) -> None:
    code = f"""
import sys, reconciler.cli.{module}
sys.exit(any(name.startswith(("reconciler.apply", "reconciler.kube")) for name in sys.modules))"""
    subprocess.run([sys.executable, "-c", code], check=True)
