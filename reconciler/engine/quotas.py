"""Quotas: how much the claims of one group hold together, and whether more fits."""

from collections.abc import Mapping

from reconciler.engine.refusal import over_quota
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim, Refusal
from reconciler.model.key import Key
from reconciler.model.state import State


class Quotas:
    """What is used of each quota; it grows as claims are served."""

    def __init__(self, state: State, record_of: Mapping[Key, Allocation]) -> None:
        """Begin with what live records hold.

        Args:
            state: The claims with their quotas.
            record_of: The record that speaks for each claim.
        """
        self._used: dict[tuple[str, ...], int] = {}
        for key, claim in state.claims.items():
            record = record_of.get(key)
            if record and record.is_live and record.range:
                self.count(claim, record.range.size)

    def refusal(self, claim: Claim, size: int) -> Refusal | None:
        """Why `size` more addresses do not fit in the claim's quota; None when they do."""
        if claim.quota is None:
            return None
        used = self._used.get(claim.quota.group, 0)
        if used + size > claim.quota.limit:
            return over_quota(claim, claim.quota, used, size)
        return None

    def count(self, claim: Claim, size: int) -> None:
        """Count what a claim was given towards its quota; what is refused counts for nothing."""
        if claim.quota is not None:
            used = self._used.get(claim.quota.group, 0)
            self._used[claim.quota.group] = used + size
