"""NetworkPools, the ProviderConfigs that assign them to tenants, and suggested fixes."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from reconciler.addresses import (
    BITS,
    IPRange,
    IPSet,
    ends,
    first_overlapping,
    format_address,
    format_cidr,
    format_short,
)
from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, Location, error, has_error, warning
from reconciler.documents.yaml import Steps
from reconciler.families import fields
from reconciler.families.butler import kinds
from reconciler.families.interface import FamilyReading, Fix, Fixes
from reconciler.model.claim import Allocation, Claim, Quota
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

_CIDR = ("spec", "cidr")
_ALLOCATION = ("spec", "tenantAllocation")
_IPV6_HINT = "use AddressPool, ProxyIPPool, InClusterIPPool, or GlobalInClusterIPPool for IPv6; NetworkPool supports only IPv4"


class NetworkPool(Struct, frozen=True):
    """A parsed NetworkPool: the pool, and its default sizes."""

    pool: Pool
    nodes_per_tenant: int | None
    lb_pool_per_tenant: int | None


def read_pool(document: Document, settings: Settings) -> tuple[NetworkPool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error: it then gives out nothing."""
    found: list[Finding] = []
    spec = document.spec
    network = fields.read_cidr(document, _CIDR, spec["cidr"], found)
    if network is None:
        return None, found
    if network.version != 4:
        message = f"spec.cidr: {spec['cidr']} is IPv6"
        fields.refuse(found, document, _CIDR, "family-mismatch", message, _IPV6_HINT)
        return None, found
    if (refused := fields.refuse_network(document, _CIDR, network)) is not None:
        return None, [*found, refused]
    reserved = _reserved(document, network, found)
    windows = _windows(document, network, found)
    thresholds, gate = fields.read_thresholds(document, settings, found)
    space = fields.read_space(document, settings, found)
    for index, block in reserved:
        _judge_borders(document, index, block, windows, found)
    blocks = IPSet.of(block for _, block in reserved)
    usable = IPSet.of(windows) - blocks
    if has_error(found):
        return None, found
    if not usable:
        message = "the pool has no allocatable address, because everything is reserved"
        hint = "remove a reserved block, or widen the ranges"
        found.append(warning("pool-empty", document.at("spec", "reserved"), message, hint))
    defaults = (spec.get("tenantAllocation") or {}).get("defaults") or {}
    pool = Pool(
        key=kinds.pool_key(document.namespace, document.name),
        usable=usable,
        windows=tuple(windows),
        reserved=blocks,
        placement=Placement.BEST_FIT,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=IPSet((network,)),
        source=document.at(*_CIDR),
        kept=tuple((block, spec["reserved"][at].get("description", "")) for at, block in reserved),
    )
    return NetworkPool(pool, defaults.get("nodesPerTenant"), defaults.get("lbPoolPerTenant")), found


def _reserved(
    document: Document, network: IPRange, found: list[Finding]
) -> list[tuple[int, IPRange]]:
    blocks: list[tuple[int, IPRange]] = []
    for index, entry in enumerate(document.spec.get("reserved") or ()):
        steps = ("spec", "reserved", index, "cidr")
        block = fields.read_cidr(document, steps, entry["cidr"], found)
        if block is None:
            continue
        if network.covers(block):
            blocks.append((index, block))
            continue
        title = f"spec.reserved[{index}].cidr: {entry['cidr']}"
        message = f"{title} is not within {format_cidr(network)}"
        hint = "reserve a block inside spec.cidr, or widen spec.cidr"
        fields.refuse(found, document, steps, "reserved-outside-pool", message, hint)
    firsts = first_overlapping([block for _, block in blocks])
    for (index, block), first in zip(blocks, firsts, strict=True):
        other = blocks[first][0]
        if other != index:
            title = f"spec.reserved[{index}].cidr: {format_cidr(block)}"
            message = f"{title} overlaps spec.reserved[{other}]"
            hint = "remove one of the two, or merge them into one block"
            place = document.at("spec", "reserved", index, "cidr")
            found.append(warning("reserved-overlap", place, message, hint))
    return blocks


