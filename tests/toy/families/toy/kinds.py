"""The kinds. Boats are read in two versions, each with a schema of its own."""

from reconciler.documents.document import GroupKind, Kind

NAME = "toy"
GROUP = "harbour.example"
QUAY = GroupKind(GROUP, "Quay")
BOAT = GroupKind(GROUP, "Boat")
_SCHEMAS = f"{__package__}:schemas"

KINDS = (
    Kind(f"{GROUP}/v1", QUAY.kind, f"{_SCHEMAS}/Quay.json", None),
    Kind(f"{GROUP}/v1", BOAT.kind, f"{_SCHEMAS}/Boat.json", "sea"),
    Kind(f"{GROUP}/v2", BOAT.kind, f"{_SCHEMAS}/Boat.v2.json", "sea"),
)
