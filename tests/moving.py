"""Trees with an Override that permits a move, planned and reconciled, for tests of moves."""

from collections.abc import Mapping

from msgspec.structs import replace

from reconciler.documents.findings import Location
from reconciler.model.settings import Override, OverrideKind, Overrides
from reconciler.planning.evaluate import Evaluation, evaluate
from tests.planning.outcome import Files
from tests.world import CLOCK, SMALL, carried, pool, provider, reconciled, tree_of

KEY = "butler/TenantCluster/team-a/one/loadbalancer"
OLD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
NEW = "allocations/NetworkPool/butler-system.far/team-a/one.loadbalancer.yaml"
LEAVING: Files = {
    **reconciled(SMALL),
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: far}]"),
}
"""The tenant's provider gives from another pool by now than its record is of."""


def letting(*claims: str) -> Overrides:
    """Return Overrides in the base that permit moves."""
    path = "overrides/2026-02-15-move.yaml"
    place = Location(path, 1, 1)
    return Overrides(
        tuple(Override(OverrideKind.MOVE, it, "why", 1 << 40, 0, path, place) for it in claims)
    )


def moving(
    files: Files, *claims: str, left: Mapping[str, str] | None = None, clock: int = CLOCK
) -> Evaluation:
    """Return the evaluation with permitted moves, and reports of clusters about old ranges."""
    tree = replace(tree_of(files, clock), overrides=letting(*claims), left=left or {})
    return evaluate(tree)


def moved(files: Files, *claims: str) -> dict[str, str | bytes]:
    return carried(files, moving(files, *claims))
