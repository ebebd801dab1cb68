"""Pools and VIPs of NovaEdge as texts, and NovaEdge's documents with their indentation restored."""

from pathlib import Path

SEED = Path(__file__).parent / "seed"
"""All YAML of the seed, a file each."""


def pool(name: str = "main", *, auto: str = "true", **spec: str) -> str:
    """Return a ProxyIPPool. Fields of the spec are in YAML flow style."""
    fields = {**spec, **({"autoAssign": auto} if auto else {})}
    said = ", ".join(f"{key}: {value}" for key, value in fields.items())
    return (
        "apiVersion: novaedge.io/v1alpha1\nkind: ProxyIPPool\n"
        f"metadata: {{name: {name}}}\nspec: {{{said}}}\n"
    )


def vip(name: str = "web", of: str = "main", **spec: str) -> str:
    """Return a ProxyVIP with or without a pool. Fields of the spec are in YAML flow style."""
    fields = {"mode": "L2ARP", "ports": "[443]", **spec}
    fields |= {"poolRef": f"{{name: {of}}}"} if of else {}
    lines = "".join(f"  {key}: {value}\n" for key, value in fields.items())
    return (
        "apiVersion: novaedge.io/v1alpha1\nkind: ProxyVIP\n"
        f"metadata: {{name: {name}}}\nspec:\n{lines}"
    )


MAIN = pool(cidrs='["10.200.0.0/24", "2001:db8::/120"]')


def tree(*texts: str, pools: str = MAIN) -> dict[str, str | bytes]:
    return {"pools/p.yaml": pools, "tenants/v.yaml": "---\n".join(texts)}
