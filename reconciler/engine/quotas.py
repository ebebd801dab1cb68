"""What the claims of a group may hold together, and how much of it is used."""

from collections.abc import Mapping

from reconciler.engine.refusal import over_quota
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim, Refusal
from reconciler.model.key import Key


class Quotas:
    """Addresses that each group holds, while claims are served."""

    def __init__(self, claims: Mapping[Key, Claim], records: Mapping[Key, Allocation]) -> None:
        """Count what claims hold before any of them is served; `records` are the current ones."""
        self._used: dict[tuple[str, ...], int] = {}
        for key, claim in claims.items():
            record = records.get(key)
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
        """Count what a claim was given; what is refused counts for nothing."""
        if claim.quota is not None:
            used = self._used.get(claim.quota.group, 0)
            self._used[claim.quota.group] = used + size
