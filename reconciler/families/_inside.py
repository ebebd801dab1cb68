"""Networks inside clusters: CIDRs of pods and services, as a document states them."""

from collections.abc import Iterable
from typing import NamedTuple

from reconciler.addresses.notation import NotationError, parse_cidr
from reconciler.documents.document import Document
from reconciler.documents.yaml import Steps
from reconciler.families._pool_fields import DEFAULT_SPACE
from reconciler.findings import Finding, warning
from reconciler.model.state import ClusterNetwork


class Stated(NamedTuple):
    """A text of a document.

    Attributes:
        use: What has the addresses: `pods` or `services`.
        text: A CIDR, or several with commas between them.
        steps: Where it stands.
    """

    use: str
    text: str
    steps: Steps


def read_inside(
    document: Document, stated: Iterable[Stated], spaces: Iterable[str]
) -> tuple[list[ClusterNetwork], list[Finding]]:
    """The networks inside a cluster, and what is no CIDR, which nothing is compared with.

    Args:
        document: What describes the cluster.
        stated: Its texts.
        spaces: Address spaces of the pools that the cluster gets addresses from. A cluster of none
            stands in the default one.
    """
    owner = f"{document.namespace}/{document.name}"
    within = tuple(sorted(set(spaces))) or (DEFAULT_SPACE,)
    networks: list[ClusterNetwork] = []
    found: list[Finding] = []
    for use, text, steps in stated:
        place = document.at(*steps)
        for one in text.split(","):
            try:
                item = parse_cidr(one)
            except NotationError as wrong:
                message = f"{wrong}: it is not compared with the pools"
                found.append(warning("cidr-invalid", place, message, wrong.hint))
            else:
                networks.append(ClusterNetwork(item, use, owner, within, place))
    return networks, found
