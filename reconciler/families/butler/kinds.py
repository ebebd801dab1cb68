"""Butler's kinds, and what each is known by."""

from reconciler.documents.document import GroupKind, Kind
from reconciler.model.record_kind import KIND as RECORD_KIND

NAME = "butler"
"""The family, as keys name it."""

GROUP = "butler.butlerlabs.dev"
API_VERSION = f"{GROUP}/v1alpha1"
SYSTEM = "butler-system"

POOL = GroupKind(GROUP, "NetworkPool")
PROVIDER = GroupKind(GROUP, "ProviderConfig")
TENANT = GroupKind(GROUP, "TenantCluster")
REQUEST = GroupKind(GROUP, RECORD_KIND)  # people ask by the kind that records are written as
TEAM = GroupKind(GROUP, "Team")

KINDS = (
    Kind(API_VERSION, POOL.kind, "butler/NetworkPool.json", SYSTEM),
    Kind(API_VERSION, PROVIDER.kind, "butler/ProviderConfig.json", SYSTEM, role="provider"),
    Kind(API_VERSION, TENANT.kind, "butler/TenantCluster.json", "default"),
    Kind(API_VERSION, REQUEST.kind, "butler/IPAllocation.json", SYSTEM),
    Kind(API_VERSION, TEAM.kind, "butler/Team.json", None, is_shared=True, role="team"),
)
