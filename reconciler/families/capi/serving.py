"""For which Clusters a pool is: class and role, by labels, comma lists and annotations.

The rules are capi-vip-allocator's (`capi.md` §B3). What an API server refuses as a label is read all
the same, because people keep it in files: it is applied as "true" with the annotation.
"""

from msgspec import Struct

from reconciler.documents.document import Document
from reconciler.families.capi.kinds import CLASS_LABEL, CONTROL_PLANE, INGRESS, ROLE_LABEL
from reconciler.findings import Finding, Location, meant, shown, warning
from reconciler.model.key import is_label_value

LISTED = "true"
"""A label of this value means that the annotation of the same name lists the values."""

_ROLES = (CONTROL_PLANE, INGRESS)


class Serves(Struct, frozen=True):
    """For which classes and roles a pool gives addresses out."""

    classes: frozenset[str]
    roles: frozenset[str]

    def fits(self, class_: str, role: str) -> bool:
        """A Cluster of the class may have an address of it for the role."""
        return class_ in self.classes and role in self.roles


def read_serves(document: Document, found: list[Finding]) -> Serves:
    """What a pool's labels say, with warnings about what an API server or nobody takes."""
    classes = _values(document, CLASS_LABEL, found)
    roles = _values(document, ROLE_LABEL, found)
    for role in roles:
        if role not in _ROLES:
            hint = meant(role, _ROLES, 0.7) or "write control-plane or ingress"
            message = f"{ROLE_LABEL}: {shown(role)} is no role, so nobody is served for it"
            found.append(warning("label-unfit", _place(document, ROLE_LABEL), message, hint))
    return Serves(frozenset(classes), frozenset(roles))


def _values(document: Document, name: str, found: list[Finding]) -> list[str]:
    """The values of a label: one, or a comma list, in the label or in the annotation."""
    text = document.labels().get(name, "")
    if text == LISTED:
        listed = document.annotations().get(name, "")
        if not listed.strip():
            message = f'{name}: "true", but no annotation of this name lists any'
            hint = "add the annotation, with commas between the values"
            found.append(warning("label-unfit", _place(document, name), message, hint))
        text = listed
    elif not is_label_value(text):
        message = f"{name}: {shown(text)} cannot be a label: no API server takes it"
        hint = f'write "true", and this text as the annotation {name}: it is applied so'
        found.append(warning("label-unfit", _place(document, name), message, hint))
    return [part for word in text.split(",") if (part := word.strip())]


def _place(document: Document, name: str) -> Location:
    return document.at("metadata", "labels", name)
