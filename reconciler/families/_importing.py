"""What `ipam import` asks of a family: what it copies of a cluster, and how it writes what lives."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Documents
from reconciler.families._intake import Intake
from reconciler.model.key import Key
from reconciler.model.resource import Manifest, Resource

Body = dict[str, Any]
Listed = dict[Resource, list[Manifest]]
"""The objects of one cluster, by kind."""


class Network(Struct, frozen=True):
    """A pool to be written.

    Attributes:
        windows: What it gives out; none for the whole network.
        is_full: It holds what lives and nothing else, so that no gate may stop it.
    """

    name: str
    extent: IPRange
    space: str
    windows: tuple[IPRange, ...] = ()
    is_full: bool = False


class Pin(Struct, frozen=True):
    """A range that somebody has, to be written as a request of that very range.

    Attributes:
        owner: Namespace and name of who has it.
        name: Of the request.
    """

    owner: tuple[str, str]
    team: str
    type: str
    pool: str
    item: IPRange
    name: str


class Cluster(Struct, frozen=True):
    """A cluster to be written as a document.

    Attributes:
        size: How many addresses its own claim has; 0 for none.
        metallb_pool: Its pool of MetalLB, where that has not the usual name.
    """

    owner: tuple[str, str]
    team: str
    provider: str
    size: int
    metallb_pool: str = ""


def _wanted(manifest: Manifest, there: Listed) -> str:
    del manifest, there
    return ""


def _as_it_is(body: Body, manifest: Manifest, there: Listed) -> Body:
    del manifest, there
    return body


class Copied(Struct, frozen=True):
    """A kind whose objects are copied from a cluster as documents.

    Attributes:
        folder: The source folder that its documents usually stand in.
        left: Why an object is not copied, by all that the cluster holds; empty when it is.
        amend: The document with what the cluster says elsewhere.
    """

    intake: Intake
    folder: str
    left: Callable[[Manifest, Listed], str] = _wanted
    amend: Callable[[Body, Manifest, Listed], Body] = _as_it_is


class Writing(Struct, frozen=True):
    """How a family writes what lives elsewhere.

    Attributes:
        pool_title: What its pools are called.
        cluster_title: What its clusters are called.
        version: The IP version that they hold.
        pool_key: The key of a pool that is written, by its name.
        pool: The document of a pool.
        pin: The document of a request of a range.
        cluster: The document of a cluster.
        provider: The document that says which pools serve clusters, by its name and theirs.
        provider_of: The name of such a document that is there and serves from all of some pools,
            or empty.
        request_name: What the request of an owner's first range of a type is called, so that it
            stands for the claim that the owner has of itself.
        is_there: Somebody describes a cluster.
        annotation: What a cluster's document names its pool of MetalLB by.
    """

    pool_title: str
    cluster_title: str
    version: int
    pool_key: Callable[[str], Key]
    pool: Callable[[Network], Body]
    pin: Callable[[Pin], Body]
    cluster: Callable[[Cluster], Body]
    provider: Callable[[str, Iterable[str]], Body]
    provider_of: Callable[[Documents, Iterable[str]], str]
    request_name: Callable[[tuple[str, str], str], str]
    is_there: Callable[[Documents, str, str], bool]
    annotation: str
