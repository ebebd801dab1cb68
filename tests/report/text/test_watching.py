"""What a daemon tells of single decisions and commits."""

from typing import Any

import pytest

from reconciler.report.text import watching
from reconciler.report.text.watching import commit_line, decisions_told
from tests.world import SMALL, evaluation_of


def test_a_commit_is_told_with_its_subject() -> None:
    line = commit_line("a" * 40, "b" * 40, "observe 2")
    assert line.shown == "git: committed bbbbbbbbbbbb on aaaaaaaaaaaa: observe 2\n"
    assert commit_line("a" * 40, "b" * 40, "").words == "committed bbbbbbbbbbbb on aaaaaaaaaaaa"


def test_one_address_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = dict.fromkeys(("reason", "message"))
    given |= {"action": "allocate", "claim": "team-a/one", "pool": "edge", "start": "10.40.0.8"}
    for end, shown in (("10.40.0.8", "10.40.0.8"), ("10.40.0.9", "10.40.0.8-10.40.0.9")):
        only = [{**given, "end": end}]
        monkeypatch.setattr(watching, "actions", lambda _evaluation, only=only: only)
        (told,) = decisions_told(evaluation_of(dict(SMALL)))
        assert told.words == f"{shown} of edge"


def test_a_record_that_ends_and_held_nothing_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: dict[str, Any] = dict.fromkeys(("start", "end", "pool", "reason", "message"))
    ended |= {"action": "expire", "claim": "capi/Cluster/team-a/kube1/ingress"}
    monkeypatch.setattr(watching, "actions", lambda _evaluation: [ended])
    (told,) = decisions_told(evaluation_of(dict(SMALL)))
    assert told.line.shown == "expire: capi/Cluster/team-a/kube1/ingress: (held nothing)\n"
