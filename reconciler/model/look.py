"""What was looked at in clusters: which files of the observed folder should be others now."""

from msgspec import Struct

from reconciler.model.change import Change


class Look(Struct, frozen=True):
    """One look at clusters. It is committed with what follows from it, in one commit.

    Attributes:
        at: When, in seconds since 1970: by the management cluster's clock, else by this machine's.
        changes: Files of the observed folder that are made, changed or removed, in canonical bytes.
        seen: What the trailer `Ipam-Observed` names; empty for none.
    """

    at: int
    changes: tuple[Change, ...]
    seen: str = ""

    @property
    def removed(self) -> tuple[str, ...]:
        """Paths of the files that go."""
        return tuple(change.path for change in self.changes if change.data is None)
