"""What was done to clusters, as people read it and as programs do.

Texts are goldens in `applied/`, `^[` standing for the escape character: `pytest --update-golden`
writes them anew.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reconciler.addresses import parse_cidr
from reconciler.apply.elastic import Use
from reconciler.apply.plan import Applied, ClusterState, ObjectOutcome, ObjectResult
from reconciler.apply.steps import Drift
from reconciler.history.applied import read_apply_result
from reconciler.report.json import apply_document, json_text
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


def same(*names: str) -> list[ObjectOutcome]:
    return [ObjectOutcome(name, ObjectResult.UNCHANGED) for name in names]


def cluster(name: str, state: ClusterState, *outcomes: ObjectOutcome, **more: Any) -> Applied:
    return Applied(name, state, outcomes=outcomes, **{"revision": REVISION, **more})


MANAGEMENT = cluster(
    "management",
    ClusterState.APPLIED,
    *same(POOL),
    ObjectOutcome(RECORD, ObjectResult.CREATED),
    ObjectOutcome(f"{RECORD}-1", ObjectResult.DELETED),
    uid="1-2-3",
    requests=(5, 4, 1),
)
DRIFTED = cluster(
    "team-a/web",
    ClusterState.APPLIED,
    ObjectOutcome(ADVERTISEMENT, ObjectResult.CONFIGURED),
    ObjectOutcome(POOL, ObjectResult.CONFIGURED, EDITED),
    ObjectOutcome(
        "v1/other", ObjectResult.CONFIGURED, Drift("", "", ("metadata.deletionTimestamp",))
    ),
)
NOTED = cluster(
    "team-a/shop", ClusterState.APPLIED, *same(POOL), notes=["MetalLB has not confirmed yet"]
)
QUIET = cluster("team-a/blog", ClusterState.APPLIED, *same(POOL, ADVERTISEMENT))
FOREIGN = cluster(
    "team-b/web",
    ClusterState.APPLIED,
    ObjectOutcome(ADVERTISEMENT, ObjectResult.CREATED),
    ObjectOutcome(
        POOL, ObjectResult.FAILED, error="it is there already and not ours; --adopt takes it over"
    ),
    ObjectOutcome(RECORD, ObjectResult.FAILED, error="another reason"),
)
WAITING = Applied("team-b/new", ClusterState.WAITING, error="no kubeconfig yet")
AWAY = Applied(
    "team-c/web",
    ClusterState.UNREACHABLE,
    revision=OLD,
    error="connection refused",
    hint="is it running?",
)
OTHER = Applied("edge", ClusterState.REFUSED, error="it is another cluster than before")
HALF = cluster(
    "team-c/shop",
    ClusterState.FAILED,
    ObjectOutcome(POOL, ObjectResult.CREATED),
    error="MetalLB said no",
)
MANY = cluster(
    "management",
    ClusterState.APPLIED,
    *(ObjectOutcome(f"{RECORD}-{number}", ObjectResult.CREATED) for number in range(60)),
    ObjectOutcome(f"{RECORD}-drifted", ObjectResult.CONFIGURED, EDITED),
    ObjectOutcome(f"{RECORD}-failed", ObjectResult.FAILED, error="quota"),
)
CASES: dict[str, Sequence[Applied]] = {
    "nothing": [QUIET],
    "changes": [MANAGEMENT, DRIFTED, NOTED, QUIET],
    "failures": [MANAGEMENT, FOREIGN, WAITING, AWAY, OTHER, HALF],
    "many-objects": [MANY],
}


def golden(name: str, text: str, request: pytest.FixtureRequest) -> None:
    path = GOLDENS / f"{name}.txt"
    shown = text.replace("\x1b", "^[")
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_colour_adds_nothing_but_colour(name: str) -> None:
    coloured = applied_text(CASES[name], COLOURED)
    for code in ("1", "2", "31", "32", "33", "0"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == applied_text(CASES[name], PLAIN)


@pytest.mark.parametrize("text", corpus())
def test_nothing_that_a_cluster_says_acts_on_a_terminal(text: str) -> None:
    """Names, managers and messages come from clusters."""
    drift = Drift(text, text, (text,))
    hostile = Applied(
        text,
        ClusterState.FAILED,
        revision=text,
        outcomes=[
            ObjectOutcome(text, ObjectResult.CONFIGURED, drift),
            ObjectOutcome(text, ObjectResult.FAILED, None, text),
        ],
        error=text,
        hint=text,
        notes=[text],
    )
    shown = applied_text([hostile], PLAIN)
    lines = shown.split("\n")
    assert all(character.isprintable() for line in lines for character in line)
    assert not any(line.lstrip().startswith("::") or "##" in line for line in lines)


def test_the_document_says_all_of_a_cluster() -> None:
    document = apply_document([MANAGEMENT, DRIFTED, AWAY], REVISION, 5)
    assert (document["revision"], document["exitCode"]) == (REVISION, 5)
    first, second, third = document["clusters"]
    assert first == {
        "cluster": "management",
        "uid": "1-2-3",
        "revision": REVISION,
        "created": 1,
        "configured": 0,
        "unchanged": 1,
        "deleted": 1,
        "failed": 0,
        "state": "applied",
        "requests": {"list": 5, "patch": 4, "delete": 1},
        "error": None,
        "notes": [],
        "uses": None,
        "objects": [
            {"object": RECORD, "result": "created", "drift": None, "error": None},
            {"object": f"{RECORD}-1", "result": "deleted", "drift": None, "error": None},
        ],
    }
    assert [item["drift"] for item in second["objects"]] == [
        None,
        {
            "manager": "kubectl-edit",
            "time": "2026-02-15T10:00:30Z",
            "fields": ["spec.addresses", "metadata.labels.a"],
        },
        {"manager": None, "time": None, "fields": ["metadata.deletionTimestamp"]},
    ]
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
