"""The table of resources that are read and written, in place of discovery.

Discovery costs requests in every run, and its cache goes stale. Families add their kinds.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from reconciler.families import families
from reconciler.model import record_kind
from reconciler.model.builtin import (
    BINDING,
    CONFIG_MAP,
    CRD,
    EVENT,
    LEASE,
    MAY_I,
    NAMESPACE,
    NODE,
    POLICY,
    SECRET,
    SERVICE,
    WHO_AM_I,
)
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource

__all__ = [  # re-exported
    "ADDRESS_POOL",
    "ADVERTISEMENT",
    "BINDING",
    "CONFIGURATION_STATE",
    "CONFIG_MAP",
    "CRD",
    "EVENT",
    "IP_ALLOCATION",
    "LEASE",
    "MAY_I",
    "METALLB",
    "NAMESPACE",
    "NODE",
    "POLICY",
    "SECRET",
    "SERVICE",
    "WHO_AM_I",
    "by_group",
    "by_version",
    "described",
    "needed",
    "owned",
    "parse_ref",
    "pools_by_ref",
    "ref_of",
    "resource_of",
]

METALLB = "metallb.io/v1beta1"

IP_ALLOCATION = record_kind.RESOURCE
"""The kind of records."""

ADDRESS_POOL = Resource(METALLB, "IPAddressPool", "ipaddresspools")
ADVERTISEMENT = Resource(METALLB, "L2Advertisement", "l2advertisements")
CONFIGURATION_STATE = Resource(METALLB, "ConfigurationState", "configurationstates")

_COMMON = (
    *(IP_ALLOCATION, ADDRESS_POOL, ADVERTISEMENT, CONFIGURATION_STATE),
    *(CRD, POLICY, BINDING, NAMESPACE, CONFIG_MAP, SECRET, SERVICE, NODE, EVENT, LEASE),
    *(WHO_AM_I, MAY_I),
)


@cache
def _by_group() -> Mapping[tuple[str, str], Resource]:
    theirs = (family.objects for family in families())
    return by_group([*_COMMON, *(it for own in theirs for it in (*own.resources, *own.observes))])


def by_group(resources: Iterable[Resource]) -> dict[tuple[str, str], Resource]:
    """Return resources by API group and kind: versions of one kind are one object.

    Raises:
        ValueError: One kind is described twice, differently.
    """
    found: dict[tuple[str, str], Resource] = {}
    for resource in resources:
        if found.setdefault((resource.group, resource.kind), resource) != resource:
            raise ValueError(f"{resource.kind} of {resource.group} is described in two ways")
    return found


@cache
def _of_family() -> Mapping[tuple[str, str], Resource]:
    """Return the resources of families, by family and kind."""
    return {
        (family.name, resource.kind): resource
        for family in families()
        for resource in family.objects.resources
    }


def pools_by_ref(pools: Iterable[Pool]) -> dict[Ref, Pool]:
    """Return pools by the objects that represent them."""
    known = _of_family()
    return {
        Ref(known[key.family, key.kind], key.namespace, key.name): pool
        for pool in pools
        if ((key := pool.key).family, key.kind) in known
    }


@cache
def owned() -> tuple[Resource, ...]:
    """Return the kinds that `ipam` creates in the management cluster: pools and records."""
    return (*(kind for family in families() for kind in family.objects.owned), IP_ALLOCATION)


@cache
def needed() -> tuple[Resource, ...]:
    """Return the kinds that a management cluster needs."""
    return (*(kind for family in families() for kind in family.objects.needed), IP_ALLOCATION)


@cache
def described() -> frozenset[Resource]:
    """Return the kinds of families, and records."""
    return frozenset([kind for it in families() for kind in it.objects.resources] + [IP_ALLOCATION])


@cache
def _by_version() -> Mapping[tuple[str, str], Resource]:
    return by_version(_by_group().values())


def by_version(resources: Iterable[Resource]) -> dict[tuple[str, str], Resource]:
    """Return resources by API version and kind, in all versions."""
    return {
        (item.api_version, item.kind): resource
        for resource in resources
        for item in resource.in_each_version()
    }


def resource_of(manifest: Manifest) -> Resource:
    """Return the resource of an object.

    Raises:
        KeyError: The kind is not in the table.
    """
    return _by_version()[manifest["apiVersion"], manifest["kind"]]


def ref_of(manifest: Manifest) -> Ref:
    """Return the reference of a manifest."""
    metadata = manifest["metadata"]
    return Ref(resource_of(manifest), metadata.get("namespace", ""), metadata["name"])


def parse_ref(text: str) -> Ref:
    """Parse `str(ref)`.

    Raises:
        KeyError: The kind is not in the table.
        ValueError: The text is not a reference.
    """
    steps = text.split("/")
    group = steps.pop(0) if "." in steps[0] else ""
    kind, *rest = steps
    resource = _by_group()[group, kind]
    namespace, name = rest if resource.is_namespaced else ("", *rest)
    return Ref(resource, namespace, name)
