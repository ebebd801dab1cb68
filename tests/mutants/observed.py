"""Bugs of what was observed: who counts, what goes, what is told, what shrinking gives back."""

from tests.mutants.mutant import Mutant

GROWTH = ("tests/families/test_growth.py",)
COPIES = ("tests/commands/reading/test_observed_copies.py", *GROWTH)
GONE = ("tests/commands/test_intake_commits.py",)
SHRINKING = ("tests/engine/test_shrinking.py",)
SIGHTINGS = ("tests/commands/test_sightings.py",)
DEMAND = ("tests/test_observed.py",)

OBSERVED = (
    Mutant(
        "observed: a copy counts where people describe it",
        "counting.py",
        "files = [*compress(tree.sources, map(not_, seen)), *compress(tree.sources, seen)]",
        "files = tree.sources",
        COPIES,
    ),
    Mutant(
        "observed: a copy that is older counts before people's",
        "commands/reading/originals.py",
        "return [path for path in paths if not path.startswith(observed)] or paths",
        "return paths",
        COPIES,
    ),
    Mutant(
        "observed: a copy stays where people describe it",
        "evaluate.py",
        "tuple(Change(path, None) for path in taken_over(tree))",
        "()",
        COPIES,
    ),
    Mutant(
        "observed: a file that somebody moved stays beside what is written anew",
        "commands/looking/looker.py",
        "tidied(whole.tree, (*self.looked.changes, *self.intake.taken.changes))",
        "tuple(sorted((*self.looked.changes, *self.intake.taken.changes)))",
        ("tests/commands/looking/test_looker.py",),
    ),
    Mutant(
        "observed: what moved with the folder was added by hand",
        "commands/by_hand.py",
        "changes += between([theirs.observed])[0]",
        "pass",
        SIGHTINGS,
    ),
    Mutant(
        "observed: a copy goes with what nobody describes",
        "counting.py",
        "not source.is_broken and all(id(document)",
        "any(id(document)",
        GROWTH,
    ),
    Mutant(
        "observed: a copy goes with what nobody could read yet",
        "counting.py",
        "if counting.first[document.identity].path not in broken",
        "if broken is not None",
        COPIES,
    ),
    Mutant(
        "intake: a brake counts what is gone for sure",
        "evaluate.py",
        "        and decision.claim.owner not in evaluation.gone\n",
        "",
        GONE,
    ),
    Mutant(
        "intake: a replay does not know what was gone",
        "commands/replay.py",
        "terms), self.gone)",
        "terms), [])",
        GONE,
    ),
    Mutant(
        "observed: a copy is a duplicate",
        "counting.py",
        "(replaced if is_replaced else second).append(item)",
        "second.append(item)",
        GROWTH,
    ),
    Mutant(
        "observed: what reconcile took away comes back",
        "commands/reading/reader.py",
        "return self.is_record(path) or is_observed(self.settings, path)",
        "return self.is_record(path)",
        COPIES,
    ),
    Mutant(
        "observed: what a commit says of itself is believed",
        "commands/reading/last_good.py",
        "        self._doubt_observed()\n",
        "",
        COPIES,
    ),
    Mutant(
        "observed: people may write there",
        "commands/sightings.py",
        "if is_base or item.is_news",
        "if not is_base and item.is_news",
        SIGHTINGS,
    ),
    Mutant(
        "observed: an Override lets nothing pass",
        "commands/sightings.py",
        "weighs=not allows(item.path)",
        "weighs=True",
        SIGHTINGS,
    ),
    Mutant(
        "observed: what reconcile does is somebody's hand",
        "observed.py",
        "if data == was or (path in made and made[path] == data):",
        "if data == was:",
        SIGHTINGS,
    ),
    Mutant(
        "observed: a copy may not go with the change that describes it",
        "observed.py",
        "any(it.identity not in described for it in old.documents)",
        "True",
        SIGHTINGS,
    ),
    Mutant(
        "growth: without a Demand all of it goes",
        "families/butler/growing.py",
        "yield Grown(entry, tenant.start)",
        "continue",
        GROWTH,
    ),
    Mutant(
        "growth: a Demand in doubt gets something new",
        "families/butler/growing.py",
        "demand.at(*ENTRIES, at), demand.doubt)",
        'demand.at(*ENTRIES, at), "")',
        COPIES,
    ),
    Mutant(
        "growth: a static provider lets it grow",
        "families/butler/growing.py",
        "if may_grow or entry.slot in there:",
        "if True:",
        GROWTH,
    ),
    Mutant(
        "growth: an index is used again",
        "families/_demand.py",
        "return max([0, *used, *(entry.index for entry in entries)]) + 1",
        "return max([0, *(entry.index for entry in entries)]) + 1",
        DEMAND,
    ),
    Mutant(
        "growth: that of a tenant who is gone is no loss",
        "gathering.py",
        "growth_index(record) and record.claim.owner in reading.growing",
        "growth_index(record)",
        (*GROWTH, *SHRINKING),
    ),
    Mutant(
        "growth: it rests like all records",
        "engine/shrinking.py",
        "own = state.growth_retention if record.path in state.grown else state.retention",
        "own = state.retention",
        GROWTH,
    ),
    Mutant(
        "shrinking: all of it goes at once",
        "engine/shrinking.py",
        "later = sorted(growth.going, key=_first)[left:]",
        "later = growth.going[len(growth.going) :]",
        SHRINKING,
    ),
    Mutant(
        "shrinking: what went before does not count",
        "engine/shrinking.py",
        "left = max(0, max(1, some) - len(growth.recent))",
        "left = max(1, some)",
        SHRINKING,
    ),
    Mutant(
        "shrinking: what went is forgotten while others wait",
        "engine/shrinking.py",
        "kept += [record.path for record in growth.recent]",
        "kept += []",
        SHRINKING,
    ),
    Mutant(
        "shrinking: the lowest numbers go first",
        "engine/shrinking.py",
        "return -int(number) if",
        "return int(number) if",
        SHRINKING,
    ),
    Mutant(
        "shrinking: a brake counts it",
        "evaluate.py",
        "        and decision.allocation.path not in evaluation.state.grown\n",
        "",
        SHRINKING,
    ),
)
