"""What one run leaves to the next: the groups of a tree, as texts for the cache and back.

Three texts, because most runs need the first alone: what is known when no file changed; the groups
that had nothing to do; and the names of their records, which only a new record is compared with.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from reconciler.addresses import IPRange
from reconciler.documents.document import EVERY
from reconciler.findings import Finding, Location, Severity
from reconciler.incremental.group import Group, Span
from reconciler.incremental.settling import sum_of
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Tier
from reconciler.tree import Settled

HEAD, GROUPS, NAMES = "head", "groups", "names"


@dataclass(frozen=True, slots=True)
class Head:
    """What is known when nothing changed.

    Attributes:
        id: The identity of the other two texts.
        tops: Object ids of the folders that were read, by path.
        shared: Source files that bear on everything.
        restless: The parts that have something to do.
        settled: What all others come to.
        gone: Parts of the groups that were not there any more; what changed since the groups were
            written is among the restless ones.
    """

    id: str
    tops: Mapping[str, str]
    shared: Mapping[str, str]
    restless: Mapping[str, str]
    settled: Settled
    gone: Sequence[str] = ()


NOTHING = Head("", {}, {}, {}, Settled())
"""Nothing is known."""


class Written(NamedTuple):
    """The texts of a snapshot; `id` is the identity of the last two, which the first one names."""

    id: str
    head: str
    groups: str
    names: str


def write(tops: Mapping[str, str], shared: Mapping[str, str], groups: Sequence[Group]) -> Written:
    """The texts of a snapshot."""
    left_out = [group for group in groups if group.settled is not None]
    restless = {
        path: oid for group in groups if group.settled is None for path, oid in group.parts.items()
    }
    settled = sum_of(group.settled for group in left_out if group.settled is not None)
    told = _text([_group(group) for group in left_out])
    names = _text(["\n".join(group.names) for group in left_out])
    identity = sha256(f"{told}\n{names}".encode()).hexdigest()
    head = Head(identity, tops, shared, restless, settled)
    return Written(identity, write_head(head), told, names)


def write_head(head: Head) -> str:
    """The text of a head."""
    return _text(
        {
            "id": head.id,
            "tops": dict(head.tops),
            "shared": dict(head.shared),
            "restless": dict(head.restless),
            "settled": _settled(head.settled),
            "gone": list(head.gone),
        }
    )


def read_head(text: str) -> Head:
    """What `write_head` wrote."""
    value = json.loads(text)
    settled = _read_settled(value["settled"])
    return Head(
        value["id"], value["tops"], value["shared"], value["restless"], settled, value["gone"]
    )


def read_groups(text: str) -> list[Group]:
    """What `write` wrote as `GROUPS`: groups without the names of their records."""
    return [
        Group(
            parts=value["parts"],
            provides={
                item: None
                for name in value["provides"]
                for item in (name, f"{name.rpartition('/')[0]}/{EVERY}")
            },
            asks=dict.fromkeys(value["asks"]),
            spans=[Span(space, IPRange(*item)) for space, *item in value["spans"]],
            inside={Span(space, IPRange(*item)): None for space, *item in value["inside"]},
            settled=_read_settled(value["settled"]),
        )
        for value in json.loads(text)
    ]


def read_names(text: str) -> list[str]:
    """What `write` wrote as `NAMES`: for each group the names of its records, a line each."""
    names: list[str] = json.loads(text)
    return names


def _group(group: Group) -> dict[str, Any]:
    return {
        "parts": group.parts,
        "provides": [item for item in group.provides if not item.endswith(f"/{EVERY}")],
        # What is found in the group stays found; what is not may come from elsewhere one day. All
        # documents of a kind are more when there is one more.
        "asks": [
            item for item in group.asks if item not in group.provides or item.endswith(f"/{EVERY}")
        ],
        "spans": [[space, *item] for space, item in group.spans],
        "inside": [[space, *item] for space, item in group.inside],
        "settled": _settled(group.settled or Settled()),
    }


def _settled(settled: Settled) -> dict[str, Any]:
    return {
        "kept": settled.kept,
        "usage": [[key, asdict(item)] for key, item in settled.usage.items()],
        "findings": [
            [item.code, item.severity, item.message, item.location, item.hint]
            for item in settled.findings
        ],
    }


def _read_settled(value: Mapping[str, Any]) -> Settled:
    return Settled(
        kept=value["kept"],
        usage={
            Key(*key): Usage(**{**values, "tier": Tier(values["tier"])})
            for key, values in value["usage"]
        },
        findings=tuple(
            Finding(code, Severity(severity), message, Location(*location), hint)
            for code, severity, message, location, hint in value["findings"]
        ),
    )


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
