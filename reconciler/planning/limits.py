"""Limits: quotas, capacity of pools, and releases."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Finding, Location, Severity, gate, plural, warning
from reconciler.model.claim import Allocation, Claim, Quota, Refusal
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, Plan, Refuse, State
from reconciler.model.settings import SETTINGS_SCOPE, OverrideKind, Overrides, Settings
from reconciler.planning.space import percentage


class Quotas:
    """Addresses that each quota group holds, while claims are served."""

    def __init__(
        self,
        claims: Mapping[Key, Claim],
        records: Mapping[Key, Allocation],
        blocked: Iterable[Blocked] = (),
    ) -> None:
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
        """Return why more addresses exceed the quota, or None. Manual ones in `item` count once."""
        quota = claim.quota
        if quota is None:
            return None
        used = self.used(quota, item)
        if used + size <= quota.limit:
            return None
        fewer = f"ask for fewer addresses (ipam explain {claim.key.argument} shows how many), or "
        return Refusal(
            "quota-exceeded",
            f"would bring {claim.owner.short} to {plural(used + size, f'{claim.type} address')},"
            f" more than its quota of {quota.limit}",
            f"{fewer * (used < quota.limit)}raise the quota ({quota.source})",
        )

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


# Synchronized clocks differ by less.
_SKEW_SECONDS = 60

CAPACITY = "capacity"
"""The code of a plan that fills a pool up to a refused usage tier."""


def refusals(plan: Plan, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the finding of each refused claim, at its location, unless an error there says it."""
    said = {(it.location.path, it.message) for it in findings if it.severity is Severity.ERROR}
    for decision in plan.decisions:
        if isinstance(decision, Refuse) and (decision.source.path, decision.message) not in said:
            message = f"{decision.claim.short}: {decision.message}"
            yield gate(decision.reason, decision.source, message, decision.hint)


def capacity(
    state: State, plan: Plan, settings: Settings, overrides: Overrides
) -> Iterator[Finding]:
    """Yield findings for pools that the plan fills further, up to a refused usage tier."""
    for key, pool in state.pools.items():
        before, after = plan.before[key], plan.after[key]
        used_before, used_after = before.allocated + before.held, after.allocated + after.held
        if pool.gate is None or after.tier.rank < pool.gate.rank:
            continue
        is_fuller = used_after * before.total > used_before * after.total
        scopes = [str(key), *([SETTINGS_SCOPE] if pool.gate is settings.gate else [])]
        if is_fuller and not any(overrides.allow(OverrideKind.GATE, it) for it in scopes):
            yield gate(
                CAPACITY,
                pool.source,
                f"pool {key.name} would go from {before.percent}% to {after.percent}% ({used_after} of {after.total}), past its capacity limit of {pool.thresholds.levels[pool.gate.rank - 1]}% ({pool.gate})",
                "widen the pool, add another one, or merge an Override of kind gate",
            )


def clock(ahead: int | None, used: int) -> Iterator[Finding]:
    """Yield the finding for a committer date in the future; `used` is the clock of the plan."""
    if ahead is not None:
        yield gate(
            "clock-ahead",
            Location("."),
            f"the commit is dated {format_instant(ahead)}, more than an hour in the future, so nothing expires (records use {format_instant(used)})",
            "correct the clock of the machine that made the commit (or of this one), then commit again",
        )


def clock_behind(date: int, now: int) -> Iterator[Finding]:
    """Yield the finding for a machine clock behind the revision, which would delay due changes."""
    behind = date - now
    if behind > _SKEW_SECONDS:
        yield warning(
            "clock-behind",
            Location("."),
            f"this machine's clock shows {format_instant(now)}, {behind} s before the date of the commit; nothing expires until it catches up",
            "correct the clock of this machine, or of the machine that made the commit",
        )


class Counts(Struct, frozen=True):
    """Records for the release limit: releases of the plan, all live ones, and those in retention."""

    releases: int
    live: int
    reserved: int = 0

    def is_over(self, settings: Settings) -> bool:
        """Return whether more is released than Settings permit."""
        gone, total = self.releases + self.reserved, self.live + self.reserved
        is_counted = total >= settings.min_records
        return is_counted and 100 * gone > settings.max_release_percent * total


def brake(
    counts: Counts, settings: Settings, allowed: int | None, overrides: Overrides
) -> Finding | None:
    """Return the finding of the release limit, or None."""
    # An Override counts reserved records, so it cannot be used twice; `allowed` does not.
    releases, gone = counts.releases, counts.releases + counts.reserved
    if releases == 0 or (allowed is not None and releases <= allowed):
        return None
    is_everything = releases == counts.live
    if not is_everything and not counts.is_over(settings):
        return None
    if overrides.releases(gone, counts.reserved):
        return None
    share = f"{releases} of {counts.live} allocated records ({percentage(releases, counts.live)}%)"
    if counts.reserved:
        total = counts.live + counts.reserved
        share += f", with records in retention {gone} of {total} ({percentage(gone, total)}%)"
    if is_everything:
        message = f"this plan would release all records: {share}"
    else:
        limit = f"more than brakes.maxReleasePercent ({settings.max_release_percent}%)"
        message = f"this plan would release {share}, {limit}"
    hint = f"restore the documents; if the releases are intended, merge an Override with kind: brake, releases: {gone}, or run ipam reconcile --allow-release {releases}"
    place = Location(settings.location.path, settings.location.line, settings.location.column)
    return gate("brake", place, f"{message}, so all releases are held back", hint)
