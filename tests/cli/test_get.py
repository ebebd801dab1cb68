"""`ipam get` with the arguments of kubectl."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from reconciler.cli import run
from tests.cli.running import ipam
from tests.world import SMALL, pool, reconciled, repository, tenant

FILES = {
    **SMALL,
    "pools/second.yaml": pool("second", "10.41.0.0/24"),
    "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 4}", teamRef="{name: red}"),
}


Got = Callable[..., tuple[int, str, str]]


@pytest.fixture
def got(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Got:
    repository(tmp_path, reconciled(FILES))

    def get(*words: str) -> tuple[int, str, str]:
        code = run(["get", *words, f"--repo={tmp_path}"])
        out, err = capfd.readouterr()
        return code, out, err

    return get


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["networkpool", "-n", "butler-system", "-o", "name"],
         "networkpool.butler.butlerlabs.dev/edge\nnetworkpool.butler.butlerlabs.dev/second\n"),
        (["tenants/two", "-A", "-o", "name"], "tenantcluster.butler.butlerlabs.dev/two\n"),
        (["tenants", "--team", "red", "-n", "team-a", "-o", "name"], "tenantcluster.butler.butlerlabs.dev/two\n"),
        (["ipa", "-l", "butler.butlerlabs.dev/tenant=one", "-o", "name"],
         "ipallocation.butler.butlerlabs.dev/team-a-one-lb\n"),
    ],
)  # fmt: skip
def test_documented_commands_print_what_they_print_for_kubectl(
    got: Got, words: list[str], expected: str
) -> None:
    assert got(*words) == (0, expected, "")


@pytest.mark.parametrize(
    ("what", "name"),
    [("tenants", "team-a/two"), ("pools", "butler-system/edge"), ("ipa", "butler-system/team-a-two-lb")],
)  # fmt: skip
@pytest.mark.parametrize("form", ["name", "json", "text"])
def test_a_name_with_its_namespace_is_taken_as_every_verb_takes_it(
    got: Got, what: str, name: str, form: str
) -> None:
    short = name.partition("/")[2]
    shown = got(what, short, "-o", form)
    assert (shown[0], short in shown[1], shown[2]) == (0, True, "")
    assert got(what, name, "-o", form) == got(f"{what}/{name}", "-o", form) == shown
    assert got(what, name, short, "-o", "name") == got(what, short, "-o", "name")


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        (["tenants", "-n", "other"], "", "No resources found in other namespace.\n"),
        (["tenants", "-n", "other", "-A", "--pool", "x"], "", "No resources found\n"),
        (["tenants", "-n", "other", "-o", "name"], "", ""),
        (["claims"], "", "No resources found\n2 claims of other kinds: ipam plan --all\n"),
    ],
)  # fmt: skip
def test_where_nothing_is_found_it_says_what_kubectl_says(
    got: Got, words: list[str], out: str, err: str
) -> None:
    assert got(*words) == (0, out, err)


@pytest.mark.parametrize(
    ("what", "name", "kind"),
    [("pools", "edge", "NetworkPool"), ("tenants", "two", "TenantCluster"),
     ("ipa", "team-a-two-lb", "IPAllocation")],
)  # fmt: skip
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_one_that_is_asked_for_by_its_name_is_no_list(
    got: Got, what: str, name: str, kind: str, form: str
) -> None:
    read = json.loads if form == "json" else yaml.safe_load
    code, out, _ = got(what, name, "-o", form)
    one = read(out)
    assert (code, one["kind"], one["metadata"]["name"]) == (0, kind, name)
    assert got(f"{what}/{name}", "-o", form)[1] == out
    listed = read(got(what, "-o", form)[1])
    assert listed["kind"] == f"{kind}List"
    assert one in listed["items"], "as the schema of the list has it"
    both = read(got(what, name, "other", "-o", form)[1])
    assert both == {**listed, "items": [one]}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pols"], "did you mean pools?"),
        (["xyz"], "use one of: pools, "),
        (["pools", "-o", "csv"], "'csv' is not one of 'text', 'wide', 'name', 'json', 'yaml'"),
        (["pools", "-l", "a b"], "--selector: 'a b' is not a term of a label selector"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_before_anything_is_read(
    got: Got, words: list[str], told: str
) -> None:
    code, out, err = got(*words)
    assert (code, out) == (64, "")
    assert told in err


def test_pools_of_other_kinds_are_told_beside_network_pools(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = (
        "apiVersion: ipam.cluster.x-k8s.io/v1alpha2\nkind: InClusterIPPool\n"
        "metadata: {name: nodes, namespace: default}\n"
        "spec: {addresses: [10.44.0.10-10.44.0.20], prefix: 24}\n"
    )
    only = repository(tmp_path / "only", {"pools/nodes.yaml": other})
    both = repository(tmp_path / "both", {**SMALL, "pools/nodes.yaml": other})
    for repo, rows in ((only, 0), (both, 2)):
        ran = ipam(capsys, "get", "pools", "--repo", repo)
        assert (ran.code, len(ran.out.splitlines())) == (0, rows)
        assert "pools of other kinds: ipam get inclusterippools" in ran.err
        ran = ipam(capsys, "get", "pools", "nodes", "--repo", repo)
        assert (ran.code, "ipam get inclusterippools nodes" in ran.err) == (1, True)
