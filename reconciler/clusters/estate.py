"""What the management cluster shall hold."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field

from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.elastic.model import Word
from reconciler.documents.document import Identity
from reconciler.model.pool import Pool
from reconciler.model.resource import Ref
from reconciler.model.settings import Settings


class Estate(Struct, frozen=True):
    """What the management cluster shall hold.

    Attributes:
        pools: The pools of the tree, for their thresholds and for who uses their addresses.
        settings: Of the repository, for the brake.
        is_whole: Nothing in the tree is wrong, so what is not wanted is really not wanted.
        words: What is told of those whose clusters were looked at. Of others is told what was.
        known: What the documents of the tree describe.
        growing: Tells the objects of those who may grow.
    """

    desired: Sequence[DesiredObject]
    pools: Sequence[Pool]
    settings: Settings
    is_whole: bool
    words: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    known: Collection[Identity] = ()
    growing: Callable[[], Collection[Ref]] = frozenset
