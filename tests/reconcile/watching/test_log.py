"""Log lines of rounds appear once, as text, and with fields in JSON."""

import logging
from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.daemon.log import RoundLog
from reconciler.daemon.observer import RoundDone
from reconciler.model.applied import Applied, ClusterState, ObjectOutcome, ObjectResult
from tests.reconcile.watching.turns import done
from tests.world import SMALL, pool, reconciled, tenant

GIVEN = reconciled(dict(SMALL))
HUB = Applied("management", ClusterState.APPLIED, uid="hub")
ONE = Applied("team-a/one", ClusterState.APPLIED, uid="one")
POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"
BROKEN = replace(ONE, outcomes=[ObjectOutcome(POOL, ObjectResult.FAILED, error="no kind\x1b[2J")])
AWAY = Applied(
    "team-a/one", ClusterState.UNREACHABLE, error="no way to it", hint="see its kubeconfig"
)
WRONG = {**GIVEN, "tenants/two.yaml": tenant("two").replace("name: two", "name: [two]")}


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "reconciler")
    return caplog


def of(*applied: Applied, files: Any = None) -> RoundDone:
    return done(dict(GIVEN if files is None else files), *applied, committed=False)


def partly(found: RoundDone, *names: str) -> RoundDone:
    return replace(found, clusters=frozenset(names))


def shown(log: RoundLog, found: RoundDone) -> list[str]:
    return [line.shown.rstrip("\n") for line in log.write(found)]


def test_a_file_that_is_wrong_is_told_once_with_its_place_and_how_to_mend_it(
    lines: pytest.LogCaptureFixture,
) -> None:
    log = RoundLog()
    (line,) = shown(log, partly(of(files=WRONG)))
    assert line.startswith("tenants/two.yaml:")
    assert ": error " in line
    assert "; hint: " in line
    (record,) = lines.records
    assert (record.levelname, record.getMessage()) == ("WARNING", line)
    assert record.__dict__["file"] == "tenants/two.yaml"
    assert record.__dict__["code"] in line
    assert shown(log, partly(of(files=WRONG))) == []
    other = {**WRONG, "tenants/three.yaml": tenant("three").replace("name: three", "name: [3]")}
    (line,) = shown(log, partly(of(files=other)))
    assert line.startswith("tenants/three.yaml:")


def test_what_fails_in_a_cluster_is_a_warning_once_and_when_it_is_another_and_its_end_is_told(
    lines: pytest.LogCaptureFixture,
) -> None:
    log = RoundLog()
    broken = f"team-a/one: failed {POOL}: no kind\\u001b[2J"
    assert shown(log, of(HUB, BROKEN)) == [broken]
    assert shown(log, partly(of(BROKEN), "team-a/one")) == []
    away = "team-a/one: unreachable: no way to it; see its kubeconfig"
    assert shown(log, partly(of(AWAY), "team-a/one")) == [away]
    left_out = replace(of(HUB), held=frozenset({"team-a/one"}))
    assert shown(log, left_out) == []
    assert shown(log, partly(of(ONE), "team-a/one")) == ["team-a/one: recovered"]
    assert shown(log, of(HUB, ONE)) == []
    told = [(it.levelname, it.__dict__["cluster"]) for it in lines.records]
    assert told == [("WARNING", ONE.cluster), ("WARNING", ONE.cluster), ("INFO", ONE.cluster)]


CLAIM = "butler/TenantCluster/team-a/one/loadbalancer"
TINY = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}
FOUR = reconciled({**SMALL, **{f"tenants/{name}.yaml": tenant(name) for name in "abc"}})
WITHOUT = {path: text for path, text in FOUR.items() if path != "tenants/one.yaml"}


def describe(lines: pytest.LogCaptureFixture) -> list[tuple[Any, ...]]:
    """Return level, claim, and first word of the lines since the last call."""
    found = [
        (it.levelname, it.__dict__["claim"], it.getMessage().partition(":")[0])
        for it in lines.records
        if "claim" in it.__dict__
    ]
    lines.clear()
    return found


def test_what_a_commit_gave_and_took_is_told_by_claim(lines: pytest.LogCaptureFixture) -> None:
    log = RoundLog()
    log.write(done(dict(SMALL)))
    assert lines.messages == [
        "committed bbbbbbbbbbbb on aaaaaaaaaaaa: allocate 1",
        "allocate: 10.40.0.0-10.40.0.7 of butler/NetworkPool/butler-system/edge",
    ]
    assert describe(lines) == [("INFO", CLAIM, "allocate")]
    log.write(done(WITHOUT))
    assert describe(lines) == [("INFO", CLAIM, "release")]
    log.write(done(GIVEN))
    assert describe(lines) == []  # kept ranges are not logged


def test_a_refusal_is_told_once_and_again_when_it_is_another_or_comes_back(
    lines: pytest.LogCaptureFixture,
) -> None:
    log, refused = RoundLog(), [("WARNING", CLAIM, "refuse")]
    log.write(done(dict(TINY), committed=False))
    assert "needs 8" in lines.messages[0]
    assert describe(lines) == refused
    log.write(done(dict(TINY), committed=False))
    assert describe(lines) == []
    log.write(done(GIVEN, committed=False))
    log.write(done(dict(TINY), committed=False))
    assert describe(lines) == refused
    log.write(done({**TINY, "tenants/one.yaml": tenant("two")}, committed=False))
    assert describe(lines) == [("WARNING", CLAIM.replace("one", "two"), "refuse")]
