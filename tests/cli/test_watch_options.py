"""`reconcile --watch`: its options, its log, and how it ends."""

import json
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from reconciler.cli import daemon as cli_daemon
from reconciler.cli.daemon import begin_metering
from reconciler.daemon.http import Certificate
from reconciler.daemon.metrics import Registry
from reconciler.daemon.observer import HealthAnswer, HealthState
from reconciler.model.errors import PushRefusedError
from tests.cli.running import Capture
from tests.e2e.daemon import daemon
from tests.kube.certificates import make
from tests.world import SMALL, commit, git, repository, tenant, write


@pytest.fixture
def _quiet() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger("reconciler")
    before = (root.handlers[:], root.level, own.level)
    yield
    root.handlers[:], root.level, own.level = before


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_line_of_the_log_says_what_it_is_about_and_no_password(
    form: str, capsys: Capture
) -> None:
    cli_daemon.start_log(form)
    told = "no way to https://me:hidden@example.com\x1b[2J"
    extra = {"round": 7, "cluster": "a/web"}
    logging.getLogger("reconciler.x").warning("%s", told, extra=extra)
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "hidden" not in err
    assert "\x1b" not in err
    if form == "text":
        assert " WARNING round=7 cluster=a/web no way" in err
    else:
        line = json.loads(err)
        assert (line["level"], line["round"], line["cluster"]) == ("warning", 7, "a/web")


def test_a_branch_that_moves_is_answered_and_the_end_is_in_order(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    with daemon(folder, tmp_path / "cache", "--log-format", "json") as running:
        assert running.round()["plan"]["summary"]["allocate"] == 1
        write(folder, {"tenants/two.yaml": tenant("two")})
        commit(folder, "another")
        assert running.round()["plan"]["summary"]["allocate"] == 1
        assert running.end() == 0
        lines = list(map(json.loads, running.errors().splitlines()))
        assert lines[-1]["message"] == "ended"
        claim = "butler/TenantCluster/team-a/two/loadbalancer"
        given = next(it for it in lines if it.get("claim") == claim)
        published = [it for it in lines if it["message"].startswith("published ")]
        assert [it["round"] for it in (*published, given)] == [1, 2, 2]


def test_a_branch_that_is_protected_is_told_and_tried_again_until_it_is_not(tmp_path: Path) -> None:
    made = repository(tmp_path / "made", SMALL)
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(made), str(remote)], check=True)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho protected; exit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    words = ("--remote", f"file://{remote}", "--interval", "1s")
    with daemon(tmp_path, tmp_path / "cache", *words) as running:
        assert "--to-branch NAME" in running.says("the remote refuses the push")
        hook.unlink()
        found = running.round()
        assert found["commit"] == git(remote, "rev-parse", "main")
        assert running.end() == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_wrong_file_that_is_pushed_is_told_and_stdout_is_empty_beside_a_log_of_json(
    form: str, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    with daemon(folder, tmp_path / "cache", "-o", "text", "--log-format", form) as running:
        running.says("round ended: ok")
        wrong = tenant("two").replace("replicas: 1", "replicas: three")
        write(folder, {"tenants/two.yaml": wrong})
        commit(folder, "wrong")
        said = running.says("tenants/two.yaml:5:")
        assert running.end() == 0
        out = running.printed()
    if form == "json":
        line = json.loads(said)
        assert (line["level"], line["file"]) == ("warning", "tenants/two.yaml")
        assert out == ""
    else:
        assert " WARNING round=" in said
        assert ": allocate 1\nallocate: butler/TenantCluster/team-a/one/loadbalancer: 10." in out
        assert out.splitlines()[-1] in said


def shown(registry: Registry) -> dict[str, float]:
    found = text_string_to_metric_families(registry.text().decode())
    return {it.name: it.value for family in found for it in family.samples if not it.labels}


def test_readiness_and_the_certificate_are_asked_for_whenever_somebody_reads(
    tmp_path: Path,
) -> None:
    made = make(tmp_path, "one")
    health = [HealthAnswer()]
    certificate = Certificate(made.certificate, made.key)
    registry, _ = begin_metering(lambda: health[0], certificate)
    assert shown(registry)["gitops_ipam_ready"] == 1
    expires = shown(registry)["gitops_ipam_certificate_expiry_timestamp_seconds"]
    assert expires == certificate.expires()
    health[0] = HealthAnswer(is_well=False)
    assert shown(registry)["gitops_ipam_ready"] == 0


def test_each_obstacle_is_a_line_and_a_standby_is_ready() -> None:
    health = HealthState(lambda: 0.0, 600.0)
    health.git_fails(PushRefusedError("declined"))
    assert health.ready() == HealthAnswer(False, ("git: not read yet", "push: declined"))
    health = HealthState(lambda: 0.0, 600.0, leader=lambda: "other")
    assert health.ready() == HealthAnswer(True, ("standby: another replica is the leader",))
    health = HealthState(lambda: 0.0, 600.0, lambda: None, lambda: "credentials are refused")
    assert health.ready() == HealthAnswer(False, ("management: credentials are refused",))
