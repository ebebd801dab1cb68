"""Address cells, in the notations that people and other programs write."""

import re
from contextlib import suppress
from ipaddress import ip_interface
from typing import Literal

from reconciler import addresses
from reconciler.addresses import BITS, IPRange, NotationError, format_address, format_range
from reconciler.documents.findings import shown

_EXAMPLE = "write 10.0.0.5, 10.0.0.0/28, or 10.0.0.5-10.0.0.9"
_DASH = re.compile(r"\s*(?:[-\u2010-\u2015\u2212~]+>?|\.{2,}|\u2026|\s(?:to|through|bis)\s)\s*")
_MASK = re.compile(r"\s*/\s*(?=\d{1,3}(?![\d.])|255\.)|\s+(?=255\.)")
_BETWEEN = re.compile(r"(?:[\s,;|&+]|(?<=\s)(?:/|and|und)(?=\s))+")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200e\u200f\ufeff"))
Notation = Literal["address", "host", "cidr", "network"]


def ranges_in(text: str, notation: Notation = "address") -> list[IPRange]:
    """Return the ranges of a cell, or raise NotationError with the corrected form.

    With host bits and a prefix length, an `address` is one address; a `host` always is, and a
    `cidr` never. A `network` needs a prefix length.
    """
    plain = text.translate(_INVISIBLE).strip(" =\"'")
    parts = [it for it in _BETWEEN.split(_MASK.sub("/", _DASH.sub("-", plain))) if it]
    if not parts:
        raise NotationError("the row has no address", _EXAMPLE)
    try:
        return [_range(part, notation) for part in parts]
    except NotationError as wrong:
        if shown(text) in str(wrong):
            raise
        raise NotationError(f"{shown(text)}: {wrong}", wrong.hint) from wrong


def is_valid(text: str, notation: Notation = "address") -> bool:
    """Return whether a cell has addresses or networks, and nothing else."""
    with suppress(NotationError):
        return bool(ranges_in(text, notation))
    return False


def is_network(text: str) -> bool:
    """Return whether a cell has networks with their prefix lengths, and nothing else."""
    return "/" in text and is_valid(text, "network")


def between(first: str, last: str) -> IPRange:
    """Return the range of two ends without prefix lengths. `10.0.0.5` to `9` is to `10.0.0.9`."""
    first, last = first.partition("/")[0], last.partition("/")[0]
    whole, mark = last, ":" if ":" in first else "."
    lacking = first.count(mark) - last.count(mark)
    # An end that begins as the start does is not short, but lacks something.
    if lacking > 0 and ":" not in last and not last.startswith(f"{first.partition(mark)[0]}."):
        whole = mark.join([*first.split(mark)[: lacking if mark == "." else -1], last])
    (version, start), (other, end) = _address(first), _address(whole)
    if version == other and start <= end:
        return IPRange(version, start, end)
    hint, wrong = _EXAMPLE, "ends before it starts" if version == other else "mixes IPv4 and IPv6"
    if version == other and whole == last:
        hint = f"write {format_range(IPRange(version, end, start))}"
    raise NotationError(f"{shown(f'{first}-{last}')} {wrong}", hint)


def _range(text: str, notation: Notation) -> IPRange:
    first, dash, last = text.partition("-")
    address, slash, length = first.partition("/")
    version, number = _address(address)
    found = _network(version, number, length) if slash and notation != "host" else None
    if dash and found is None:
        item = between(first, last)
        if notation == "network" and item.prefix() is None:
            hint = "describe it as networks with a prefix length each"
            raise NotationError(f"{shown(text)} is not a CIDR, so it cannot become a pool", hint)
        return item
    if dash:
        hint = "write the first and the last address, without prefix lengths"
        raise NotationError(f"{shown(text)} is a range whose ends are networks", hint)
    if found is None and slash and notation in ("cidr", "network"):
        hint = f"write {format_address(version, number)} for this address, or the network"
        raise NotationError(f"{shown(text)} has host bits set", hint)
    if not slash and notation == "network":
        hint = f"write the network as {text}/LENGTH, or add a column Mask"
        raise NotationError(f"{shown(text)} has no prefix length", hint)
    return found or IPRange(version, number, number)


def _network(version: int, number: int, length: str) -> IPRange | None:
    """Return the range of an address with a prefix length or mask; None if it has host bits."""
    text = f"{format_address(version, number)}/{length}"
    try:
        found = ip_interface(text).network
    except ValueError as wrong:
        message = f"{shown(length)} is not a prefix length of 0 to {BITS[version]}"
        raise NotationError(f"{shown(text)}: {message}", "write its prefix length") from wrong
    return IPRange(version, number, int(found[-1])) if int(found[0]) == number else None


def _address(text: str) -> tuple[int, int]:
    """Return version and number; IPv6 in any case and with any zeros."""
    meant = addresses.canonical(text) if ":" in text and "." not in text else ""
    return addresses.parse_address(meant if ":" in meant else text)
