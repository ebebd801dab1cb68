"""Random states with 64 addresses: small, nearly full, and often invalid."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Claim, Owner, Phase, Quota
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, Plan, State
from reconciler.model.pool import Placement, Pool, Thresholds, Tier
from reconciler.records.changes import records_after
from reconciler.records.layout import path_of
from tests.world import CLOCK

FOLDER = "allocations"
RETENTION = 3_600
UNIVERSE = 64
BASE = {4: 10 << 24, 6: 0x2001_0DB8 << 96}
TENANTS = ("ant", "bee", "cat", "dog")
SPACES = ("default", "default", "default", "lab")
# One sorts before all other records, and one after them.
_STRAY = (f"{FOLDER}/A/{{}}.yaml", f"{FOLDER}/z/{{}}.yaml")
SLOTS = ("loadbalancer", "nodes", "nodes-1")


def claim_key(tenant: str, slot: str = "loadbalancer", namespace: str = "team-a") -> Key:
    return Key("butler", namespace, tenant, slot, "TenantCluster")


def pool_key(name: str) -> Key:
    return Key("butler", "butler-system", name, "", "NetworkPool")


def numbers(item: IPRange) -> set[tuple[int, int]]:
    """Return the addresses of a range as pairs of version and number."""
    return {(item.version, value) for value in range(item.first, item.last + 1)}


def numbers_of(items: Iterable[IPRange]) -> set[tuple[int, int]]:
    return {number for item in items for number in numbers(item)}


@cache
@st.composite
def ranges(
    draw: st.DrawFn, version: int = 4, longest: int = 16, universe: int = UNIVERSE
) -> IPRange:
    first = draw(st.integers(0, universe - 1))
    size = draw(st.integers(1, min(longest, universe - first)))
    return IPRange(version, BASE[version] + first, BASE[version] + first + size - 1)


@cache
@st.composite
def pools(draw: st.DrawFn, name: str, version: int | None = None) -> Pool:
    """Return a pool with windows, possibly adjacent, and reserved blocks in and outside them."""
    picked = version or draw(st.sampled_from((4, 4, 6)))
    borders = draw(_BORDERS)
    touching = draw(st.booleans())
    pairs = pairwise(borders) if touching else zip(borders[::2], borders[1::2], strict=False)
    base = BASE[picked]
    windows = tuple(IPRange(picked, base + low, base + high - 1) for low, high in pairs)
    blocks = IPSet.of(draw(st.lists(ranges(version=picked, longest=6), max_size=2)))
    inside = IPSet.of(windows)
    return Pool(
        key=pool_key(name),
        usable=inside - blocks,
        windows=windows,
        reserved=blocks & inside,
        placement=draw(st.sampled_from(Placement)),
        thresholds=Thresholds(),
        gate=Tier.EXHAUSTED,
        space=draw(st.sampled_from(SPACES)),
        extent=inside,
        source=Location(f"pools/{name}.yaml", 1, 1),
    )


@st.composite
def claims(
    draw: st.DrawFn, key: Key, known: Mapping[Key, Pool], quotas: Mapping[str, int]
) -> Claim:
    """Return a claim on some of the pools, with a size, or with a pin near one of them."""
    many = draw(st.sampled_from((*range(1, len(known) + 1), len(known), len(known), 0)))
    candidates = tuple(draw(st.permutations(list(known))))[:many]
    pin = None
    if candidates and draw(st.integers(0, 3)) == 0:
        version = known[candidates[0]].extent.ranges[0].version
        pin = draw(ranges(version=version, longest=8))
    size = pin.size if pin else draw(_SIZES)
    limit = quotas.get(key.name)
    group = ("butler", key.namespace, key.name)
    return Claim(
        key=key,
        candidates=candidates,
        wanted=tuple(item.name for item in candidates) or ("nowhere",),
        size=size,
        pin=pin,
        fixed=pin is not None or draw(st.integers(0, 3)) == 0,
        owner=Owner(key.namespace, key.name, key.namespace),
        type=key.slot.partition("-")[0],
        role="growth" if key.slot[-1].isdigit() else "initial",
        name=f"{key.namespace}-{key.name}-{key.slot}",
        namespace="butler-system",
        source=Location(f"tenants/{key.name}.yaml", 1, 1),
        quota=Quota(group, limit, Location("providers/default.yaml")) if limit else None,
    )


def record(
    key: Key, pool: Key, item: IPRange | None, phase: Phase = Phase.ALLOCATED, age: int = 0
) -> Allocation:
    """Return a record that entered its phase `age` seconds before the clock."""
    since = format_instant(CLOCK - age)
    return Allocation(
        claim=key,
        pool=pool,
        range=item,
        phase=phase,
        since=since,
        allocated_at=since if item else "",
        size=item.size if item else 3,
        pinned=False,
        type=key.slot.partition("-")[0],
        role="growth" if key.slot[-1].isdigit() else "initial",
        owner=Owner(key.namespace, key.name, key.namespace),
        name=f"{key.namespace}-{key.name}-{key.slot}",
        namespace="butler-system",
        reason="" if item else "pool-exhausted",
        message="" if item else "needs 3",
        path=path_of(FOLDER, pool if item else None, key),
    )


@st.composite
def records(draw: st.DrawFn, key: Key, known: Mapping[Key, Pool]) -> Allocation:
    pool = known[draw(st.sampled_from(sorted(known)))]
    phase = draw(st.sampled_from((Phase.ALLOCATED, Phase.ALLOCATED, Phase.RELEASED, Phase.FAILED)))
    age = draw(st.sampled_from((0, RETENTION - 1, RETENTION, 2 * RETENTION)))
    if phase is Phase.FAILED or not pool.usable:
        return record(key, pool.key, None, Phase.FAILED, age)
    if draw(st.integers(0, 7)) == 0:
        return record(
            key, pool.key, draw(ranges(version=pool.extent.ranges[0].version)), phase, age
        )
    run = draw(st.sampled_from(pool.usable.ranges))
    first = draw(st.integers(run.first, run.last))
    last = draw(st.integers(first, min(run.last, first + 12)))
    return record(key, pool.key, IPRange(run.version, first, last), phase, age)


def disjoint(found: Iterable[Allocation], known: Mapping[Key, Pool]) -> tuple[Allocation, ...]:
    """Return the records, by path, without those that overlap an earlier one."""
    taken: dict[str, set[tuple[int, int]]] = {}
    kept = []
    for item in found:
        mine = numbers(item.range) if item.range else set()
        held = taken.setdefault(known[item.pool].space, set())
        if not mine & held:
            held |= mine
            kept.append(item)
    return tuple(sorted(kept, key=lambda item: item.path))


@st.composite
def doubles(
    draw: st.DrawFn, found: list[Allocation], known: Mapping[Key, Pool]
) -> list[Allocation]:
    """Return more records of claims with a record, at paths that `ipam` does not use."""
    added = []
    for number, other in enumerate(
        draw(st.lists(st.sampled_from(found), max_size=2)) if found else ()
    ):
        item = draw(records(other.claim, known))
        added.append(replace(item, path=draw(st.sampled_from(_STRAY)).format(number)))
    return added


# Created once, because a new strategy costs more than a draw.
_KEYS = st.sampled_from([claim_key(tenant, slot) for tenant in TENANTS for slot in SLOTS])
_QUOTAS = st.dictionaries(st.sampled_from(TENANTS), st.integers(1, 24), max_size=2)
_ASKED = st.lists(_KEYS, min_size=1, max_size=10, unique=True)
_RECORDED = st.lists(_KEYS, max_size=6, unique=True)
_BLOCKED = st.lists(ranges(longest=4), max_size=1)
_BORDERS = st.lists(st.integers(0, UNIVERSE), min_size=2, max_size=6, unique=True).map(sorted)
_SIZES = st.one_of(st.integers(1, 5), st.integers(1, 20))


@st.composite
def states(
    draw: st.DrawFn, *, is_sound: bool = True, max_pools: int = 3, version: int | None = None
) -> State:
    """Return a state. A sound one has no overlapping and no unreadable records."""
    names = "pqr"[: draw(st.integers(1, max_pools))]
    known = {pool_key(name): draw(pools(name, version)) for name in names}
    quotas = draw(_QUOTAS)
    asked = draw(_ASKED)
    wanted = {key: draw(claims(key, known, quotas)) for key in sorted(asked)}
    recorded = draw(_RECORDED)
    found = [draw(records(key, known)) for key in recorded]
    if is_sound:
        found = list(disjoint(found, known))
    else:
        found += draw(doubles(found, known))
    blocked = draw(_BLOCKED)
    return State(
        pools=known,
        claims=wanted,
        records=tuple(sorted(found, key=lambda item: item.path)),
        clock=CLOCK,
        retention=RETENTION,
        blocked=tuple(Blocked(item, "by hand", Location("tenants/x.yaml")) for item in blocked),
    )


def committed(state: State, plan: Plan, later: int = 0) -> State:
    after = records_after(plan, state, FOLDER)
    return replace(state, records=after, clock=state.clock + later)
