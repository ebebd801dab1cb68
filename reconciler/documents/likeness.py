"""How much of what two documents say is the same."""

from collections.abc import Iterable, Iterator, Mapping


def share(one: object, other: object) -> float:
    """How much of two values is the same: of all places that have something, those that are alike."""
    mine, theirs = dict(_leaves(one)), dict(_leaves(other))
    places = {**mine, **theirs}
    same = sum(place in mine and mine[place] == theirs.get(place) for place in places)
    return same / len(places) if places else 1.0


def _leaves(value: object, *above: object) -> Iterator[tuple[tuple[object, ...], object]]:
    """Each text, number and empty thing of a value, by its place."""
    inner: Iterable[tuple[object, object]] = ()
    if isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, list | tuple):
        inner = enumerate(value)
    found = [leaf for key, item in inner for leaf in _leaves(item, *above, key)]
    yield from found or [(above, str(value))]
