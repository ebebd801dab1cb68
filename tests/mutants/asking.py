"""Mutants of the questions of every day."""

from tests.mutants.mutant import Mutant

PARTS = ("tests/asking/test_parts.py",)
RUNS = ("tests/asking/test_runs.py",)
CELLS = ("tests/asking/test_cells.py",)
OUTLOOK = ("tests/asking/test_outlook.py",)
ANNALS = ("tests/commands/test_annals.py",)
LINE = ("tests/adapters/git/test_annals.py",)
CAUSES = ("tests/asking/test_causes.py",)

ASKING = (
    Mutant("asking: what a pool says comes before what a record holds", "asking/parts.py",
           "return left - IPSet.of(taken)", "return left", PARTS),
    Mutant("asking: what comes next is the lowest run", "asking/runs.py",
           "is_best = pool.placement is Placement.BEST_FIT", "is_best = False", RUNS),
    Mutant("asking: a map hides what is held", "asking/cells.py",
           "rank = (_RANKS.get(part.sort, 0), shared.size)", "rank = (0, shared.size)", CELLS),
    Mutant("asking: a short history is taken for a long one", "asking/outlook.py",
           "if past.oldest > start:", "if False:", OUTLOOK),
    Mutant("asking: so many fit as there are addresses for", "asking/outlook.py",
           "return count\n", "continue\n", OUTLOOK),
    Mutant("asking: a past that was read in part counts as whole", "commands/annals.py",
           "rows_text(self.rows, is_whole=self._is_whole)",
           "rows_text(self.rows, is_whole=True)", ANNALS),
    Mutant("asking: a shallow clone's past is kept", "commands/annals.py",
           "if not self._is_new or self.annals.is_cut():", "if not self._is_new:", ANNALS),
    Mutant("asking: every commit is in the characters that it says", "adapters/git/annals.py",
           "if clock:", "if commit:", LINE),
    Mutant("asking: a name within another is the cause", "asking/causes.py",
           r"(?=[,}#\r\n]|\Z)", "", CAUSES),
)  # fmt: skip
