"""Bugs of what is kept under another name."""

from tests.mutants.mutant import Mutant

RENAMING = ("tests/test_renaming.py",)
CLUSTERS = ("tests/applying/test_renamed.py",)

RENAMES = (
    Mutant(
        "rename: of another team",
        "renaming/owners.py",
        "others = sorted({record.owner.team for record in live} - {team})",
        "others = []",
        RENAMING,
    ),
    Mutant(
        "rename: of what is still there",
        "renaming/owners.py",
        "        if is_there(first, self._documents):\n",
        "        if False:\n",
        RENAMING,
    ),
    Mutant(
        "rename: two take over one",
        "renaming/owners.py",
        "        elif len(rivals) > 1:\n",
        "        elif False:\n",
        RENAMING,
    ),
    Mutant(
        "rename: what is released is taken back",
        "renaming/owners.py",
        "self._becomes.get(record.claim.owner) if record.is_live else None",
        "self._becomes.get(record.claim.owner)",
        RENAMING,
    ),
    Mutant(
        "rename: nobody looks whether a file can be read",
        "renaming/owners.py",
        "if path := lost or unclear(self._tree) or first.document.doubt:",
        "if path := lost or first.document.doubt:",
        RENAMING,
    ),
    Mutant(
        "rename: onto a name that holds something",
        "renaming/owners.py",
        " or self._taken_already(first, live)",
        "",
        RENAMING,
    ),
    Mutant(
        "rename: the old record is not protected",
        "renaming/owners.py",
        "        self._protected.append(links[0].before.owner)\n",
        "",
        RENAMING,
    ),
    Mutant(
        "rename: a pool takes what lies elsewhere",
        "renaming/pools.py",
        "item is not None and (pool.extent.covers(item) or pool.usable.covers(item))",
        "item is not None",
        RENAMING,
    ),
    Mutant(
        "rename: released records of a pool stay behind",
        "records/changes.py",
        "    for path, record in _renamed(plan, state):\n",
        "    for path, record in ():\n",
        RENAMING,
    ),
    Mutant(
        "rename: a cluster is another one under its new name",
        "commands/applying/fleet.py",
        "self.known = moved(registry.known, self.renames.same)",
        "self.known = registry.known",
        CLUSTERS,
    ),
    Mutant(
        "rename: a cluster of which nobody knows is emptied",
        "commands/applying/fleet.py",
        "if (why := self.renames.left.get(target.name)) and known is not None:",
        "if False:",
        CLUSTERS,
    ),
)
