"""Simulate: the plan of a tree with tenants added in thought."""

from collections.abc import Callable
from dataclasses import replace

from reconciler.commands.reading.whole import read_tree
from reconciler.documents.dump import dump
from reconciler.documents.load import Loaded, load
from reconciler.engine.usage import percentage
from reconciler.evaluate import Evaluation, evaluate, let_pass
from reconciler.families import families
from reconciler.families._objects import Newcomer, Sizes
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse, Usage
from reconciler.model.pool import Tier
from reconciler.ports import Source, UsageError
from reconciler.records.changes import records_after
from reconciler.records.recall import Recalled
from reconciler.report.simulation import Simulation, Step
from reconciler.sources import source_kinds
from reconciler.tree import Tree

NAMESPACE = "simulated"
_ROUNDS = 2


def simulate(
    source: Source, tenants: int, provider: str | None, *, lb: int | None, nodes: int | None
) -> Simulation:
    """Add tenants to a tree and plan it, once all that it asks for itself is served.

    Args:
        source: The files of a revision.
        tenants: How many to add.
        provider: The document of theirs that is not the default one; None for that.
        lb: Load-balancer addresses of each; None for defaults.
        nodes: Worker nodes of each; None for defaults.

    Raises:
        UsageError: There is no such provider, or its tenants get no addresses here.
    """
    today = _served(read_tree(source))
    tree = today.tree
    one = newcomer()
    providers = [doc.name for doc in today.documents.of(one.chooses)]
    if provider is not None and provider not in providers:
        raise UsageError(
            f"no {one.chooses.kind} {provider!r}", f"there are: {', '.join(providers)}"
        )
    sizes = Sizes(lb, nodes)
    added = tuple(_added(one, number, provider, sizes) for number in range(1, tenants + 1))

    def tried(count: int) -> Evaluation:
        return evaluate(replace(tree, sources=(*tree.sources, *added[:count])))

    everyone = tried(tenants)
    if not any(key.namespace == NAMESPACE for key in everyone.state.claims):
        raise UsageError("such tenants get no addresses from pools", "name another --provider")
    if not _refused(everyone):
        return Simulation(tenants, tenants, _steps(everyone, tenants), None, everyone)
    fitting, first_too_many = _most(tried, today, everyone, tenants)
    count = sum(1 for doc in fitting.documents.of(one.kind) if doc.namespace == NAMESPACE)
    return Simulation(tenants, count, _steps(fitting, count), _refused(first_too_many)[0], fitting)


def newcomer() -> Newcomer:
    """What is added: the first family that says it does."""
    return next(one for family in families() if (one := family.objects.newcomer) is not None)


def _served(tree: Tree) -> Evaluation:
    """The evaluation of a tree when its own plan was carried out: it comes before what is added.

    What one plan releases another one may let expire, as in a reconcile.
    """
    evaluation = let_pass(evaluate(tree))
    for _ in range(_ROUNDS):
        if not evaluation.changes:
            break
        evaluation = let_pass(evaluate(_carried_out(evaluation)))
    return evaluation


def _carried_out(evaluation: Evaluation) -> Tree:
    tree = evaluation.tree
    after = records_after(evaluation.plan, evaluation.state, tree.settings.records)
    found = {item.allocation.path: item for item in tree.records if item.allocation is not None}
    records = [item for item in tree.records if item.allocation is None]
    records += [
        found.get(record.path, Recalled(record))._replace(allocation=record)
        for record in after
        if record.path not in tree.last_good.records
    ]
    return replace(tree, records=tuple(records))


def _most(
    tried: Callable[[int], Evaluation], none: Evaluation, everyone: Evaluation, tenants: int
) -> tuple[Evaluation, Evaluation]:
    """The evaluation with the most tenants that all get what they ask for, and that of one more.

    In a plan for too many, large claims of some can leave no room for small ones of others, so
    those who get all there are not simply those who fit. They are only the first guess.
    """
    low, high = 0, tenants
    fitting, too_many = none, everyone
    guess = tenants - len({decision.claim.name for decision in _refused(everyone)})
    guesses = [guess + 1, guess]
    while high - low > 1:
        count = guesses.pop() if guesses else (low + high) // 2
        if not low < count < high:
            continue
        evaluation = tried(count)
        if _refused(evaluation):
            high, too_many = count, evaluation
        else:
            low, fitting = count, evaluation
    return fitting, too_many


def _refused(evaluation: Evaluation) -> list[Refuse]:
    """Refusals of added tenants."""
    return [
        decision
        for decision in evaluation.plan.decisions
        if decision.claim.namespace == NAMESPACE and isinstance(decision, Refuse)
    ]


def _name(number: int) -> str:
    return f"tenant-{number:06d}"


def _added(one: Newcomer, number: int, provider: str | None, sizes: Sizes) -> Loaded:
    name = _name(number)
    document = one.document(name, NAMESPACE, provider, sizes)
    return load(f"{NAMESPACE}/{name}.yaml", dump(document).encode(), source_kinds())


def _steps(evaluation: Evaluation, tenants: int) -> tuple[Step, ...]:
    """Each pool that is drawn from: today, at every tier that it reaches, and at the end."""
    used: dict[Key, int] = {}
    grants: dict[str, list[Grant]] = {}
    for decision in evaluation.plan.decisions:
        if decision.claim.namespace == NAMESPACE and isinstance(decision, Grant):
            item = decision.allocation
            grants.setdefault(decision.claim.name, []).append(decision)
            used[item.pool] = used.get(item.pool, 0) + item.size
    steps: list[Step] = []
    for key in sorted(used):
        usage = evaluation.plan.after[key]
        tiers = evaluation.state.pools[key].thresholds
        allocated = usage.allocated - used[key]
        last = _step(0, key, usage, allocated, tiers.tier(allocated + usage.held, usage.total))
        steps.append(last)
        for count in range(1, tenants + 1):
            for grant in grants[_name(count)]:
                allocated += grant.allocation.size if grant.allocation.pool == key else 0
            tier = tiers.tier(allocated + usage.held, usage.total)
            now = _step(count, key, usage, allocated, tier)
            if tier is not last.tier or count == tenants:
                steps.append(now)
            last = now
    return tuple(steps)


def _step(count: int, key: Key, usage: Usage, allocated: int, tier: Tier) -> Step:
    used = allocated + usage.held
    return Step(count, key, allocated, usage.total, percentage(used, usage.total), tier)
