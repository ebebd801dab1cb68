"""A broken document or record stops only claims that need it (ADR 0006)."""

import re
from collections.abc import Mapping

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reconciler.families.butler.kinds import POOL, PROVIDER, REQUEST, TENANT
from reconciler.model.key import Key
from reconciler.model.plan import Expire, Keep, Refuse, Release
from reconciler.planning.evaluate import Evaluation
from tests.examples import scaled
from tests.memory import evaluation_after
from tests.properties.histories import ISLANDS, island, member
from tests.properties.trees import Files
from tests.world import CLOCK, carried, provider, raw, request, tenant

DAY = 86_400


def world() -> Files:
    """Return islands that also have manual ranges, gateways, quotas, and requests for tenants."""
    files: Files = {}
    for number in range(ISLANDS):
        files |= island(number)
    files["tenants/hand.yaml"] = member(
        "hand", 0, networking="{loadBalancerPool: {start: 10.0.0.40, end: 10.0.0.47}}"
    )
    files["providers/p1.yaml"] = provider(
        "p1",
        "[{name: p1}, {name: p2}]",
        gateway="10.1.0.1",
        quotaPerTenant="{maxLoadBalancerIPs: 9}",
    )
    files["providers/default.yaml"] = provider("default", "[{name: p3}]")
    files["tenants/plain.yaml"] = tenant("plain")
    stands = request("team-a-a2-lb", "p2", count=3).replace("type: nodes", "type: loadbalancer")
    files["tenants/stands.yaml"] = stands.replace(
        "name: team-a-a2-lb, namespace: team-a", "name: a2, namespace: team-a"
    )
    return files


@st.composite
def damage(draw: st.DrawFn, text: bytes) -> bytes:  # noqa: C901 - one of each sort of damage
    """Return a text that is no longer readable as the same document."""
    lines = text.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.integers(0, 8)):
        case 0:
            return text + b"}\n"
        case 1:
            return b"\n".join([*lines[:at], b"\t" + lines[at], *lines[at + 1 :]])
        case 2:
            return re.sub(rb"kind: \w+", b"kind: Nothing", text, count=1)
        case 3:
            return re.sub(rb"\nspec:", b"\nspek:", text, count=1)
        case 4:
            return re.sub(rb"(\d+\.\d+)\.(\d+)\.(\d+)", rb"\1.\2.999", text)
        case 5:
            return b"\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]])
        case 6:
            return text[: draw(st.integers(0, max(len(text) - 40, 0)))]
        case 7:
            return bytes(draw(st.binary(max_size=30))) + text
        case _:
            return b""


def decisions(evaluation: Evaluation) -> Mapping[Key, object]:
    """Return the addresses of each claim, without dates and messages."""
    found: dict[Key, object] = {}
    for item in evaluation.plan.decisions:
        if isinstance(item, Refuse):
            found[item.claim] = ("refuse", item.reason)
        else:
            found[item.claim] = (type(item).__name__, item.allocation.pool, item.allocation.range)
    return found


def is_broken(evaluation: Evaluation, path: str) -> bool:
    sources = [item.is_broken for item in evaluation.tree.sources if item.path == path]
    lost = [item.unreadable for item in evaluation.tree.records if item.unreadable]
    return any(sources) or any(item.path == path for item in lost)


