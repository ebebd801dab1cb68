"""What the records say of pool and VIP, and the claim that one copied from a cluster stands for."""

from collections.abc import Mapping

from msgspec.structs import replace

from reconciler.families._record_form import Body, referring_whole
from reconciler.families.novaedge.kinds import NAME, SLOTS, VIP
from reconciler.model.key import Key

TYPE = SLOTS[4]
"""The type of all records."""

_WHOLE = referring_whole(NAME, {TYPE: VIP}, TYPE)


def claim_of_copy(body: Body) -> Key | None:
    """The claim that a record states; its address tells for which IP version."""
    claim = _WHOLE.claim(body)
    status = body.get("status")
    start = status.get("startAddress") if isinstance(status, Mapping) else None
    if claim is None or not isinstance(start, str) or ":" not in start:
        return claim
    return claim._replace(slot=SLOTS[6])


FORM = replace(_WHOLE, claim=claim_of_copy, types=dict.fromkeys(SLOTS.values(), TYPE))