def _windows(document: Document, network: IPRange, found: list[Finding]) -> list[IPRange]:
    allocation = document.spec.get("tenantAllocation") or {}
    halves = [field for field in ("start", "end") if field in allocation]
    ranges = allocation.get("ranges")
    message = hint = ""
    if ranges and halves:
        message, hint = f"{' and '.join(halves)} ignored, because ranges are set", "remove them"
    elif len(halves) == 1:
        message = f"{halves[0]} is set without its other end, so the whole CIDR is allocatable"
        hint = "set both start and end"
    if message:
        place = document.at(*_ALLOCATION, halves[0], key=True)
        found.append(warning("range-ignored", place, message, hint))
    if not ranges and len(halves) < 2:
        return [network]
    windows: list[IPRange] = []
    places = [(*_ALLOCATION, "ranges", index) for index in range(len(ranges or ()))]
    for index, steps in enumerate(places or [_ALLOCATION]):
        window = fields.read_range(document, steps, ("start", "end"), found)
        at = steps if ranges else (*steps, "start")
        if window is None or _is_outside(document, at, window, network, found):
            continue
        if windows and window.first <= windows[-1].last:
            message = f"ranges[{index}].start must be after the end of the previous range, {format_short(IPRange(4, windows[-1].last, windows[-1].last))}"
            hint = "sort the ranges by start, and remove overlaps"
            fields.refuse(found, document, (*steps, "start"), "ranges-unsorted", message, hint)
            continue
        windows.append(window)
    return windows


def _is_outside(
    document: Document, steps: Steps, window: IPRange, network: IPRange, found: list[Finding]
) -> bool:
    if network.covers(window):
        return False
    message = f"{format_short(window)} is outside spec.cidr {format_cidr(network)}"
    hint = "shrink the range, or widen spec.cidr"
    fields.refuse(found, document, steps, "range-outside-pool", message, hint)
    return True


def _judge_borders(
    document: Document, index: int, block: IPRange, windows: list[IPRange], found: list[Finding]
) -> None:
    for position, window in enumerate(windows):
        starts, ends = (window.first <= end <= window.last for end in (block.first, block.last))
        if starts != ends:
            message = f"reserved block {format_cidr(block)} crosses the boundary of ranges[{position}] ({format_short(window)})"
            steps = ("spec", "reserved", index, "cidr")
            hint = "move the block entirely inside or outside the range"
            fields.refuse(found, document, steps, "reserved-straddles-range", message, hint)


GATEWAY = ("spec", "network", "gateway")
_DEFAULT = "default"
_INCREMENT = 2
_ELASTIC_SIZE = 2
_CLOUDS = ("azure", "aws", "gcp")


class Provider(Struct, frozen=True):
    """A parsed ProviderConfig. Its pools might not exist, in the order in which they are tried.

    `team` is the only team that can use it. `lb_size` is None for the default of the pool.
    """

    is_ipam: bool
    pools: tuple[Key, ...]
    names: tuple[str, ...]
    is_elastic: bool
    lb_size: int | None
    max_nodes: int | None
    max_lb: int | None
    team: str | None
    gateway: IPRange | None
    document: Document
    quota_source: Location
    increment: int = _INCREMENT

    def quota(self, tenant: tuple[str, str], kind: str) -> Quota | None:
        """Return the quota on one tenant's addresses of a type, or None."""
        limit = self.max_lb if kind == kinds.LB else self.max_nodes
        return (
            None if limit is None else Quota((kinds.NAME, *tenant, kind), limit, self.quota_source)
        )

    @property
    def names_no_pool(self) -> bool:
        """Return whether it is of mode `ipam` but names no pool."""
        return self.is_ipam and not self.pools

    @property
    def lacks_mode(self) -> bool:
        """Return whether it names pools but no mode: then it serves no tenant."""
        return bool(self.pools) and "mode" not in self.document.spec["network"]


