"""Quotas."""

from collections.abc import Iterable, Mapping

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.model.claim import Allocation, Claim, Quota, Refusal
from reconciler.model.key import Key
from reconciler.model.state import Blocked
from reconciler.planning.refusals import over_quota


class Quotas:
    """Addresses that each group holds, while claims are served."""

    def __init__(
        self,
        claims: Mapping[Key, Claim],
        records: Mapping[Key, Allocation],
        blocked: Iterable[Blocked] = (),
    ) -> None:
        """Count what claims hold before any of them is served.

        Args:
            claims: The claims.
            records: Their current records.
            blocked: Ranges in use without a record.
        """
        self._used: dict[tuple[str, ...], int] = {}
        # What was set by hand and is not in a record of the same group, too.
        self._by_hand: dict[tuple[str, ...], IPSet] = {}
        for item in blocked:
            if item.by_hand is not None and (quota := item.by_hand.quota) is not None:
                there = self._by_hand.get(quota.group, IPSet())
                self._by_hand[quota.group] = there | IPSet((item.range,))
        for key, claim in claims.items():
            record = records.get(key)
            if record and record.is_live and record.range:
                self.count(claim, record.range)

    def refusal(self, claim: Claim, size: int, item: IPRange | None = None) -> Refusal | None:
        """Why `size` more addresses do not fit in the claim's quota; None when they do.

        Args:
            claim: The claim.
            size: How many.
            item: Which they are, if that is known: what was set by hand counts once.
        """
        if claim.quota is None:
            return None
        used = self.used(claim.quota, item)
        if used + size > claim.quota.limit:
            return over_quota(claim, claim.quota, used, size)
        return None

    def used(self, quota: Quota, item: IPRange | None = None) -> int:
        """How many addresses a group holds, without those of a range that were set by hand."""
        used = self._used.get(quota.group, 0)
        if (by_hand := self._by_hand.get(quota.group)) is not None:
            used += (by_hand if item is None else by_hand - IPSet((item,))).size
        return used

    def give_back(self, claim: Claim, item: IPRange) -> None:
        """Count no more what a claim leaves for another range."""
        if claim.quota is not None:
            self._used[claim.quota.group] = self._used.get(claim.quota.group, 0) - item.size

    def count(self, claim: Claim, item: IPRange) -> None:
        """Count what a claim was given; what is refused counts for nothing."""
        if claim.quota is None:
            return
        group = claim.quota.group
        self._used[group] = self._used.get(group, 0) + item.size
        if group in self._by_hand:
            self._by_hand[group] -= IPSet((item,))
