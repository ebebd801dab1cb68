"""Which candidate pools may still have room: each is asked again only where it may.

Free addresses only become fewer while a plan is made. So what is known of a pool's longest run
holds as a limit for all claims that come later, however many pools are full by then.
"""

from collections.abc import Callable, Mapping, Sequence

from reconciler.addresses import IPRange
from reconciler.engine.near import find_near
from reconciler.engine.refusal import (
    Tried,
    not_by_itself,
    other_version,
    paused,
    tried,
    usable_of,
)
from reconciler.engine.space import Space
from reconciler.model.claim import Near, Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Pool

_ANY = 1 << 129

Spaces = Callable[[str], Space]
"""The space of a name."""


class Candidates:
    """The candidates of all claims that name the same pools and need the same IP version.

    Attributes:
        pools: In the order in which they are tried.
        refusals: Why some of them give nothing to any such claim.
        frozen: Position of the first that gives nothing new; past the last one when all do.
    """

    def __init__(
        self, pools: Sequence[Pool], version: int | None, frozen: Mapping[Key, str]
    ) -> None:
        self.pools = pools
        self.frozen = next((at for at, it in enumerate(pools) if it.key in frozen), len(pools))
        self._version = version
        never = [(at, _never(pool, version)) for at, pool in enumerate(pools)]
        self.refusals = [refusal for _, refusal in never if refusal is not None]
        self._longest = [0 if refusal is not None else _ANY for _, refusal in never]
        self._asked = [pools[at] for at, refusal in never if refusal is None]
        self._tried: Tried | None = None

    def allocate(
        self, space_of: Spaces, size: int, near: Near | None = None, *, take: bool = True
    ) -> tuple[int, IPRange] | None:
        """Take a range of the first candidate with room for all of it; its position, too.

        What touches the range that is added to comes first. Without `take`, it is only found.
        """
        if near is not None and (found := find_near(near, size, self.pools, space_of, take=take)):
            return found
        return self._first(space_of, size, take=take)

    def _first(self, space_of: Spaces, size: int, *, take: bool) -> tuple[int, IPRange] | None:
        at = self._next(0, size)
        while at is not None:
            pool = self.pools[at]
            space = space_of(pool.space)
            found = space.allocate(pool, size, self._version, take=take)
            if found is not None:
                return at, found
            self._longest[at] = space.longest(pool, self._version)
            at = self._next(at + 1, size)
        return None

    def tried(self, space_of: Spaces) -> Tried | None:
        """What there was to be had of all that were asked, once all claims are served."""
        if self._tried is None and self._asked:
            rooms = ((it, space_of(it.space).room(it, self._version)) for it in self._asked)
            self._tried = tried(rooms, self._version)
        return self._tried

    def _next(self, start: int, size: int) -> int | None:
        longest = self._longest
        return next((at for at in range(start, len(longest)) if longest[at] >= size), None)


def _never(pool: Pool, version: int | None) -> Refusal | None:
    """Why a pool gives nothing to a claim that names no address; None when it may give some."""
    if version is not None and not usable_of(pool, version):
        return other_version(pool, version)
    if pool.is_paused:
        return paused(pool)
    return None if pool.auto_assign else not_by_itself(pool)
