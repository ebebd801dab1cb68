"""Documents of a plain repository."""

from collections.abc import Mapping

from reconciler.addresses import format_range
from reconciler.model.plan import Expire, Grant, Keep, Refuse, Release
from reconciler.planning.evaluate import Evaluation
from tests.world import evaluation_of, settings_text

HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\n"
Files = Mapping[str, str | bytes]
SETTINGS = settings_text("{sources: [pools, clusters, claims, teams], retention: 7d}")


def pool(name: str = "internal", addresses: str = "[10.22.0.0/24]", **spec: object) -> str:
    more = "".join(f", {key}: {value}" for key, value in spec.items())
    return (
        f"{HEAD}kind: AddressPool\nmetadata: {{name: {name}}}\n"
        f"spec: {{addresses: {addresses}{more}}}\n"
    )


def claim(name: str = "db-1", namespace: str = "team-db", **spec: object) -> str:
    fields = {"poolRefs": "[{name: internal}]", **spec}
    said = ", ".join(f"{key}: {value}" for key, value in fields.items())
    metadata = f"{{name: {name}, namespace: {namespace}}}"
    return f"{HEAD}kind: AddressClaim\nmetadata: {metadata}\nspec: {{{said}}}\n"


def entry(name: str = "internal", **spec: object) -> str:
    fields = {"name": name, "poolRefs": "[{name: internal}]", **spec}
    return f"{{{', '.join(f'{key}: {value}' for key, value in fields.items())}}}"


def cluster(*entries: str, name: str = "prod-1", **spec: object) -> str:
    listed = "".join(f"    - {it}\n" for it in entries)
    more = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    balancers = f"  loadBalancers:\n{listed}" if entries else "  loadBalancers: []\n"
    return f"{HEAD}kind: ClusterTarget\nmetadata: {{name: {name}}}\nspec:\n{more}{balancers}"


def files(clusters: str = "", claims: str = "", pools: str = "") -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {"ipam.yaml": SETTINGS, "pools/pools.yaml": pools or pool()}
    found |= {"clusters/prod-1.yaml": clusters} if clusters else {}
    return found | ({"claims/claims.yaml": claims} if claims else {})


V6 = pool("v6", '["2001:db8::/64"]')
BOTH = f"{pool()}---\n{V6}"
TWO_REFS = "[{name: internal}, {name: v6}]"


def outcome(tree: Files | Evaluation) -> dict[str, str]:
    """Return the decision for each claim, by owner and slot."""
    evaluation = tree if isinstance(tree, Evaluation) else evaluation_of(tree)
    found = {}
    for it in evaluation.plan.decisions:
        name = f"{it.claim.name}/{it.claim.slot}"
        match it:
            case Refuse():
                found[name] = f"refuse {it.reason}"
            case Grant() | Keep() | Release() | Expire():
                item = it.allocation.range
                word = {"Grant": "allocate"}.get(type(it).__name__, type(it).__name__.lower())
                left = "" if not it.allocation.announced else ", announced"
                found[name] = f"{word} {format_range(item) if item else ''}{left}"
    return found


def codes(tree: Files) -> list[str]:
    evaluation = evaluation_of(tree)
    return [it.code for it in (*evaluation.findings, *evaluation.gates)]
