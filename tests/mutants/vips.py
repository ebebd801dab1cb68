"""Bugs of Cluster API's virtual addresses: what others have, what is set, and what is still in use."""

from tests.mutants.mutant import Mutant

APPLIED = ("tests/families/capi/test_applied.py",)
OTHERS = ("tests/families/capi/test_others.py",)
WITHDRAWAL = ("tests/families/capi/test_withdrawal.py",)
LANES = ("tests/clusters/test_lanes.py",)
PAUSED = ("tests/families/capi/test_paused.py",)
EVENTS = ("tests/families/capi/test_events.py",)
CLUSTERS = ("tests/families/capi/test_clusters.py",)
VERSIONS = ("tests/adapters/kube/test_versions.py",)

VIPS = (
    Mutant("vip: a host that is set is changed", "families/capi/part.py",
           'if there.get("host"):', "if False:", APPLIED),
    Mutant("vip: a paused Cluster is written", "families/capi/part.py",
           "if live is None or _rests(live):", "if live is None:", APPLIED),
    Mutant("vip: what somebody else has is taken", "families/capi/fitting.py",
           "if error := errors.get(ref):", 'if error := "" and errors.get(ref):', OTHERS),
    Mutant("vip: a claim does not wait for its address", "clusters/bringing.py",
           "self._draft.bring(item, before, next(iter(item.rests_on), None))",
           "self._draft.bring(item, before)", OTHERS),
    Mutant("vip: an address and its claim are written side by side", "clusters/lanes.py",
           "if ref is None or ref.resource != kind or needed & taken:",
           "if ref is None or needed & taken:", LANES),
    Mutant("vip: what waits for another is written beside it", "clusters/lanes.py",
           "if ref is None or ref.resource != kind or needed & taken:",
           "if ref is None or ref.resource != kind:", LANES),
    Mutant("vip: what was done is told by who was first", "clusters/progress.py",
           "return replace(self, outcomes=[], notes=[])",
           "return replace(self)", ("tests/commands/test_executor.py",)),
    Mutant("vip: a claim's state is told each time", "families/capi/events.py",
           "if not now or all(", "if not now or not all(", EVENTS),
    Mutant("vip: the port of the option is not written", "families/capi/holding.py",
           'endpoint.get("port") or default_port', 'endpoint.get("port") or 6443', APPLIED),
    Mutant("vip: what nobody asks for of a paused pool is made", "families/capi/holding.py",
           "record.is_live and record.claim not in claims", "False", PAUSED),
    Mutant("vip: an address goes before its claim", "clusters/plan_management.py",
           "key=lambda ref: -order.get(ref.resource, -1)", "key=str", APPLIED),
    Mutant("vip: what is there and cannot be read is forgotten", "clusters/plan_management.py",
           "return [ref for ref in gone if ref.resource not in self.unread]", "return list(gone)",
           APPLIED),
    Mutant("vip: an address that a Cluster has counts as withdrawn",
           "families/capi/withdrawing.py", "if user is not None:", "if user is None:", WITHDRAWAL),
    Mutant("vip: an address by hand is nobody's", "families/capi/reading.py",
           "self._block(document, by_hand)", "pass", CLUSTERS),
    Mutant("vip: a Cluster depends on the pools of the first that asked",
           "families/capi/selecting.py", "self._documents.find(kind, space, EVERY, asker=asker)",
           "pass", ("tests/families/capi/test_reading.py",)),
    Mutant("vip: what the provider sets is written beside it", "families/capi/fitting.py",
           "return self.has_provider and (live is None or not owns(live, manager, step))",
           "return False", APPLIED),
    Mutant("vip: what was said before the provider came is taken back",
           "families/capi/fitting.py",
           "return self.has_provider and (live is None or not owns(live, manager, step))",
           "return self.has_provider", APPLIED),
    Mutant("versions: objects are sent as they are known here", "adapters/kube/versions.py",
           "return _named(manifest, self.of(resource), self.of)", "return manifest", VERSIONS),
    Mutant("versions: what was found out is forgotten", "adapters/kube/versions.py",
           "self._spoken[resource] = version", "pass", VERSIONS),
)  # fmt: skip
