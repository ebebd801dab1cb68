"""Bugs of what is taken in from the management cluster, and of when it is gone."""

from tests.mutants.mutant import Mutant

GOING = ("tests/clusters/test_going.py",)
TAKING = ("tests/clusters/test_intake.py",)
COMMITS = ("tests/commands/test_intake_commits.py",)
INHERITED = ("tests/commands/test_inherited.py", "tests/cli/test_inherited.py")
REQUESTS = ("tests/families/test_requests.py",)
COPYING = ("tests/families/test_intake.py", "tests/properties/test_intake.py")

INTAKE = (
    Mutant("intake: an incomplete list proves that something is gone", "clusters/going.py",
           "        if listing.problem:\n            return listing.problem\n", "", GOING),
    Mutant("intake: an older state proves that something is gone", "clusters/going.py",
           "is_older = 0 < version < self._oldest", "is_older = version < 0", GOING),
    Mutant("intake: a backup is believed once its number has caught up", "clusters/going.py",
           '"" if known.is_re_enrolled else known.memory.older', '""', GOING),
    Mutant("intake: any CRD is the one that was known", "clusters/going.py",
           "if known != listing.crd and not self._accepts:", "if not listing.crd:", GOING),
    Mutant("intake: one list is enough", "clusters/going.py",
           "self._at - since[it] >= LEAST]", "self._at - since[it] >= 0]", GOING),
    Mutant("intake: much may go in small parts", "clusters/intake_brake.py",
           "going, every = gone + of_late, copies + of_late", "going, every = gone, copies", GOING),
    Mutant("intake: one namespace holds up all others", "clusters/intake_brake.py",
           "if rest == others or ", "if rest or ", GOING),
    Mutant("intake: a pool goes while records hold its addresses", "clusters/going.py",
           "self._unused(gone), copies)", "gone, copies)", GOING),
    Mutant("intake: each of thousands is told by an Event", "clusters/intake_telling.py",
           "if known is None and not self._has_room(identity[2]):", "if not identity:",
           ("tests/clusters/test_intake_telling.py",)),
    Mutant("intake: a pool makes an address space of its own", "clusters/copies.py",
           "if space != DEFAULT_SPACE and settings.address_spaces is None:", "if not space:",
           ("tests/families/test_intake.py",)),
    Mutant("intake: all that remains may go beside a namespace", "clusters/intake_brake.py",
           "if rest == others or ", "if ", GOING),
    Mutant("intake: another cluster is asked as if it were the same", "clusters/intake.py",
           "if uid and uid != seen.uid and not seen.is_re_enrolled:", "if not seen.uid:", TAKING),
    Mutant("intake: what we made is taken in", "clusters/intake.py",
           "    return is_ours(Live(ref, manifest), entries.get(str(ref)))\n",
           "    return False and is_ours(Live(ref, manifest), entries.get(str(ref)))\n", TAKING),
    Mutant("intake: what people describe is copied, too", "clusters/intake.py",
           "            if identity in self.standing.described:\n                continue\n", "",
           TAKING),
    Mutant("intake: what people describe wrongly is copied, too", "clusters/intake.py",
           "        if intake.identity(manifest) in self.standing.unread:\n            return False\n", "",
           TAKING),
    Mutant("intake: a look takes away what people describe", "clusters/intake.py",
           "        if listed is None:\n            return\n        there = dict(",
           "        self.changes |= {path_of(self.settings.observed, it): None for it in copies if it not in mine}\n"
           "        if listed is None:\n            return\n        there = dict(", TAKING),
    Mutant("intake: whoever writes a trailer says what was seen", "commands/applying/intake.py",
           " and (step.is_cut or source.believes(step.id))", "", COMMITS),
    Mutant("intake: the end of a clone says nothing", "commands/applying/intake.py",
           "(step.is_cut or source.believes(step.id))", "source.believes(step.id)", COMMITS),
    Mutant("intake: a deletion of another object of the name counts", "clusters/intake.py",
           "if seen.get(it) == uid]", "if it in seen]", TAKING),
    Mutant("intake: whose name a request bears, it stands for", "families/butler/requests.py",
           "    if document.namespace != SYSTEM:\n        return None\n", "", REQUESTS),
    Mutant("inherited: what a change breaks is told as its base's", "commands/inherited.py",
           "asked[said := _said(item, changed)] <= known[said]", "_said(item, changed)", INHERITED),
    Mutant("inherited: an error of a file that is edited is its base's", "commands/inherited.py",
           "        and not (item.severity is Severity.ERROR and item.location.path in changed)\n", "", INHERITED),
    Mutant("inherited: a pool that gets fuller is its base's", "commands/inherited.py",
           "        and not _is_worse(item, evaluation, base)\n", "", INHERITED),
    Mutant("inherited: of two refusals at a place one is enough", "commands/inherited.py",
           "] <= known[said]", "] and known[said]", INHERITED),
    Mutant("intake: what we wrote is asked for", "families/_intake.py",
           "    asked = _without_ours(manifest)\n", "    asked = manifest\n", COPYING),
    Mutant("intake: fields that nobody reads are copied", "families/_intake.py",
           'if field in value and not inner.get("x-unread"):', "if field in value:", COPYING),
)  # fmt: skip
