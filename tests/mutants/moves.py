"""Bugs of claims that move."""

from tests.mutants.mutant import Mutant

ENGINE = ("tests/engine/test_moving.py", "tests/properties/test_moving.py")
PROPERTY = ("tests/properties/test_moving.py",)
REPLACED = ("tests/cli/test_replaced.py",)
CLUSTERS = ("tests/applying/test_moving.py",)
GROWN = ("tests/cli/test_move_grown.py",)
RUNS = ("tests/commands/test_moves_of_a_run.py",)

MOVES = (
    Mutant("moves: whatever is stale moves", "engine/planner.py",
           "if difference and claim.key in self.state.movable:", "if difference:", PROPERTY),
    Mutant("moves: what was left expires by time", "engine/planner.py",
           "record.announced or record.path in self.state.retained",
           "record.path in self.state.retained", ENGINE),
    Mutant("moves: what was left is not announced", "engine/moving.py",
           "since=now, announced=True)", "since=now)", PROPERTY),
    Mutant("moves: what is withdrawn rests since the move", "engine/moving.py",
           "replace(record, since=now, announced=False)", "replace(record, announced=False)",
           ENGINE),
    Mutant("moves: the quota counts both ranges", "engine/planner.py",
           "self.quotas.give_back(claim, record.range)", "pass", ENGINE),
    Mutant("moves: what was left is given back as it is used", "commands/applying/expiry.py",
           "if user and not is_forced:", "if user and is_kept:", CLUSTERS),
    Mutant("moves: what was left goes before the new range is there",
           "commands/applying/expiry.py", "(missing := instead - all_there)",
           "(missing := IPSet())", CLUSTERS),
    Mutant("moves: without a management cluster what was left goes",
           "commands/applying/expiry.py",
           "return {it.path: nobody for it in left if it.path not in said}", "return {}",
           CLUSTERS),
    Mutant("moves: who stood for a tenant may go", "commands/beside.py",
           "return with_replaced(with_losses(base, evaluation, planned))",
           "return with_losses(base, evaluation, planned)", REPLACED),
    Mutant("moves: only a request that is gone stood for a tenant", "replaced.py",
           "if claim is None or claim.type != record.type:", "if claim is None:", REPLACED),
    Mutant("moves: another request that stands for a tenant is no move", "replaced.py",
           "return found.stands_for or claim if found is not None else claim", "return claim",
           REPLACED),
    Mutant("moves: no Override lets a tenant go to a range of its own", "replaced.py",
           "if evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):", "if False:", REPLACED),
    Mutant("moves: a brake holds nothing of a tenant's", "replaced.py",
           "if evaluation.is_stopped else ()", "if False else ()", REPLACED),
    Mutant("moves: a tenant's cluster loses what was left at once",
           "families/butler/announcing.py", "(record.is_live or record.announced)",
           "record.is_live", CLUSTERS),
    Mutant("moves: retention begins at an old date", "commands/reconcile.py",
           "is_now = clock is not None or self.options.now is None", "is_now = True", RUNS),
    Mutant("moves: two records of a claim bear one name", "records/changes.py",
           "names.of(allocation) if leaves is None else names.beside(allocation, replaces)",
           "names.of(allocation)", ENGINE),
    Mutant("moves: an Override of a move is one for its record", "comparison.py",
           "overrides.allow, OverrideKind.RECORD)", "overrides.allow, OverrideKind.MOVE)",
           ("tests/test_comparison.py",)),
    Mutant("moves: a request that is a tenant's own claim moves alone", "commands/move.py",
           "claim.stands_for or key if claim is not None else key", "key", GROWN),
    Mutant("moves: what stays is told by nobody", "commands/move.py",
           "it.owner.short == whose and it.pool != pool", "it.owner.short != whose", GROWN),
    Mutant("moves: of a file the last document alone is written", "commands/move.py",
           "as_of(document, files[document.path]) if document.path in files else document",
           "document", GROWN),
)  # fmt: skip
