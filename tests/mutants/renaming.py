"""Bugs of what is kept under another name."""

from tests.mutants.mutant import Mutant

RENAMING = ("tests/test_renaming.py",)
TANGLED = ("tests/test_tangled_renames.py",)
CLUSTERS = ("tests/applying/test_renamed.py",)
LIVING = ("tests/properties/test_living.py",)
LEFT = "if record.is_live or record.announced:"
LEFT_BEHIND = "if record.announced:\n            return False\n        if record.is_live:"
RESTS = "return record.is_released and record.owner.team in teams"

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
        "rename: in a longer history what a move has left stays behind",
        "renaming/owners.py",
        LEFT,
        LEFT_BEHIND,
        LIVING,
    ),
    Mutant(
        "rename: growth is released",
        "renaming/owners.py",
        "if now is None or not self._goes_along(record):",
        'if now is None or record.claim.slot.startswith("loadbalancer-"):',
        LIVING,
    ),
    Mutant(
        "rename: what a move has left rests at once",
        "engine/moving.py",
        "since=now, announced=True)",
        "since=now)",
        LIVING,
    ),
    Mutant(
        "rename: what rests is asked for at nobody's cluster",
        "renaming/owners.py",
        RESTS,
        "return False",
        (*LIVING, *CLUSTERS),
    ),
    Mutant(
        "rename: what rests of another team goes along",
        "renaming/owners.py",
        RESTS,
        "return record.is_released",
        RENAMING,
    ),
    Mutant(
        "rename: what is refused another pool stays behind",
        "records/changes.py",
        "if old is not None and old.is_live and old.path in state.former and not decision.is_left:",
        "if False:",
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
        LEFT,
        LEFT_BEHIND,
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
