"""Pools of an import."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from reconciler.addresses import BITS, IPRange, IPSet, cidrs_of, format_cidr, format_short
from reconciler.documents.findings import Finding, Location, join_limited
from reconciler.families.importing import ImportedNetwork, ImportedRange
from reconciler.importing import sources
from reconciler.importing.sources import LOAD_BALANCER, ImportedSource, Window, by_address, conflict
from reconciler.loadbalancers.ranges import describe, written
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.pool import DEFAULT_SPACE, Pool
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.space import Lookup

MAX_WINDOWS, MAX_GAPS = 16, 1000
BOTH_RIGHT = "if both are right, import one of them with --address-space NAME (spec.addressSpace of its pool)"
_BOTH = f"correct the pool, or move the Service or node; {BOTH_RIGHT}"
_NONE = "move the Service, add its network with --pool NAME=CIDR (the address is then reserved), or import a table with a row for it"
_WIDEST = 24
"""The prefix length of networks for addresses without a described pool."""
_SITE = 16  # bits: one name is another network further away, such as a VLAN id of another site


class Home(NamedTuple):
    """A pool: an existing one, or one to write; `given` are the addresses that it gives out."""

    name: str
    space: str
    extent: IPSet
    place: Location
    given: IPSet = IPSet()

    def bears(self, name: str) -> bool:
        """Return whether a source names the pool so."""
        return self.name in (name, _distinct(name, self.space, self.extent.ranges[0]))


class Placed:
    """Pools to write, and ranges that do not overlap, each with its pool. `known` ones exist.

    If `is_exact`, pools without a described network are the addresses in use, and nothing around them.
    """

    def __init__(
        self,
        found: ImportedSource,
        pools: Mapping[Key, Pool],
        taken: Lookup["Taken"],
        *,
        is_exact: bool = False,
    ) -> None:
        self._is_exact = is_exact
        self.networks: list[ImportedNetwork] = []
        self.holdings: list[ImportedRange] = []
        self.known: list[ImportedRange] = []
        self.conflicts: list[Finding] = []
        self.notes: list[str] = []
        self._uses: dict[str, list[IPRange]] = {}
        self._homes = [
            Home(key.name, pool.space, pool.extent, pool.source, pool.usable)
            for key, pool in sorted(pools.items())
        ]
        self._taken = taken
        new = [item for item in found.holdings if self._is_new(item)]
        self._reserve_all(found)
        self._describe(found)
        self.uses = [f"{by}: {describe(IPSet.of(its))}" for by, its in self._uses.items()]
        self._make([item for item in new if self._needs_pool(item)], found)
        self.holdings.sort()

    def _is_new(self, item: ImportedRange) -> bool:
        """Return whether the repository does not assign the range, to this owner or another one."""
        met = near(self._taken, item)
        other = next((it for it in met if it.owner != item.owner), None)
        odd = next((it for it in met if item.is_typed and it.type != item.type), None)
        text = format_short(item.item)
        if other is not None:
            message = f"{text} has two holders: {item.title}, and {other.title}"
            self.conflicts.append(conflict(item.place, message, other.hint(item)))
        elif odd is not None:
            message = f"{text} of {item.title} is {item.type}, and {odd.type} by {odd.place}"
            hint = f"correct the source, or set spec.type of {odd.place} to {item.type}"
            self.conflicts.append(conflict(item.place, message, hint))
        elif met:
            self._note(item, f"{text} of {item.title} is already known")
            around = (it for it in self._homes if it.space == item.space)
            names = (it.name for it in around if it.extent.covers(item.item))
            self.known += [item._replace(pool=name) for name in names]
        return not met

    def _reserve_all(self, found: ImportedSource) -> None:
        inside: dict[Location, list[tuple[Location, str, IPSet, str]]] = {}
        for item in found.reserved:
            for home, what, given in self._reserve(item, found):
                inside.setdefault(home.place, []).append((item.place, what, given, home.name))
        for there, listed in inside.items():  # one patch for each pool
            every = IPSet.of(part for it in listed for part in it[2])
            blocks = [f"{{cidr: {block}}}" for part in every for block in cidrs_of(part)]
            if self._is_exact:
                blocks = [f"{{addresses: [{', '.join(written(every))}]}}"]
            message = (
                f"{join_limited([it[1] for it in listed])}, but in pool {listed[0][3]} of {there}"
            )
            hint = f"add to spec.reserved of the pool: {', '.join(blocks)}"
            self.conflicts.append(conflict(listed[0][0], message, hint))

    def _describe(self, found: ImportedSource) -> None:
        """Windows exclude all other addresses of their network, except the addresses of holdings."""
        firsts: dict[tuple[str, IPRange], ImportedNetwork] = {}
        for item in sorted(
            {*found.described}, key=lambda it: (it.space, *_outer(it.extent), it.place)
        ):
            if (first := firsts.setdefault((item.space, item.extent), item)) != item:
                there = sources.full_place(first.place)
                self._note(item, f"{format_cidr(item.extent)} is already described by {there}")
        ordered = [it for it in firsts.values() if _given(it, found)]
        for item, following in zip_longest(ordered, ordered[1:]):
            text = format_cidr(item.extent)
            if following and following.space == item.space and item.extent.covers(following.extent):
                self._note(item, f"{text} contains smaller networks, so it is not a pool")
            else:
                self._add(_with_users(item, found), _given(item, found), IPSet((item.extent,)))

    def _note(self, item: Window | ImportedNetwork | ImportedRange, text: str) -> None:
        self.notes.append(f"{sources.full_place(item.place)}: {text}")

    def _reserve(self, item: Window, found: ImportedSource) -> Iterator[tuple[Home, str, IPSet]]:
        """Note a range that something else uses; yield an existing pool that gives it out."""
        # Also known ones, so that a second import comes to the same.
        there, is_used = near(self._taken, item), item.use in (sources.SERVICE, sources.OUTSIDE)
        claims = (it.item for it in there if is_used and it.type != LOAD_BALANCER)
        if not (wanted := IPSet((item.item,)) - IPSet.of(claims)):
            return
        others = there if item.use == sources.ROUTE else ()
        owners: list[ImportedRange | Taken] = [*found.holdings, *others]
        used = IPSet.of(it.item for it in owners if it.space in ("", item.space))
        what = f"{describe(wanted)} is {item.use}"
        homes = [home for home in self._homes if home.space == item.space]
        for home in homes:
            if not (given := home.given & wanted - (IPSet() if is_used else used)):
                continue
            if other := next((it for it in there if given.overlapping(it.item)), None):
                message = f"{what}, but {format_short(other.item)} belongs to {other.title}"
                self.conflicts.append(conflict(item.place, message, other.hint(item)))
            else:
                yield home, what, given
            return
        networks = [IPSet((it.extent,)) for it in found.described if it.space == item.space]
        around = any(it.overlapping(item.item) for it in (*networks, *(it.extent for it in homes)))
        if is_used and (used & wanted or not (around or item.use == sources.OUTSIDE)):
            by, hint = ("a pool of another", _BOTH) if used & wanted else ("no pool of the", _NONE)
            self.conflicts.append(
                conflict(item.place, f"{what}, but {by} cluster contains it", hint)
            )
        else:
            end = "not allocated" if around else "in no pool (reserve if you add a pool)"
            head = f"{sources.full_place(item.place)}: {item.use}, and {end}"
            self._uses.setdefault(head, []).extend(wanted)

    def _add(self, network: ImportedNetwork, parts: IPSet, extent: IPSet) -> None:
        """Add a pool that gives out parts of its extent, unless a pool has it, or some of it."""
        first, name = extent.ranges[0], network.name
        text = (len(extent.ranges) == 1 and format_cidr(first)) or describe(extent)
        for home in (it for it in self._homes if it.space == network.space):
            there = f"pool {home.name} of {home.place}"
            if all(map(home.extent.covers, extent)):
                if home.extent != extent or not home.bears(name):
                    self._note(network, f"{text} is in {there}, so no pool is added")
                return
            if home.extent & extent:
                message = f"{text} ({name}) and {there} overlap"
                hint = "widen the existing pool, or omit one of the two"
                self.conflicts.append(conflict(network.place, message, hint))
                return
        if any(home.name == name for home in self._homes):
            name = _distinct(name, network.space, first)
            self._note(network, f"the name {network.name} is taken, so {text} becomes pool {name}")
        reserved = IPSet(windows := _limited(parts)) - parts
        made = network._replace(name=name, windows=windows, reserved=reserved.ranges)
        self.networks.append(made)
        self._homes.append(Home(name, network.space, extent, network.place))

    def _needs_pool(self, item: ImportedRange) -> bool:
        title = f"{item.title}: {format_short(item.item)}"
        named = [home for home in self._homes if item.pool and home.bears(item.pool)]
        around = [home for home in self._homes if home.space == item.space]
        fitting = [home for home in named or around if home.extent.covers(item.item)]
        fitting = [home for home in fitting if home.space == item.space] or fitting
        makes = item.pool or not self._homes or (self._is_exact and item.is_cluster)
        if not fitting and not named and makes:
            return True
        if len(fitting) == 1:
            self._put(fitting[0], item)
            return False
        if fitting:
            names = " and ".join(f"{home.name} of {home.place}" for home in fitting)
            message, hint = f"{title} is in several pools: {names}", "set the pool of the row"
        else:
            names = ", ".join(home.name for home in named or around) or "none"
            message = f"{title} is outside all pools"
            hint = f"widen a pool, or add one with --pool NAME=CIDR (checked: {names})"
            if item.space != DEFAULT_SPACE:
                message += f" of VRF {item.space}"
                hint = f"import its prefix with this VRF, or widen a pool (checked: {names})"
        self.conflicts.append(conflict(item.place, message, hint))
        return False

    def _put(self, home: Home, *items: ImportedRange) -> None:
        self.holdings += [it._replace(pool=home.name, space=home.space) for it in items]

    def _make(self, holdings: Iterable[ImportedRange], source: ImportedSource) -> None:
        groups: dict[tuple[str, str, object], list[ImportedRange]] = {}
        widest: dict[str, IPRange] = {}
        for item in sorted(
            holdings, key=lambda it: (it.space, bool(it.pool), *_outer(_around([it.item])), it.item)
        ):
            extent = _around([item.item])
            if (outer := widest.get(item.space)) is None or not outer.covers(extent):
                outer = widest[item.space] = extent
            site = item.item.first >> _SITE if item.pool else outer
            groups.setdefault((item.space, item.pool, site), []).append(item)
        for (space, named, _), items in groups.items():
            parts = IPSet.of(item.item for item in items)
            around = _around(parts.ranges)
            whole = parts if self._is_exact else IPSet((around,))
            first, has_length = whole.ranges[0], not self._is_exact
            name = named or _distinct("net", space, first, has_length=has_length)
            if not self._is_exact and len(parts.ranges) > MAX_GAPS:
                parts = IPSet(_limited(parts))
            made = ImportedNetwork(name, around, items[0].place, space, is_found=True)
            self._add(_with_users(made, source), parts, whole)
            there = (it for it in self._homes if it.space == space)
            home = next((it for it in there if all(map(it.extent.covers, whole))), None)
            if home is not None:  # otherwise, the conflict was reported
                self._put(home, *items)


def _distinct(name: str, space: str, extent: IPRange, *, has_length: bool = True) -> str:
    word = name if space == DEFAULT_SPACE else f"{space}-{name}"
    return by_address(word, extent, extent.prefix() if has_length else None)


def _inside(net: ImportedNetwork, parts: Iterable[Window | ImportedRange]) -> Iterator[IPRange]:
    for it in parts:
        if it.space == net.space and (item := net.extent.shared(it.item)) is not None:
            yield item


def _given(item: ImportedNetwork, found: ImportedSource) -> IPSet:
    """Return the addresses of a network that its pool gives out, or gave out."""
    extent = item.extent
    hosts = extent._replace(first=extent.first + 1, last=extent.last - 1)
    inner = hosts if extent.size > 2 else extent
    limits = IPSet.of(tuple(_inside(item, found.windows)) or (inner,))
    limits -= IPSet.of(_inside(item, found.reserved))
    return limits | IPSet.of(_inside(item, found.holdings))


def _with_users(network: ImportedNetwork, source: ImportedSource) -> ImportedNetwork:
    """Return a network with the users in clusters of ranges that overlap it."""
    found: dict[str, list[IPRange]] = {}
    for item, place, space, _ in source.reserved:
        is_near = space == network.space and item.overlaps(network.extent)
        if is_near and place.path.startswith("cluster "):
            found.setdefault(place.path, []).append(item)
    return network._replace(users=tuple((by, IPSet.of(its)) for by, its in found.items()))


def _outer(extent: IPRange) -> tuple[int, int]:
    return extent.first, -extent.last


def _around(ranges: Sequence[IPRange]) -> IPRange:
    version = ranges[0].version
    first, last = min(it.first for it in ranges), max(it.last for it in ranges)
    bits = max(BITS[version] - _WIDEST if version == 4 else 64, (first ^ last).bit_length())
    start = first >> bits << bits
    return IPRange(version, start, start + (1 << bits) - 1)


def _limited(found: IPSet) -> tuple[IPRange, ...]:
    ranges = found.ranges
    return ranges if len(ranges) <= MAX_WINDOWS else (ranges[0]._replace(last=ranges[-1].last),)


class Taken(NamedTuple):
    """Addresses that the repository assigns to an owner."""

    item: IPRange
    space: str
    owner: tuple[str, str]
    type: str
    place: Location
    is_released: bool = False

    def hint(self, item: Window | ImportedRange) -> str:
        """Return how to resolve a conflict; no hint leads to the release of an address in use."""
        if self.is_released:
            return "restore the request, if the address is in use: git revert the commit that removed it"
        name, is_lb = self.owner[1], self.type == LOAD_BALANCER
        hint = f"find the user of the address, then correct the source or {self.place}; do not delete a request"
        if isinstance(item, Window):
            return hint
        if item.is_cluster:
            return f"{hint}; {BOTH_RIGHT}"
        is_placeholder = name == by_address("ip", self.item) and (
            is_lb or self.type == sources.NODES
        )
        if is_placeholder and item.item.covers(self.item):
            owner = f"name {item.name}, namespace {item.namespace}"
            return (
                f"set spec.tenantClusterRef of {self.place} to {owner}; do not delete the request"
            )
        own = f"set the column cluster of the row to {name} if that cluster uses it; otherwise "
        return f"{own if is_lb and not self.owner[0] else ''}{hint}"

    @property
    def title(self) -> str:
        """Return the owner and the place, for display."""
        return f"{'/'.join(filter(None, self.owner))} by {self.place}"


def taken_in(evaluation: Evaluation) -> Lookup[Taken]:
    """Return the assigned addresses: in records, and in pins without a record."""
    state = evaluation.state
    spaces: dict[Key | None, str] = {key: pool.space for key, pool in state.pools.items()}
    found: list[Taken] = []
    for it in state.records:
        if it.range is not None:
            place = state.claims[it.claim].source if it.claim in state.claims else Location(it.path)
            around, owner = spaces.get(it.pool, ""), it.owner.pair
            found.append(Taken(it.range, around, owner, it.type, place, it.is_released))
    recorded = {(it.space, it.item) for it in found}
    for claim in state.claims.values():
        around = spaces.get(next(iter(claim.candidates), None), "")
        if claim.pin is not None and (around, claim.pin) not in recorded:
            found.append(Taken(claim.pin, around, claim.owner.pair, claim.type, claim.source))
    return Lookup((it.item, it) for it in sorted(found))


def with_retries(found: Iterable[Finding], before: Evaluation) -> Iterator[Finding]:
    """Yield conflicts; hints about pins without records name the files that can be deleted."""
    state = before.state
    there: Mapping[Key, Pool | Claim] = {**state.pools, **state.claims}
    pinned = (it for it in state.claims.values() if it.pin is not None)
    old = {there[key].source.path for it in pinned for key in (it.key, *it.candidates)}
    needed = {key for it in state.records for key in (it.claim, it.pool)} & there.keys()
    files = sorted(old - {there[key].source.path for key in needed})
    hint = f"delete {join_limited(files)} and import again, if an earlier import wrote them; otherwise "
    for it in found:
        is_fixed = it.hint.startswith(("set the column cluster ", "add to spec.reserved "))
        is_old = not is_fixed and any(f" {path}:" in it.message for path in files)
        yield replace(it, hint=f"{hint}{it.hint}") if is_old else it


def near(taken: Lookup[Taken], item: Window | ImportedRange) -> list[Taken]:
    """Return the assigned addresses in a range."""
    return [it for _, it in taken.overlapping(item.item) if it.space in ("", item.space)]
