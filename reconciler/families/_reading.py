"""What a family collects from its documents, one after another, until they make its `Reading`."""

from reconciler.documents.document import Document, Identity
from reconciler.families._family import Reading
from reconciler.findings import Finding
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Blocked, ClusterNetwork, Gateway


class Collected:
    """What was read so far. A reader of a family holds one, and adds to it as it goes."""

    def __init__(self) -> None:
        self.pools: dict[Key, Pool] = {}
        self.claims: dict[Key, Claim] = {}
        self.findings: list[Finding] = []
        self.blocked: list[Blocked] = []
        self.gateways: list[Gateway] = []
        self.inside: list[ClusterNetwork] = []
        self.protected: list[Identity] = []
        self.frozen: dict[Key, str] = {}
        self.growing: list[Identity] = []
        self.missing: dict[Finding, Key] = {}
        self.presumed: dict[Finding, frozenset[Key]] = {}

    def tell(self, document: Document, *found: Finding) -> None:
        """Report, unless it is about a document as it was in an earlier revision."""
        if not document.unread:
            self.findings += found

    def presume(self, document: Document, found: Finding, claims: frozenset[Key]) -> None:
        """Report what is true only where some claims get what they ask for."""
        self.tell(document, found)
        self.presumed[found] = claims

    def lack(self, document: Document, pool: Key, found: Finding) -> None:
        """Report a pool that a document names and that is not there."""
        self.tell(document, found)
        self.missing[found] = pool

    def add_pool(self, document: Document, pool: Pool) -> None:
        """Add the pool of a document; where that is in doubt, it gives nothing new."""
        self.pools[pool.key] = pool
        if document.doubt:
            self.frozen[pool.key] = document.doubt

    def reading(self) -> Reading:
        """All of it, as a value."""
        return Reading(
            pools=self.pools,
            claims=self.claims,
            findings=tuple(self.findings),
            blocked=tuple(self.blocked),
            gateways=tuple(self.gateways),
            inside=tuple(self.inside),
            protected=frozenset(self.protected),
            frozen=self.frozen,
            growing=frozenset(self.growing),
            missing=self.missing,
            presumed=self.presumed,
        )
