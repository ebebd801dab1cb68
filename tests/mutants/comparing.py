"""Bugs of what a change is told of names that it gives, and of what its base left open."""

from tests.mutants.mutant import Mutant

FREED = ("tests/hostile/test_freed_before.py",)
LET_GO = ("tests/hostile/test_let_go.py",)
CUT = ("tests/hostile/test_cut_before.py",)
FORMERS = ("tests/commands/test_formers.py", "tests/commands/test_renames.py")
POOLS = ("tests/commands/test_cluster_pools.py",)
BEFORE = ("tests/hostile/test_renames_before.py",)
BROKEN = ("tests/properties/test_renames_beside_broken.py",)

COMPARING = (
    Mutant(
        "last made: what people merged is not looked for",
        "commands/last_made.py",
        "    return next(iter(beside), line) or None\n",
        "    return line or None\n",
        ("tests/hostile/test_freed_before.py",),
    ),
    Mutant(
        "let go: the first of its commits decides",
        "commands/let_go.py",
        "allowed[path] = is_let and allowed.get(path, True)",
        "allowed[path] = is_let",
        FREED,
    ),
    Mutant(
        "let go: by no Override at all",
        "commands/let_go.py",
        "is_let = lets_pass(records, wanted[path], path, allows)",
        "is_let = True",
        FREED,
    ),
    Mutant(
        "let go: what was moved before",
        "commands/let_go.py",
        "        if _hides(step, records):\n",
        "        if False:\n",
        LET_GO,
    ),
    Mutant(
        "let go: a commit that nobody can read lets all of it go",
        "commands/let_go.py",
        "another thing that a commit needs\n        return None\n",
        "another thing that a commit needs\n        return lambda _: True\n",
        LET_GO,
    ),
    Mutant(
        "let go: what lies further back than is looked at",
        "commands/let_go.py",
        "    return set()  # the commit is not on the line",
        "    return {*allowed}  # the commit is not on the line",
        LET_GO,
    ),
    Mutant(
        "cut before: a whole clone is taken for one that is cut",
        "commands/cut_before.py",
        "    if is_known or not has_records(source, settings.records):\n",
        "    if not has_records(source, settings.records):\n",
        CUT,
    ),
    Mutant(
        "cut before: what the base gives is the change's",
        "commands/cut_before.py",
        " if (both[1].claim, both[0]) not in given]",
        "]",
        CUT,
    ),
    Mutant(
        "cut before: who takes what is open only hears of it",
        "commands/cut_before.py",
        "yield replace(cut_off(new.source, message), severity=Severity.ERROR)",
        "yield cut_off(new.source, message)",
        CUT,
    ),
    Mutant(
        "cut before: a claim that goes is open, too",
        "commands/cut_before.py",
        "if both[1].replaces is None and both[1].claim in claims",
        "if both[1].replaces is None",
        CUT,
    ),
    Mutant(
        "formers: what was gone before is taken over in silence",
        "formers.py",
        "if name in names and name not in base.described.documents:",
        "if False:",
        FORMERS,
    ),
    Mutant(
        "formers: what the base says already is told again",
        "formers.py",
        "if said is not None and (old is None or former_of(old) != said):",
        "if said is not None:",
        FORMERS,
    ),
    Mutant(
        "formers: a name that records bear is mistyped",
        "formers.py",
        "if link.before.owner in had or is_there(link, evaluation.documents):",
        "if is_there(link, evaluation.documents):",
        FORMERS,
    ),
    Mutant(
        "formers: what looks renamed is told twice",
        "formers.py",
        " if start not in likely]",
        "]",
        FORMERS,
    ),
    Mutant(
        "formers: what a mistyped name of a pool changes is not told",
        "formers.py",
        "return lost + sum(it.size for it in left if it.pool.owner == owner)",
        "return lost",
        FORMERS,
    ),
    Mutant(
        "cluster pools: who holds nothing has one",
        "cluster_pools.py",
        "if tenant_name(document.namespace, document.name) not in alive:",
        "if False:",
        POOLS,
    ),
    Mutant(
        "cluster pools: the old name is the new one",
        "cluster_pools.py",
        "old = described.get(document.identity, document)",
        "old = document",
        POOLS,
    ),
    Mutant(
        "cluster pools: Settings rename those with names of their own",
        "cluster_pools.py",
        "        if said == (None, None):\n                by_settings",
        "        if True:\n                by_settings",
        POOLS,
    ),
    Mutant(
        "cluster pools: Settings that say nothing else rename all",
        "cluster_pools.py",
        "by_settings += before != now",
        "by_settings += 1",
        POOLS,
    ),
    Mutant(
        "renames before: who keeps all of it is told",
        "commands/renames_before.py",
        " or place is None or given.get(claim) == held:",
        " or place is None:",
        BEFORE,
    ),
    Mutant(
        "renames before: a further name hears nothing",
        "commands/renames_before.py",
        "place = asks.source if asks is not None else heirs.get(claim.owner)",
        "place = asks.source if asks is not None else None",
        BEFORE,
    ),
    Mutant(
        "renames before: what waits may be given up",
        "commands/beside.py",
        "    compared = with_renames_waiting(compared, base, sides.planned)\n",
        "",
        BEFORE,
    ),
    Mutant(
        "renames before: who takes over what waits is told",
        "commands/renames_before.py",
        "if link.before.owner in taken or _goes_on(",
        "if _goes_on(",
        BEFORE,
    ),
    Mutant(
        "renames before: what is refused cannot be given up",
        "commands/renames_before.py",
        " or is_pool(link.document.kind.id) or link.document.at(*PLACE) in refused:",
        " or is_pool(link.document.kind.id):",
        BEFORE,
    ),
    Mutant(
        "renames before: what is there waits",
        "commands/renames_before.py",
        "if link.before.owner in taken or _goes_on(link, before, evaluation):",
        "if link.before.owner in taken:",
        BEFORE,
    ),
    Mutant(
        "renames before: what counts as it was is what the change says",
        "commands/renames_before.py",
        "if not (is_pool(it.document.kind.id) or it.document.unread)]",
        "if not is_pool(it.document.kind.id)]",
        BEFORE,
    ),
    Mutant(
        "renames before: who comes back under his old name is a further one",
        "commands/renames_before.py",
        "yield from (it.document for it in further if it.now.owner != link.before.owner)",
        "yield from (it.document for it in further)",
        BEFORE,
    ),
    Mutant(
        "renames before: beside what may be broken the new name gets others",
        "renaming/owners.py",
        "        if path := broken(link, self._documents):\n",
        '        if path := "":\n',
        BROKEN,
    ),
)
