"""Why a plan decides something: what of a change causes it."""

from msgspec import Struct

from reconciler.findings import Location
from reconciler.model.key import Key


class Cause(Struct, frozen=True):
    """Why a plan decides something.

    Attributes:
        claim: What is decided on.
        place: Where the change causes it; None where it does not, or no one place does.
        reason: Why it is decided all the same, or how the place leads to it; empty where the place
            describes the claim itself.
        is_caused: The change causes it.
        commit: The newest commit of the change that touches the place; empty where there is none.
    """

    claim: Key
    place: Location | None
    reason: str = ""
    is_caused: bool = True
    commit: str = ""

    @property
    def short(self) -> str:
        """The commit, in as many letters as people are shown."""
        return self.commit[:12]
