"""Bugs of what is believed of records, and of what is said of those that people touch."""

from tests.mutants.mutant import Mutant

RECORDS_TESTS = ("tests/records/",)
HAND = ("tests/records/test_by_hand.py", "tests/test_comparison.py")
ODD = ("tests/hostile/test_odd_entries.py",)
PATHS = ("tests/hostile/test_paths.py",)

PINS = ("tests/hostile/test_pins_before.py",)
FREED = ("tests/hostile/test_freed_before.py",)

RECORDS = (
    Mutant(
        "takeover: a document goes to another team's folder in silence",
        "takeovers.py",
        "if teams[0] == teams[1] or asking_of(",
        "if True or asking_of(",
        ("tests/cli/test_takeovers.py",),
    ),
    Mutant(
        "pins before: a base that waits is not planned",
        "commands/pins_before.py",
        "        return made is None\n",
        "        return False\n",
        PINS,
    ),
    Mutant(
        "pins before: documents that wait are not looked at",
        "commands/pins_before.py",
        "return bool(repository.changed(",
        "return False and bool(repository.changed(",
        PINS,
    ),
    Mutant(
        "pins before: whose pin stays is told",
        "commands/pins_before.py",
        "if _range(given.get(key)) != it.allocation.range]",
        "]",
        PINS,
    ),
    Mutant(
        "pins before: who gets the addresses is told nothing",
        "commands/pins_before.py",
        "if old.claim != new.claim and (",
        "if False and (",
        PINS,
    ),
    Mutant(
        "freed before: its own claim takes it",
        "commands/freed_before.py",
        "if claim != decision.claim and ",
        "if claim == decision.claim and ",
        FREED,
    ),
    Mutant(
        "freed before: what the base gives is the change's",
        "commands/freed_before.py",
        "or given is None or given in already:",
        "or given is None:",
        FREED,
    ),
    Mutant(
        "freed before: no Override lets it go",
        "commands/freed_before.py",
        " and not lets_pass(records, claim, it.path, allows)",
        "",
        FREED,
    ),
    Mutant(
        "freed before: what stands on the base is not told",
        "commands/freed_before.py",
        "inherited=tuple(ordered([*compared.inherited, *apart])),",
        "inherited=compared.inherited,",
        FREED,
    ),
    Mutant(
        "record: its owner is believed",
        "records/recall.py",
        "(owner.namespace, owner.name, record.type) == (claim[1], claim[2], told)",
        "True",
        RECORDS_TESTS,
    ),
    Mutant(
        "record: a careful reading believes its owner",
        "records/careful.py",
        "if said_by_claim and (namespace, name) != (claim.namespace, claim.name):",
        "if False:",
        RECORDS_TESTS,
    ),
    Mutant(
        "record: any text is a name",
        "records/careful.py",
        "if said and not is_name(said):",
        "if False:",
        RECORDS_TESTS,
    ),
    Mutant(
        "record: its name is believed",
        "records/claimed.py",
        "return name in own",
        "return True",
        RECORDS_TESTS,
    ),
    Mutant(
        "record: two objects of one name",
        "records/claimed.py",
        "if len(counts) == len(records):",
        "if True:",
        RECORDS_TESTS,
    ),
    Mutant(
        "by hand: only what a record states counts",
        "records/by_hand.py",
        "if not (item.is_error or records.is_strict):",
        "if not item.is_error:",
        HAND,
    ),
    Mutant(
        "by hand: what a person adds is projected",
        "records/by_hand.py",
        "            if more and _weighs(",
        "            if False and _weighs(",
        HAND,
    ),
    Mutant(
        "by hand: half of what reconcile writes is an excuse",
        "records/by_hand.py",
        "hand.files not in (records.expected.get(claim), records.left.get(claim))",
        "not hand.files.items() <= (records.expected.get(claim) or {}).items()",
        HAND,
    ),
    Mutant(
        "by hand: what is removed is no release",
        "comparison.py",
        "    evaluation = with_freed(evaluation, freed(base.records, allows))\n    merged",
        "    merged",
        HAND,
    ),
    Mutant(
        "by hand: what is edited frees nothing",
        "records/by_hand.py",
        " if not now or _is_lost(it, now)",
        " if not now",
        HAND,
    ),
    Mutant(
        "by hand: what a person let pass is braked",
        "records/by_hand.py",
        "        if all(lets_pass(",
        "        if False and all(lets_pass(",
        HAND,
    ),
    Mutant(
        "by hand: a folder that moved hides what was done",
        "commands/by_hand.py",
        "if is_set_anew else settings",
        "if False else settings",
        ("tests/hostile/test_records_again.py",),
    ),
    Mutant(
        "by hand: past the brake the rest is carried out",
        "evaluate.py",
        "    if evaluation.is_freed:\n",
        "    if False:\n",
        HAND,
    ),
    Mutant(
        "tree: a link above a folder is followed",
        "adapters/git/worktree.py",
        "if any(self._look(folder)[0] != _FOLDER for folder in upwards(path)[:-1]):",
        "if False:",
        ODD,
    ),
    Mutant(
        "tree: a file in the place of a folder is an empty folder",
        "adapters/git/revision.py",
        "if mode in _MODES or (mode == _TREE) == is_folder:",
        "if True:",
        ODD,
    ),
    Mutant(
        "render: a symlink is followed",
        "commands/render.py",
        "if here.is_symlink():",
        "if False:",
        PATHS,
    ),
)
