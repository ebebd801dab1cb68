"""Paths of records."""

from hashlib import sha256

from msgspec import Struct

from reconciler.documents.text import without_suffix
from reconciler.families import claimant_of, family_of, home_of, pool_kinds
from reconciler.model.key import Key, shortened

UNPLACED = "_unplaced"
_MAX_OWN_FILE = 200
_MAX_FILE, _HASHED = 255, "_"  # No name contains the mark of a shortened one.


class RecordPath(Struct, frozen=True):
    """The parts of a path; None for missing parts."""

    claim: Key | None
    pool: Key | None


def path_of(folder: str, pool: Key | None, claim: Key) -> str:
    """Return the path of a claim's record. Records without a pool have a folder of their own."""
    if pool is None:
        return f"{folder}/{UNPLACED}/{file_of(claim)}"
    stem = f"{pool.namespace}.{pool.name}" if pool.namespace else pool.name
    return f"{folder}/{pool.kind}/{shortened(stem, _MAX_FILE, _HASHED)}/{file_of(claim)}"


def file_of(claim: Key) -> str:
    """Return the end of the path of a claim's record, which is the same in each folder."""
    end = f".{claim.slot}.yaml"
    family = family_of(claim.family)
    if family is not None and family.record.labels is not None:
        name = f"{claim.name}{end}"
        if len(name) > _MAX_OWN_FILE:
            name = f"{name[:180]}-{sha256(name.encode()).hexdigest()[:12]}.yaml"
        return f"{claim.namespace or '_'}/{name}"
    name = shortened(claim.name, _MAX_FILE - len(end), _HASHED)
    return f"{claim.namespace or '_'}/{name}{end}"


def place_of(folder: str, path: str) -> RecordPath:
    """Parse a path."""
    parts = without_suffix(path.removeprefix(f"{folder}/")).split("/")
    if len(parts) == 3 and parts[0] == UNPLACED:
        return RecordPath(_claim(parts[1], parts[2]), None)
    if len(parts) == 4 and parts[0] in pool_kinds():
        return RecordPath(_claim(parts[2], parts[3]), pool_key(parts[0], parts[1]))
    return RecordPath(None, None)


def claim_of(text: str) -> Key | None:
    """Return the claim in a record's annotation, or None if it names no known claim."""
    claim = Key.parse(text)
    return claim if claim is not None and claim.slot and family_of(claim.family) else None


def pool_key(kind: str, stem: str) -> Key | None:
    """Return the pool of a folder: `<namespace>.<name>`, or `<name>`; None for a shortened name."""
    family = pool_kinds()[kind].name
    is_placed = "." in stem and home_of(family, kind) is not None
    namespace, name = stem.split(".", 1) if is_placed else ("", stem)
    return None if _HASHED in stem else Key(family, namespace, name, "", kind)


def roles_of(claim: Key) -> tuple[str, ...]:
    """Return the possible roles of a claim, the most likely first: growth or a request."""
    family, (base, _, number) = family_of(claim.family), claim.slot.rpartition("-")
    is_numbered = family is not None and base in family.grows and number.isdigit()
    return ("growth", "initial") if is_numbered else ("initial",)


def _claim(namespace: str, stem: str) -> Key | None:
    # Slots can contain dots: the shortest one counts that fits a kind with or without namespaces.
    name, slot = stem, ""
    while name:
        name, _, part = name.rpartition(".")
        slot = f"{part}.{slot}" if slot else part
        owner = claimant_of(slot)
        if owner is not None and (home_of(*owner) is None) == (namespace == "_"):
            return Key.parse(f"{owner.family}/{owner.kind}/{namespace}/{name}/{slot}")
    return None


def folders_above(path: str) -> list[str]:
    """Return the parent folders of a path, the outermost first: `a/`, `a/b/`."""
    parts = path.split("/")
    return ["/".join(parts[:at]) + "/" for at in range(1, len(parts))]
