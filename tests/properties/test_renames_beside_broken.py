"""Renames in a change that also breaks a file. After a fix, each tenant has its addresses."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.model.plan import Expire, Release
from reconciler.planning.evaluate import Evaluation
from tests.examples import scaled
from tests.memory import evaluation_after
from tests.planning.test_renaming import formerly
from tests.properties.trees import Files
from tests.world import CLOCK, carried, pool, provider, raw, request, tenant

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")
DAY = 86_400
HURT = (b"kind: [\n", b"\tspec:\n", b"{}}\n", b"")
"""Before the text it makes it unreadable; an empty one takes its place."""
WHOLE: Files = {
    "pools/edge.yaml": pool("edge", "10.40.0.0/24"),
    "providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 30}"),
    "providers/other.yaml": provider("other"),
}
"""Files that break; what nobody asks by may have been anything, too."""


@dataclass
class Tenant:
    """The identity of a tenant, whose name can change.

    Attributes:
        known: The name in its records.
        size: Its current request.
        held: All of its addresses so far. Its cluster announces them, so no other tenant gets them.
    """

    name: str
    known: str
    size: int = 3
    held: frozenset[object] = frozenset()

    def text(self) -> str:
        text = tenant(self.name, networking=f"{{lbPoolSize: {self.size}}}")
        return text if self.name == self.known else formerly(text, f"team-a/{self.known}")


class Street:
    """A repository with its revisions. A file breaks and is fixed."""

    def __init__(self) -> None:
        self.tenants = [Tenant(name, name) for name in NAMES[:2]]
        self.broken: dict[str, bytes] = {}
        self.clock = CLOCK
        self.line: list[Files] = []
        self.files: Files = dict(WHOLE)
        self.files["tenants/beside.yaml"] = request("beside", count=2)
        self.commit()
        self.reconcile()

    def commit(self) -> None:
        """Commit the files, including the broken one."""
        for number, one in enumerate(self.tenants):
            self.files[f"tenants/{number}.yaml"] = one.text()
        self.files |= {**WHOLE, **self.broken}
        self.line.append(dict(self.files))

    def evaluation(self) -> Evaluation:
        return evaluation_after(self.line[:-1], self.line[-1], self.clock)

    def hurt(self, path: str, how: bytes) -> None:
        self.broken = {path: how + raw(WHOLE[path]) if how else how}

    def reconcile(self) -> None:
        evaluation = self.evaluation()
        names = {name for one in self.tenants for name in (one.name, one.known)}
        for decision in evaluation.plan.decisions:
            is_gone = isinstance(decision, Release | Expire) and decision.allocation.range
            assert not (is_gone and decision.claim.name in names), decision
        self.files = carried(self.files, evaluation)
        if self.files != self.line[-1]:
            self.line.append(dict(self.files))
        self.require_kept(self.evaluation())

    def require_kept(self, evaluation: Evaluation) -> None:
        """Require that only each tenant has its addresses, under its old or new name."""
        records = [it for it in evaluation.state.records if it.range is not None and it.is_live]
        for one in self.tenants:
            bearing = {it.claim.name for it in records if it.claim.name in (one.name, one.known)}
            assert len(bearing) <= 1, (one, bearing)
            now = frozenset(it.range for it in records if it.claim.name in bearing)
            assert one.held <= now, (one, now)
            one.held = now
            one.known = next(iter(bearing), one.known)
            assert self.broken or (now and one.known == one.name), one

    def free(self) -> list[str]:
        taken = {name for one in self.tenants for name in (one.name, one.known)}
        return [it for it in NAMES if it not in taken]

    # People

    def rename(self, draw: st.DataObject) -> None:
        """Rename a tenant, possibly again. Its annotation names the name in its records."""
        if free := self.free():
            self.one(draw).name = draw.draw(st.sampled_from(free))

    def take_back(self, draw: st.DataObject) -> None:
        one = self.one(draw)
        one.name = one.known

    def grow(self, draw: st.DataObject) -> None:
        self.one(draw).size += draw.draw(st.integers(1, 4))

    def come(self, draw: st.DataObject) -> None:
        if (free := self.free()) and len(self.tenants) < 4:
            name = draw.draw(st.sampled_from(free))
            self.tenants.append(Tenant(name, name))

    def harm(self, draw: st.DataObject) -> None:
        self.hurt(draw.draw(st.sampled_from(sorted(WHOLE))), draw.draw(st.sampled_from(HURT)))

    def one(self, draw: st.DataObject) -> Tenant:
        return draw.draw(st.sampled_from(self.tenants))


@given(st.data())
@settings(max_examples=scaled(60))
def test_who_is_renamed_while_a_file_is_broken_has_all_of_it_once_that_is_mended(
    data: st.DataObject,
) -> None:
    street = Street()
    steps: list[Callable[[st.DataObject], None]] = [
        street.rename, street.rename, street.harm, street.take_back, street.grow, street.come,
    ]  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        for _ in range(data.draw(st.integers(1, 4))):
            data.draw(st.sampled_from(steps))(data)
        if data.draw(st.booleans()):
            street.broken = {}
        street.commit()
        street.clock += data.draw(st.sampled_from((60, 9 * DAY)))
        if data.draw(st.booleans()):
            street.reconcile()
    street.broken = {}
    street.commit()
    street.clock += 9 * DAY
    street.reconcile()
    street.reconcile()