def read_provider(document: Document) -> tuple[Provider | None, list[Finding]]:
    """Return the provider of a document; None if it has any error, so that its tenants get nothing new."""
    found: list[Finding] = []
    spec = document.spec
    network = spec.get("network") or {}
    is_ipam = network.get("mode", "cloud") == "ipam"
    if is_ipam and spec.get("provider") in _CLOUDS:
        message = f"mode ipam cannot be used with provider {spec['provider']}"
        hint = "set mode: cloud; the cloud provides the addresses"
        place = document.at("spec", "network", "mode")
        return None, [error("provider-mode", place, message, hint)]
    scope = spec.get("scope") or {}
    is_of_team = scope.get("type") == "team"
    if is_of_team and not scope.get("teamRef"):
        message = "scope.type is team, but scope.teamRef is missing"
        hint = "add the team, for example teamRef: {name: backend}"
        fields.refuse(
            found, document, ("spec", "scope", "teamRef"), "field-required", message, hint
        )
    gateway = None
    if "gateway" in network:
        gateway = fields.read_address(document, GATEWAY, network["gateway"], found)
    if found:
        return None, found
    references = sorted(network.get("poolRefs") or [], key=lambda it: it.get("priority", 0))
    if is_ipam and not references:
        message = "network.mode is ipam, but poolRefs names no pool"
        hint = "add poolRefs with at least one NetworkPool"
        fields.refuse(found, document, ("spec", "network"), "provider-without-pools", message, hint)
    balancer = network.get("loadBalancer") or {}
    is_elastic = balancer.get("allocationMode", "static") == "elastic"
    size = balancer.get("defaultPoolSize")
    quota = network.get("quotaPerTenant") or {}
    provider = Provider(
        is_ipam=is_ipam,
        pools=tuple(kinds.pool_key(kinds.SYSTEM, it["name"]) for it in references),
        names=tuple(it["name"] for it in references),
        is_elastic=is_elastic,
        lb_size=balancer.get("initialPoolSize", _ELASTIC_SIZE) if is_elastic else size,
        max_nodes=quota.get("maxNodeIPs"),
        max_lb=quota.get("maxLoadBalancerIPs"),
        team=(scope.get("teamRef") or {}).get("name") if is_of_team else None,
        gateway=gateway,
        document=document,
        quota_source=document.at("spec", "network", "quotaPerTenant") if quota else Location(""),
        increment=balancer.get("growthIncrement", _INCREMENT),
    )
    return provider, found


class Providers:
    """All providers, and the lookup of a tenant's provider."""

    def __init__(self, documents: Documents) -> None:
        self.findings: list[Finding] = []
        self._by_name: dict[tuple[str, str], Provider] = {}
        names = documents.every(kinds.PROVIDER, kinds.SYSTEM)
        self._implicit = _DEFAULT if _DEFAULT in names or not names else names[0]
        for document in documents.of(kinds.PROVIDER):
            provider, found = read_provider(document)
            if provider is not None:
                self._by_name[document.namespace, document.name] = provider
            if not document.unread:
                self.findings += found
        self._is_choice = len({*self._by_name, *((kinds.SYSTEM, name) for name in names)}) > 1

    def all(self) -> Iterable[Provider]:
        """Return all valid providers."""
        return self._by_name.values()

    def is_arbitrary(self, tenant: Document) -> bool:
        """Return whether a tenant names none of several providers, and none is named `default`."""
        is_named = tenant.spec.get("providerConfigRef") or self._implicit == _DEFAULT
        return not is_named and self._is_choice

    def of(self, tenant: Document) -> tuple[Provider | None, tuple[str, str]]:
        """Return a tenant's provider, None if unusable, and its namespace and name.

        It is `providerConfigRef`, else the one named `default`, else the first in `butler-system`.
        """
        reference = tenant.spec.get("providerConfigRef") or {"name": self._implicit}
        key = (reference.get("namespace", kinds.SYSTEM), reference["name"])
        return self._by_name.get(key), key


class Networks:
    """The pools that are read so far."""

    def __init__(self, documents: Documents, reading: FamilyReading, settings: Settings) -> None:
        self.documents = documents
        self.reading = reading
        self._settings = settings
        self._read: dict[Key, NetworkPool] = {}
        self._of: dict[tuple[str, str], list[NetworkPool]] = {}

    def read(self, document: Document) -> None:
        """Read a pool."""
        network, found = read_pool(document, self._settings)
        self.reading.add_pool(document, network.pool if network else None, found)
        if network is not None:
            self._read[network.pool.key] = network

    def find(self, key: Key) -> NetworkPool | None:
        """Return the pool that a file names; a pool without a readable version becomes frozen."""
        if path := self.documents.unread(kinds.POOL, key.namespace, key.name):
            self.reading.frozen[key] = path
        return self._read.get(key)

    def of(self, provider: Provider) -> list[NetworkPool]:
        """Return the provider's existing pools, in the order in which they are tried."""
        name = (provider.document.namespace, provider.document.name)
        if name not in self._of:  # computed once for all of its tenants
            found = map(self.find, provider.pools)
            self._of[name] = [network for network in found if network is not None]
        return self._of[name]

    def is_unread(self, key: Key) -> bool:
        """Return whether only an unreadable file describes the pool."""
        return key in self.reading.frozen and key not in self._read


