"""Teams."""

from reconciler.documents.document import Document, Documents
from reconciler.families.plain.kinds import TARGET, TEAM, pool_key
from reconciler.model.pool import Contract


def contract_of(document: Document) -> Contract | None:
    """Return the contract of a Team; None if it sets no limit."""
    spec = document.spec
    pools = (str(pool_key(name)) for name in spec.get("pools") or ())
    found = Contract(
        document.name,
        tuple(sorted(spec.get("namespaces") or ())),
        tuple(sorted(pools)),
        spec.get("maxAddresses"),
        tuple(sorted(f"{it.rstrip('/')}/" for it in spec.get("folders") or ())),
        tuple(sorted(spec.get("owners") or ())),
    )
    return found if found != Contract(document.name) else None


def teams_by_namespace(documents: Documents) -> dict[str, str]:
    """Return the team of each namespace; the first by name if several Teams list it."""
    found: dict[str, str] = {}
    for document in documents.of(TEAM):
        for namespace in document.spec.get("namespaces") or ():
            found.setdefault(namespace, document.name)
    return found


def team_of(document: Document, documents: Documents) -> str:
    """Return the team that records of a document name."""
    if document.kind.id == TARGET:
        return str((document.spec.get("teamRef") or {}).get("name", ""))
    return teams_by_namespace(documents).get(document.namespace, document.namespace)
