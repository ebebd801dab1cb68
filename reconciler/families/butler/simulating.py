"""The tenant that `ipam simulate` adds in thought."""

from reconciler.families._objects import Newcomer, Sizes
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.kinds import PROVIDER, TENANT


def _tenant(name: str, namespace: str, provider: str | None, sizes: Sizes) -> dict[str, object]:
    spec: dict[str, object] = {"workers": {"replicas": sizes.nodes or 1}}
    if provider is not None:
        spec["providerConfigRef"] = {"name": provider}
    if sizes.lb is not None:
        spec["networking"] = {"lbPoolSize": sizes.lb}
    return {
        "apiVersion": TENANT_CLUSTER.api_version,
        "kind": TENANT_CLUSTER.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


NEWCOMER = Newcomer(TENANT, PROVIDER, _tenant)
