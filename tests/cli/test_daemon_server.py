"""A daemon's registry, observer and health, put together."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from reconciler.cli.daemon import answer_of, begin_metering
from reconciler.daemon.http import Certificate
from reconciler.daemon.metrics import HealthAnswer
from reconciler.daemon.observer import Readiness
from reconciler.daemon.prometheus import Registry
from tests.kube.certificates import make


def shown(registry: Registry) -> dict[str, float]:
    text = registry.text().decode()
    found = text_string_to_metric_families(text)
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


def test_what_is_in_the_way_is_told_by_what_it_is_about() -> None:
    readiness = Readiness(reasons={"push": "declined", "git": "gone"})
    assert answer_of(readiness) == HealthAnswer(False, ("git: gone", "push: declined"))


def test_who_stands_by_is_ready_and_says_so() -> None:
    assert answer_of(Readiness(is_leading=False)) == HealthAnswer(
        True, ("standing by: another one leads",)
    )
    assert answer_of(Readiness()) == HealthAnswer(True, ())


def test_who_does_not_know_who_leads_does_not_say_that_another_one_does() -> None:
    lost = Readiness(is_leading=False, reasons={"management": "credentials are refused"})
    assert answer_of(lost) == HealthAnswer(False, ("management: credentials are refused",))
