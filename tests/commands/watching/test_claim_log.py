"""What is logged of single claims: who got, who gave back, who is refused; each line names its claim."""

import logging
from typing import Any

import pytest

from reconciler.commands.watching.round_log import RoundLog
from tests.commands.watching.turns import done, failed
from tests.world import SMALL, pool, reconciled, tenant

ONE = "butler/TenantCluster/team-a/one/loadbalancer"
TINY = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}
GIVEN = reconciled(dict(SMALL))
FOUR = reconciled({**SMALL, **{f"tenants/{name}.yaml": tenant(name) for name in "abc"}})
WITHOUT = {path: text for path, text in FOUR.items() if path != "tenants/one.yaml"}
Line = tuple[Any, ...]


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "reconciler")
    return caplog


def _first(record: logging.LogRecord) -> str:
    return record.getMessage().partition(":")[0]


def told(lines: pytest.LogCaptureFixture) -> list[Line]:
    """Level, round, claim and the first word of all lines so far, which are forgotten."""
    found = [
        (it.levelname, *(it.__dict__[name] for name in ("round", "claim")), _first(it))
        for it in lines.records
        if "claim" in it.__dict__
    ]
    lines.clear()
    return found


def test_what_a_commit_gave_and_took_is_told_by_claim(lines: pytest.LogCaptureFixture) -> None:
    log = RoundLog()
    log.tell(done(dict(SMALL)))
    assert lines.messages == [
        "committed bbbbbbbbbbbb on aaaaaaaaaaaa: allocate 1",
        "allocate: 10.40.0.0-10.40.0.7 of butler/NetworkPool/butler-system/edge",
    ]
    assert told(lines) == [("INFO", 1, ONE, "allocate")]
    log.tell(done(WITHOUT))
    assert told(lines) == [("INFO", 1, ONE, "release")]
    log.tell(done(GIVEN))
    assert told(lines) == []  # what is kept is no news


def test_what_no_commit_did_is_not_told(lines: pytest.LogCaptureFixture) -> None:
    log = RoundLog()
    log.tell(done(dict(SMALL), committed=False))
    log.tell(failed())
    assert told(lines) == []


def test_a_refusal_is_told_once_and_again_when_it_is_another_or_comes_back(
    lines: pytest.LogCaptureFixture,
) -> None:
    log, refused = RoundLog(), [("WARNING", 1, ONE, "refuse")]
    log.tell(done(dict(TINY), committed=False))
    assert "needs 8" in lines.messages[0]
    assert told(lines) == refused
    log.tell(done(dict(TINY), committed=False))
    assert told(lines) == []
    log.tell(done(GIVEN, committed=False))
    log.tell(done(dict(TINY), committed=False))
    assert told(lines) == refused
    log.tell(done({**TINY, "tenants/one.yaml": tenant("two")}, committed=False))
    assert told(lines) == [("WARNING", 1, ONE.replace("one", "two"), "refuse")]
