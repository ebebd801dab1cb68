"""What the columns of a table mean, told by their headers, or by a person."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reconciler.findings import meant, shown

# In the order in which they are taken: of two columns that name somebody, the first that has a value.
HEADERS: Mapping[str, tuple[str, ...]] = {
    "address": (
        *("address", "ip", "ipaddress", "ipaddr", "ipv4", "ipv4address", "addr", "vip"),
        *("externalip", "loadbalancerip", "primaryip", "hostip", "addresses", "ips"),
    ),
    "range": ("range", "iprange", "addressrange", "pinnedrange"),
    "cidr": ("cidr", "prefix", "subnet", "block"),
    "start": ("start", "startaddress", "startip", "first", "firstip", "firstaddress", "from"),
    "end": ("end", "endaddress", "endip", "last", "lastip", "lastaddress", "to"),
    "cluster": ("cluster", "tenant", "tenantcluster", "clustername", "tenantname"),
    "name": (
        *("name", "hostname", "host", "server", "device", "vm", "virtualmachine", "machine"),
        *("dnsname", "dns", "fqdn", "service", "assignedobject", "parent"),
    ),
    "namespace": ("namespace", "ns", "project"),
    "pool": ("pool", "network", "networkpool", "vlan", "segment", "poolname"),
    "type": ("type", "role", "usage", "purpose", "kind"),
    "team": ("team", "owner", "department", "group", "ownedby"),
    "description": ("description", "desc", "comment", "comments", "note", "notes", "remark"),
    "status": ("status", "state"),
    "space": ("vrf", "space", "addressspace"),
}
"""The headers by meaning, in small letters and without what stands between words."""

_BETWEEN = re.compile(r"[\s_.\-/()]+")
IGNORED = "ignore"


class Columns(NamedTuple):
    """Positions of columns by meaning, and the headers that mean nothing."""

    by_meaning: Mapping[str, tuple[int, ...]]
    unknown: tuple[str, ...]

    @property
    def has_addresses(self) -> bool:
        """Some column says addresses."""
        return any(it in self.by_meaning for it in ("address", "range", "cidr", "start"))


def columns_of(header: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    """What the columns of a header mean.

    Args:
        header: The header.
        mapped: Meanings by header, as a person says; they go before what headers say.

    Raises:
        ValueError: A person names a column that is not there, or a meaning that is none.
    """
    wanted = {_plain(name): _meaning(meaning) for name, meaning in mapped.items()}
    there = [_plain(name) for name in header]
    for name, asked in zip(mapped, wanted, strict=False):
        if asked not in there:
            columns = ", ".join(header)
            raise ValueError(f"no column {shown(name)}; there are: {columns}")
    ranked: dict[str, list[tuple[int, int]]] = {}
    unknown = []
    for at, name in enumerate(there):
        meaning, rank = (wanted[name], -1) if name in wanted else _told(name)
        if meaning and meaning != IGNORED:
            ranked.setdefault(meaning, []).append((rank, at))
        elif not meaning:
            unknown.append(header[at])
    found = {key: tuple(at for _, at in sorted(places)) for key, places in ranked.items()}
    return Columns(found, tuple(unknown))


def _told(name: str) -> tuple[str, int]:
    for meaning, headers in HEADERS.items():
        if name in headers:
            return meaning, headers.index(name)
    return "", 0


def _meaning(text: str) -> str:
    known = (*HEADERS, IGNORED)
    if text not in known:
        more = meant(text, known) or f"meanings: {', '.join(known)}"
        raise ValueError(f"{shown(text)} is no meaning of a column; {more}")
    return text


def _plain(name: str) -> str:
    return _BETWEEN.sub("", name.strip().casefold())
