"""Which pools a Cluster may have an address of: by class and role, in the order of their names."""

from msgspec import Struct

from reconciler.documents.document import Document, Documents
from reconciler.families.capi.kinds import GLOBAL_POOL, POOL
from reconciler.families.capi.pools import pool_key
from reconciler.families.capi.serving import Serves, read_serves
from reconciler.model.key import Key


class Selected(Struct, frozen=True):
    """What labels select.

    Attributes:
        keys: The pools, in the order in which they are tried.
        unread: A file that may describe another one; empty when all can be told.
    """

    keys: tuple[Key, ...]
    unread: str


class Selector:
    """Finds the pools of Clusters. The labels of a pool are read once."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._serves: dict[Key, Serves] = {}
        self._selected: dict[tuple[str, str, str], Selected] = {}

    def select(self, namespace: str, class_: str, role: str) -> Selected:
        """The pools of a namespace, and those of all, that serve a class for a role.

        In the order of their names; of two of one name the namespace's own comes first.
        """
        asked = namespace, class_, role
        if asked not in self._selected:
            self._selected[asked] = self._select(*asked)
        return self._selected[asked]

    def _select(self, namespace: str, class_: str, role: str) -> Selected:
        found: list[Key] = []
        unread: list[str] = []
        for kind, space in ((POOL, namespace), (GLOBAL_POOL, "")):
            there = self._documents.matching(kind, space, {})
            found += [self._key(item) for item in there.documents if self._fits(item, class_, role)]
            unread += there.unread
        found.sort(key=lambda key: (key.name, key.kind != POOL.kind))
        return Selected(tuple(found), next(iter(unread), ""))

    def before(self, document: Document) -> tuple[Key, str, str] | None:
        """A pool that goes before this one for some class and role, with these; the first by name."""
        own = self._key(document)
        serves = self._told(document)
        found: list[tuple[str, bool, str, str, Key]] = []
        for class_ in sorted(serves.classes):
            for role in sorted(serves.roles):
                first = self.select(document.namespace, class_, role).keys[0]
                if first != own:
                    found.append((first.name, first.kind != POOL.kind, class_, role, first))
        if not found:
            return None
        _, _, class_, role, first = min(found)
        return first, class_, role

    def _told(self, document: Document) -> Serves:
        key = self._key(document)
        if key not in self._serves:
            self._serves[key] = read_serves(document, [])
        return self._serves[key]

    def _fits(self, document: Document, class_: str, role: str) -> bool:
        return self._told(document).fits(class_, role)

    @staticmethod
    def _key(document: Document) -> Key:
        return pool_key(document.kind.name, document.namespace, document.name)
