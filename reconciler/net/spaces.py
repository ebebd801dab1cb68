"""Which address space a pool is of, as the source files say; what is not certain is unknown."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from reconciler.documents import yaml
from reconciler.net.reading import Pool

SPACE = "gitops-ipam.dev/address-space"
_DEFAULT = "default"

Kinds = Mapping[str, str]
"""The kinds of pool, each with the namespace of a document that names none."""


class Described(NamedTuple):
    """A pool that a document describes, and its address space; None when it is unclear."""

    pool: Pool
    space: str | None


def described(
    kinds: Kinds, names: Collection[str], path: str, data: bytes
) -> tuple[Described, ...]:
    """The pools of some names that a source file describes.

    A file that cannot be read makes each name unclear that stands in it.
    """
    del path
    if not any(kind.encode() in data for kind in kinds):
        return ()
    standing = [name for name in names if name.encode() in data]
    if not standing:
        return ()
    reading = yaml.read(data)
    if reading.problems:
        return tuple(Described(Pool("", "", name), None) for name in standing)
    found = (_described(kinds, document.value) for document in reading.documents)
    return tuple(item for item in found if item is not None and item.pool.name in standing)


def spaces_of(pools: Iterable[Pool], found: Collection[Described]) -> dict[Pool, str | None]:
    """The address space of each pool; None without exactly one answer."""
    return {pool: _only(pool, found) for pool in pools}


def may_share(one: str | None, other: str | None) -> bool:
    """What is unknown may be any space."""
    return one is None or other is None or one == other


def _only(pool: Pool, found: Collection[Described]) -> str | None:
    answers = {item.space for item in found if pool.name and pool.may_be(item.pool)}
    return answers.pop() if len(answers) == 1 else None


def _described(kinds: Kinds, body: Any) -> Described | None:
    kind, metadata = _of(body, "kind"), _of(body, "metadata")
    if not isinstance(kind, str) or kind not in kinds:
        return None
    name, namespace = _of(metadata, "name"), _of(metadata, "namespace")
    if not isinstance(name, str):
        return None
    place = namespace if isinstance(namespace, str) else kinds[kind]
    return Described(Pool(kind, place, name), _space(_of(metadata, "annotations")))


def _space(annotations: Any) -> str | None:
    space = _of(annotations, SPACE)
    if isinstance(space, str):
        return space
    is_absent = annotations is None or (isinstance(annotations, dict) and SPACE not in annotations)
    return _DEFAULT if is_absent else None


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
