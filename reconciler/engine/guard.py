"""Limits on what one plan may do: how full it may make a pool, how much it may release."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.engine.usage import percentage
from reconciler.findings import Finding, Location, gate, warning
from reconciler.model.instant import format_instant
from reconciler.model.override import SETTINGS_SCOPE, OverrideKind, Overrides
from reconciler.model.plan import Plan, Refuse
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.model.state import State

# Clocks of machines that are in order differ by less.
_SKEW_SECONDS = 60

CAPACITY = "capacity"
"""The code of what takes a pool to a tier that may not be reached."""


def refusals(plan: Plan) -> Iterator[Finding]:
    """Each refused claim as a gate at the place of the claim."""
    for decision in plan.decisions:
        if isinstance(decision, Refuse):
            message = f"{decision.claim.short}: {decision.message}"
            yield gate(decision.reason, decision.source, message, decision.hint)


def capacity(
    state: State, plan: Plan, settings: Settings, overrides: Overrides
) -> Iterator[Finding]:
    """Pools that the plan fills further, into a tier that may not be reached.

    A pool that was as full before is no reason to stop a change that does not touch it.
    """
    for key, pool in state.pools.items():
        before, after = plan.before[key], plan.after[key]
        used_before, used_after = before.allocated + before.held, after.allocated + after.held
        if pool.gate is None or after.tier.rank < pool.gate.rank:
            continue
        is_fuller = used_after * before.total > used_before * after.total
        if is_fuller and not _may_be_full(pool, settings, overrides):
            yield gate(
                CAPACITY,
                pool.source,
                f"{key.name} goes from {before.percent}% to {after.percent}%"
                f" ({used_after} of {after.total}): tier {after.tier}",
                f"widen the pool or add another; the gate is {pool.gate}",
            )


def _may_be_full(pool: Pool, settings: Settings, overrides: Overrides) -> bool:
    """An Override names the pool, or all pools that go by the gate of Settings."""
    if overrides.allow(OverrideKind.GATE, str(pool.key)):
        return True
    return pool.gate is settings.gate and overrides.allow(OverrideKind.GATE, SETTINGS_SCOPE)


def clock(ahead: int | None, used: int) -> Iterator[Finding]:
    """A committer date that no clock can have shown yet: by it, all retention would have ended.

    Args:
        ahead: The date, if it is so.
        used: The clock of the plan instead.
    """
    if ahead is not None:
        yield gate(
            "clock-ahead",
            Location("."),
            f"the commit is dated {format_instant(ahead)}, over an hour ahead of now;"
            f" nothing expires, and what is written is dated {format_instant(used)}",
            "set the clock that is wrong, here or where it was committed, and commit again",
        )


def clock_behind(date: int, now: int) -> Iterator[Finding]:
    """A machine that shows an earlier time than what it works on: what falls due would wait for it.

    Args:
        date: The committer date of the revision.
        now: What this machine shows, in seconds since 1970.
    """
    behind = date - now
    if behind > _SKEW_SECONDS:
        yield warning(
            "clock-behind",
            Location("."),
            f"this machine shows {format_instant(now)}, {behind} s before the commit's date:"
            " nothing falls due until it has caught up",
            "set this machine's clock, or that of who committed",
        )


class Going(Struct, frozen=True):
    """How many records come free, and of how many live ones.

    Attributes:
        live: Live records before the plan.
        released: Those that the plan releases.
        removed: Those that somebody removed: their addresses come free, too. They are not live.
        edited: Live ones that the plan keeps, but somebody took the addresses that they held out of
            them: those come free, too.
        expected: Those that somebody removed as an Override expects: of all that were live.
        resting: Those that were released before and rest still: two halves are a whole.
        known: Those that a brake of the base holds back already. They are live, and count no more.
        held_of: How many live records there were when a brake first held one of them back; 0 when
            none did. Who came since then makes the share no smaller.
    """

    live: int
    released: int
    removed: int = 0
    edited: int = 0
    expected: int = 0
    resting: int = 0
    known: int = 0
    held_of: int = 0

    @property
    def freed(self) -> int:
        """How many come free in all."""
        return self.released + self.removed + self.edited

    @property
    def all(self) -> int:
        """How many were live, with those that somebody removed."""
        return self.live + self.removed + self.expected

    @property
    def is_everything(self) -> bool:
        """Nothing is left of what is live, nor of what was when the first was held back."""
        is_all_then = 0 < self.held_of <= self.freed
        return is_all_then or self.freed == self.live + self.removed - self.known

    def is_over(self, settings: Settings) -> bool:
        """It is more than Settings let pass, of today's records or of those of then."""
        gone = self.freed + self.resting
        return any(
            there >= settings.min_records and 100 * gone > settings.max_release_percent * there
            for there in (self.all + self.resting, (self.held_of or self.all) + self.resting)
        )


def brake(
    going: Going, settings: Settings, allowed: int | None, overrides: Overrides
) -> Finding | None:
    """More that comes free than Settings let pass, unless a person named the number.

    An Override names how many come free in all, with those that rest since before: it is there until
    it expires, and lets nobody pass twice. `allowed` is of this plan alone.

    Args:
        going: What comes free.
        settings: Where the limits are.
        allowed: How many releases a person expects (`--allow-release`), or None.
        overrides: Where a number was named before.
    """
    held = _held(going, settings, allowed)
    if held is None or overrides.releases(going.freed + going.resting, going.resting):
        return None
    return held


def _held(going: Going, settings: Settings, allowed: int | None) -> Finding | None:
    """The finding about a plan that freed too much."""
    freed = going.freed
    if freed == 0 or (allowed is not None and freed <= allowed):
        return None
    share, waits = _share(going), "; none of that is carried out"
    named = f"releases: {freed + going.resting}"
    named += f" ({going.resting} rest already)" if going.resting else ""
    hint = f"if that is meant: merge an Override of kind brake, {named}; or at a terminal"
    hint += f" ipam reconcile --allow-release {freed}"
    place = Location(settings.location.path, settings.location.line, settings.location.column)
    if going.is_everything:
        return gate("brake", place, f"the plan releases everything: {share}{waits}", hint)
    if going.is_over(settings):
        limit = f"over the {settings.max_release_percent}% of brakes.maxReleasePercent"
        return gate("brake", place, f"the plan releases {share}, {limit}{waits}", hint)
    return None


def _share(going: Going) -> str:
    """How many come free, of how many, and what else counts."""
    freed, live, of = going.freed, going.all, going.held_of
    share = f"{freed} of {live} live records ({percentage(freed, live)}%)"
    by_hand = ((going.removed, "removed"), (going.edited, "edited"))
    share += "".join(f", {count} of them {how} by hand" for count, how in by_hand if count)
    if 0 < of < live:
        share += f"; there were {of} when the first was held back ({percentage(freed, of)}%)"
    if going.resting:
        gone, there = freed + going.resting, min(of or live, live) + going.resting
        share += f"; with {going.resting} that rest since before {gone} of {there}"
        share += f" ({percentage(gone, there)}%)"
    if going.known:
        share += f", beside {going.known} that are held back already"
    return share
