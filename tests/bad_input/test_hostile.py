"""Hostile text in any field: rejected or escaped, and never as it is in any output."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad_input.harness import HERE, bare
from tests.cli.running import ipam
from tests.world import SMALL, git

ROWS: list[dict[str, Any]] = yaml.load(
    (HERE / "hostile.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
LONG = 10_000
LINE = 1_100  # a JSON pointer names a key in full, and a key has at most 1,024 characters
BUTLER = "butler.butlerlabs.dev/v1alpha1"


def text_of(row: dict[str, Any]) -> str:
    return "A" * LONG if row["text"] == "LONG" else str(row["text"])


def document(kind: str = "NetworkPool", **parts: Any) -> dict[str, Any]:
    body = {"metadata": {"name": "bad"}, "spec": {"cidr": "10.50.0.0/24"}}
    return {"apiVersion": BUTLER, "kind": kind, **body, **parts}


def bad(**more: Any) -> dict[str, Any]:
    return document(metadata={"name": "bad", **more})


def refused_places(text: str) -> dict[str, Any]:
    """Documents with the text where it must be refused, by file."""
    reference = {"name": text, "namespace": text}
    network = {"mode": "ipam", "poolRefs": [{"name": text}]}
    pinned = {"type": text, "pinnedRange": {"startAddress": text, "endAddress": text}}
    request = {"poolRef": {"name": "edge"}, "tenantClusterRef": reference, **pinned}
    settings = {"retention": text, "committer": {"name": text, "email": text}}
    home = {"apiVersion": "gitops-ipam.dev/v1alpha1", "metadata": {"name": "ipam"}}
    return {
        "pools/version.yaml": document(apiVersion=text),
        "pools/kind.yaml": document(text),
        "pools/name.yaml": bad(name=text),
        "pools/namespace.yaml": bad(namespace=text),
        "pools/label.yaml": bad(labels={"team": text}),
        "pools/gate.yaml": bad(annotations={"gitops-ipam.dev/gate": text}),
        "pools/cidr.yaml": document(spec={"cidr": text}),
        "pools/field.yaml": document(spec={"cidr": "10.50.0.0/24", text[:1000]: 1}),
        "pools/top.yaml": document(**{f"x{text[:1000]}": "1"}),
        "pools/text.yaml": text,
        "providers/mode.yaml": document("ProviderConfig", spec={"provider": text}),
        "providers/ref.yaml": document(
            "ProviderConfig", spec={"provider": "local", "network": network}
        ),
        "tenants/team.yaml": document("TenantCluster", spec={"teamRef": {"name": text}}),
        "tenants/config.yaml": document("TenantCluster", spec={"providerConfigRef": reference}),
        "tenants/pin.yaml": document("IPAllocation", spec=request),
        "ipam.yaml": document("Settings", spec=settings, **home),
    }


def taken_places(text: str) -> dict[str, Any]:
    """Return documents, by file, with the text in each string field."""
    block = {"cidr": "10.50.0.0/28", "description": text[:512]}
    tenant = {"name": "two", "namespace": "team-a", "annotations": {"note": text}}
    spec = {"workers": {"replicas": 1}, "kubernetesVersion": text}
    return {
        "pools/described.yaml": document(
            metadata={"name": "told", "annotations": {"example.com/note": text}},
            spec={"cidr": "10.50.0.0/24", "reserved": [block]},
        ),
        "tenants/two.yaml": document("TenantCluster", metadata=tenant, spec=spec),
    }


def committed(folder: Path, documents: dict[str, Any]) -> Path:
    """JSON is YAML, and its escapes can contain characters that raw text cannot."""
    files = {path: text.encode() for path, text in SMALL.items()}
    files |= {path: json.dumps(item).encode() for path, item in documents.items()}
    return bare(folder, files)


def assert_harmless(row: dict[str, Any], written: str) -> None:
    for raw in row["raw"]:
        assert raw not in written, f"{raw!r} in {written}"
    for line in written.splitlines():
        assert not line.lstrip().startswith(("::", "##[", "##vso")), line
    assert "A" * LINE not in written
    assert "Traceback" not in written
    assert "a bug:" not in written


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['case']}")
def test_hostile_text_is_refused_and_shown_harmless(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = committed(tmp_path / "repo", refused_places(text_of(row)))
    for verb in (["check"], ["check", "-o", "yaml"], ["plan"], ["check", "-o", "json"]):
        code, out, err = ipam(capsys, *verb, "--repo", str(folder), "--color", "never")
        assert code == 1, err
        assert_harmless(row, out + err)
    accused = {found["path"] for found in json.loads(out)["findings"]}
    assert accused >= set(refused_places(text_of(row)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['case']}")
def test_hostile_text_where_any_text_may_stand_gets_into_no_output(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = committed(tmp_path / "repo", taken_places(text_of(row)))
    verbs = (
        ["check"], ["check", "-o", "json"], ["plan"], ["plan", "-o", "yaml"], ["reconcile"],
        ["status"], ["get", "pools", "-o", "wide"], ["get", "tenants"], ["get", "allocations"],
    )  # fmt: skip
    for verb in verbs:
        code, out, err = ipam(capsys, *verb, "--repo", str(folder), "--color", "never")
        assert code in (0, 1), err
        assert_harmless(row, out + err)
    message = git(folder, "log", "-1", "--format=%B", "main")
    assert_harmless(row, message)
    assert message.count("\n\n") == 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['case']}")
def test_hostile_text_in_a_file_name_is_shown_harmless(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = text_of(row)[:200].replace("/", "_")
    folder = bare(tmp_path / "repo", {f"pools/{name}.yaml": b"[]"})
    for verb in (["check"], ["check", "-o", "json"], ["plan"]):
        code, out, err = ipam(capsys, *verb, "--repo", str(folder), "--color", "never")
        assert code == 1, err
        assert_harmless(row, out + err)
