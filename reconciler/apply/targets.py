"""Target clusters of an evaluation, and options of an apply."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.growth import all_growers
from reconciler.apply.inventory import Enrolled
from reconciler.apply.pools import USUAL
from reconciler.documents.findings import has_error
from reconciler.families import families, needs_hub
from reconciler.families.clusters import balancer_records, balancers, cluster_of, described_clusters
from reconciler.families.interface import DEFAULT_PORT
from reconciler.families.plain.kinds import TARGET
from reconciler.kube.resources import DesiredObject, desired_objects
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import ClusterBalancer, Controller
from reconciler.loadbalancers.ranges import ranges_of, written
from reconciler.model.claim import Allocation, granted
from reconciler.model.errors import UsageError
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT, Ref
from reconciler.model.plan import Grant, Refuse
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project

UNCLEAR = "the repository has errors, the release limit holds back releases, or records of the cluster are missing"


class Target(Struct, frozen=True):
    """A tenant cluster and its desired state."""

    name: str
    desired: tuple[DesiredObject, ...] = ()
    released: IPSet = field(default_factory=IPSet)
    leaving: IPSet = field(default_factory=IPSet)  # announced until no Service uses them
    is_whole: bool = True
    spaces: tuple[str, ...] = ()
    withheld: tuple[tuple[str, IPSet], ...] = ()  # other clusters might announce them
    remembered: IPSet = field(default_factory=IPSet)  # in the registry
    is_described: bool = True
    is_enrolled: bool = False
    forced: IPSet = field(default_factory=IPSet)  # withdrawn even if they are used
    refused: IPSet = field(default_factory=IPSet)  # pinned, but not granted
    records: tuple[Allocation, ...] = ()
    balancing: ClusterBalancer = USUAL

    @property
    def balancer(self) -> Controller:
        """Return its controller."""
        return controller(self.balancing.controller)

    @property
    def home(self) -> str:
        """Return the namespace of its pools."""
        return self.balancer.home(self.balancing.namespace)

    def pool_ref(self, name: str) -> Ref:
        """Return one of its pools."""
        return Ref(self.balancer.pool, self.home, name)

    def wanted(self) -> dict[str, IPSet]:
        """Return the desired addresses of each pool."""
        return {
            item.ref.name: self.balancer.addresses(item.body)
            for item in self.desired
            if item.ref.resource == self.balancer.pool and item.body is not None
        }

    def addresses(self) -> IPSet:
        """Return all desired addresses."""
        return IPSet.of(item for pool in self.wanted().values() for item in pool)

    def given(self) -> IPSet:
        """Return all addresses that records give or gave to the cluster, as far as known."""
        return IPSet.of([*self.addresses(), *self.remembered, *self.released])

    def spaces_of(self, announced: IPSet, before: tuple[str, ...]) -> tuple[str, ...]:
        """Return the address spaces of announced addresses; `before` is from the registry."""
        if not announced - self.addresses():
            return self.spaces
        known = self.spaces and before  # an unknown address can be of any space
        return tuple(sorted({*self.spaces, *before})) if known else ()


class ApplyOptions(Struct, frozen=True):
    """Options of an apply. `policies` None leaves policies unchanged, `shard` is index and number."""

    crds: bool = False
    policies: bool | None = None
    break_glass: tuple[str, ...] = ()
    adopt: bool = False
    dry_run: bool = False
    require_all: bool = False
    enroll: frozenset[str] = frozenset()  # clusters, as the next two
    take_over: frozenset[str] = frozenset()
    force_withdraw: bool = False
    forced_claims: frozenset[str] = frozenset()
    confirm_withdrawn: frozenset[str] = frozenset()
    default_port: int = DEFAULT_PORT
    lb_class: str = ""
    allow_release: int | None = None
    allow_delete: int | None = None
    shard: tuple[int, int] = (0, 1)
    root: str = ""
    repository: str = ""  # its first commit

    def forces(self, claim: Key) -> bool:
        """Return whether the left range of a claim is withdrawn even if Services use it."""
        return self.force_withdraw or not self.forced_claims.isdisjoint(_names_of(claim))

    @property
    def says_withdrawn(self) -> bool:
        """Return whether a withdrawal is confirmed for any cluster or claim."""
        return self.force_withdraw or bool(self.forced_claims or self.confirm_withdrawn)

    def confirms(self, claim: Key, cluster: str) -> bool:
        """Return whether the withdrawal is confirmed for the claim or its cluster."""
        return self.forces(claim) or cluster in self.confirm_withdrawn


def _names_of(claim: Key) -> tuple[str, ...]:
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    return str(claim), f"{owner}/{claim.slot}", owner


def known_as_now(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """Return the registry with entries under new names that have none yet."""
    more = {now: known[old] for now, old in former.items() if old in known and now not in known}
    return {**known, **more}


def uses_hub(evaluation: Evaluation) -> bool:
    """Return whether the content needs a management cluster, or there is none at all."""
    documents = evaluation.documents
    used = {record.claim.family for record in evaluation.state.records}
    used |= {it.name for it in families() for kind in it.kinds for _ in documents.of(kind.id)}
    return not used or bool(evaluation.tree.settings.intake) or any(map(needs_hub, used))


def recorded(evaluation: Evaluation) -> dict[str, Enrolled]:
    """Return ClusterTargets and clusters of records, with all ranges that records hold for them."""
    ranges: dict[str, list[IPRange]] = {item.name: [] for item in evaluation.documents.of(TARGET)}
    for record in evaluation.state.records:
        if record.range is not None and (cluster := cluster_of(record)) != MANAGEMENT:
            ranges.setdefault(cluster, []).append(record.range)
    return {it: Enrolled("", "", (), written(ranges[it])) for it in sorted(ranges)}


class Claims(NamedTuple):
    """The addresses of a cluster and their address spaces."""

    spaces: tuple[str, ...]
    addresses: IPSet


def address_conflicts(
    announced: Mapping[str, Claims], wanted: Mapping[str, Claims]
) -> Mapping[str, tuple[str, ...]]:
    """Return the other clusters that might announce ranges of each cluster, by name."""
    spans = [
        (item, is_wanted, name)
        for claims, is_wanted in ((announced, False), (wanted, True))
        for name, claim in claims.items()
        for item in claim.addresses
    ]
    found: dict[str, set[str]] = {}
    open_spans: list[tuple[IPRange, bool, str]] = []
    for item, is_wanted, name in sorted(spans):
        open_spans = [
            it for it in open_spans if it[0].version == item.version and it[0].last >= item.first
        ]
        for _, is_other_wanted, other in open_spans:
            if is_other_wanted == is_wanted or other == name:
                continue
            wants, has = (name, other) if is_wanted else (other, name)
            mine, theirs = wanted[wants].spaces, announced[has].spaces
            # An unknown space can be any.
            if not (mine and theirs) or not set(mine).isdisjoint(theirs):
                found.setdefault(wants, set()).add(has)
        open_spans.append((item, is_wanted, name))
    return {name: tuple(sorted(others)) for name, others in found.items()}


def require_claims(evaluation: Evaluation, options: ApplyOptions) -> None:
    """Refuse (UsageError) a claim of an option that does not exist."""
    if not options.forced_claims:
        return
    state = evaluation.state
    claims = {*state.claims, *(record.claim for record in state.records)}
    there = {name for claim in claims for name in _names_of(claim)}
    for text in sorted(options.forced_claims - there):
        message = f"--force-withdraw-claim: claim {text!r} does not exist"
        raise UsageError(message, "write NAMESPACE/NAME; run ipam get allocations to list claims")


def refused_pins(evaluation: Evaluation) -> Iterator[tuple[Refuse, Allocation]]:
    """Yield refused claims of clusters that pin a range, each with a record of that range."""
    for it in evaluation.plan.decisions:
        if not isinstance(it, Refuse) or (it.allocation and it.allocation.is_live):
            continue
        claim = evaluation.state.claims.get(it.claim)
        if claim is not None and claim.pin is not None:
            record = granted(claim, claim.key, claim.pin, "")
            if cluster_of(record) != MANAGEMENT:
                yield it, record


def targets(
    evaluation: Evaluation,
    desired: Mapping[str, Sequence[DesiredObject]],
    known: Mapping[str, Enrolled],
    options: ApplyOptions | None = None,
) -> list[Target]:
    """Return clusters with desired objects, of earlier runs (`known`), and ClusterTargets, by name."""
    named = frozenset(item.name for item in evaluation.documents.of(TARGET))
    described = described_clusters(evaluation.documents) | named | desired.keys()
    records = balancer_records(evaluation.state.records)
    whole = is_whole(evaluation)
    balancing = balancers(evaluation.documents)
    spaces: dict[str, set[str]] = {}
    released: dict[str, list[IPRange]] = {}
    leaving: dict[str, list[IPRange]] = {}
    forced: dict[str, list[IPRange]] = {}
    refused = [(cluster_of(it), it.range) for _, it in refused_pins(evaluation) if it.range]
    for record in evaluation.state.records:
        if record.range is None:
            continue
        cluster = cluster_of(record)
        if (pool := evaluation.state.pools.get(record.pool)) is not None:
            spaces.setdefault(cluster, set()).add(pool.space)
        if record.is_released and record.announced:
            leaving.setdefault(cluster, []).append(record.range)
        elif record.is_released:
            released.setdefault(cluster, []).append(record.range)
            if options is not None and options.forced_claims and options.forces(record.claim):
                forced.setdefault(cluster, []).append(record.range)
    return [
        Target(
            name,
            tuple(desired.get(name, ())),
            IPSet.of(released.get(name, ())),
            IPSet.of(leaving.get(name, ())),
            whole,
            tuple(sorted(spaces.get(name, ()))) or (known[name].spaces if name in known else ()),
            remembered=ranges_of(known[name].addresses if name in known else ()),
            is_described=name in described,
            is_enrolled=options is not None and name in options.enroll,
            forced=IPSet.of(forced.get(name, ())),
            refused=IPSet.of(item for cluster, item in refused if cluster == name),
            records=tuple(records.get(name, ())),
            balancing=balancing.get(name, USUAL),
        )
        for name in sorted({*desired, *known, *named} - {MANAGEMENT})
    ]


def round_inputs(evaluation: Evaluation, default_port: int) -> dict[str, object]:
    """Return the input of rounds by cluster. A revision with equal input needs no new round."""
    desired = desired_objects(project(evaluation, default_port=default_port))
    settings, whole = evaluation.tree.settings, is_whole(evaluation)
    found: dict[str, object] = {
        item.name: (_hashes(item.desired), item.released, whole, item.spaces, item.is_described)
        for item in targets(evaluation, desired, {})
    }
    for grower in all_growers(evaluation):
        grows = (grower.claim(1, 1), grower.increment, grower.most, settings.elastic)
        found[grower.cluster] = (found.get(grower.cluster), grows)
    pools = tuple(evaluation.state.pools.items())
    found[MANAGEMENT] = (_hashes(desired.get(MANAGEMENT, ())), pools, settings, whole)
    return found


def _hashes(desired: Iterable[DesiredObject]) -> tuple[object, ...]:
    return tuple((item.ref, item.hash, item.rests_on) for item in desired)


def is_whole(evaluation: Evaluation) -> bool:
    """Return whether missing objects can be withdrawn: no errors, and records exist if any did."""
    if has_error(evaluation.findings):
        return False
    claimed = any(isinstance(decision, Grant) for decision in evaluation.plan.decisions)
    return evaluation.brake is None and (bool(evaluation.state.records) or not claimed)


def remembered(known: Mapping[str, Enrolled]) -> dict[str, Claims]:
    """Return the ranges that clusters might announce according to the registry."""
    return {
        name: Claims(enrolled.spaces, ranges_of(enrolled.addresses))
        for name, enrolled in known.items()
    }
