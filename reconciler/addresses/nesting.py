"""Which of many blocks overlap: one sweep, however many lie in each other."""

from collections.abc import Sequence

from reconciler.addresses.iprange import IPRange


def first_overlapping(blocks: Sequence[IPRange]) -> list[int]:
    """The lowest position of a block that shares an address with each; its own where none does.

    Args:
        blocks: CIDR blocks: of two that share an address one lies within the other.
    """
    order = sorted(
        range(len(blocks)), key=lambda at: (blocks[at].version, blocks[at].first, -blocks[at].last)
    )
    around: list[int | None] = [None] * len(blocks)
    opened: list[int] = []
    for at in order:
        while opened and not blocks[opened[-1]].covers(blocks[at]):
            opened.pop()
        around[at] = opened[-1] if opened else None
        opened.append(at)
    above, below = list(range(len(blocks))), list(range(len(blocks)))
    for at in order:  # what is around comes before what is inside
        if (outer := around[at]) is not None:
            above[at] = min(at, above[outer])
    for at in reversed(order):
        if (outer := around[at]) is not None:
            below[outer] = min(below[outer], below[at])
    return [min(pair) for pair in zip(above, below, strict=True)]
