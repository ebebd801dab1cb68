"""A change that adds valid documents to a folder that is not read is reported."""

import json
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from reconciler.review.checks import review
from tests.cli.running import ipam
from tests.hostile.test_overrides import override
from tests.review.sides import branch, encoded
from tests.world import (
    CLOCK,
    SMALL,
    commit,
    git,
    pool,
    reconciled,
    repository,
    request,
    settings,
    tenant,
    write,
)

Capture = pytest.CaptureFixture[str]
READ = "pools/, providers/, teams/, tenants/, and clusters/"
DONE = reconciled(SMALL)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", dict(SMALL))
    assert run(["reconcile", "--no-apply", "--repo", str(made)]) == 0
    git(made, "checkout", "-q", "-b", "change")
    return made


def describe(capsys: Capture, repo: Path, *options: str) -> list[dict[str, Any]]:
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main", "-o", "json", *options)
    assert ran.code == 0, ran.out
    return [it for it in json.loads(ran.out)["findings"] if it["code"] == "file-not-read"]


def beside(before: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return severity, path, and hint of the findings of a change in memory."""
    repository = branch({**DONE, **before})
    first = repository.head
    repository.head = repository.add(first, CLOCK + 1, encoded({**DONE, **before, **now}))
    found = review(repository.source("HEAD"), repository, first).evaluation.findings
    every = [it for it in found if it.code == "file-not-read"]
    return [(it.severity.value, str(it.location), it.hint) for it in every]


def test_a_live_range_that_is_pinned_where_nobody_reads_it_is_a_warning(
    capsys: Capture, repo: Path
) -> None:
    pinned = request("legacy", pinnedRange="{start: 10.40.0.32, end: 10.40.0.39}")
    write(repo, {"requests/legacy.yaml": f"# of old\n---\n{pinned}"})
    commit(repo, "change", CLOCK + 60)
    (found,) = describe(capsys, repo)
    place = (found["severity"], found["path"], found["line"])
    assert place == ("warning", "requests/legacy.yaml", 3)
    assert found["message"] == (
        f"IPAllocation outside the source folders is ignored (source folders: {READ})"
    )
    assert "file-not-read" in ipam(capsys, "plan", "--repo", repo, "--base", "main").err


@pytest.mark.parametrize(
    ("path", "text", "hint"),
    [
        ("tenant/five.yaml", tenant("five"), "did you mean tenants/?"),
        ("five.yaml", tenant("five"), "move it to tenants/ or clusters/, or list its folder in spec.sources of Settings"),
        ("requests/b.YAML", pool("b"), "move it to pools/, or list its folder in spec.sources of Settings"),
        ("config/ipam.yaml", settings("{gate: never}"), "move it to ipam.yaml"),
        ("override/x.yaml", override("overrides/2026-02-15-x.yaml", kind="brake", releases=3), "move it to overrides/<date>-<slug>.yaml"),
        ("x/y.yaml", "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: a}}", "move it to tenants/ or clusters/, or list its folder in spec.sources of Settings"),
        ("x/y.yaml", "apiVersion: novaedge.io/v9\nkind: ProxyIPPool\n", "move it to pools/, or list its folder in spec.sources of Settings"),
    ],
)  # fmt: skip
def test_it_says_where_it_would_count(path: str, text: str, hint: str) -> None:
    ((severity, place, said),) = beside({}, {path: text})
    assert (severity, place, said) == ("warning", f"{path}:1", hint)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".github/tenant.yaml", tenant("five")),
        ("tenant/five.txt", tenant("five")),
        ("tenant/broken.yaml", f"{tenant('five')}a: [\n"),
        ("tenant/chart.yaml", tenant("{{ .Values.name }}")),
        ("tenant/other.yaml", tenant("five").replace("TenantCluster", "ButlerConfig")),
        ("tenant/other.yaml", "apiVersion: [gitops-ipam.dev/v1]\nkind: Settings\n"),
        ("tenant/other.yaml", "- gitops-ipam.dev\n"),
        ("tenant/binary.yaml", "gitops-ipam.dev\x00\x01"),
        ("tenant/large.yaml", f"{tenant('five')}# {'x' * 300_000}\n"),
    ],
)
def test_what_is_none_of_ours_or_cannot_be_read_gets_no_word(path: str, text: str) -> None:
    assert beside({}, {path: text}) == []


def test_what_stood_there_before_is_no_matter_of_the_change_until_it_edits_it() -> None:
    before = {"tenant/five.yaml": tenant("five"), "tenant/six.yaml": tenant("six")}
    assert beside(before, {"tenants/seven.yaml": tenant("seven")}) == []
    edited = {"tenant/six.yaml": tenant("six", providerConfigRef="{name: default}")}
    assert [place for _, place, _ in beside(before, edited)] == ["tenant/six.yaml:1"]


@pytest.mark.parametrize("mark", ["ipam.yaml", "allocations/x.yaml"])
def test_another_root_of_the_repository_reads_its_own_unless_the_change_makes_it_one(
    capsys: Capture, repo: Path, mark: str
) -> None:
    write(repo, {"lab/tenants/five.yaml": tenant("five"), f"lab/{mark}": settings()})
    commit(repo, "change", CLOCK + 60)
    found = {it["path"]: it["hint"] for it in describe(capsys, repo)}
    assert found.keys() == {"lab/tenants/five.yaml", f"lab/{mark}"}
    assert found["lab/tenants/five.yaml"] == "move it to tenants/ at the root"
    git(repo, "branch", "-f", "main", "change")
    write(repo, {"lab/tenants/five.yaml": tenant("six"), "lab2/five.yaml": tenant("five")})
    commit(repo, "change", CLOCK + 120)
    assert [it["path"] for it in describe(capsys, repo)] == ["lab2/five.yaml"]
