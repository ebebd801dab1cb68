"""Blocks of prefixes, allocated and pinned in one pool of each IP version."""

import random
import time

from benchmarks.measure import Run
from reconciler.addresses import IPRange
from reconciler.planning.blocks import FreeBlocks

OPERATIONS = 200_000
_FOUR, _SIX = 10 << 24, 0x20010DB8 << 96


def blocks() -> Run:
    """Half of the operations allocate a block, the others take a pinned one. Processor time."""
    chance, half = random.Random(6), OPERATIONS // 2
    sizes = [at % 7 for at in range(half)]
    lengths = [chance.choice((0, 32, 64, 72, 80)) for _ in range(half)]
    firsts = [_SIX + (chance.randrange(1 << 96 - it) << it) for it in lengths]
    pins = [(first, first + (1 << it) - 1) for first, it in zip(firsts, lengths, strict=True)]
    four = FreeBlocks([IPRange(4, _FOUR, _FOUR + (1 << 24) - 1)])
    six = FreeBlocks([IPRange(6, _SIX, _SIX + (1 << 96) - 1)])
    start = time.process_time()
    for size in sizes:
        four.allocate(size)
    for pin in pins:
        six.take(*pin)
    return Run(time.process_time() - start)
