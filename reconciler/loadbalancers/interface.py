"""Interface of a load-balancer controller."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange, IPSet
from reconciler.model.objects import Manifest, Resource

Advertisement = Mapping[str, Any]
"""`advertisement` of a ClusterTarget's entry: `type`, and the fields of this type."""

DEFAULT = "MetalLB"
"""The controller of clusters that name none."""

NOT_ADVERTISED: Advertisement = {"type": "None"}

by_tool = re.compile(
    r"(.+\.)?(gitops-ipam\.dev|fluxcd\.io|argoproj\.io|helm\.sh|k14s\.io|cattle\.io)/"
    r"|app\.kubernetes\.io/(managed-by|instance)$"
).match
"""Matches labels by which tools find their objects, for example to delete them."""


class Capability(StrEnum):
    """Requests of entries. A controller needs the tag of a request to support it."""

    NAMES = "names"  # a Service can name its pool
    NAMESPACES = "namespaces"
    SELECTORS = "selectors"
    BOTH_FAMILIES = "both-families"  # in one pool
    L2 = "L2"
    BGP = "BGP"


class ServiceSelection(Struct, frozen=True):
    """Services that get addresses of a pool without naming it: all, some, or (if empty) none.

    Both `namespaces` and `selector`, a LabelSelector, must match if both are set.
    """

    is_default: bool = False
    namespaces: tuple[str, ...] = ()
    selector: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Return whether only Services that name the pool or an address get one of it."""
        return not (self.is_default or self.namespaces or self.selector)


class LoadBalancerPool(Struct, frozen=True):
    """A pool of a cluster: the name of its object, and its ranges in the order of their records.

    Its advertisement is named like it if `advertisement_name` is empty. `spec` has further fields.
    """

    name: str
    ranges: tuple[IPRange, ...]
    services: ServiceSelection = ServiceSelection(is_default=True)
    advertisement: Advertisement = field(default_factory=lambda: NOT_ADVERTISED)
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    avoids_buggy: bool = False
    advertisement_name: str = ""
    spec: Mapping[str, Any] = field(default_factory=dict)


class LivePool(NamedTuple):
    """A pool as it is in the cluster; `assigns` without being named."""

    addresses: IPSet
    avoids_buggy: bool = False
    assigns: bool = True
    name: str = ""


class ServiceRequest(NamedTuple):
    """A request of a Service without an address: a `pool` that it names, and addresses."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    pool: str = ""
    pinned: IPSet = IPSet()


class ImportedPool(Struct, frozen=True):
    """A pool that a cluster has, the addresses in routes by the objects that select it, and its fault."""

    pool: LoadBalancerPool
    namespace: str = ""
    advertised_by: Mapping[str, IPSet] = field(default_factory=dict)
    problem: str = ""


class ClusterBalancer(Struct, frozen=True):
    """The controller of a cluster, its namespace (empty for the default), and how it is used.

    `keep_name` is the field that names a pool, for hints. With `has_entries`, its owner describes each
    pool: all kinds of the controller can be used, adopted pools keep the form of their ranges, and a
    pool that others advertise gets no advertisement.
    """

    controller: str = DEFAULT
    namespace: str = ""
    keep_name: str = ""
    has_entries: bool = False


class Controller(Struct, frozen=True):
    """A controller that gives addresses of pools to Services. Its functions are pure.

    `pool` and `others` (advertisements) are the kinds that `ipam` writes: `others` are applied after
    pools, and deleted after them. `namespace` is the default of their objects. The annotations of a
    Service `names` a pool, `pins` its addresses (separated by commas), or has a key for `sharing` one.
    An annotation `named` of a Butler document names the pool. Pools are imported from `oldest` on.

    Attributes:
        objects: Returns the objects for pools in a namespace (empty for the default), pools first.
        addresses: Returns the addresses of a pool, or raises ValueError.
        with_addresses: Returns a pool with other addresses, in the form of a live pool if there is one.
        live: Returns a live pool, or raises ValueError.
        imported: Returns the pools among the objects of a cluster.
        changed: Returns why a pool for all Services that was edited by hand serves few, or "".
        takers: Returns the names of the pools that can serve a Service, in the controller's order.
        selects: Returns whether an object of `others` selects a pool.
        renamed: Returns an object of `others` for a pool with another name (old, new).
        aggregation: Returns the prefix lengths of routes of an advertisement, by IP version.
        state_error: Returns the error that objects of `state` report, or an empty string.
        read_at: Returns when the controller last read its configuration; None if it reports nothing.
    """

    name: str
    oldest: str
    pool: Resource
    capabilities: frozenset[Capability]
    objects: Callable[[Sequence[LoadBalancerPool], str], tuple[Manifest, ...]]
    addresses: Callable[[Manifest], IPSet]
    with_addresses: Callable[[Manifest, IPSet, Manifest | None], Manifest]
    live: Callable[[Manifest], LivePool]
    imported: Callable[[Mapping[Resource, Iterable[Manifest]]], tuple[ImportedPool, ...]]
    namespace: str = ""
    others: tuple[Resource, ...] = ()
    state: Resource | None = None
    names: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    sharing: tuple[str, ...] = ()
    named: str = ""
    changed: Callable[[Manifest], str] = lambda _: ""
    takers: Callable[[ServiceRequest, Iterable[Manifest]], tuple[str, ...]] = lambda *_: ()
    selects: Callable[[Manifest, Manifest], bool] = lambda *_: False
    renamed: Callable[[Manifest, str, str], Manifest] = lambda it, *_: it
    aggregation: Callable[[Advertisement], Mapping[int, int]] = lambda _: {}
    state_error: Callable[[Iterable[Manifest]], str] = lambda _: ""
    read_at: Callable[[Iterable[Manifest]], str | None] = lambda _: None

    @property
    def missing(self) -> str:
        """Return the message for a cluster without the controller."""
        return (
            f"{self.name} is not installed: kind {self.pool.kind} of {self.pool.group} is missing"
        )

    @property
    def install(self) -> str:
        """Return the hint for a cluster without the controller."""
        return f"install {self.name} {self.oldest} or newer"

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Return all its kinds that `ipam` writes or reads."""
        return (self.pool, *self.others, *((self.state,) if self.state is not None else ()))

    def home(self, namespace: str = "") -> str:
        """Return the namespace of its pools; empty if they are cluster-scoped."""
        return (namespace or self.namespace) if self.pool.is_namespaced else ""
