"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.documents.document import Kind
from reconciler.families._family import Family
from reconciler.families.butler.judging import judge
from reconciler.families.butler.projecting import project
from reconciler.families.butler.reading import read

_VERSION = "butler.butlerlabs.dev/v1alpha1"
_SYSTEM = "butler-system"

FAMILY = Family(
    name="butler",
    kinds=(
        Kind(_VERSION, "NetworkPool", "butler/NetworkPool.json", _SYSTEM),
        Kind(_VERSION, "ProviderConfig", "butler/ProviderConfig.json", _SYSTEM),
        Kind(_VERSION, "TenantCluster", "butler/TenantCluster.json", "default"),
        Kind(_VERSION, "IPAllocation", "butler/IPAllocation.json", _SYSTEM),
        Kind(_VERSION, "Team", "butler/Team.json", None, is_shared=True),
    ),
    judge=judge,
    read=read,
    project=project,
)
