"""Mutants of what a new repository begins with."""

from tests.mutants.mutant import Mutant

GROUND = ("tests/adapters/test_ground.py",)
INIT = ("tests/cli/test_init.py",)
FILES = ("tests/commands/starting/test_files.py",)
PACKAGE = ("tests/adapters/test_package.py",)

STARTING = (
    Mutant("init: what is there is overwritten", "adapters/ground.py",
           'place.open("x", ', 'place.open("w", ', GROUND),
    Mutant("init: a link is a way", "adapters/ground.py",
           'raise OSError(ELOOP, f"{name} is a link")', "pass", GROUND),
    Mutant("init: examples come again beside a person's documents", "cli/init.py",
           "    if has_own_documents(ground):\n", "    if False:\n", INIT),
    Mutant("init: any branch is written into CI", "commands/starting/files.py",
           "if not _BRANCH.fullmatch(wish.branch):", "if False:", FILES),
    Mutant("init: CI is told a person's password", "adapters/package.py",
           "if not _PUBLIC.fullmatch(url):", "if False:", PACKAGE),
)  # fmt: skip
