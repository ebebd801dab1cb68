"""The first real week of a platform team, step by step. The output of each step is a golden.

`pytest --update-golden` regenerates them. A change here is one that users see.
"""

from collections.abc import Mapping
from pathlib import Path

from reconciler.addresses import IPSet
from reconciler.gitio.repository import open_repository
from reconciler.loadbalancers.metallb.objects import addresses as pool_addresses
from reconciler.loadbalancers.ranges import describe, ranges_of
from reconciler.planning.projection import project
from reconciler.planning.read import evaluate_source
from tests.story.stage import Stage, Step, chapters
from tests.world import ENVIRONMENT

GOLDEN = Path(__file__).parent / "golden"
Announced = Mapping[str, IPSet]


def announced(stage: Stage) -> Announced:
    """Return the ranges that the authoritative branch assigns to each cluster."""
    source = open_repository(stage.root / "remote.git", ENVIRONMENT).source("main")
    return {
        it.cluster: pool_addresses(it.manifest)
        for it in project(evaluate_source(source))
        if it.manifest["kind"] == "IPAddressPool"
    }


def lost(before: Announced, after: Announced) -> dict[str, str]:
    """Return the ranges that clusters no longer announce."""
    gone = {name: ranges - after.get(name, IPSet(())) for name, ranges in before.items()}
    return {name: describe(ranges) for name, ranges in gone.items() if ranges}


def untold(steps: list[Step], owner: str, ranges: str) -> list[str]:
    """Return why a release of addresses was not visible before reconcile carried it out."""
    *earlier, last = steps
    if f"renamed from {owner}" in last.ran.out:
        return []
    checks = [step.ran.out for step in earlier if step.is_("check")]
    said = checks[-1] if checks else ""
    found = [] if ranges in last.ran.out else ["reconcile does not name it"]
    is_told = "to release" in said or "held back by the release limit" in said
    found += [] if is_told else ["check reports no release"]
    found += ["check says that all is fine"] if "fine: no findings" in said else []
    return [f"{last.command}: {owner} loses {ranges}: {why}" for why in found]


def test_every_step_of_the_week_tells_what_is_so(stage: Stage) -> None:
    told_of: dict[str, list[Step]] = {}
    outages: list[str] = []
    live: Announced = {}
    for chapter in chapters():
        steps = told_of.setdefault(chapter, [])
        for step in stage.play(chapter):
            steps.append(step)
            if step.is_("reconcile"):
                live, before = announced(stage), live
                for name, ranges in lost(before, live).items():
                    outages += untold(steps, name, ranges)
    stage.require_golden(told_of, GOLDEN)
    assert outages == []
    assert live["team-web/web"] == ranges_of(["10.60.1.10-10.60.1.29"])
