"""What clusters are called: each kind has names of its own, so that none is taken for another.

A cluster that an object of a family stands for is `namespace/name`, a ClusterTarget its bare name,
and one bare name is kept for the management cluster.
"""

MANAGEMENT = "management"
HOME = "butler-system"
"""The namespace of the management cluster that our inventory is in."""


def tenant_name(namespace: str, name: str) -> str:
    """The name of a cluster that an object stands for; it always has a slash."""
    return f"{namespace}/{name}"


def tenant_of(cluster: str) -> tuple[str, str] | None:
    """Namespace and name of the object that a name means; None when it means none."""
    namespace, slash, name = cluster.partition("/")
    return (namespace, name) if slash else None