@given(st.data())
@settings(max_examples=scaled(100))
def test_what_breaks_stops_what_needs_it_and_nothing_else(data: st.DataObject) -> None:
    before = [world()]
    for _ in range(data.draw(st.integers(1, 2))):
        before.append(carried(before[-1], evaluation_after(before[:-1], before[-1])))
    files = before[-1]
    if data.draw(st.booleans()):  # edits of other files in the same commit
        number = data.draw(st.integers(0, ISLANDS - 1))
        files = {**files, f"tenants/n{number}.yaml": member(f"n{number}", number)}
    path = data.draw(st.sampled_from(sorted(before[-1])))
    text = raw(files[path])
    broken = {**files, path: data.draw(damage(text))}
    clock = CLOCK + data.draw(st.sampled_from((60, 9 * DAY)))
    whole = evaluation_after(before, files, clock)
    hurt = evaluation_after(before, broken, clock)
    assume(is_broken(hurt, path))
    sound, found = decisions(whole), decisions(hurt)
    for key, decision in found.items():
        assert decision == sound.get(key) or decision == ("refuse", "pool-frozen"), (key, decision)
    for item in hurt.plan.decisions:
        assert not isinstance(item, Release), item
        assert not (isinstance(item, Expire) and item.allocation.range), item
    mended_after = [*before, broken]
    is_record = path.startswith("allocations/")  # reconcile refuses an edited record
    kept = {item.claim for item in whole.plan.decisions if isinstance(item, Keep)}
    still = {item.claim for item in hurt.plan.decisions if isinstance(item, Keep)}
    assert is_record or kept <= still
    if not is_record and data.draw(st.booleans()):
        broken = carried(broken, hurt)
        mended_after.append(broken)
    mended = evaluation_after(mended_after, {**broken, path: text}, clock + 60)
    again = decisions(mended)
    for key, decision in sound.items():
        if not (isinstance(decision, tuple) and decision[0] in ("Release", "Expire")):
            assert held(again[key]) == held(decision), (key, decision, again[key])


@given(st.data())
@settings(max_examples=scaled(50))
def test_a_file_that_a_copy_of_another_replaces_releases_nothing(data: st.DataObject) -> None:
    before = [world()]
    before.append(carried(before[-1], evaluation_after([], before[-1])))
    files = before[-1]
    path = data.draw(st.sampled_from([it for it in sorted(files) if it.startswith("tenants/")]))
    others = [it for it in sorted(files) if it.partition("/")[0] == "tenants" and it != path]
    line = [*before, {**files, path: files[data.draw(st.sampled_from(others))]}]
    for number in range(data.draw(st.integers(0, 2))):  # edits of other files in later commits
        line.append({**line[-1], f"tenants/n{number}.yaml": member(f"n{number}", 0)})
    copied = evaluation_after(line[:-1], line[-1], CLOCK + 9 * DAY)
    assert "document-duplicate" in {it.code for it in copied.findings}
    assert not [it for it in copied.plan.decisions if isinstance(it, Release | Expire)]
    mended = evaluation_after(line, {**line[-1], path: files[path]}, CLOCK + 9 * DAY)
    sound, again = decisions(evaluation_after(before, files)), decisions(mended)
    assert {key: again[key] for key in sound} == sound


@given(st.data())
@settings(max_examples=scaled(50))
def test_what_breaks_and_is_renamed_later_keeps_all_that_it_kept(data: st.DataObject) -> None:
    before = [world()]
    before.append(carried(before[-1], evaluation_after([], before[-1])))
    whole = evaluation_after(before[:-1], before[-1])
    sources = [it for it in before[-1] if not it.startswith("allocations/")]
    path = data.draw(st.sampled_from(sorted(sources)))
    line = [*before, {**before[-1], path: data.draw(damage(raw(before[-1][path])))}]
    assume(is_broken(evaluation_after(before, line[-1]), path))
    for number in range(data.draw(st.integers(1, 2))):  # edits of other files in later commits
        files = {**line[-1], f"tenants/n{number}.yaml": member(f"n{number}", 0)}
        text = files.pop(path)
        path = f"{path.rpartition('/')[0]}/renamed-{number}.yaml"
        line.append({**files, path: text})
        if data.draw(st.booleans()):
            line.append(carried(line[-1], evaluation_after(line[:-1], line[-1])))
    moved = evaluation_after(line[:-1], line[-1], CLOCK + 9 * DAY)
    assert whole.reading.pools.keys() <= moved.reading.pools.keys()
    for kind in (POOL, PROVIDER, TENANT, REQUEST):
        there = {document.identity for document in moved.documents.of(kind)}
        assert {document.identity for document in whole.documents.of(kind)} <= there
    sound, found = decisions(whole), decisions(moved)
    for key, decision in sound.items():
        assert isinstance(decision, tuple)
        assert decision[0] != "Keep" or found[key] == decision, (key, decision, found.get(key))
    for item in moved.plan.decisions:
        assert not isinstance(item, Release | Expire), item


def held(decision: object) -> object:
    """Return the range, or the refusal. A range granted in the meantime counts as kept."""
    assert isinstance(decision, tuple)
    return decision[1:]
