"""A change beside others that wait for their merge, in sentences and as data."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_short
from reconciler.findings import few
from reconciler.model.key import Key
from reconciler.review.other_changes import Fuller, Second, Together

_MOST = 10


def title_of(item: Together) -> str:
    """What it is beside."""
    return f"{item.name} ({item.revision[:12]})" if item.revision else item.name


def sentences_of(item: Together) -> Iterator[str]:
    """What neither of the two changes shows by itself; one sentence where there is nothing."""
    if item.why:
        yield f"not looked at: {item.why}"
    if item.conflicts:
        yield f"whoever is merged second has a conflict in {few(item.conflicts)}"
    for both in item.both:
        what = f"{format_short(both.range)} of {both.pool.name}"
        yield f"both would take {what}: {_claim(both.ours)} here, {_claim(both.theirs)} there"
    for whose, seconds in (("this one", item.ours), ("that one", item.theirs)):
        for second in seconds:
            yield f"if {whose} is merged second, {_second(second)}"
    for pool in item.pools:
        yield _fuller(pool)
    yield from _wrong(item)
    if not item.is_told:
        yield "neither changes what the other one gets"


def _claim(claim: Key) -> str:
    return f"{claim._replace(slot='').short} ({claim.slot})"


def _second(second: Second) -> str:
    alone, claim = format_short(second.alone), _claim(second.claim)
    if second.then is None:
        return f"{claim} is refused ({second.reason}); alone it gets {alone}"
    return f"{claim} gets {format_short(second.then)} instead of {alone}"


def _wrong(item: Together) -> Iterator[str]:
    for finding in item.wrong[:_MOST]:
        yield f"only both together: {finding.code}: {finding.message}"
    if len(item.wrong) > _MOST:
        yield f"only both together: {len(item.wrong) - _MOST} more that are wrong"


def _fuller(item: Fuller) -> str:
    alone, both = item.alone, item.together
    words = f"{item.pool.name} is {both.percent}% full with both: {both.tier.value}"
    return f"{words}; with this one alone {alone.percent}%: {alone.tier.value}"
