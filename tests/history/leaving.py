"""What tests of free runs share: a pool in which some asked for addresses, and some left again."""

from collections.abc import Iterable, Sequence

from tests.world import pool, provider, reconciled, request


def left(cidr: str, sizes: Sequence[int], going: Iterable[int]) -> dict[str, str | bytes]:
    """Files after all have their ranges, and before those who go are released.

    Args:
        cidr: The network of the pool.
        sizes: How many addresses each one asks for, in turn.
        going: Which of them go.
    """
    world: dict[str, str | bytes] = {
        "pools/edge.yaml": pool(cidr=cidr),
        "providers/d.yaml": provider(),
    }
    for number, each in enumerate(sizes):
        world[f"tenants/{number}.yaml"] = request(f"t{number}", count=each)
    files = reconciled(world)
    for number in going:
        files.pop(f"tenants/{number}.yaml", None)
    return files
