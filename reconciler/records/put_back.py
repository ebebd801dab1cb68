"""What people took out of records without leave, as files: with them everybody has it again."""

from collections.abc import Callable

from reconciler.records.by_hand import Records, lets_pass, losing
from reconciler.records.hands import Paths


def put_back(records: Records, allows: Callable[[str], bool]) -> Paths:
    """The files of claims that no longer have what they held, as they were.

    Each claim as a whole: what somebody wrote instead goes.

    Args:
        records: Those that differ from what reconcile committed.
        allows: Whether a person let pass what is done to a record, by its path or its claim.
    """
    hands = [
        hand
        for claim, hand, lost in losing(records)
        if not all(lets_pass(records, claim, it.path, allows) for it in lost)
    ]
    gone: dict[str, bytes | None] = {path: None for hand in hands for path in hand.now}
    return gone | {path: item.data for hand in hands for path, item in hand.before.items()}
