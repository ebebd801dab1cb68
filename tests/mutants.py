"""Bugs planted by hand, one at a time: `python -m tests.mutants [WORD ...]`.

Each mutant is a replacement in one source file, applied to a copy of the project; the quick tests
then have to fail. A mutant that survives shows what no test would notice. Not part of `make test`:
run it before a release, and after a change of the planner or of records.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.envtest.assets import find

ROOT = Path(__file__).parent.parent
COPIED = ("reconciler", "schemas", "example-repo", "tests", "pyproject.toml")
QUICK = ("tests/engine", "tests/golden", "tests/addresses", "tests/records", "tests/properties",
         "tests/commands", "tests/test_comparison.py")  # fmt: skip
CLOCKS = ("tests/adapters/test_git_clock.py", "tests/contracts/test_reconcile.py")
DIFFERENCE = ("tests/clusters/test_difference.py",)
INTENT = ("tests/clusters/test_intent.py",)
INVENTORY = ("tests/clusters/test_inventory.py",)
METALLB = ("tests/clusters/test_metallb.py",)
RIVALS = ("tests/clusters/test_rivals.py",)
NET = ("tests/net", "tests/commands/test_net.py")
SHARD = ("tests/clusters/test_shard.py",)
STEPS = ("tests/clusters/test_steps.py",)
LEDGER = ("tests/commands/test_ledger.py",)
SERVERS = ("tests/applying/", "tests/faults/")
FLEET = "tests/applying/test_fleet.py::test_"
FIRST = "tests/applying/test_first_contact.py::test_"
LEAVING = "tests/applying/test_withdrawal.py::test_"
LIMIT_SECONDS = 300


class Mutant(NamedTuple):
    """A bug: what stands in a file of the package, once, and what stands there instead.

    Attributes:
        tests: The tests that have to notice it; those of `SERVERS` need real API servers.
    """

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str] = QUICK


MUTANTS = (
    Mutant("set: ranges are not sorted", "addresses/ipset.py",
           "for item in sorted(ranges):", "for item in ranges:"),
    Mutant("set: neighbours that touch stay apart", "addresses/ipset.py",
           "right.first <= left.last + 1", "right.first <= left.last"),
    Mutant("set: subtraction leaves the last address", "addresses/ipset.py",
           "first = gap.last + 1", "first = gap.last"),
    Mutant("set: a run that only reaches in is missed", "addresses/ipset.py",
           "if start < 0 or not self.ranges[start].overlaps(item):", "if True:"),
    Mutant("range: any power of two is a CIDR", "addresses/iprange.py",
           "if size & (size - 1) or self.first & (size - 1):", "if size & (size - 1):"),
    Mutant("range: versions are one", "addresses/iprange.py",
           "self.version == other.version and self.first <= other.last and other.first <= self.last",
           "self.first <= other.last and other.first <= self.last"),
    Mutant("free: a last address is lost", "engine/free.py",
           "if last - first >= size:", "if last - first > size:"),
    Mutant("free: best fit is lowest fit", "engine/free.py",
           "self._by_size = placement is Placement.BEST_FIT", "self._by_size = False"),
    Mutant("free: taking leaves the end taken", "engine/free.py",
           "self._add(last + 1, run_last)", "self._add(last + 2, run_last)"),
    Mutant("order: pins have no precedence", "engine/planner.py",
           "return claim.pin is None, -claim.size, claim.key",
           "return False, -claim.size, claim.key"),
    Mutant("order: small before large", "engine/planner.py",
           "return claim.pin is None, -claim.size, claim.key",
           "return claim.pin is None, claim.size, claim.key"),
    Mutant("order: claims as they come", "engine/planner.py",
           "served = sorted(self.state.claims.values(), key=_precedence)",
           "served = list(self.state.claims.values())"),
    Mutant("order: decisions as they come", "engine/planner.py",
           "    decisions.sort(key=lambda decision: decision.claim)\n", ""),
    Mutant("quarantine: released is free", "engine/planner.py",
           "released + self.state.retention > self.state.clock", "released > self.state.clock"),
    Mutant("quarantine: a second too long", "engine/planner.py",
           "released + self.state.retention > self.state.clock",
           "released + self.state.retention >= self.state.clock"),
    Mutant("quarantine: only live records hold", "engine/planner.py",
           "holding = [item for item in state.records if item.range and",
           "holding = [item for item in state.records if item.is_live and"),
    Mutant("quota: ignored", "engine/planner.py",
           "if used + size > claim.quota.limit:", "if False:"),
    Mutant("quota: one less", "engine/planner.py",
           "if used + size > claim.quota.limit", "if used + size >= claim.quota.limit"),
    Mutant("quota: grants do not count", "engine/planner.py",
           "self.quota_used[claim.quota.group] = used + size",
           "self.quota_used[claim.quota.group] = used"),
    Mutant("release: protected owners too", "engine/planner.py",
           "if self.state.unclear or record.claim.owner in self.state.protected:",
           "if self.state.unclear:"),
    Mutant("release: although the tree is unclear", "engine/planner.py",
           "if self.state.unclear or record.claim.owner in self.state.protected:",
           "if record.claim.owner in self.state.protected:"),
    Mutant("release: never", "engine/planner.py",
           "elif record.is_live and not wanted:", "elif False:"),
    Mutant("frozen: pools give all the same", "engine/planner.py",
           "if pool.key in self.frozen:", "if False:"),
    Mutant("frozen: pools that overlap are not", "engine/planner.py",
           "keys = [item.pool, *self.neighbours.get(item.pool, ())]", "keys = [item.pool]"),
    Mutant("keep: a returning owner gets another range", "engine/planner.py",
           "return self._take_back(claim, record)", "return self._place(claim, None)"),
    Mutant("keep: whatever the pool", "engine/planner.py",
           "if record.pool not in claim.candidates and", "if False and"),
    Mutant("keep: released before live", "model/speaking.py",
           "        return 1, record.since\n",
           "        return 3, record.since\n"),
    Mutant("keep: of equals the last speaks", "model/speaking.py",
           "weight == others and record.path < other.path", "weight == others"),
    Mutant("keep: what was released first speaks", "model/speaking.py",
           "        return 1, record.since\n", "        return 1, \"\"\n"),
    Mutant("keep: growth goes by live records only", "evaluate.py",
           "for key, item in speaking(records).items() if item.range is not None}",
           "for key, item in speaking(records).items() if item.is_live}"),
    Mutant("words: of the moment of refusal", "engine/planner.py",
           "self._decide(claim) if isinstance(decision, Refuse) else decision", "decision"),
    Mutant("usage: expired records still count", "engine/planner.py",
           "if record.range and record.path not in replaced and record.path not in self.expired",
           "if record.range and record.path not in replaced"),
    Mutant("space: what is taken is not subtracted", "engine/space.py",
           "return pool.usable - self.taken - IPSet.of(self._granted)",
           "return pool.usable - IPSet.of(self._granted)"),
    Mutant("space: grants of the same plan are forgotten", "engine/space.py",
           "return pool.usable - self.taken - IPSet.of(self._granted)",
           "return pool.usable - self.taken"),
    Mutant("space: pools that overlap are not told", "engine/space.py",
           "for key in self._neighbours.get(pool.key, ()):", "for key in ():"),
    Mutant("space: a pin sees no grants", "engine/space.py",
           "return not any(other.overlaps(item) for other in", "return True or any(o for o in"),
    Mutant("overlap: over all address spaces", "engine/overlap.py",
           "by_space.setdefault(pool.space, [])", 'by_space.setdefault("", [])'),
    Mutant("pins: reserved addresses are fine", "engine/pins.py",
           "if reserved := pool.reserved.overlapping(pin):",
           "if reserved := pool.reserved.ranges[:0]:"),
    Mutant("pins: over a border is fine", "engine/pins.py",
           "inside = [window for window in pool.windows if window.covers(pin)]",
           "inside = [window for window in pool.windows if window.overlaps(pin)]"),
    Mutant("usage: released addresses count twice", "engine/usage.py",
           "taken_held = (pool.usable & holdings.held(pool.space)) - taken_live",
           "taken_held = pool.usable & holdings.held(pool.space)"),
    Mutant("usage: a percentage goes through a float", "engine/usage.py",
           "(2000 * used + total) // (2 * total) / 10", "int(1000 * used / total + 0.5) / 10"),
    Mutant("usage: a percentage is cut off", "engine/usage.py",
           "(2000 * used + total) // (2 * total) / 10", "1000 * used // total / 10"),
    Mutant("usage: tiers begin above their threshold", "model/pool.py",
           "if 100 * used >= ", "if 100 * used > "),
    Mutant("clock: by a date that is ahead all expires", "evaluate.py",
           "if item.is_released and tree.clock_ahead is not None", "if False"),
    Mutant("clock: nothing ever expires", "evaluate.py",
           "if item.is_released and tree.clock_ahead is not None", "if item.is_released"),
    Mutant("clock: a date that is ahead is carried on", "commands/reconcile.py",
           "dated = base._replace(clock=evaluation.tree.clock)", "dated = base", CLOCKS),
    Mutant("clock: merged branches count", "adapters/git_clock.py",
           '"--first-parent", "--timestamp"', '"--timestamp"', CLOCKS),
    Mutant("clock: the nearest date counts", "adapters/git_clock.py",
           "max(past) if past", "past[0] if past", CLOCKS),
    Mutant("refusal: fragmented is exhausted", "engine/refusal.py",
           "fragmented = any(room.size >= need for _, room in tried)", "fragmented = False"),
    Mutant("refusal: holders of all address spaces", "engine/refusal.py",
           "self._records.setdefault(space_of(self._pools, record), [])",
           "self._records.setdefault(None, [])"),
    Mutant("refusal: who holds in no known space is not named", "engine/refusal.py",
           "in (self._records.get(space, []), self._records.get(None, [])):",
           "in (self._records.get(space, []),):"),
    Mutant("rules: a pool that is gone has a space of its own", "engine/rules.py",
           "yield by_space[space] + gone", "yield by_space[space]"),
    Mutant("rules: what cannot be read is gone", "engine/rules.py",
           "if not state.unclear and entry[2].pool not in state.broken", "if True"),
    Mutant("records: one is written over another", "records/changes.py",
           "if wanted != old and wanted in self._occupied:", "if False:"),
    Mutant("records: names that join alike are one", "records/changes.py",
           "        if self._taken.setdefault((record.namespace, record.name), record.claim)"
           " == record.claim:\n            return record.name\n",
           "        return record.name\n"),
    Mutant("records: a refusal is new every time", "records/changes.py",
           "since=old.since if old is not None and same else format_instant(state.clock),",
           "since=format_instant(state.clock),"),
    Mutant("records: the fast reading is not proven", "records/recall.py",
           "return allocation if allocation and record_text(allocation) == text else None",
           "return allocation"),
    Mutant("records: a count that differs is believed", "records/careful.py",
           "if isinstance(counted, int) and counted != found.size:", "if False:"),
    Mutant("records: addresses that differ are believed", "records/careful.py",
           "if isinstance(addresses, list) and addresses:", "if False:"),
    Mutant("plan: what is refused is left out", "engine/planner.py",
           "    decisions = [*planner.without_claim(), *planner.claims()]\n",
           "    decisions = [*planner.without_claim(), *planner.claims()]\n"
           "    decisions = [item for item in decisions if type(item).__name__ != 'Refuse']\n"),
    Mutant("order: by the hash of the claim", "engine/planner.py",
           "return claim.pin is None, -claim.size, claim.key",
           "return claim.pin is None, hash(claim.key), claim.key"),
    Mutant("keep: live records are placed anew", "engine/planner.py",
           "return Keep(record, stale=difference)", "return self._place(claim, None)"),
    Mutant("records: what is pinned is not said", "records/emit.py",
           "        if record.pinned:\n", "        if False:\n"),
    Mutant("records: a release has no date", "records/emit.py",
           'released = f"  releasedAt: {since}\\n" if record.is_released else ""', 'released = ""'),
    Mutant("clusters: addresses of nodes are announced", "families/butler/projecting.py",
           'if record.claim.family != _FAMILY or record.type != "loadbalancer":',
           "if record.claim.family != _FAMILY:"),
    Mutant("clusters: the first range only", "families/_metallb.py",
           "format_range(item) for item in IPSet.of(ranges)]",
           "format_range(item) for item in IPSet.of(ranges)][:1]"),
    Mutant("pools: reserved blocks are given out", "families/butler/pools.py",
           "usable = IPSet.of(windows) - blocks", "usable = IPSet.of(windows)"),
    Mutant("pools: a gateway is given out", "families/butler/reading.py",
           "pool, usable=pool.usable - held_back, reserved", "pool, usable=pool.usable, reserved"),
    Mutant("providers: pools in the order of the list", "families/butler/providers.py",
           '(references[at].get("priority", 0), at)', "at"),
    Mutant("comparison: a pool may shrink", "comparison.py",
           "if new is None or not old.extent - new.extent:",
           "if new is None or not new.extent - old.extent:"),
    Mutant("comparison: nobody ever moves", "comparison.py",
           "and new.range != old.range", "and new.range == old.range"),
    Mutant("net: nothing is compared", "commands/reconcile.py",
           "            require_no_clash(repository, asked, commit, settings, self.facts)\n", "", NET),
    Mutant("net: the last address of a range is nobody's", "net/clashes.py",
           "if other.last >= span.first]", "if other.last > span.first]", NET),
    Mutant("net: only what is new at its path is given out", "net/clashes.py",
           'other.claim in ("", record.claim) and', "True and", NET),
    Mutant("net: a space that is unknown is another one", "net/spaces.py",
           "return one is None or other is None or one == other", "return one == other", NET),
    Mutant("net: damaged rows are believed", "net/clashes.py",
           "if found is None or found[1] != _sum(key, found[2]):", "if found is None:", NET),
    Mutant("net: what a commit adds is forgotten", "commands/held.py",
           "union([*self.rows.get(unit.path, ()), *more.get(unit.path, ())])",
           "union(self.rows.get(unit.path, ()))", NET),
    Mutant("net: what a folder held before is forgotten", "commands/held.py",
           "union([*self.rows.get(unit.path, ()), *more.get(unit.path, ())])",
           "union(more.get(unit.path, ()))", NET),
    Mutant("net: records above the folders of pools are not read", "commands/held.py",
           "files = [it for it in listed if it.mode.startswith(_FILE)]", "files = []", NET),
    Mutant("net: what cannot be read holds nothing", "net/reading.py",
           'or Holding(path, "", "", place, literals(text))', 'or Holding(path, "", "", place, ())',
           NET),
    Mutant("net: a list that differs is believed", "net/reading.py",
           "return (item,) if listed is None or _is_list(listed, start, end, int(count)) else None",
           "return (item,)", NET),
    Mutant("apply: what is foreign is taken over", "clusters/steps.py",
           "if not ours and not (adopt", "if False and not (adopt", STEPS),
    Mutant("apply: adopting adopts nothing", "clusters/steps.py",
           "not (adopt or _consents(live)", "not (_consents(live)", STEPS),
    Mutant("apply: an annotation adopts nothing", "clusters/steps.py",
           "adopt or _consents(live) or", "adopt or", STEPS),
    Mutant("apply: first contact is forced", "clusters/steps.py",
           "return Step(Action.CREATE)", "return Step(Action.CREATE, force=True)", STEPS),
    Mutant("apply: our label alone makes it ours", "clusters/steps.py",
           "== MANAGER and MANAGER in managers", "== MANAGER", STEPS),
    Mutant("apply: an orphan is ours at once", "clusters/steps.py",
           ' == metadata["uid"] and entry.orphan_since is None', ' == metadata["uid"]', STEPS),
    Mutant("apply: what others hold is deleted", "clusters/steps.py",
           "if finalizers in ([], [FINALIZER]):", "if True:", STEPS),
    Mutant("apply: a change in Git is called drift", "clusters/steps.py",
           "if fields and same_intent else", "if fields else", STEPS),
    Mutant("apply: a fixed spec is changed in place", "clusters/steps.py",
           'return phase in ("Allocated", "Released") and', "return False and", STEPS),
    Mutant("apply: drift is blamed on us", "clusters/difference.py",
           ' if entry.get("manager") not in _OURS]', "]", DIFFERENCE),
    Mutant("apply: drift is blamed on who writes the status", "clusters/difference.py",
           ' if not entry.get("subresource")]', "]", DIFFERENCE),
    Mutant("apply: lists are sets", "clusters/difference.py",
           "return list(wanted) == list(live)", "return all(it in live for it in wanted)", DIFFERENCE),
    Mutant("apply: the hash of a status has times", "clusters/intent.py",
           "said = None if status is None else timeless(status)", "said = status", INTENT),
    Mutant("apply: inventories are one ConfigMap", "clusters/inventory.py",
           "while count * _OBJECTS_IN_ONE < len(inventory.objects):", "while False:", INVENTORY),
    Mutant("apply: a key of an inventory is too long", "clusters/inventory.py",
           "return key if len(key) <= _MAX_KEY else", "return key if key else", INVENTORY),
    Mutant("apply: damaged lines are lost", "clusters/inventory.py",
           'lines[0] += [f"{line}\\n" for line in inventory.damaged]', "pass", INVENTORY),
    Mutant("apply: ranges that only touch are rivals' too", "clusters/rivals.py",
           "item.last >= span.first", "item.last >= span.first - 1", RIVALS),
    Mutant("apply: address spaces keep nothing apart", "clusters/rivals.py",
           "if not self.spaces or not other.spaces:", "if True:", RIVALS),
    Mutant("apply: host bits move a pool", "clusters/metallb.py",
           "start -= start % size", "start -= 0", METALLB),
    Mutant("apply: a pool grows before another one shrinks", "clusters/metallb.py",
           "        if addresses & others:\n", "        if False:\n", METALLB),
    Mutant("apply: shards by Python's own hash", "clusters/shard.py",
           'int.from_bytes(sha256(cluster.encode()).digest()[:8], "big")', "hash(cluster)", SHARD),
    Mutant("apply: pruned whatever the uid", "commands/applying/ledger.py",
           ' or live["metadata"]["uid"] != entry.uid:\n            # Some', ":\n            # Some", LEDGER),
    Mutant("apply: pruned whatever the label", "commands/applying/ledger.py",
           "if not _is_labelled(live):", "if False:", LEDGER),
    Mutant("apply: another object of the name is changed", "commands/applying/ledger.py",
           '{**body["metadata"], "uid": live["metadata"]["uid"]}', '{**body["metadata"]}', LEDGER),
    Mutant("apply: what could not be deleted is forgotten", "commands/applying/ledger.py",
           "self.fail(name, _said(failed))\n                    return\n",
           "self.fail(name, _said(failed))\n                    self.entries.pop(name)\n"
           "                    return\n", LEDGER),
    Mutant("apply: a dry run prunes", "commands/applying/ledger.py",
           "        elif self.wish.dry_run:\n", "        elif False:\n", LEDGER),
    Mutant("apply: withdrawn before Services are asked", "commands/applying/tenant.py",
           "users = users_of(self.cluster.list(SERVICE), removed)", "users = users_of((), removed)",
           [f"{LEAVING}addresses_that_a_service_uses_stay"]),
    Mutant("apply: what is released counts as unclear, and the rest as released",
           "commands/applying/tenant.py", "removed - self.target.released:",
           "removed & self.target.released:",
           [f"{LEAVING}nothing_is_withdrawn_while_the_repository_has_errors"]),
    Mutant("apply: pools of others may overlap", "commands/applying/tenant.py",
           "in overlaps(self.wanted, foreign):", "in overlaps(self.wanted, {}):",
           ["tests/applying/test_metallb.py::"
            "test_a_pool_of_others_that_overlaps_is_named_and_ours_is_not_applied"]),
    Mutant("apply: rivals are forgotten", "commands/applying/fleet.py",
           "before = rivals(remembered(self.known), wanted)",
           "before: dict[str, tuple[str, ...]] = {}",
           [f"{FLEET}addresses_of_a_cluster_that_is_away_go_to_nobody"]),
    Mutant("apply: an older revision is applied", "commands/applying/fence.py",
           "if told is True:", "if False:",
           [f"{FLEET}an_older_revision_is_refused_once_a_newer_one_is_applied"]),
    Mutant("apply: what git cannot tell is older", "commands/applying/fence.py",
           "if newer is not None and not is_accepted:", "if False:",
           ["tests/applying/test_fence.py::"
            "test_a_cluster_that_a_revision_nobody_knows_changed_is_left_alone"]),
    Mutant("apply: who waits for others does not wait", "commands/applying/turns.py",
           "if not left[name]:", "if True:",
           ["tests/applying/test_turns.py::test_who_waits_for_several_begins_after_the_last"]),
    Mutant("apply: one cluster may have two names", "commands/applying/fleet.py",
           "if other != target.name:", "if False:", [f"{FLEET}two_names_of_one_cluster_are_refused"]),
    Mutant("apply: any cluster is the one that it was", "commands/applying/enrolment.py",
           'if {before, inventory.uid or before} - {uid, ""}:', "if False:",
           [f"{FLEET}another_cluster_under_the_same_name_is_refused_until_it_is_enrolled"]),
    Mutant("apply: what cannot be asked announces nothing", "commands/applying/expiry.py",
           'return {record.path: f"{name} cannot be asked: {failed}" for record in records}',
           "return {}",
           ["tests/faults/test_far.py::test_f48_addresses_of_a_cluster_that_is_away_are_held"]),
    Mutant("apply: orphans have no grace", "commands/applying/orphans.py",
           "GRACE_SECONDS = 600", "GRACE_SECONDS = 0", ["tests/commands/test_orphans.py"]),
    Mutant("apply: the brake is off", "commands/applying/management.py",
           "if stop := self._brake(gone):", "if stop := self._brake(()):",
           [f"{LEAVING}too_many_objects_are_not_deleted_without_a_word"]),
    Mutant("apply: inventories are not written", "commands/applying/concluding.py",
           "save(ledger.cluster, enrolment, ledger.revision, ledger.entries)",
           "save(ledger.cluster, enrolment, ledger.revision, enrolment.inventory.objects)",
           [f"{FIRST}inventories_name_the_cluster_and_what_is_in_it"]),
    Mutant("apply: every commit writes every inventory", "commands/applying/enrolment.py",
           "    if dict(old.objects) == dict(entries) and old.uid == enrolment.uid:\n        return\n",
           "",
           [f"{FIRST}a_commit_that_changes_nothing_writes_one_line_of_the_inventory"]),
)  # fmt: skip


class Outcome(NamedTuple):
    """How tests took a mutant, and which: `killed`, `SURVIVED`, `DOES NOT APPLY`, `NOT TRIED`."""

    mutant: Mutant
    word: str
    by: str
    seconds: float


def attempt(mutant: Mutant) -> Outcome:
    """Plant one bug in a copy of the project and run the quick tests on it."""
    started = time.monotonic()
    source = (ROOT / "reconciler" / mutant.file).read_text(encoding="utf-8")
    if source.count(mutant.before) != 1:
        return Outcome(mutant, "DOES NOT APPLY", f"{source.count(mutant.before)} places", 0)
    if mutant.tests[0].startswith(SERVERS) and isinstance(missing := find(), str):
        return Outcome(mutant, "NOT TRIED", missing, 0)
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        copy(folder)
        changed = source.replace(mutant.before, mutant.after)
        (folder / "reconciler" / mutant.file).write_text(changed, encoding="utf-8")
        word, by = verdict(folder, mutant.tests)
    return Outcome(mutant, word, by, time.monotonic() - started)


def copy(folder: Path) -> None:
    """What the quick tests need."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis", ".venv")
    for item in COPIED:
        source = ROOT / item
        if source.is_dir():
            shutil.copytree(source, folder / item, ignore=ignored)
        else:
            shutil.copy(source, folder / item)


def verdict(folder: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Whether a test of the copy fails, and which."""
    there = [path for path in tests if (folder / path.partition("::")[0]).exists()]
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TESTS_WITHOUT_SHRINKING": "1",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", *there],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
            timeout=LIMIT_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "killed", "it does not end"
    if done.returncode == 0:
        return "SURVIVED", ""
    failed = [
        line.removeprefix("FAILED ").split(" - ")[0]
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED", "ERROR"))
    ]
    return "killed", failed[0] if failed else "it does not run"


def main(words: Sequence[str]) -> int:
    """Try all mutants whose names hold one of the words, two at a time; 1 unless all are killed."""
    chosen = [
        mutant for mutant in MUTANTS if not words or any(word in mutant.name for word in words)
    ]
    survived = 0
    with ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(attempt, chosen):
            survived += outcome.word != "killed"
            sys.stdout.write(
                f"{outcome.word:<14} {outcome.seconds:5.1f} s  {outcome.mutant.name:<48}"
                f" {outcome.by}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - survived} of {len(chosen)} killed\n")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
