"""A pool with allocated and released ranges, for tests of free ranges."""

from collections.abc import Iterable, Sequence

from tests.world import pool, provider, reconciled, request


def left(
    cidr: str, sizes: Sequence[int], going: Iterable[int], reserved: str = "[]"
) -> dict[str, str | bytes]:
    """Requests of some sizes are reconciled, and then some of their documents go."""
    world: dict[str, str | bytes] = {"pools/edge.yaml": pool(cidr=cidr, reserved=reserved), "providers/d.yaml": provider()}  # fmt: skip
    for number, each in enumerate(sizes):
        world[f"tenants/{number}.yaml"] = request(f"t{number}", count=each)
    files = reconciled(world)
    for number in going:
        files.pop(f"tenants/{number}.yaml", None)
    return files
