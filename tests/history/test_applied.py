"""The result of an apply, read back: what is used of it, and what is refused."""

import json
from typing import Any

import pytest

from reconciler.history import applied
from reconciler.history.applied import read_apply_result
from tests.world import CLOCK

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
    outer = {"apiVersion": VERSION, "kind": "ReconcileResult", "apply": result(USE)}
    assert read(outer) == read(result(USE))
    with pytest.raises(ValueError, match="its apply is null"):
        read({**outer, "apply": None})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "it is a list, not a mapping"),
        ({"kind": "Plan"}, "kind is 'Plan', not ApplyResult"),
        ({**result(), "apiVersion": "v2"}, "apiVersion is 'v2', not gitops-ipam.dev/v1alpha1"),
        ({"kind": "ReconcileResult", "apply": result()}, "apiVersion is missing"),
        ({**result(), "revision": "main"}, "revision is 'main', not the id of a commit"),
        ({**result(), "revision": CLOCK}, f"revision is '{CLOCK}', not a text"),
        ({**result(), "clusters": {}}, "clusters is a mapping, not a list"),
        ({**result(), "clusters": [None]}, r"clusters\[0\] is missing, not a mapping"),
        (result(cluster="a\x1b[2J"), "not up to 600 printable characters"),
        (result(cluster="a\ud800"), "not up to 600 printable characters"),
        (result(cluster="a" * 601), "not up to 600 printable characters"),
        (result(state="fine"), "state is 'fine', none of applied, waiting"),
        (result({**USE, "start": "10.40.0"}), r"uses\[0\].start is '10.40.0', which is no address"),
        (result({**USE, "end": "10.39.0.1"}), "end is '10.39.0.1', before '10.40.0.0'"),
        (result({**USE, "end": "::1"}), "end is '::1', before"),
        (result({**USE, "used": 9}), "used is '9', no number from 0 to 8"),
        (result({**USE, "used": -1}), "used is '-1'"),
        (result({**USE, "used": True}), "used is 'True'"),
        (result({**USE, "used": 10**400}), "used is a very large number"),
        (result({**USE, "used": 1e300}), "used is '1e\\+300'"),
        (result(USE, USE), "stands there twice"),
        ({**result(), "clusters": result()["clusters"] * 2}, "'team-a/one', which stands there"),
    ],
)
def test_what_is_no_result_is_named_with_its_place(document: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(document)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", r"no JSON: .* \(line 1, column 1\)"),
        (b"{\n  nope", r"line 2, column 3"),
        (b"{}\n{}\n", "of a loop take one line"),
        (b"\xff", "no UTF-8 from byte 0"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "a number that is too long"),
    ],
)
def test_what_is_no_json_is_said_so(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_apply_result(data)


def test_what_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match="more than 10 bytes"):
        read(result())
