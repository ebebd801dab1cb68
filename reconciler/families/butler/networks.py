"""Butler's pools by the names that documents call them by, found or not."""

from reconciler.documents.document import Document, Documents
from reconciler.families._reading import Collected
from reconciler.families.butler.kinds import POOL
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.pools import NetworkPool, pool_key, read_pool
from reconciler.families.butler.providers import Provider
from reconciler.model.key import Key
from reconciler.model.settings import Settings


class Networks:
    """The pools that were read so far."""

    def __init__(self, documents: Documents, collected: Collected, settings: Settings) -> None:
        self._documents = documents
        self._collected = collected
        self._settings = settings
        self._read: dict[Key, NetworkPool] = {}
        self._of: dict[tuple[str, str], list[NetworkPool]] = {}

    def read(self, document: Document) -> None:
        """Read a pool."""
        network, found = read_pool(document, self._settings)
        self._collected.tell(document, *found)
        if network is not None:
            self._read[network.pool.key] = network
            self._collected.add_pool(document, network.pool)

    def find(self, namespace: str, name: str) -> NetworkPool | None:
        """The pool that a file names; one that never could be read is noted as frozen."""
        key = pool_key(namespace, name)
        if self._documents.find(POOL, namespace, name) is not None:
            return self._read.get(key)
        if path := self._documents.unread(POOL, namespace, name):
            self._collected.frozen[key] = path
        return None

    def of(self, provider: Provider) -> list[NetworkPool]:
        """The provider's pools that exist, in the order in which they are tried."""
        name = (provider.document.namespace, provider.document.name)
        if name not in self._of:  # once for all of its tenants
            found = (self.find(NAMESPACE, key.name) for key in provider.pools)
            self._of[name] = [network for network in found if network is not None]
        return self._of[name]

    def is_unread(self, key: Key) -> bool:
        """Nothing is known of the pool but that a file describes it."""
        return key in self._collected.frozen and key not in self._read
