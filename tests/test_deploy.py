"""What deploy/ holds: rights as the table has them, flags that exist, Pods without privileges."""

import json
import os
import re
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply.fleet import is_in_shard
from reconciler.cli.commands import ipam
from reconciler.cli.operate import parse_shard
from tests.documentation import ROOT, blocks
from tests.envtest.servers import ApiServer

DEPLOY = ROOT / "deploy"
FILES = ("rbac.yaml", "rbac-tenant.yaml", "apply-job.yaml", "daemon.yaml")
OPTIONAL = ("gitops-ipam-crds", "gitops-ipam-documents", "gitops-ipam-policies")


def manifests(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def named(file: str, kind: str, name: str) -> dict[str, Any]:
    found = [
        item
        for item in manifests(file)
        if item["kind"] == kind and item["metadata"]["name"] == name
    ]
    assert len(found) == 1
    return found[0]


def jobs() -> dict[str, dict[str, Any]]:
    """The template of each CronJob's Job."""
    return {
        item["metadata"]["name"]: item["spec"]["jobTemplate"]["spec"]
        for item in manifests("apply-job.yaml")
        if item["kind"] == "CronJob"
    }


def pods() -> Iterator[dict[str, Any]]:
    for job in jobs().values():
        yield job["template"]["spec"]


@pytest.mark.parametrize("file", ["rbac.yaml", "rbac-tenant.yaml"])
def test_roles_are_bound_to_the_account_that_applies_and_to_nobody_else(file: str) -> None:
    bound = []
    for item in manifests(file):
        if item["kind"] in ("RoleBinding", "ClusterRoleBinding"):
            assert [subject["name"] for subject in item["subjects"]] == ["ipam-apply"]
            bound.append(item["roleRef"]["name"])
            kind = item["roleRef"]["kind"]
            role = named(file, kind, item["roleRef"]["name"])
            assert role["metadata"].get("namespace") == item["metadata"].get("namespace")
    assert not set(OPTIONAL) & set(bound)


def test_only_the_job_that_applies_has_an_account_in_the_cluster() -> None:
    accounts = {
        name: (spec["serviceAccountName"], spec["automountServiceAccountToken"])
        for name, spec in zip(jobs(), pods(), strict=True)
    }
    assert accounts == {
        "ipam-reconcile": ("ipam-reconcile", False),
        "ipam-apply": ("ipam-apply", True),
    }


def test_there_are_as_many_pods_as_shards() -> None:
    job = jobs()["ipam-apply"]
    args = job["template"]["spec"]["containers"][0]["args"]
    shard = args[args.index("--shard") + 1]
    assert job["completionMode"] == "Indexed"
    shards = [
        parse_shard(shard.replace("$(JOB_COMPLETION_INDEX)", str(index)))
        for index in range(job["completions"])
    ]
    assert shards == [(index, job["completions"]) for index in range(job["completions"])]


@given(
    st.lists(st.text("abc-/", min_size=1, max_size=20), max_size=30, unique=True),
    st.integers(1, 64),
)
def test_every_cluster_is_in_exactly_one_shard(names: list[str], count: int) -> None:
    shards = [parse_shard(f"{index}/{count}") for index in range(count)]
    for name in names:
        assert sum(is_in_shard(name, shard) for shard in shards) == 1


def test_what_is_kept_is_the_cache_of_the_pod_that_commits() -> None:
    kept = {}
    for name, job in jobs().items():
        (cache,) = [it for it in job["template"]["spec"]["volumes"] if it["name"] == "cache"]
        kept[name] = cache.get("persistentVolumeClaim", {}).get("claimName")
    assert kept == {"ipam-reconcile": "ipam-cache", "ipam-apply": None}
    claim = named("apply-job.yaml", "PersistentVolumeClaim", "ipam-cache")
    assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]


def test_the_page_names_every_file_and_flags_that_exist() -> None:
    page = (DEPLOY / "README.md").read_text(encoding="utf-8")
    files = sorted(path.name for path in DEPLOY.iterdir() if path.name != "README.md")
    assert sorted(re.findall(r"^\| `([\w.-]+)` \|", page, re.MULTILINE)) == files
    known: set[str] = set()
    for verb in ("apply", "reconcile", "doctor"):
        command = ipam.get_command(click.Context(ipam), verb)
        assert command is not None
        known |= {name for option in command.params for name in option.opts}
    shell = "\n".join(block.text for block in blocks(page))
    prose = page if not shell else re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    told = re.findall(r"`[^`\n]*`", prose) + re.findall(r"^.*\bipam \w+ .*$", shell, re.MULTILINE)
    for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(told)):
        assert flag in known, flag


def test_the_page_s_commands_make_a_kubeconfig_of_the_account_of_a_tenant(
    management: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path
) -> None:
    page = (DEPLOY / "README.md").read_text(encoding="utf-8")
    (block,) = [it for it in blocks(page) if "service-account-token" in it.text]
    tenant = tenants[0]
    management.namespace("team-a")
    rules = str(DEPLOY / "rbac-tenant.yaml")
    assert tenant.kubectl("apply", "-f", rules).returncode == 0
    _fill_token(tenant)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "kubectl").symlink_to(management.fleet.assets.binaries["kubectl"])
    (tmp_path / "deploy").symlink_to(DEPLOY)
    (tmp_path / "tenant.kubeconfig").symlink_to(tenant.kubeconfig)
    (tmp_path / "management.kubeconfig").symlink_to(management.kubeconfig)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=tmp_path,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "web.kubeconfig").exists()
    kept = management.get("/api/v1/namespaces/team-a/secrets/web-kubeconfig")
    made = tmp_path / "made"
    made.write_bytes(b64decode(kept["data"]["value"]))
    who = tenant.kubectl("--kubeconfig", str(made), "auth", "whoami", "-o", "json")
    name = json.loads(who.stdout)["status"]["userInfo"]["username"]
    assert name == "system:serviceaccount:gitops-ipam:ipam-apply"


def _fill_token(server: ApiServer) -> None:
    """Do what a whole cluster's controller does: here only API servers run."""
    token = server.kubectl("-n", "gitops-ipam", "create", "token", "ipam-apply").stdout
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/service-account-token",
        "metadata": {
            "name": "ipam-apply",
            "namespace": "gitops-ipam",
            "annotations": {"kubernetes.io/service-account.name": "ipam-apply"},
        },
        "stringData": {"token": token},
    }
    done = server.kubectl("create", "-f", "-", stdin=json.dumps(secret))
    assert done.returncode == 0, done.stderr
