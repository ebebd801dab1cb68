"""Results of an apply as text and JSON."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reconciler.addresses import parse_cidr
from reconciler.history.applied import read_apply_result
from reconciler.model.applied import Applied, ClusterState, Drift, ObjectOutcome, ObjectResult, Use
from reconciler.report.formats import json_text
from reconciler.report.json import apply_document
from reconciler.report.text.runs import applied_text
from reconciler.report.text.table import Painter
from tests.report.hostile import corpus

GOLDENS = Path(__file__).parent / "applied"
SCHEMA = Path(__file__).resolve().parents[3] / "schemas" / "output" / "apply-result.json"
PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
REVISION, OLD = "0123456789abcdef" * 2 + "01234567", "f" * 40
POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"
ADVERTISEMENT = "metallb.io/L2Advertisement/metallb-system/default"
RECORD = "butler.butlerlabs.dev/IPAllocation/butler-system/team-a-web-lb"
EDITED = Drift("kubectl-edit", "2026-02-15T10:00:30Z", ("spec.addresses", "metadata.labels.a"))


def created(name: str) -> ObjectOutcome:
    return ObjectOutcome(name, ObjectResult.CREATED)


def configured(name: str, drift: Drift | None = None) -> ObjectOutcome:
    return ObjectOutcome(name, ObjectResult.CONFIGURED, drift)


def failed(name: str, error: str) -> ObjectOutcome:
    return ObjectOutcome(name, ObjectResult.FAILED, error=error)


def same(*names: str) -> list[ObjectOutcome]:
    return [ObjectOutcome(name, ObjectResult.UNCHANGED) for name in names]


def cluster(name: str, state: ClusterState, *outcomes: ObjectOutcome, **more: Any) -> Applied:
    return Applied(name, state, outcomes=outcomes, **{"revision": REVISION, **more})


APPLIED = ClusterState.APPLIED
DELETING = Drift("", "", ("metadata.deletionTimestamp",))
MANAGEMENT = cluster(
    "management", APPLIED, *same(POOL), created(RECORD), ObjectOutcome(f"{RECORD}-1", ObjectResult.DELETED),
    uid="1-2-3", requests=(5, 4, 1),
)  # fmt: skip
DRIFTED = cluster(
    "team-a/web", APPLIED, configured(ADVERTISEMENT), configured(POOL, EDITED), configured("v1/other", DELETING)
)  # fmt: skip
NOTED = cluster("team-a/shop", APPLIED, *same(POOL), notes=["MetalLB has not confirmed yet"])
QUIET = cluster("team-a/blog", APPLIED, *same(POOL, ADVERTISEMENT))
TAKEN = "already exists, and does not belong to ipam; use --adopt to take it over"
FOREIGN = cluster(
    "team-b/web", APPLIED, created(ADVERTISEMENT), failed(POOL, TAKEN), failed(RECORD, "another reason")
)  # fmt: skip
WAITING = Applied("team-b/new", ClusterState.WAITING, error="no kubeconfig yet")
AWAY = Applied(
    "team-c/web", ClusterState.UNREACHABLE, revision=OLD, error="connection refused", hint="is it running?"
)  # fmt: skip
OTHER = Applied("edge", ClusterState.REFUSED, error="it is another cluster than before")
HALF = cluster("team-c/shop", ClusterState.FAILED, created(POOL), error="MetalLB said no")
MANY = cluster(
    "management", APPLIED, *(created(f"{RECORD}-{number}") for number in range(60)),
    configured(f"{RECORD}-drifted", EDITED), failed(f"{RECORD}-failed", "quota"),
)  # fmt: skip
CASES: dict[str, Sequence[Applied]] = {
    "nothing": [QUIET],
    "changes": [MANAGEMENT, DRIFTED, NOTED, QUIET],
    "failures": [MANAGEMENT, FOREIGN, WAITING, AWAY, OTHER, HALF],
    "many-objects": [MANY],
}


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_the_golden_and_colour_adds_nothing_but_colour(
    name: str, request: pytest.FixtureRequest
) -> None:
    text, path = applied_text(CASES[name], PLAIN), GOLDENS / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    coloured = applied_text(CASES[name], COLOURED)
    assert re.sub("\x1b\\[[0-9]+m", "", coloured) == text


@pytest.mark.parametrize("text", corpus())
def test_nothing_that_a_cluster_says_acts_on_a_terminal(text: str) -> None:
    changed = ObjectOutcome(text, ObjectResult.CONFIGURED, Drift(text, text, (text,)))
    outcomes = (changed, ObjectOutcome(text, ObjectResult.FAILED, None, text))
    more = {"revision": text, "error": text, "hint": text, "notes": [text]}
    hostile = cluster(text, ClusterState.FAILED, *outcomes, **more)
    lines = applied_text([hostile], PLAIN).split("\n")
    assert all(line.isprintable() for line in lines)
    assert not any(line.lstrip().startswith("::") or "##" in line for line in lines)


def test_the_document_says_all_of_a_cluster() -> None:
    document = apply_document([MANAGEMENT, DRIFTED, AWAY], REVISION, 5)
    assert (document["revision"], document["exitCode"]) == (REVISION, 5)
    first, second, third = document["clusters"]
    plain = {"drift": None, "error": None}
    assert first == {
        **{"cluster": "management", "uid": "1-2-3", "revision": REVISION, "state": "applied"},
        **{"created": 1, "configured": 0, "unchanged": 1, "deleted": 1, "failed": 0},
        **{"requests": {"list": 5, "patch": 4, "delete": 1}, "error": None, "notes": []},
        "uses": None,
        "objects": [
            {"object": RECORD, "result": "created", **plain},
            {"object": f"{RECORD}-1", "result": "deleted", **plain},
        ],
    }
    edited = {"manager": "kubectl-edit", "time": EDITED.time, "fields": [*EDITED.fields]}
    gone = {"manager": None, "time": None, "fields": ["metadata.deletionTimestamp"]}
    assert [item["drift"] for item in second["objects"]] == [None, edited, gone]
    assert (third["uid"], third["error"]) == (None, "connection refused; is it running?")
    assert apply_document([OTHER], REVISION, 5)["clusters"][0]["revision"] is None


def test_the_document_says_what_services_use() -> None:
    uses = (Use("team-a-web-lb", parse_cidr("10.0.0.4/30"), 3),)
    document = apply_document([cluster("team-a/web", ClusterState.APPLIED, uses=uses)], REVISION, 0)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(document)
    assert document["clusters"][0]["uses"] == [
        {"record": "team-a-web-lb", "start": "10.0.0.4", "end": "10.0.0.7", "used": 3}
    ]
    assert read_apply_result(json_text(document).encode()).clusters["team-a/web"].uses == {
        uses[0].range: 3
    }
