"""A daemon's registry, observer and health, put together."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from reconciler.cli.daemon import begin_metering
from reconciler.daemon.http import Certificate
from reconciler.daemon.metrics import Registry
from reconciler.daemon.observer import HealthAnswer, HealthState
from reconciler.model.errors import PushRefusedError
from tests.kube.certificates import make


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
