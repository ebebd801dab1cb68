"""`--apply-result FILE` of `forecast` and `explain`, and invalid FILEs."""

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import files, run
from reconciler.model.errors import ExitCode
from tests.cli.running import Capture, ipam
from tests.page.repositories import document_of
from tests.world import SMALL, commit, git, pool, repository, tenant, write

FULL = {
    **SMALL,
    "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
    "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 6}"),
    "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 4}"),
    "tenants/zoo.yaml": tenant("zoo", networking="{lbPoolSize: 4}"),
    "tenants/late.yaml": tenant("late", networking="{lbPoolSize: 5}"),
}


@pytest.fixture
def full(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", {k: v for k, v in FULL.items() if "late" not in k})
    assert run(["reconcile", "--repo", str(made)]) == 0
    write(made, {"tenants/late.yaml": FULL["tenants/late.yaml"]})
    commit(made, "late")
    assert run(["reconcile", "--repo", str(made)]) == ExitCode.GATE
    return made


def records(full: Path, capsys: Capture) -> dict[str, dict[str, Any]]:
    ran = ipam(capsys, "get", "allocations", "-o", "json", "--repo", full)
    return {it["metadata"]["name"]: it for it in json.loads(ran.out)["items"]}


def applied(full: Path, capsys: Capture, revision: str = "", **used: int) -> dict[str, Any]:
    found = records(full, capsys)
    clusters = []
    for name, count in used.items():
        status = found[f"team-a-{name}-lb"]["status"]
        use = {"record": name, "start": status["startAddress"], "end": status["endAddress"]}
        told = {"cluster": f"team-a/{name}", "state": "applied", "uses": [{**use, "used": count}]}
        clusters.append(told)
    head = revision or git(full, "rev-parse", "HEAD").strip()
    version = {"apiVersion": "gitops-ipam.dev/v1alpha1", "kind": "ApplyResult"}
    return {**version, "revision": head, "exitCode": 0, "clusters": clusters}


def kept(full: Path, document: Any) -> Path:
    file = full.parent / "applied.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_forecast_tells_what_each_tenant_leaves_idle(full: Path, capsys: Capture) -> None:
    file = kept(full, applied(full, capsys, one=2, two=4))
    ran = ipam(capsys, "forecast", "--repo", full, "--apply-result", file)
    assert ran.code == 0
    assert ran.out.partition("Idle addresses")[2].splitlines()[1:] == [
        "TENANT       ALLOCATED      USED      IDLE   NOT CHECKED",
        "team-a/one           6         2         4",
        "team-a/two           4         4         0",
        "team-a/zoo           4   unknown   unknown   4: not in the result",
        "TOTAL               14         6         4   4",
    ]
    ran = ipam(capsys, "forecast", "--repo", full, "--apply-result", file, "-o", "json")
    idle = json.loads(ran.out)["idle"]
    assert (idle["isOtherRevision"], idle["total"]["idle"]) == (False, 4)
    assert (idle["tenants"][2]["used"], idle["tenants"][2]["notLookedAt"]) == (None, 4)


def test_a_page_tells_which_cluster_was_not_reached(full: Path, capsys: Capture) -> None:
    document, page = applied(full, capsys, one=2), full.parent / "page.html"
    document["clusters"].append({"cluster": "a/b", "state": "unreachable", "error": "no answer"})
    words = ("--out", page, "--apply-result", kept(full, document))
    assert ipam(capsys, "report", "--repo", full, *words).code == 0
    found = document_of(page)
    told = [(it["cluster"], it["object"], it["error"]) for it in found["drift"]]
    assert told == [("a/b", None, "no answer")]


def test_a_refusal_names_idle_records_that_would_make_room_the_smallest_first(
    full: Path, capsys: Capture
) -> None:
    file = kept(full, applied(full, capsys, one=0, two=0, zoo=1))
    ran = ipam(capsys, "explain", "late", "-o", "json", "--repo", full, "--apply-result", file)
    (told,) = json.loads(ran.out)["items"]
    idle = [it for it in told["remedies"] if it.startswith("idle")]
    assert [it.partition(" uses ")[0] for it in idle] == ["idle: no Service of team-a/one"]
    assert "10.40.0.0-10.40.0.5 (6 addresses, " in idle[0]
    assert "After a release and its retention, 5 are free. Ask " in idle[0]
    assert (
        "removes the tenant (its first range stays whole while it is there): tenants/one.yaml:1"
        in idle[0]
    )
    assert told["remedies"][-1] not in idle
    assert not any("one" in item["path"] for item in told["patches"])


def test_what_is_no_result_is_wrong_usage(full: Path, capsys: Capture) -> None:
    file, pipe = full.parent / "applied.json", full.parent / "pipe"
    file.write_bytes(b'{"kind": "\\u001b[2J\\ud800"}')
    os.mkfifo(pipe)
    for path, words in ((file, "not a result"), (full / "no", "No such file"), (pipe, "regular")):
        for verb in (("forecast",), ("explain", "late")):
            ran = ipam(capsys, *verb, "--repo", full, "--apply-result", path)
            assert (ran.code, ran.out, words in ran.err) == (ExitCode.USAGE, "", True)
            assert ("Traceback" in ran.err, "\x1b" in ran.err) == (False, False)


def test_a_dash_reads_stdin(full: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps(applied(full, capsys, one=2)).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    ran = ipam(capsys, "forecast", "--repo", full, "--apply-result", "-")
    assert (ran.code, "team-a/one           6         2" in ran.out) == (0, True)


def test_a_result_that_is_too_long_is_refused(
    full: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    file = kept(full, applied(full, capsys))
    ran = ipam(capsys, "forecast", "--repo", full, "--apply-result", file)
    assert ran.code == ExitCode.USAGE
    assert "more than 10 bytes" in ran.err
