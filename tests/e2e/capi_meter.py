"""The twelve Cluster API metrics, as scrapes of a running daemon show them, stage by stage."""

from dataclasses import dataclass, field

import urllib3

from tests.envtest.processes import until
from tests.meters import series

CLASS, LONELY = "my-cluster-class", "class-without-pools"
POOL = {"pool_name": "control-plane-vip-pool"}
OF_CLASS = {"role": "control-plane", "cluster_class": CLASS}
CLAIMS = {"role": "control-plane", "namespace": "default"}
REFUSED = {**OF_CLASS, "cluster_class": LONELY, "reason": "claim_creation_failed"}
PREFIX = "capi_vip_allocator_"

# With nothing there; with pools and a class; with two Clusters that they serve and one that no
# pool does; with one of the two deleted, whose addresses rest.
FIGURES: dict[str, tuple[dict[str, str], tuple[float | None, ...]]] = {
    "allocations_total": (OF_CLASS, (None, None, 2, 2)),
    "allocation_errors_total": (REFUSED, (None, None, 1, 1)),
    "allocation_duration_seconds_count": (OF_CLASS, (None, None, 2, 2)),
    "pools_available": (OF_CLASS, (None, 1, 1, 1)),
    "pool_addresses_total": (POOL, (None, 11, 11, 11)),
    "pool_addresses_free": (POOL, (None, 11, 9, 9)),
    "pool_addresses_used": (POOL, (None, 0, 2, 2)),
    "claims_total": (CLAIMS, (None, None, 3, 2)),
    "claims_ready": (CLAIMS, (None, None, 2, 1)),
    "claims_pending": (CLAIMS, (None, None, 1, 1)),
}
# One more with each round: how many there are depends on how events come together.
ROUNDS: dict[str, tuple[dict[str, str], ...]] = {
    "reconcile_total": (
        {"cluster_class": CLASS, "result": "success"},
        {"cluster_class": LONELY, "result": "error"},
    ),
    "reconcile_duration_seconds_count": ({"cluster_class": CLASS}, {"cluster_class": LONELY}),
}


NAMES = frozenset(PREFIX + name.removesuffix("_count") for name in (*FIGURES, *ROUNDS))


@dataclass
class Meter:
    """A scraper of a daemon that serves on a port of this machine."""

    port: int
    rounds: dict[str, float] = field(default_factory=dict)

    def shows(self, stage: int) -> None:
        """Wait until the daemon shows what it must at a stage."""
        wanted = {name: figures[stage] for name, (_, figures) in FIGURES.items()}
        try:
            until(lambda: self._figures() == wanted, "the figures of the stage are shown")
        except AssertionError:
            assert self._figures() == wanted, stage
        before, self.rounds = self.rounds, self._rounds()
        moved = {name: count > before.get(name, 0) for name, count in self.rounds.items()}
        assert moved == dict.fromkeys(moved, stage > 1), (stage, before, self.rounds)

    def _scraped(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
        answer = urllib3.request("GET", f"http://127.0.0.1:{self.port}/metrics")
        assert answer.status == 200
        return series(answer.data.decode())

    def _figures(self) -> dict[str, float | None]:
        found = self._scraped()
        return {
            name: found.get((PREFIX + name, tuple(sorted(labels.items()))))
            for name, (labels, _) in FIGURES.items()
        }

    def _rounds(self) -> dict[str, float]:
        found = self._scraped()
        return {
            f"{name} {labels}": found.get((PREFIX + name, tuple(sorted(labels.items()))), 0.0)
            for name, every in ROUNDS.items()
            for labels in every
        }
