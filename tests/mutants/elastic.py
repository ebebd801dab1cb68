"""Bugs of growth: who waits for what, what is in use, what a cluster may cost."""

from tests.mutants.mutant import Mutant

DEMAND = ("tests/clusters/elastic/test_demand.py",)
FITTING = ("tests/clusters/elastic/test_fitting.py",)
SETTLING = ("tests/clusters/elastic/test_settling.py",)
LOOK = ("tests/commands/looking/test_look.py",)
RULES = "clusters/elastic/demand.py"

ELASTIC = (
    Mutant("elastic: growth goes while somebody waits", RULES,
           "if waits.all or self.shown.odd", "if self.shown.odd", DEMAND),
    Mutant("elastic: what is granted and not announced is asked for again", RULES,
           "in_flight=(ours - self.announced - self.used).size + lacking", "in_flight=0", DEMAND),
    Mutant("elastic: what was given back and still holds addresses is free to have again", RULES,
           "given = sum(entry.count for entry, _ in self._released())", "given = 0", DEMAND),
    Mutant("elastic: addresses in use are idle", RULES,
           "(self._is_announced(record) and not self._is_used(record))",
           "self._is_announced(record)", DEMAND),
    Mutant("elastic: an address that a Service took again is given away", RULES,
           "if self._is_used(record) or _overlaps(named, record)", "if _overlaps(named, record)", DEMAND),
    Mutant("elastic: tenants grow where MetalLB would not give the address out", RULES,
           "        if self.shown.unwell:\n            why", "        if False:\n            why",
           DEMAND),
    Mutant("elastic: a number is used twice", RULES,
           "first=next_index(self.granted.records, self.entries)",
           "first=next_index((), self.entries)", DEMAND),
    Mutant("elastic: Services that share count each", "clusters/elastic/counting.py",
           "if not service.sharing:\n            alone", "if True:\n            alone", DEMAND),
    Mutant("elastic: what no pool has is not asked for in parts", "clusters/elastic/fitting.py",
           "found += [size - size // 2, size // 2]", "pass", FITTING),
    Mutant("elastic: what nobody may touch is given back", "clusters/elastic/settling.py",
           "if entry.index not in stays", "if True", SETTLING),
    Mutant("elastic: a Demand without entries goes while growth rests",
           "clusters/elastic/settling.py", "and not any(True for _ in records)", "", SETTLING),
    Mutant("elastic: a cluster under another identity is asked", "commands/looking/tenant.py",
           'uid = asked.known.uid if asked.known else ""', 'uid = ""', LOOK),
    Mutant("elastic: notes are written where nobody may write", "commands/looking/tenant.py",
           "if asked.writes and text is not None", "if text is not None", LOOK),
)  # fmt: skip
