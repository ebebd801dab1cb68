"""Our marks on objects of clusters: by them it is known who made what, and from which commit."""

PREFIX = "gitops-ipam.dev/"
"""What our annotations and labels begin with."""

API_VERSION = f"{PREFIX}v1alpha1"
"""Of our own kinds, which stand in files alone."""

MANAGER = "gitops-ipam"
STATUS_MANAGER = "gitops-ipam-status"
PART_MANAGER = "gitops-ipam-fields"
"""Who writes single fields of objects that belong to others."""
OWNER_LABEL = "gitops-ipam.dev/managed-by"
REVISION = "gitops-ipam.dev/revision"
ADOPT = "gitops-ipam.dev/adopt"


def owned_labels() -> dict[str, str]:
    """The label of every object that we create."""
    return {OWNER_LABEL: MANAGER}
