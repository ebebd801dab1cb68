"""Claims that go together: both get addresses, or neither does; and who is served first."""

from collections.abc import Mapping

from reconciler.model.claim import Claim, Refusal
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Refuse

Claims = Mapping[Key, Claim]


def other_of(claim: Claim, claims: Claims) -> Claim | None:
    """The claim that goes together with one, or None."""
    return None if claim.beside is None else claims.get(claim.beside)


def precedence(claim: Claim, claims: Claims) -> tuple[int, int, Key]:
    """Pins first, lest another claim take a named address; then large before small.

    Two that go together are served together: behind all pins, when only one of them is one.
    """
    rank = 2 if claim.pin is None else 0
    other = other_of(claim, claims)
    if other is not None and (other.pin is None) != (claim.pin is None):
        rank = 1
    return rank, -claim.size, claim.key


def lacking(decision: Decision) -> Refuse | None:
    """The decision that leaves a claim without any address; None for any other."""
    if not isinstance(decision, Refuse):
        return None
    held = decision.allocation
    return None if held is not None and held.is_live else decision


def beside(other: Claim, lack: Refuse) -> Refusal:
    """A claim could have an address, but goes together with one that gets none."""
    return Refusal(
        lack.reason,
        f"{other.key.slot} gets no address, and neither does without the other: {lack.message}",
        lack.hint,
    )
