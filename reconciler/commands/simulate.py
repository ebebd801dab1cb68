"""Simulate: the plan of a tree with tenants added in thought."""

from dataclasses import replace

from reconciler.commands.reading import read_tree
from reconciler.documents.dump import dump
from reconciler.documents.load import Loaded, load
from reconciler.evaluate import Evaluation, evaluate, source_kinds
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse, Usage
from reconciler.model.pool import Tier
from reconciler.ports import Source, UsageError
from reconciler.report.simulation import Simulation, Step

NAMESPACE = "simulated"


def simulate(
    source: Source, tenants: int, provider: str | None, *, lb: int | None, nodes: int | None
) -> Simulation:
    """Add tenants to a tree and plan it.

    Args:
        source: The files of a revision.
        tenants: How many to add.
        provider: Their ProviderConfig in `butler-system`; None for the default one.
        lb: Their `networking.lbPoolSize`.
        nodes: Their `workers.replicas`.

    Raises:
        UsageError: There is no such provider, or its tenants get no addresses here.
    """
    tree = read_tree(source)
    today = evaluate(tree)
    providers = [doc.name for doc in today.documents.of("ProviderConfig")]
    if provider is not None and provider not in providers:
        raise UsageError(f"no ProviderConfig {provider!r}", f"there are: {', '.join(providers)}")
    added = tuple(_tenant(number, provider, lb, nodes) for number in range(1, tenants + 1))
    evaluation = evaluate(replace(tree, sources=(*tree.sources, *added)))
    if not any(key.namespace == NAMESPACE for key in evaluation.state.claims):
        raise UsageError("such tenants get no addresses from pools", "name another --provider")
    grants: dict[str, list[Grant]] = {}
    refused: list[Refuse] = []
    for decision in evaluation.plan.decisions:
        if decision.claim.namespace == NAMESPACE and isinstance(decision, Grant):
            grants.setdefault(decision.claim.name, []).append(decision)
        elif decision.claim.namespace == NAMESPACE and isinstance(decision, Refuse):
            refused.append(decision)
    failed = {decision.claim.name for decision in refused}
    fitting = [_name(number) for number in range(1, tenants + 1) if _name(number) not in failed]
    steps = _steps(evaluation, fitting, grants)
    return Simulation(tenants, len(fitting), steps, refused[0] if refused else None, evaluation)


def _name(number: int) -> str:
    return f"tenant-{number:06d}"


def _tenant(number: int, provider: str | None, lb: int | None, nodes: int | None) -> Loaded:
    spec: dict[str, object] = {"workers": {"replicas": nodes or 1}}
    if provider is not None:
        spec["providerConfigRef"] = {"name": provider}
    if lb is not None:
        spec["networking"] = {"lbPoolSize": lb}
    document: dict[str, object] = {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "TenantCluster",
        "metadata": {"name": _name(number), "namespace": NAMESPACE},
        "spec": spec,
    }
    return load(f"{NAMESPACE}/{_name(number)}.yaml", dump(document).encode(), source_kinds())


def _steps(
    evaluation: Evaluation, fitting: list[str], grants: dict[str, list[Grant]]
) -> tuple[Step, ...]:
    """Each pool that is drawn from: today, at every tier that it reaches, and at the end."""
    used: dict[Key, int] = {}
    for granted in grants.values():
        for grant in granted:
            item = grant.allocation
            used[item.pool] = used.get(item.pool, 0) + item.size
    steps: list[Step] = []
    for key in sorted(used):
        usage = evaluation.plan.after[key]
        tiers = evaluation.state.pools[key].thresholds
        allocated = usage.allocated - used[key]
        last = _step(0, key, usage, allocated, tiers.tier(allocated + usage.held, usage.total))
        steps.append(last)
        for count, name in enumerate(fitting, 1):
            for grant in grants.get(name, ()):
                allocated += grant.allocation.size if grant.allocation.pool == key else 0
            tier = tiers.tier(allocated + usage.held, usage.total)
            now = _step(count, key, usage, allocated, tier)
            if tier is not last.tier or count == len(fitting):
                steps.append(now)
            last = now
    return tuple(steps)


def _step(count: int, key: Key, usage: Usage, allocated: int, tier: Tier) -> Step:
    used = allocated + usage.held
    percent = round(1000 * used / usage.total) / 10 if usage.total else 100.0
    return Step(count, key, allocated, usage.total, percent, tier)
