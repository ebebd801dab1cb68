"""Mutants of who may ask for what."""

from tests.mutants.mutant import Mutant

RULES = ("tests/test_ownership.py",)
BASES = ("tests/hostile/test_ownership.py",)
CODEOWNERS = ("tests/cli/test_codeowners.py",)

OWNERSHIP = (
    Mutant("ownership: a change is judged by what it says itself", "commands/judging.py",
           "        return contracts_of(planned().documents)\n", "        return ()\n", BASES),
    Mutant("ownership: Settings may leave the teams out", "commands/judging.py",
           "if is_touched or any(it.path == PATH for it in changes) or", "if is_touched or", BASES),
    Mutant("ownership: a broken team is no team that changed", "commands/judging.py",
           " or any(side.unread for side in sides):", ":", BASES),
    Mutant("ownership: a change is not held to what it takes away", "ownership.py",
           "rules = rules_of(contracts_of(documents), judging)",
           "rules = rules_of(judging or contracts_of(documents))", BASES),
    Mutant("ownership: who asks in another's name is given it", "ownership.py",
           "refusal = trespass.refusal if trespass else", "refusal = None if trespass else", RULES),
    Mutant("ownership: any folder will do", "ownership.py",
           "            if team not in at:\n", "            if False:\n", RULES),
    Mutant("ownership: outside of all folders nothing is asked", "ownership.py",
           "        elif contract.folders:\n", "        elif False:\n", RULES),
    Mutant("ownership: the outer folder decides", "ownership.py",
           'return max(filter(path.startswith, self._of_folder), key=len, default="")',
           'return min(filter(path.startswith, self._of_folder), key=len, default="")', RULES),
    Mutant("ownership: any namespace will do", "ownership.py",
           "if others or (contract.namespaces and not is_home):", "if False:", RULES),
    Mutant("ownership: a team that says nothing of namespaces may have another's", "ownership.py",
           "if others or (contract.namespaces and not is_home):",
           "if contract.namespaces and not is_home:", RULES),
    Mutant("ownership: any pool will do", "ownership.py",
           "if contract.pools and others:", "if False:", RULES),
    Mutant("ownership: one more than it may", "ownership.py",
           "asked > contract.most:", "asked > contract.most + 1:", RULES),
    Mutant("ownership: what is misspelt limits nothing", "families/_contract.py",
           "            if near:\n", "            if False:\n", RULES),
    Mutant("codeowners: of an inner folder the team around it is asked", "commands/codeowners.py",
           "    if lacking:\n", "    if False:\n", CODEOWNERS),
    Mutant("codeowners: lines are made of what is wrong", "cli/schema.py",
           "    if has_error(evaluation.findings):\n", "    if False:\n", CODEOWNERS),
    Mutant("codeowners: a root may be called as it likes", "commands/codeowners.py",
           "if place and _PLACE.fullmatch(place) is None:", "if False:", CODEOWNERS),
    Mutant("ownership: an empty list limits nothing", "families/_contract.py",
           "elif not words or (", "elif (", RULES),
)  # fmt: skip
