"""Quotas."""

from collections.abc import Iterable, Mapping

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.model.claim import Allocation, Claim, Quota, Refusal
from reconciler.model.key import Key
from reconciler.model.state import Blocked
from reconciler.planning.refusals import over_quota


class Quotas:
    """Addresses that each quota group holds, while claims are served."""

    def __init__(
        self,
        claims: Mapping[Key, Claim],
        records: Mapping[Key, Allocation],
        blocked: Iterable[Blocked] = (),
    ) -> None:
        """Count the addresses of all claims before any claim is served.

        Args:
            claims: The claims.
            records: Their current records.
            blocked: Ranges in use without a record.
        """
        self._used: dict[tuple[str, ...], int] = {}
        # Manual ranges without addresses that a record of the same group also holds.
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
        """Return why `size` more addresses exceed the claim's quota; None if they fit.

        Args:
            claim: The claim.
            size: The number of addresses.
            item: The range, if it is known: a manual range counts only once.
        """
        if claim.quota is None:
            return None
        used = self.used(claim.quota, item)
        if used + size > claim.quota.limit:
            return over_quota(claim, claim.quota, used, size)
        return None

    def used(self, quota: Quota, item: IPRange | None = None) -> int:
        """Return how many addresses a group holds, without manual addresses inside a range."""
        used = self._used.get(quota.group, 0)
        if (by_hand := self._by_hand.get(quota.group)) is not None:
            used += (by_hand if item is None else by_hand - IPSet((item,))).size
        return used

    def give_back(self, claim: Claim, item: IPRange) -> None:
        """Subtract the range that a claim leaves when it moves."""
        if claim.quota is not None:
            self._used[claim.quota.group] = self._used.get(claim.quota.group, 0) - item.size

    def count(self, claim: Claim, item: IPRange) -> None:
        """Add the range that a claim was given. Refused claims do not count."""
        if claim.quota is None:
            return
        group = claim.quota.group
        self._used[group] = self._used.get(group, 0) + item.size
        if group in self._by_hand:
            self._by_hand[group] -= IPSet((item,))
