"""Which clusters a shard works on: by a hash of the name, equal on all machines."""

from hashlib import sha256


def is_in_shard(cluster: str, shard: tuple[int, int]) -> bool:
    """A cluster belongs to one of `n` shards, whatever other clusters there are.

    Args:
        cluster: Its name.
        shard: Index from 0, and how many there are.
    """
    index, count = shard
    return int.from_bytes(sha256(cluster.encode()).digest()[:8], "big") % count == index
