"""Mutants of what clusters lose by a change."""

from tests.mutants.mutant import Mutant

CHECKS = ("tests/hostile/test_announced.py",)
PROPERTY = ("tests/properties/test_announced.py",)

ANNOUNCED = (
    Mutant("announced: what the base loses counts for the change", "announced.py",
           "if loss not in known]", "if True]", CHECKS),
    Mutant("announced: who goes loses something", "announced.py",
           "if it.cluster not in gone]", "if True]", CHECKS),
    Mutant("announced: what a brake holds is lost", "announced.py",
           "if not is_held(it, evaluation))", "if True)", CHECKS),
    Mutant("announced: no other cluster gets it", "announced.py",
           "if mine & gains.get(it, _NOTHING))", "if False)", CHECKS),
    Mutant("announced: an Override is not asked", "announced.py",
           "if evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):", "if False:", CHECKS),
    Mutant("announced: a range set by hand is never lost", "announced.py",
           "        yield Loss(cluster, None, rest, to", "        return; yield Loss(cluster, None, rest, to", CHECKS),
    Mutant("announced: a rename takes its cluster away", "announced.py",
           "return self.became.get(cluster, cluster)", "return cluster", ("tests/test_announced.py",)),
    Mutant("announced: what was set by hand before is not looked at", "announced.py",
           "*(it for it in self.by_hand.values() if it is not None)", "*()",
           ("tests/test_announced.py",)),
    Mutant("announced: what it still announces is lost, too", "announced.py",
           "there.announced[cluster] - then.announced[cluster]", "there.announced[cluster]",
           PROPERTY),
    Mutant("announced: a held request is withdrawn", "projecting.py",
           "(not is_held(item, evaluation) or item.allocation.path in touched)", "True", CHECKS),
)  # fmt: skip
