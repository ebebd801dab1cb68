"""Mutants of what brings in what lives: an address with two holders, a file in the place of another."""

from tests.mutants.mutant import Mutant

_JOINING = "tests/importing/test_joining.py"
_PLACING = "tests/adapters/test_placing.py"
_NAMES = "tests/applying/test_pool_names.py"

IMPORTING = (
    Mutant("importing: what two have is given to one", "importing/joining.py",
           "not contested.get(it.space, nothing).overlapping(it.item)", "True", (_JOINING,)),
    Mutant("importing: what the repository holds for another is taken", "importing/standing.py",
           "        if other is not None:\n", "        if False:\n",
           ("tests/commands/test_importing.py",)),
    Mutant("importing: a file takes the place of one that came meanwhile", "adapters/placing.py",
           "os.link(work / str(number), out / path)", "os.replace(work / str(number), out / path)",
           (_PLACING,)),
    Mutant("applying: a pool in use is renamed", "clusters/renaming.py",
           "    if not users:\n", "    if users or not users:\n", (_NAMES,)),
)  # fmt: skip
