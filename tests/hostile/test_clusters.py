"""A tenant's cluster that lies: about who it is, what was applied, what it announces, and our token."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable

import pytest

from reconciler.clusters.outcome import Applied, State
from reconciler.report.machine import apply_document
from reconciler.report.text.apply import applied_text
from reconciler.report.text.table import Painter
from tests.adapters.kube.server import Asked, Reply, status
from tests.applying.site import FIRST, world
from tests.hostile.api import Fleet

BOTH = world("web", "shop")


def shown(applied: dict[str, Applied]) -> str:
    """All that anybody gets to see of a run."""
    every = list(applied.values())
    document = apply_document(every, "a" * 40, 5)
    text = applied_text(every, Painter(is_on=False))
    return "\n".join([repr(every), text, json.dumps(document, ensure_ascii=False)])


# Our own token


def _plain(token: str) -> str:
    return token


def _encoded(token: str) -> str:
    return b64encode(token.encode()).decode()


def _within(token: str) -> str:
    return urlsafe_b64encode(f"a Bearer {token} z".encode()).decode()


def _core(token: str) -> list[str]:
    """What betrays a token, whatever is around it."""
    found = [token]
    for before in range(3):
        coded = b64encode(b"x" * before + token.encode())
        found.append(coded[4 : len(coded) - 4].decode())
    return found


@pytest.mark.parametrize("form", [_plain, _encoded, _within])
@pytest.mark.parametrize("escapes", [False, True], ids=["plain", "escaped"])
def test_a_token_that_a_server_repeats_is_in_no_output(
    site: Fleet, form: Callable[[str], str], *, escapes: bool
) -> None:
    """In refusals, versions, names, uids, managers, revisions, and what MetalLB is said to say."""
    token = "eyJhbGciOi.JSUzI1NiIs-ImtpZCI6_0123456789"
    site.apis[FIRST].user = {"token": token}
    site.give(FIRST)
    honest = site.apply(BOTH)
    assert honest[FIRST].state is State.APPLIED
    said = form(token)
    if escapes:
        said = "".join(f"\\u{ord(char):04x}" for char in said)

    def body(value: object) -> bytes:
        return json.dumps(value).replace("ECHO", said).encode()

    pool = {"name": "ECHO", "namespace": "metallb-system", "uid": "u", "resourceVersion": "1"}
    ours = {"labels": {"gitops-ipam.dev/managed-by": "gitops-ipam"}}
    managed = {"managedFields": [{"manager": "ECHO", "time": "ECHO"}]}
    item = {"metadata": {**pool, **ours, **managed}, "spec": {"addresses": ["ECHO"]}}
    state = {**item, "status": {"result": "Invalid", "errorSummary": "ECHO"}}
    refusal = status(422, "ECHO", "ECHO", causes=[{"field": "ECHO", "message": "ECHO"}])
    conflict = 'conflict with "ECHO" using v1: .spec.ECHO'
    cause = {"reason": "FieldManagerConflict", "message": conflict, "field": ".spec.ECHO"}
    attempts: list[tuple[str, Reply]] = [
        ("GET /version", Reply(body=body({"major": "1", "minor": "2", "gitVersion": "ECHO"}))),
        ("GET /api/v1/namespaces/kube-system", Reply(body=body({"metadata": {"uid": "ECHO"}}))),
        ("GET", Reply(403, body(refusal.body))),
        ("GET", Reply(500, body(refusal.body))),
        ("PATCH", Reply(422, body(refusal.body))),
        ("PATCH", Reply(409, body(status(409, conflict, causes=[cause]).body))),
        (
            "GET /apis/metallb.io/v1beta1/namespaces/metallb-system/ipadd",
            Reply(body=body(_of(item))),
        ),
        (
            "GET /apis/metallb.io/v1beta1/namespaces/metallb-system/conf",
            Reply(body=body(_of(state))),
        ),
    ]
    repeated: list[bool] = []
    for number, (match, reply) in enumerate(attempts):
        site.apis[FIRST].cluster.objects.clear()
        site.apis[FIRST].cluster.__post_init__()

        def lie(asked: Asked, match: str = match, reply: Reply = reply) -> Reply | None:
            return reply if f"{asked.method} {asked.path}".startswith(match) else None

        site.apis[FIRST].liar = lie
        applied = site.apply(BOTH, re_enrol=frozenset([FIRST]))
        output = shown(applied) + json.dumps(site.memory())
        for betrayed in _core(token):
            assert betrayed not in output, (number, match)
        repeated.append("***" in output)
    assert repeated.count(True) >= 5, repeated


def _of(item: object) -> dict[str, object]:
    return {"items": [item], "metadata": {"resourceVersion": "1"}}
