"""Simulation of more tenants."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.findings import Finding
from reconciler.documents.load import Loaded, load
from reconciler.documents.yaml import dump
from reconciler.families import families
from reconciler.families.interface import Newcomer
from reconciler.gitio.interface import Source
from reconciler.model.errors import UsageError
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse
from reconciler.model.pool import Tier
from reconciler.planning import limits
from reconciler.planning.documents import Tree, source_kinds
from reconciler.planning.evaluate import Evaluation, evaluate, let_pass
from reconciler.planning.read import read_tree
from reconciler.planning.space import percentage
from reconciler.records.changes import records_after
from reconciler.records.parse import Recalled


class SimulationStep(Struct, frozen=True):
    """A pool after a number of added tenants. Held addresses also count as used."""

    tenants: int
    pool: Key
    allocated: int
    held: int
    total: int
    percent: float
    tier: Tier


class Simulation(Struct, frozen=True):
    """The result of adding tenants: `fit` get all addresses, `passes` of them stay in all limits."""

    requested: int
    fit: int
    passes: int
    steps: tuple[SimulationStep, ...]
    refused: Refuse | None
    stopped: Finding | None  # the limit that one more tenant exceeds
    evaluation: Evaluation


NAMESPACE = "simulated"
_ROUNDS = 2


def simulate(
    source: Source, tenants: int, provider: str | None, *, lb: int | None, nodes: int | None
) -> Simulation:
    """Add tenants after the pending plan. Raises UsageError for an unusable provider."""
    today = served(read_tree(source))
    tree = today.tree
    one = _newcomer_of(today, provider)
    added = tuple(_added(one, number, provider, lb, nodes) for number in range(1, tenants + 1))

    def tried(count: int) -> Evaluation:
        return evaluate(replace(tree, sources=(*tree.sources, *added[:count])))

    everyone = tried(tenants)
    if not any(key.namespace == NAMESPACE for key in everyone.state.claims):
        hint = "pass another --provider"
        raise UsageError("tenants of this provider get no addresses from pools", hint)
    fitting, refused, count = everyone, None, tenants
    if _refused(everyone):
        # The number of served tenants is only the first guess for the number that fit.
        guess = tenants - len({decision.claim.name for decision in _refused(everyone)})
        ends = today, everyone
        fitting, too_many, count = _most(tried, _refused, ends, tenants, (guess, guess + 1))
        refused = _refused(too_many)[0]
    steps, passes, stopped = _steps(fitting, count), count, None
    if _gates(fitting):
        _, too_many, passes = _most(tried, _gates, (today, fitting), count)
        stopped = _gates(too_many)[0]
    return Simulation(tenants, count, passes, steps, refused, stopped, fitting)


def pools_of(today: Evaluation, provider: str) -> list[Key]:
    """Return a provider's pools in allocation order. Raises UsageError if it is unusable."""
    added = _added(_newcomer_of(today, provider), 1, provider)
    tree = replace(today.tree, sources=(*today.tree.sources, added))
    claims = evaluate(tree).state.claims.values()
    asked = [item.candidates for item in claims if item.key.namespace == NAMESPACE]
    if not any(asked):
        hint = "pass another --provider"
        raise UsageError("tenants of this provider get no addresses from pools", hint)
    return list(dict.fromkeys(key for candidates in asked for key in candidates))


def _newcomer_of(today: Evaluation, provider: str | None) -> Newcomer:
    ones = [one for family in families() if (one := family.objects.newcomer) is not None]
    there = [one for one in ones if next(today.documents.of(one.chooses), None) is not None]
    one = next(iter(there), ones[0])
    providers = [doc.name for doc in today.documents.of(one.chooses)]
    if provider is None and one.needs_choice:
        hint = f"pass --pool {' or '.join(providers)}"
        raise UsageError(f"the {one.chooses.kind} of the simulated tenants is missing", hint)
    if provider is not None and provider not in providers:
        hint = f"use one of: {', '.join(providers)}"
        raise UsageError(f"no {one.chooses.kind} {provider!r}", hint)
    return one


def served(tree: Tree) -> Evaluation:
    """Return the evaluation after a tree's own plan. Released ranges can expire in the next one."""
    evaluation = let_pass(evaluate(tree))
    for _ in range(_ROUNDS):
        if not evaluation.changes:
            break
        tree = evaluation.tree
        after = records_after(evaluation.plan, evaluation.state, tree.settings.records)
        found = {it.allocation.path: it for it in tree.records if it.allocation is not None}
        records = [item for item in tree.records if item.allocation is None]
        records += [replace(found.get(it.path, Recalled(it)), allocation=it) for it in after]
        evaluation = let_pass(evaluate(replace(tree, records=tuple(records))))
    return evaluation


def _most(
    tried: Callable[[int], Evaluation],
    is_too_many: Callable[[Evaluation], object],
    ends: tuple[Evaluation, Evaluation],
    tenants: int,
    guesses: Sequence[int] = (),
) -> tuple[Evaluation, Evaluation, int]:
    """Return the evaluations with the most tenants and one more, and the number."""
    low, high, left = 0, tenants, list(guesses)
    fitting, too_many = ends
    while high - low > 1:
        count = left.pop(0) if left else (low + high) // 2
        if not low < count < high:
            continue
        evaluation = tried(count)
        if is_too_many(evaluation):
            high, too_many = count, evaluation
        else:
            low, fitting = count, evaluation
    return fitting, too_many, low


def _gates(evaluation: Evaluation) -> list[Finding]:
    return [item for item in evaluation.gates if item.code == limits.CAPACITY]


def _refused(evaluation: Evaluation) -> list[Refuse]:
    return [
        decision
        for decision in evaluation.plan.decisions
        if decision.claim.namespace == NAMESPACE and isinstance(decision, Refuse)
    ]


def _name(number: int) -> str:
    return f"tenant-{number:06d}"


def _added(
    one: Newcomer,
    number: int,
    provider: str | None,
    lb: int | None = None,
    nodes: int | None = None,
) -> Loaded:
    name = _name(number)
    document = one.document(name, NAMESPACE, provider, lb, nodes)
    return load(f"{NAMESPACE}/{name}.yaml", dump(document).encode(), source_kinds())


def _steps(evaluation: Evaluation, tenants: int) -> tuple[SimulationStep, ...]:
    used: dict[Key, int] = {}
    grants: dict[str, list[Grant]] = {}
    for decision in evaluation.plan.decisions:
        if decision.claim.namespace == NAMESPACE and isinstance(decision, Grant):
            item = decision.allocation
            grants.setdefault(decision.claim.name, []).append(decision)
            used[item.pool] = used.get(item.pool, 0) + item.size
    steps: list[SimulationStep] = []
    for key in sorted(used):
        usage = evaluation.plan.after[key]
        tiers = evaluation.state.pools[key].thresholds
        allocated, last = usage.allocated - used[key], None
        for count in range(tenants + 1):
            for grant in grants[_name(count)] if count else ():
                allocated += grant.allocation.size if grant.allocation.pool == key else 0
            share = percentage(allocated + usage.held, usage.total)
            tier = tiers.tier(allocated + usage.held, usage.total)
            if tier is not last or count == tenants:
                steps.append(
                    SimulationStep(count, key, allocated, usage.held, usage.total, share, tier)
                )
            last = tier
    return tuple(steps)
