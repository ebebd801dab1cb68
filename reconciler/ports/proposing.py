"""A branch of its own for what reconcile made, of which a pull request is made."""

from typing import Protocol

from reconciler.model.proposed import Proposed
from reconciler.ports.revision import Revision


class Proposing(Protocol):
    """The branch that a pull request is made of."""

    @property
    def name(self) -> str:
        """Its name."""

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        """Let it hold a revision that is made on a base; None for nothing.

        What people committed there is never lost: a `UsageError` tells of it. A `LostRaceError`
        where somebody moved it meanwhile.
        """
