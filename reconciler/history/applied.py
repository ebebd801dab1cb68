"""Results of apply compared with records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct
from msgspec.json import Decoder

from reconciler.addresses import IPRange, NotationError, parse_address
from reconciler.model.claim import Allocation

MAX_BYTES = 32 * 1024 * 1024
"""Maximum size of a file. Fifty thousand created objects take half of it."""

_Text = Annotated[str, Meta(min_length=1)]
_Version = Literal["gitops-ipam.dev/v1alpha1"]
_T = TypeVar("_T")


class SeenDrift(Struct, frozen=True):
    """Fields that another writer changed."""

    manager: str | None = None
    time: str | None = None
    fields: tuple[str, ...] = ()


class SeenObject(Struct, frozen=True):
    """Object `<group>/<kind>/<namespace>/<name>` of the result."""

    object: _Text
    drift: SeenDrift | None = None
    error: str | None = None


class _Use(Struct, frozen=True):
    start: str
    end: str
    used: Annotated[int, Meta(ge=0, le=2**63 - 1)]


class _Cluster(Struct, frozen=True):
    cluster: _Text
    state: Literal["applied", "waiting", "unreachable", "refused", "failed"]
    uses: tuple[_Use, ...] | None = None  # older versions have none
    error: str | None = None
    objects: tuple[SeenObject, ...] = ()


class _Apply(Struct, frozen=True, tag_field="kind", tag="ApplyResult", rename="camel"):
    api_version: _Version
    revision: Annotated[str, Meta(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
    clusters: tuple[_Cluster, ...]


class _Growth(Struct, frozen=True):
    cluster: _Text
    seconds: Annotated[float, Meta(ge=0, le=10**9)]


class _Reconcile(Struct, frozen=True, tag_field="kind", tag="ReconcileResult", rename="camel"):
    api_version: _Version
    base: _Text
    commit: str | None = None
    apply: _Apply | None = None
    served: tuple[_Growth, ...] = ()


class SeenCluster(NamedTuple):
    """Cluster of the result. `uses` counts used addresses by range; None if they were not read."""

    state: str
    uses: Mapping[IPRange, int] | None
    error: str = ""
    drifted: tuple[SeenObject, ...] = ()


class ApplyResult(NamedTuple):
    """Applied commit, and its clusters by name."""

    revision: str
    clusters: Mapping[str, SeenCluster]


class Served(NamedTuple):
    """Growth of a tenant, the newest commit then, and the time from its need to its addresses."""

    cluster: str
    revision: str
    seconds: float


def read_apply_result(data: bytes) -> ApplyResult:
    """Parse an ApplyResult, or a ReconcileResult that has one, or raise a ValueError."""
    found = _decoded(data, _RESULT)
    if isinstance(found, _Reconcile):
        if found.apply is None:
            raise ValueError("a ReconcileResult that applied nothing (apply is null)")
        found = found.apply
    clusters = {}
    for it in found.clusters:
        drifted = tuple(one for one in it.objects if one.drift or one.error)
        uses = None if it.uses is None else dict(_uses(it.cluster, it.uses))
        clusters[it.cluster] = SeenCluster(it.state, uses, it.error or "", drifted)
    return ApplyResult(found.revision, clusters)


def read_served(data: bytes) -> list[Served]:
    """Parse the output of `reconcile -o json`, a document per line, or raise a ValueError."""
    found: list[Served] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                document = _decoded(line, _ROUND)
            except ValueError as wrong:
                raise ValueError(f"line {number}: {wrong}") from wrong
            revision = document.commit or document.base
            found += [Served(it.cluster, revision, it.seconds) for it in document.served]
    return found


_RESULT = Decoder[_Apply | _Reconcile](_Apply | _Reconcile)
_ROUND = Decoder(_Reconcile)


def _decoded(data: bytes, decoder: Decoder[_T]) -> _T:
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError) as wrong:
        more = "; pass one line of the output" if "trailing characters" in str(wrong) else ""
        raise ValueError(f"not a result of apply or reconcile: {wrong}{more}") from wrong


def _uses(cluster: str, uses: Iterable[_Use]) -> Iterator[tuple[IPRange, int]]:
    for use in uses:
        where = f"the use of {use.start}-{use.end} in cluster {cluster!r}"
        try:
            version, first = parse_address(use.start)
            other, last = parse_address(use.end)
        except NotationError as wrong:
            raise ValueError(f"{where} has an invalid address") from wrong
        if version != other or not use.used <= last - first + 1:
            raise ValueError(f"{where} has {use.used} addresses, more than the range")
        yield IPRange(version, first, last), use.used


class Headroom(NamedTuple):
    """Load-balancer addresses of a cluster: allocated, those with known use, and used ones."""

    cluster: str
    allocated: int
    looked: int
    used: int
    why: str = ""

    @property
    def idle(self) -> int:
        """Number of addresses that are known to be unused."""
        return self.looked - self.used


class Idle(NamedTuple):
    """Unused addresses by cluster, with the commit of the result, and the commit that is read."""

    result: str
    revision: str
    items: Sequence[Headroom]

    @property
    def is_other(self) -> bool:
        """Whether the result is of another revision."""
        return self.result != self.revision

    @property
    def total(self) -> Headroom:
        """The sum of all clusters."""
        allocated = sum(it.allocated for it in self.items)
        looked = sum(it.looked for it in self.items)
        return Headroom("", allocated, looked, sum(it.used for it in self.items))


def used_of(record: Allocation, cluster: str, result: ApplyResult) -> int | None:
    """Return the number of used addresses of a record, or None if it is unknown."""
    seen = result.clusters.get(cluster)
    if seen is None or seen.uses is None or record.range is None:
        return None
    return seen.uses.get(record.range)


def headroom(
    records: Mapping[str, Iterable[Allocation]], result: ApplyResult, revision: str
) -> Idle:
    """Return the unused addresses of clusters, given their records and the commit of those."""
    items = [_headroom(name, records[name], result) for name in sorted(records)]
    return Idle(result.revision, revision, [item for item in items if item.allocated])


def _headroom(cluster: str, records: Iterable[Allocation], result: ApplyResult) -> Headroom:
    live = [it for it in records if it.is_live and it.range is not None]
    uses = [(it.size, used) for it in live if (used := used_of(it, cluster, result)) is not None]
    allocated, looked = sum(it.size for it in live), sum(size for size, _ in uses)
    why = _why(cluster, result, allocated - looked)
    return Headroom(cluster, allocated, looked, sum(used for _, used in uses), why)


def _why(cluster: str, result: ApplyResult, left: int) -> str:
    seen = result.clusters.get(cluster)
    if not left:
        return ""
    if seen is None:
        return "not in the result"
    if seen.uses is None:
        is_there = seen.state in ("applied", "failed")
        return "its Services were not read" if is_there else f"it was {seen.state}"
    return f"the cluster did not announce {left} of them yet"
