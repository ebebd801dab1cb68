"""Release limits and Overrides in random histories: only approved releases happen."""

from collections.abc import Mapping

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from reconciler.gitio.interface import ReplayVerdict
from reconciler.model.claim import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.reconcile.verify import replay
from reconciler.records.parse import parse_record
from tests.examples import scaled
from tests.fakes import FakeRepository
from tests.hostile.test_overrides import override
from tests.world import CLOCK, pool, provider, settings_text, tenant

HOUR = 3_600
NAMES = [f"t{number:02}" for number in range(14)]
LATER = [f"late{number:02}" for number in range(12)]
FOREVER = 1 << 40
names = st.sampled_from([*NAMES, *LATER])
some = st.sets(names, min_size=1, max_size=8)

Limits = tuple[int, int]
"""Most percent, and from how many records on."""


class Brakes(RuleBasedStateMachine):
    """A branch."""

    def __init__(self) -> None:
        super().__init__()
        self.git = FakeRepository()
        self.now = CLOCK
        self.files: dict[str, bytes] = {}
        self.before: dict[Key, Allocation] = {}
        self.limits: Limits = (30, 10)
        self.went_by = self.limits
        self.overrides: dict[str, tuple[str, int, int]] = {}

    @initialize(count=st.integers(1, 14))
    def begin(self, count: int) -> None:
        self.files = {
            "pools/edge.yaml": pool(cidr="10.40.0.0/16").encode(),
            "providers/default.yaml": provider().encode(),
            **{f"tenants/{name}.yaml": tenant(name).encode() for name in NAMES[:count]},
        }
        self.commit()
        self.run()

    def commit(self) -> None:
        self.now += 60
        self.git.head = self.git.add(self.git.head, self.now, self.files, "people")

    # Edits

    @rule(name=names)
    def come(self, name: str) -> None:
        self.files[f"tenants/{name}.yaml"] = tenant(name).encode()
        self.commit()

    @rule(leaving=some)
    def leave(self, leaving: set[str]) -> None:
        for name in leaving:
            self.files.pop(f"tenants/{name}.yaml", None)
        self.commit()

    @rule(limits=st.tuples(st.sampled_from((0, 30, 60, 100)), st.sampled_from((1, 10, 50))))
    def change_settings(self, limits: Limits) -> None:
        most, least = limits
        spec = f"{{brakes: {{maxReleasePercent: {most}, minRecords: {least}}}}}"
        self.files["ipam.yaml"] = settings_text(spec).encode()
        self.limits = limits
        self.commit()

    @rule(
        number=st.integers(1, 14),
        hours=st.sampled_from((1, 48)),
        leaving=st.sets(names, max_size=4),
    )
    def merge_an_override(self, number: int, hours: int, leaving: set[str]) -> None:
        """Merge an Override separately, or together with the releases that it would permit."""
        present = [it for it in leaving if self.files.pop(f"tenants/{it}.yaml", None) is not None]
        path = f"overrides/2026-02-15-n{len(self.overrides)}.yaml"
        end = CLOCK + (self.now - CLOCK) // HOUR * HOUR + hours * HOUR - 30
        day, hour = divmod((end - CLOCK) // HOUR + 10, 24)
        until = f"2026-02-{15 + day:02}T{hour:02}:00:00Z" if day < 14 else "2026-03-01T00:00:00Z"
        self.files[path] = override(path, until, kind="brake", releases=number).encode()
        self.commit()
        self.overrides[path] = self.git.head if present else "", number, _seconds(until)

    @rule(seconds=st.sampled_from((HOUR, 25 * HOUR)))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds
        self.commit()

    # Runs of `ipam`

    @precondition(lambda self: self.git.head)
    @rule(allowed=st.none() | st.integers(1, 8))
    def reconcile(self, allowed: int | None) -> None:
        self.run(allowed)

    def run(self, allowed: int | None = None) -> None:
        asked = self.asked()
        is_held = self.is_over(asked) and not self.is_approved(len(asked), allowed)
        done = reconcile(self.git, ReconcileOptions(allow_release=allowed), lambda _: None)
        self.files = dict(self.git.commits[self.git.head][2])
        after = self.live()
        lost = {key for key, it in self.before.items() if key not in after or after[key].range != it.range}  # fmt: skip
        assert lost <= asked, "a claim lost its range without a request"
        if is_held:
            assert not lost, "something was released that was not approved"
            assert done.code != 0
        for key in asked if not is_held else ():
            is_there = f"tenants/{key.name}.yaml" in self.files
            assert is_there or key not in after, "a record that is not held back was not released"
        served = {key.name for key in after}
        assert all(_name(path) in served for path in self.files if path.startswith("tenants/"))
        if done.commit is not None:
            assert replay(self.git, done.commit.id).verdict is ReplayVerdict.SAME
            self.went_by = self.limits
        self.before = after
        self.now = max(self.now, done.head.clock)

    # Permitted changes

    def asked(self) -> set[Key]:
        return {key for key in self.live() if f"tenants/{key.name}.yaml" not in self.files}

    def reserved(self) -> int:
        return sum(not self.is_through(it) for it in self.records() if it.is_released)

    def is_over(self, asked: set[Key]) -> bool:
        if not asked:
            return False
        live, reserved = len(self.live()), self.reserved()
        most, least = map(min, self.limits, self.went_by)
        total, gone = live + reserved, len(asked) + reserved
        return len(asked) == live or (total >= least and 100 * gone > most * total)

    def is_through(self, item: Allocation) -> bool:
        """Return whether its retention has ended, so that this plan frees it."""
        return _seconds(item.since) + 24 * HOUR <= self.git.commits[self.git.head][1]

    def is_approved(self, asked: int, allowed: int | None) -> bool:
        clock = self.git.commits[self.git.head][1]
        gone = asked + self.reserved()
        return (allowed is not None and asked <= allowed) or any(
            gone <= number and clock < until and self.git.head != brought
            for brought, number, until in self.overrides.values()
        )

    def records(self) -> list[Allocation]:
        files: Mapping[str, bytes] = self.files
        read = (parse_record("allocations", path, data).allocation for path, data in files.items() if path.startswith("allocations/"))  # fmt: skip
        return [item for item in read if item is not None]

    def live(self) -> dict[Key, Allocation]:
        return {item.claim: item for item in self.records() if item.is_live}


def _name(path: str) -> str:
    return path.removeprefix("tenants/").removesuffix(".yaml")


def _seconds(text: str) -> int:
    return parse_instant(text) or FOREVER


TestBrakes = Brakes.TestCase
TestBrakes.settings = settings(max_examples=scaled(50), stateful_step_count=14, deadline=None)
