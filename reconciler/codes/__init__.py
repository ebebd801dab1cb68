"""The codes of findings, with cause and fix. A code that is not in this list is a bug."""

from msgspec import Struct

from reconciler.codes import claims, clusters, documents, files, limits, pools, records


class Code(Struct, frozen=True):
    """Texts of a code, with `code spans`: when the finding appears, and what to do."""

    cause: str
    fix: str

    @property
    def text(self) -> str:
        """Return cause and fix as one text."""
        return f"{self.cause} {self.fix}"


SUBJECTS: dict[str, dict[str, tuple[str, str]]] = {
    "Files and YAML": files.TEXTS,
    "Documents, Settings, and Overrides": documents.TEXTS,
    "Pools and address spaces": pools.TEXTS,
    "Providers, teams, and claims": claims.TEXTS,
    "Clusters, demand, and imports": clusters.TEXTS,
    "Records, renames, and history": records.TEXTS,
    "Capacity, release limits, and clocks": limits.TEXTS,
}
CODES = {code: Code(*texts) for listed in SUBJECTS.values() for code, texts in listed.items()}