def capacity(
    usage: Mapping[Key, Usage], provider: Provider, nodes: Mapping[Key, int]
) -> tuple[int, int]:
    """Return the free addresses in a provider's pools, and the number of tenants that fit."""
    # Butler calculates with 5 nodes and the static size, and an elastic tenant with its own size.
    found = [key for key in dict.fromkeys(provider.pools) if key in usage]
    available = sum(usage[key].available for key in found)
    given = next((nodes[key] for key in found if key in nodes), 0)
    per_tenant = (provider.lb_size or kinds.SIZES[kinds.LB]) + (
        given if provider.is_elastic else kinds.SIZES[kinds.NODES]
    )
    return available, available // per_tenant


def nodes_per_tenant(documents: Documents) -> dict[Key, int]:
    """Return the number of node addresses per tenant of each pool that states it."""
    found = {}
    for document in documents.of(kinds.POOL):
        defaults = (document.spec.get("tenantAllocation") or {}).get("defaults") or {}
        if "nodesPerTenant" in defaults:
            found[kinds.pool_key(document.namespace, document.name)] = int(
                defaults["nodesPerTenant"]
            )
    return found


_WIDEST = 8  # doublings: no realistic claim needs more


def _smaller(documents: Documents, claim: Claim, size: int) -> Fix | None:
    kind = kinds.TENANT
    steps: Steps = ("spec", "networking", "lbPoolSize")
    if claim.key.kind == kinds.REQUEST.kind:
        kind, steps = kinds.REQUEST, ("spec", "count")
    elif claim.key.slot != kinds.LB:
        return None
    document = documents.find(kind, claim.key.namespace, claim.key.name)
    if document is None:
        return None
    says = f"ask for {size} instead of {claim.size}, the largest size that fits"
    return Fix(says, document, (Edit(steps, size),))


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Fix]:
    document = documents.find(kinds.POOL, pool.key.namespace, pool.key.name)
    if document is None or document.doubt:
        return
    network = next(iter(pool.extent))
    for doubled in range(1, min(_WIDEST, BITS[4] - 1) + 1):
        size = network.size << doubled
        first = network.first & -size
        wider = IPRange(4, first, first + size - 1)
        edits = _usable(document, network, wider)
        if edits is None:
            return
        if size - network.size >= lacking:
            cidr = format_cidr(wider) or ""
            says = f"widen {pool.key.name} from {format_cidr(network)} to {cidr}, if the network team agrees"
            yield Fix(says, document, (Edit(("spec", "cidr"), cidr), *edits))


def _usable(document: Document, network: IPRange, wider: IPRange) -> tuple[Edit, ...] | None:
    """Return the edits that make new addresses usable without adding previously excluded ones."""
    given = document.spec.get("tenantAllocation") or {}
    first, last = network.last + 1, wider.last
    if given.get("ranges"):
        if first > last:
            return None
        item = ends(IPRange(4, first, last))
        return (Edit((*_ALLOCATION, "ranges"), item, is_item=True),)
    if "start" not in given or "end" not in given:
        return ()
    if given["end"] == format_address(4, network.last) and first <= last:
        return (Edit((*_ALLOCATION, "end"), format_address(4, last)),)
    if given["start"] == format_address(4, network.first) and wider.first < network.first:
        return (Edit((*_ALLOCATION, "start"), format_address(4, wider.first)),)
    return None


def _added(documents: Documents, claim: Claim, pools: Mapping[Key, Pool]) -> Iterator[Fix]:
    tenant = documents.find(kinds.TENANT, claim.owner.namespace, claim.owner.name)
    if claim.key.kind != kinds.TENANT.kind or tenant is None:
        return
    provider, _ = Providers(documents).of(tenant)
    if provider is None:
        return
    references = provider.document.spec["network"].get("poolRefs") or ()
    last = max((item.get("priority", 0) for item in references), default=0)
    for key in pools:
        if key.kind == kinds.POOL.kind and key not in provider.pools:
            item: dict[str, str | int] = {"name": key.name}
            item |= {"priority": last} if last > 0 else {}
            says = (
                f"add {key.name} to the poolRefs of {kinds.PROVIDER.kind} {provider.document.name}"
            )
            steps = ("spec", "network", "poolRefs")
            yield Fix(says, provider.document, (Edit(steps, item, is_item=True),))


def _given_back(record: Allocation) -> str:
    if record.claim.kind == kinds.REQUEST.kind:
        return f"a change that removes the {kinds.REQUEST.kind}"
    if record.claim.slot_order[1]:
        return "a change to a smaller lbPoolSize (the warning size-smaller then says how)"
    return "a change that removes the tenant (its first range stays whole while it is there)"


FIXES = Fixes(_smaller, _widened, _added, _given_back)
