"""What clusters are called: each kind has names of its own, so that none is taken for another.

A tenant is `namespace/name`, a ClusterTarget its bare name, and one bare name is kept for the
management cluster.
"""

MANAGEMENT = "management"


def tenant_name(namespace: str, name: str) -> str:
    """The name of a tenant's cluster; it always has a slash."""
    return f"{namespace}/{name}"


def tenant_of(cluster: str) -> tuple[str, str] | None:
    """Namespace and name of the tenant that a name means; None when it means none."""
    namespace, slash, name = cluster.partition("/")
    return (namespace, name) if slash else None
