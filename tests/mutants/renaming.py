"""Bugs of what is kept under another name."""

from tests.mutants.mutant import Mutant

RENAMING = ("tests/test_renaming.py",)
TANGLED = ("tests/test_tangled_renames.py",)
CLUSTERS = ("tests/applying/test_renamed.py",)
LIVING = ("tests/properties/test_living.py",)

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
        "self._becomes.get(record.claim.owner) if _goes_along(record) else None",
        "self._becomes.get(record.claim.owner)",
        RENAMING,
    ),
    Mutant(
        "rename: what a move has left stays behind",
        "renaming/owners.py",
        "return record.is_live or record.announced",
        "return record.is_live",
        LIVING,
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
        " or self._taken_already(link, live)",
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
    Mutant(
        "rename: what a move left stays behind",
        "renaming/owners.py",
        "return record.is_live or record.announced",
        "return record.is_live",
        TANGLED,
    ),
    Mutant(
        "rename: requests keep the old name",
        "renaming/owners.py",
        "        elif named:\n",
        "        elif False:\n",
        TANGLED,
    ),
    Mutant(
        "rename: what a request alone holds is no reason to look",
        "renaming/owners.py",
        "if not (live or lost or named):",
        "if not (live or lost):",
        TANGLED,
    ),
    Mutant(
        "rename: names are swapped",
        "renaming/tangles.py",
        "        if following in chain:\n            return _told(link, [*chain, following], is_swap=following is link)\n",
        "        if following in chain:\n            return None\n",
        TANGLED,
    ),
    Mutant(
        "rename: the end of a chain gets others",
        "renaming/tangles.py",
        "is_pending(chain[-1].before.owner) and len(chain) > 1",
        "False",
        TANGLED,
    ),
    Mutant(
        "likeness: who was edited is nobody's rename",
        "lookalikes.py",
        "every = product((True, False), ",
        "every = product((True,), ",
        ("tests/commands/test_renames.py",),
    ),
    Mutant(
        "likeness: anybody is a rename of whoever went",
        "lookalikes.py",
        " >= HALF",
        " >= 0",
        ("tests/commands/test_renames.py",),
    ),
    Mutant(
        "likeness: pools go by their texts",
        "lookalikes.py",
        "return bool(pools[0].extent & pools[1].extent)",
        "pass",
        ("tests/commands/test_renames.py",),
    ),
)
