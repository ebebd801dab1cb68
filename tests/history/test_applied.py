"""Reading the result of an apply: used fields, and refused files."""

import json
from typing import Any

import pytest

from reconciler.history import applied
from reconciler.history.applied import read_apply_result

REVISION = "a" * 40
VERSION = "gitops-ipam.dev/v1alpha1"
USE = {"record": "team-a-one-lb", "start": "10.40.0.0", "end": "10.40.0.7", "used": 3}


def result(*uses: Any, **more: Any) -> dict[str, Any]:
    cluster = {"cluster": "team-a/one", "state": "applied", "uses": list(uses), **more}
    document = {"apiVersion": VERSION, "kind": "ApplyResult", "revision": REVISION}
    return {**document, "exitCode": 0, "clusters": [cluster]}


def read(document: Any) -> applied.ApplyResult:
    return read_apply_result(json.dumps(document).encode())


def test_the_result_of_a_reconcile_holds_one() -> None:
    outer = {"apiVersion": VERSION, "kind": "ReconcileResult", "base": "b", "apply": result(USE)}
    assert read(outer) == read(result(USE))
    with pytest.raises(ValueError, match="apply is null"):
        read({**outer, "apply": None})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "Expected `object`, got `array`"),
        ({"kind": "Plan"}, r"Invalid value 'Plan' - at `\$.kind`"),
        ({"kind": "ReconcileResult", "base": "b", "apply": result()}, "field `apiVersion`"),
        ({**result(), "revision": "main"}, r"regex .* - at `\$.revision`"),
        (result(state="fine"), r"'fine' - at `\$.clusters\[0\].state`"),
        (result({**USE, "start": "10.40.0"}), "10.40.0-10.40.0.7 .* has an invalid address"),
        (result({**USE, "end": "10.39.0.1"}), "more than the range"),
        (result({**USE, "used": 9}), "has 9 addresses, more than the range"),
        (result({**USE, "used": -1}), "`int` >= 0"),
    ],
)
def test_what_is_no_result_is_named_with_its_place(document: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(document)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (json.dumps(result()).encode() + b"\n{}\n", "pass one line of the output"),
        (b'{"kind": "\xff"}', "can't decode byte 0xff"),
        (b'{"a": ' + b"[" * 200_000, "recursion depth"),
        (b'{"kind": "ApplyResult", "apiVersion": ' + b"9" * 10_000 + b"}", "out of range"),
    ],
)
def test_what_is_no_json_is_said_so(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_apply_result(data)
