"""Bugs of records that go to another owner."""

from tests.mutants.mutant import Mutant

PLAN = ("tests/test_transfers.py",)
HISTORY = ("tests/asking/test_happenings.py",)
FLOW = ("tests/cli/test_transfers.py",)

PROPERTY = ("tests/properties/test_transfers.py",)

TRANSFERS = (
    Mutant("transfers: none is a decision", "digest.py",
           "is_given = isinstance(decision, Keep) and", "is_given = False and", PROPERTY),
    Mutant("transfers: who gives is not in the digest", "digest.py",
           '_ONLY_THEN = ("from", "owner")', '_ONLY_THEN = ("owner",)', PLAN),
    Mutant("transfers: who gets is not in the digest", "digest.py",
           '_ONLY_THEN = ("from", "owner")', '_ONLY_THEN = ("from",)', PLAN),
    Mutant("transfers: another team is another owner", "records/claimed.py",
           "old.owner[:2] != new.owner[:2]", "old.owner != new.owner", PLAN),
    Mutant("transfers: what is held as it is changes hands", "digest.py",
           "Keep(record, held=False)", "Keep(record)", PLAN),
    Mutant("transfers: a rename alarms", "records/findings.py",
           "if new.path in state.along:", "if False:", PLAN),
    Mutant("transfers: a renamed pool hides who loses", "records/findings.py",
           "(former is not None and former.claim is not None)", "former is not None", PLAN),
    Mutant("transfers: history has no line", "asking/happenings.py",
           "What.TRANSFERRED, new, new.range) if _giver(old, new)",
           "What.TRANSFERRED, new, new.range) if False", HISTORY),
    Mutant("transfers: the earlier owner does not find it", "asking/holders.py",
           "named = (fact.owner, item.giver, heir", "named = (fact.owner, heir", FLOW),
    Mutant("transfers: another version may give to anybody", "commands/differing.py",
           "record.claim, record.owner[:2],", "record.claim,", FLOW),
)  # fmt: skip
