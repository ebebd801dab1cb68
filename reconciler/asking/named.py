"""Which pools a person means by a name."""

from collections.abc import Collection

from reconciler.model.key import Key


def pools_named(pools: Collection[Key], text: str) -> list[Key]:
    """Pools of a name, of `namespace/name`, or of a key as outputs show it; by key."""
    return sorted(key for key in pools if text in (str(key), key.short, key.name))
