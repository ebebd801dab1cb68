"""Clusters that may still announce what another one shall get."""

from collections.abc import Mapping
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet


class Claims(NamedTuple):
    """Addresses of one cluster, and the address spaces that they are of."""

    spaces: tuple[str, ...]
    addresses: IPSet

    def meets(self, other: "Claims") -> bool:
        """Both may mean the same network: some space is in both, or one of them is not known."""
        if not self.spaces or not other.spaces:
            return True
        return any(space in other.spaces for space in self.spaces)


class _Span(NamedTuple):
    version: int
    first: int
    last: int
    is_wanted: bool
    cluster: str


def address_conflicts(
    announced: Mapping[str, Claims], wanted: Mapping[str, Claims]
) -> Mapping[str, tuple[str, ...]]:
    """For each cluster the other ones that may announce what it wants, by name.

    One sweep over all ranges, because thousands of clusters have thousands of them.
    """
    spans = [*_spans(announced, is_wanted=False), *_spans(wanted, is_wanted=True)]
    found: dict[str, dict[str, None]] = {}
    open_spans: list[_Span] = []
    for span in sorted(spans):
        open_spans = [
            item for item in open_spans if item.version == span.version and item.last >= span.first
        ]
        for item in open_spans:
            if item.is_wanted == span.is_wanted or item.cluster == span.cluster:
                continue
            wants, has = (span, item) if span.is_wanted else (item, span)
            if wanted[wants.cluster].meets(announced[has.cluster]):
                found.setdefault(wants.cluster, {})[has.cluster] = None
        open_spans.append(span)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _spans(claims: Mapping[str, Claims], *, is_wanted: bool) -> list[_Span]:
    return [
        _Span(*_ends(item), is_wanted, name)
        for name, claim in claims.items()
        for item in claim.addresses
    ]


def _ends(item: IPRange) -> tuple[int, int, int]:
    return item.version, item.first, item.last
