"""Mutants of what clusters lose by a change."""

from tests.mutants.mutant import Mutant

CHECKS = ("tests/hostile/test_announced.py",)
SIDES = ("tests/test_announced.py",)
PROPERTY = ("tests/properties/test_announced.py",)

ANNOUNCED = (
    Mutant("announced: what the base loses counts for the change", "announced.py",
           "if known.get((it.cluster, it.path)) != (it.addresses, it.to)]", "if True]", CHECKS),
    Mutant("announced: what the base loses has another name", "announced.py",
           "(touches.name(it.cluster), it.path):", "(it.cluster, it.path):", SIDES),
    Mutant("announced: who goes loses something", "announced.py",
           "if it.to or it.cluster not in teller.gone]", "if True]", CHECKS),
    Mutant("announced: who goes may be taken all of", "announced.py",
           "if it.to or it.cluster not in teller.gone]", "if it.cluster not in teller.gone]", CHECKS),
    Mutant("announced: what a brake holds is lost", "projecting.py",
           "if not is_held(it, evaluation))", "if True)", CHECKS),
    Mutant("announced: no other cluster gets it", "losses.py",
           "if mine & gains.get(it, _NOTHING))", "if False)", CHECKS),
    Mutant("announced: an Override is not asked", "announced.py",
           "if self.evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):", "if False:", CHECKS),
    Mutant("announced: a range set by hand is never lost", "losses.py",
           "        yield Loss(cluster, None, rest, to", "        return; yield Loss(cluster, None, rest, to", CHECKS),
    Mutant("announced: a rename takes its cluster away", "losses.py",
           "return self.became.get(cluster, cluster)", "return cluster", SIDES),
    Mutant("announced: a team takes the name of another's", "announced.py",
           "self._team(old[was]) == self._team(new[name])", "True", SIDES),
    Mutant("announced: who was there takes a name", "announced.py",
           "new = {name: it for name, it in stated.items() if name not in self._before}", "new = stated", SIDES),
    Mutant("announced: a rename that comes late is none", "announced.py",
           "if was in taken or (", "if (", SIDES),
    Mutant("announced: what was set by hand before is not looked at", "losses.py",
           "(*others, *old.by_hand.values())", "tuple(others)", SIDES),
    Mutant("announced: who had a range set by hand is not looked for", "losses.py",
           "every |= {name: it", "{name: it", SIDES),
    Mutant("announced: a renamed request has its old name", "losses.py",
           "named.get(it.path, it.claim)", "it.claim", SIDES),
    Mutant("announced: a cluster of a broken document is none", "announced.py",
           "| broken | now", "| now", SIDES),
    Mutant("announced: what it still announces is lost, too", "losses.py",
           "there.announced[cluster] - then.announced[cluster]", "there.announced[cluster]",
           PROPERTY),
    Mutant("announced: a held request is withdrawn", "projecting.py",
           "(not is_held(item, evaluation) or item.allocation.path in touched)", "True", CHECKS),
)  # fmt: skip
