"""How a record names its pool and its owner: the part of its `spec` that families differ in.

Butler's records name both in a few words, because its API does; those of all other families say
kind and group, too (`contract.md` §3):

    poolRef: {name}                               poolRef: {apiGroup, kind, name, namespace}
    tenantClusterRef: {name, namespace}           claimRef: {apiGroup, kind, name, namespace}

What is cluster-scoped has no `namespace`. Reading and both ways of writing follow from these values.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from reconciler.documents.document import GroupKind
from reconciler.model.key import Key

Body = Mapping[str, Any]

NAME = ("name",)
PLACED = ("name", "namespace")
WHOLE = ("apiGroup", "kind", "name", "namespace")
"""The fields of a reference that needs nothing beside it to be understood."""


class RecordForm(Struct, frozen=True):
    """The references in the `spec` of a family's records.

    Attributes:
        pool: The fields of `poolRef`: `WHOLE` or `NAME`. A pool of which the name alone is said is
            of the family's first pool kind, and lies in the namespace of the record.
        owner: The field of `spec` that names the owner.
        owner_fields: Its fields: `WHOLE` or `PLACED`.
        type: What a record means that says no `type`.
        claim: The claim that a record stands for which names none, as one copied from a cluster;
            told by its text alone. None when it is none of the family.
        types: The type of each slot's records, which are the claimant's own. Records of other
            slots say themselves of what type and whose they are.
    """

    pool: tuple[str, ...]
    owner: str
    owner_fields: tuple[str, ...]
    type: str
    claim: Callable[[Body], Key | None]
    types: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, slot: str) -> str | None:
        """The type of a slot's records, or of the slot it grew from; None where each says it."""
        return self.types.get(slot) or self.types.get(slot.rpartition("-")[0])

    @property
    def names_pool_whole(self) -> bool:
        """The text says which pool is meant, wherever the record stands."""
        return self.pool == WHOLE


def referring_whole(family: str, owners: Mapping[str, GroupKind], type_: str) -> RecordForm:
    """The form of every family but Butler: `claimRef` and `poolRef` that say all.

    Args:
        family: Its name.
        owners: The kind that claims, by slot. A copied record has its slot as `type`.
        type_: What a record means that says no `type`.
    """

    def claim(body: Body) -> Key | None:
        spec = body.get("spec")
        reference = spec.get("claimRef") if isinstance(spec, Mapping) else None
        if not isinstance(spec, Mapping) or not isinstance(reference, Mapping):
            return None
        slot = spec.get("type")
        kind = owners.get(slot) if isinstance(slot, str) else None
        said = reference.get("apiGroup"), reference.get("kind")
        name, namespace = reference.get("name"), reference.get("namespace", "")
        if said != kind or not isinstance(name, str) or not isinstance(namespace, str):
            return None
        found = Key(family, namespace, name, str(slot), str(said[1]))
        return found if found.is_sound else None

    types = {slot: slot for slot in owners}
    return RecordForm(WHOLE, "claimRef", WHOLE, type_, claim, types)
