"""The parts by themselves: YAML, schemas, emission, the allocator."""

from collections.abc import Callable, Iterable
from itertools import count

import netaddr
import yaml
from jsonschema import Draft202012Validator

from benchmarks.corpus import files
from benchmarks.measure import Row, by_turns
from reconciler.documents import yaml as strict
from reconciler.documents.validators import acceptor, schema
from reconciler.documents.yaml import dump
from reconciler.model.pool import Placement
from reconciler.planning.space import FreeRuns
from reconciler.records.emit import record_text
from reconciler.records.parse import parse_record

_SAMPLE = 1_000
_OPERATIONS = 20_000


def yaml_rows() -> list[Row]:
    """Reading and writing records and tenants."""
    tree = dict(files(_SAMPLE))
    records = [(path, data) for path, data in tree.items() if path.startswith("allocations/")]
    texts = [data for _, data in records]
    bodies = [strict.read(data).documents[0].value for data in texts]
    found = [parse_record("allocations", path, data).allocation for path, data in records]
    allocations = [item for item in found if item is not None]
    ours, theirs, recalled, dumped, theirs_dumped, written = by_turns(
        lambda: [strict.read(data) for data in texts],
        lambda: [yaml.load(data, Loader=yaml.CSafeLoader) for data in texts],
        lambda: [parse_record("allocations", path, data) for path, data in records],
        lambda: [dump(body) for body in bodies],
        lambda: [yaml.dump(body, Dumper=yaml.CSafeDumper) for body in bodies],
        lambda: [record_text(item) for item in allocations],
    )
    size = f"{len(texts)} records"
    return [
        _compared("strict parse", size, ours, "CSafeLoader", theirs, 2),
        _compared("recall of canonical records", size, recalled, "CSafeLoader", theirs, None),
        _compared("emit, any document", size, dumped, "CSafeDumper", theirs_dumped, None),
        _compared("emit, records", size, written, "CSafeDumper", theirs_dumped, 6),
    ]


def schema_rows() -> list[Row]:
    """Accepting tenants."""
    tree = dict(files(_SAMPLE))
    texts = [data for path, data in tree.items() if path.startswith("tenants/")]
    bodies = [strict.read(data).documents[0].value for data in texts]
    name = "butler/TenantCluster.json"
    accept = acceptor(name)
    validator = Draft202012Validator(schema(name))
    ours, theirs = by_turns(
        lambda: [accept(body) for body in bodies],
        lambda: [list(validator.iter_errors(body)) for body in bodies],
    )
    return [_compared("accept", f"{len(bodies)} tenants", ours, "jsonschema", theirs, 10)]


def allocator_rows() -> list[Row]:
    """Best fit while the pool is churned at half to nearly full, in pools of any size."""
    rows = []
    for name, bits in (("/23", 9), ("/16", 16), ("/8", 24), ("IPv6 /64", 64)):
        size = 1 << bits
        ours, bitmap, theirs = (
            _per_second(work, size) for work in (_our_churn, _bitmap_churn, _netaddr_churn)
        )
        least = 200_000
        best, other = ("bitmap", bitmap) if bits <= 16 else ("netaddr IPSet", theirs)
        rows.append(
            Row(
                name=f"allocator {name}",
                size=f"{ours:,.0f} ops/s",
                seconds=1 / ours,
                baseline=f"{best} at {other:,.0f} ops/s",
                ratio=ours / other,
                target=f">= {least:,} ops/s",
                met=ours >= least,
            )
        )
    return rows


def _compared(
    name: str, size: str, ours: float, baseline: str, theirs: float, least: float | None
) -> Row:
    ratio = theirs / ours
    target = "" if least is None else f">= {least} times"
    return Row(name, size, ours, baseline, ratio, target, None if least is None else ratio >= least)


def _per_second(work: Callable[[int], int], size: int) -> float:
    done = 0

    def run() -> None:
        nonlocal done
        done = work(size)

    (seconds,) = by_turns(run, rounds=3)
    return done / seconds


def _sizes() -> Iterable[int]:
    """Sizes from 1 to 16, the same at every run: a linear congruential generator (Knuth)."""
    state = 1
    for _ in count():
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        yield (state >> 33) % 16 + 1


def _our_churn(size: int) -> int:
    free = FreeRuns([(0, size - 1)], Placement.BEST_FIT)
    held: list[tuple[int, int]] = []
    for number, wanted in zip(range(_OPERATIONS), _sizes(), strict=False):
        first = free.allocate(wanted)
        if first is not None:
            held.append((first, first + wanted - 1))
        if first is None or number % 3 == 0:
            at = number * 7919 % len(held)
            held[at], held[-1] = held[-1], held[at]
            free.give(*held.pop())
    return _OPERATIONS + _OPERATIONS // 3


def _bitmap_churn(size: int) -> int:
    """The same on one big integer, a bit an address; only where it fits."""
    if size > 1 << 16:
        return 1
    operations = _OPERATIONS // 40
    taken, held = 0, []
    for number, wanted in zip(range(operations), _sizes(), strict=False):
        first = _first_fit(taken, wanted, size)
        if first is not None:
            taken |= ((1 << wanted) - 1) << first
            held.append((first, wanted))
        if first is None or number % 3 == 0:
            start, length = held.pop(number * 7919 % len(held))
            taken &= ~(((1 << length) - 1) << start)
    return operations + operations // 3


def _first_fit(taken: int, wanted: int, size: int) -> int | None:
    """First fit by shifting: kinder to the bitmap than best fit, which must look at every run."""
    free = ~taken & ((1 << size) - 1)
    for shift in range(1, wanted):
        free &= free >> 1
        if not free:
            return None
        del shift
    return (free & -free).bit_length() - 1 if free else None


def _netaddr_churn(size: int) -> int:
    operations = _OPERATIONS // 100
    base = 0 if size <= 1 << 32 else 1 << 120
    version = 4 if size <= 1 << 32 else 6
    whole = netaddr.IPRange(
        netaddr.IPAddress(base, version), netaddr.IPAddress(base + size - 1, version)
    )
    free, held = netaddr.IPSet(whole), []
    for number, wanted in zip(range(operations), _sizes(), strict=False):
        run = next((item for item in free.iter_ipranges() if item.size >= wanted), None)
        if run is not None:
            first = netaddr.IPAddress(run.first, version)
            part = netaddr.IPRange(first, netaddr.IPAddress(run.first + wanted - 1, version))
            free -= netaddr.IPSet(part)
            held.append(part)
        if run is None or number % 3 == 0:
            free |= netaddr.IPSet(held.pop(number * 7919 % len(held)))
    return operations + operations // 3
