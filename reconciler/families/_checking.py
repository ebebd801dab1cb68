"""What families may not have in common, and what one may not say twice."""

from collections.abc import Iterable, Iterator

from reconciler.families._family import Family


def require_apart(families: Iterable[Family]) -> None:
    """Refuse families that stand in each other's way.

    Raises:
        ValueError: Two of them claim one kind, pool kind or slot, or one contradicts itself.
    """
    seen: dict[tuple[str, ...], str] = {}
    for family in families:
        _require_sound(family)
        for claimed in _claimed(family):
            other = seen.setdefault(claimed, family.name)
            if other != family.name:
                raise ValueError(f"{other} and {family.name} both {' '.join(claimed[:2])}")


def _claimed(family: Family) -> Iterator[tuple[str, ...]]:
    """What only one family may do, with what, and of which group."""
    yield from (("read", kind.name, kind.id.group) for kind in family.kinds)
    # Folders of records and their files bear these names, and nothing that tells the family.
    yield from (("have pools of kind", kind) for kind in family.pool_kinds)
    yield from (("claim by slot", slot) for slot in family.slots)


def _require_sound(family: Family) -> None:
    named: dict[str, object] = {}
    for kind in family.kinds:
        said = kind.id, kind.default_namespace, kind.is_shared
        if named.setdefault(kind.name, said) != said:
            raise ValueError(f"{family.name} reads {kind.name} in two ways")
    for kind_name in (*family.pool_kinds, *family.slots.values()):
        if kind_name not in named:
            raise ValueError(f"{family.name} does not read {kind_name}")
    for slot in family.grows:
        if slot not in family.slots:
            raise ValueError(f"{family.name} does not claim by slot {slot}")
