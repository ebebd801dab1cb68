"""Which clusters one apply works on, and what was seen of them before."""

from collections.abc import Container, Mapping

from msgspec import Struct, field

from reconciler.clusters.elastic.model import Reading, Word
from reconciler.model.resource import Ref


class Extent(Struct, frozen=True):
    """What one apply is about.

    Attributes:
        only: The clusters that are worked on; None for all. What the others announce counts as if
            they could not be asked.
        words: What was seen of tenants whose clusters were looked at, and is told of them.
        readings: What those clusters showed of their use, by name.
    """

    only: Container[str] | None = None
    words: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)


WHOLE = Extent()
"""All clusters, and none of them was looked at."""
