"""Mutants of what waits for a merge: causes, proposals, other open changes, moved roots."""

from tests.mutants.mutant import Mutant

PROPOSED = ("tests/cli/test_to_branch.py",)
RUN = ("tests/commands/test_proposing.py",)
TOGETHER = ("tests/cli/test_together.py",)
CAUSED = ("tests/cli/test_causes.py",)
VANISHED = ("tests/cli/test_removed_while_unread.py",)
MOVED = ("tests/cli/test_moved_roots.py",)

PROPOSING = (
    Mutant("proposing: what people committed is replaced", "adapters/git/proposing.py",
           "        if old:\n            self._require_ours(old, base)", "", PROPOSED),
    Mutant("proposing: the same is brought again", "adapters/git/proposing.py",
           "if old and revision is not None and self._says_the_same(old, base, revision):", "if False:",
           PROPOSED),
    Mutant("proposing: what is merged is taken away", "adapters/git/proposing.py",
           "if revision is None and (not old or self._is_in(old, base.id)):",
           "if revision is None and not old:", PROPOSED),
    Mutant("proposing: the branch is published, too", "commands/writing.py",
           "if wishes.is_proposed:", "if False:", RUN),
    Mutant("proposing: clusters get what nobody merged", "commands/reconcile.py",
           "if self.commit and self.proposed is None else self.base", "if self.commit else self.base", RUN),
    Mutant("proposing: a lost race is made twice", "commands/reconcile.py",
           "self.made.clear()", "pass", RUN),
    Mutant("together: what the base owes counts for both", "together.py",
           "{claim: it for claim, it in ours.items() if claim not in theirs}", "dict(ours)", TOGETHER),
    Mutant("together: nothing is reconciled in between", "commands/together.py",
           "if not is_carried_out(asked, passed):", "if True:", TOGETHER),
    Mutant("together: a refusal is no difference", "together.py",
           "if isinstance(got, Refuse):", "if False:", TOGETHER),
    Mutant("together: the same tier counts", "together.py",
           "together.tier.rank > max(", "together.tier.rank >= max(", TOGETHER),
    Mutant("strays: one that lives is one that was moved", "commands/strays.py",
           "if root not in living", "if True", MOVED),
    Mutant("strays: reconcile goes on", "commands/writing.py",
           "if it.code == STRAY", "if False", MOVED),
    Mutant("strays: whatever stands in such a folder is a record", "commands/strays.py",
           "            if claim is not None:\n", "            if True:\n", MOVED),
    Mutant("strays: the base is not asked", "commands/strays.py",
           "    if move.before is not None:\n", "    if False:\n", MOVED),
    Mutant("strays: what reconcile made elsewhere is not asked", "commands/strays.py",
           "    if move.begins:\n", "    if False:\n", MOVED),
    Mutant("strays: a root with records takes none up", "commands/strays.py",
           "if not move.begins and not _is_dropped(roots, move):", "if not move.begins:", MOVED),
    Mutant("strays: Settings alone are a root that lives", "commands/strays.py",
           "living = {roots.own, *_living(now, move.settings)}",
           "living = {roots.own, *_living(now, move.settings), *_set_up(now)}", MOVED),
    Mutant("hands: records that came along are to be removed", "records/by_hand.py",
           "if records.begins and item.is_added", "if False", MOVED),
    Mutant("vanishing: what may have moved counts as removed", "vanishing.py",
           "        and it.unread not in changed\n", "", VANISHED),
    Mutant("vanishing: nothing is told of a removal", "vanishing.py",
           "    wrong = without(evaluation, gone)\n", "    wrong = Wrong()\n", VANISHED),
    Mutant("vanishing: who mends the file is told of it", "commands/inherited.py",
           "*chain.from_iterable(vanished(base))", "*chain.from_iterable([])", VANISHED),
    Mutant("caused: what the base has is the change's", "caused.py",
           "return self._known.get(decision.claim) == _said(decision)", "return False", CAUSED),
    Mutant("caused: retention that ends is not told", "caused.py",
           "if isinstance(decision, Expire):", "if False:", CAUSED),
    Mutant("caused: whatever pool is another one is its own", "caused.py",
           "is_its = allocation is not None and allocation.pool == key", "is_its = False", CAUSED),
    Mutant("caused: of a merge it is the merge", "commands/caused.py",
           "return repository.source(parents[1]) if is_merge else change", "return change", CAUSED),
)  # fmt: skip
