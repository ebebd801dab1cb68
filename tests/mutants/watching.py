"""Bugs of the daemon."""

from tests.mutants.mutant import Mutant

SCHEDULE = ("tests/commands/watching/test_schedule.py",)
DAEMON = ("tests/commands/watching/test_daemon.py",)
WATCHES = ("tests/commands/watching/test_watches.py",)
LEASE = ("tests/commands/watching/test_lease.py",)
TOUCHED = ("tests/applying/test_touched.py",)
STORIES = ("tests/commands/watching/test_stories.py",)
WITNESS = ("tests/commands/watching/test_witness.py",)
STREAM = ("tests/adapters/kube/test_watching.py",)

PACE = ("tests/commands/watching/test_pace.py",)

WATCHING = (
    Mutant("watching: who hangs on rounds begins the next one by its watch",
           "commands/watching/daemon.py", "            self.schedule.rest(name, until)\n",
           "            pass\n", PACE),
    Mutant("watching: one odd object ends a watch of our own cluster", "adapters/kube/cluster.py",
           "change_of(line, what, resource, cuts=cuts)", "change_of(line, what, resource)",
           ("tests/adapters/kube/test_clusters.py",)),
    Mutant("watching: a watch keeps the list that it began with", "commands/watching/watcher.py",
           "        since = self._listed(cluster)\n",
           "        self._extra[\"all\"] = cluster.list(topic.resource).items\n"
           "        since = self._listed(cluster)\n", ("tests/commands/watching/test_watcher.py",)),
    Mutant("watching: a cluster fills the memory with events while a round is in hand",
           "commands/watching/inbox.py", "self._count[about] > MARKS:", "not MARKS:",
           ("tests/commands/watching/test_inbox.py",)),
    Mutant("watching: a Lease that nobody renews is waited for as long as it says",
           "commands/watching/lease.py", "min(said, LONGEST)", "said", LEASE),
    Mutant("git: locks are taken away from a git that is at work", "adapters/git/locks.py",
           " and abs(now - lock.lstat().st_mtime) >= OLD", "", ("tests/adapters/git/test_locks.py",)),
    Mutant("git: locks of a person's checkout are removed", "adapters/git/repository.py",
           "self.now if self.is_mirror else None", "self.now", ("tests/adapters/git/test_locks.py",)),
    Mutant("watching: one that was too slow is asked again in the same round",
           "commands/watching/pace.py", "        self.pace.check(cluster)\n", "", PACE),
    Mutant("watching: a round never begins while events come", "commands/watching/schedule.py",
           "first + PATIENCE", "inf", SCHEDULE),
    Mutant("watching: a cluster that is never quiet begins any number of rounds",
           "commands/watching/schedule.py", "        bucket.left -= 1.0\n", "", SCHEDULE),
    Mutant("watching: the events of a busy cluster are lost", "commands/watching/schedule.py",
           "                self.later(event._replace(mark=\"\"), now + delays[event.cluster])\n",
           "                pass\n", SCHEDULE),
    Mutant("watching: a cluster that failed is not tried again", "commands/watching/daemon.py",
           "                self.schedule.later(again, now + pause)\n", "", DAEMON),
    Mutant("watching: without the management cluster all others are gone",
           "commands/watching/daemon.py", "scope.clusters is None and is_known", "scope.clusters is None",
           DAEMON),
    Mutant("watching: what an apply reads was looked at", "commands/watching/notes.py",
           "self._marks.get((cluster, mark), False) if looks else (cluster, mark) in self._marks",
           "(cluster, mark) in self._marks", ("tests/commands/watching/test_notes.py",)),
    Mutant("watching: an own write begins a round", "commands/watching/watches.py",
           "return bool(event.mark) and self.notes.is_known(event.cluster, event.mark, looks=looks)",
           "return False", WATCHES),
    Mutant("watching: who refuses one kind is down as a whole", "commands/watching/watches.py",
           "if isinstance(failure, UnreachableError):", "if isinstance(failure, ClusterError):", WATCHES),
    Mutant("watching: what vanished while nobody watched is no news", "commands/watching/watcher.py",
           "        for uid in before:\n", "        for uid in ():\n", WATCHES),
    Mutant("watching: a Service counts by its server's clock", "commands/watching/work.py",
           "            waited=site.witness.waited(),\n", "", STORIES),
    Mutant("watching: nobody comes back when a Service has waited for long enough",
           "commands/watching/work.py",
           "            yield Event(Cause.SERVICES, name), max(seconds - past, 0.0) + LATE\n",
           "            del name, seconds, past\n", STORIES),
    Mutant("watching: a list begins every wait anew", "commands/watching/witness.py",
           "found = {uid: before[uid] for uid in waiting if uid in before}", "found = dict[str, float]()",
           WITNESS),
    Mutant("watching: a cluster that lies is kept whole", "commands/watching/witness.py",
           "                if len(found) >= MOST:\n                    break\n", "", WITNESS),
    Mutant("watching: a deletion that a failing round knew of is forgotten",
           "commands/watching/work.py",
           "self._looked_at, self._deleted = site.monotonic(), site.witness.deleted()",
           "self._looked_at, self._deleted = site.monotonic(), site.witness.deleted()\n"
           "        site.witness.settled([uid_of(it) for it in self._deleted])", STORIES),
    Mutant("watching: what is held is forgotten to be gone", "commands/watching/work.py",
           "if (uid := uid_of(item)) not in copied)", "if (uid := uid_of(item)) or not copied)",
           STORIES),
    Mutant("watching: whatever goes was deleted by somebody", "clusters/watched.py",
           '("name", "uid", "deletionTimestamp", *', '("name", "uid", *', WITNESS),
    Mutant("watching: what is there again still counts as gone", "commands/watching/witness.py",
           "            self.settled(map(uid_of, items))\n", "            pass\n", WITNESS),
    Mutant("watching: a Lease is taken from one that is heard of", "commands/watching/lease.py",
           "self._now() - self._since >= seconds", "True", LEASE),
    Mutant("watching: who cannot renew leads for ever", "commands/watching/lease.py",
           "self._now() - renewed < DEADLINE", "renewed >= 0", LEASE),
    Mutant("watching: a change of a tenant touches nobody", "commands/applying/targets.py",
           "self.clusters.get(name) != before.clusters.get(name)", "False", TOUCHED),
    Mutant("watching: a line without end is kept", "adapters/kube/streaming.py",
           "        if len(rest) > LINE:\n", "        if False:\n", STREAM),
)  # fmt: skip
