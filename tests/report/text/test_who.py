"""Text of `who` and `history`."""

from reconciler.history.commits import Caused, CommitCause
from reconciler.history.who import of_ranges
from reconciler.report.text.queries import events_text, who_text
from reconciler.report.text.table import Painter
from tests.families.novaedge import vip
from tests.history.pasts import RECORD, ROW, happened, run, version
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

PLAIN = Painter(is_on=False)
FILES = reconciled(
    {
        **SMALL,
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.128/25}]"),
        "tenants/two.yaml": tenant("two"),
        "tenants/web.yaml": vip(of="", address="10.40.0.130"),
    }
)
STATE = evaluation_of(reconciled({k: v for k, v in FILES.items() if k != "tenants/two.yaml"})).state
(ITEM,) = happened(None, version())
PERSON = ROW._replace(id="c" * 40, author="A <a@b>", subject="Add one", request="#12")


def describe(first: int, last: int, brought: Caused | None = None) -> str:
    found = {RECORD: brought} if brought is not None else {}
    return who_text(of_ranges(STATE, [run(first, last)]), found, PLAIN)


def test_what_no_record_holds_says_what_it_is_and_where_that_is_written() -> None:
    assert describe(130, 130).splitlines()[:3] == [
        "10.40.0.130  in use",
        "  whose     web (spec.address)",
        "  source    tenants/web.yaml:7",
    ]
    assert describe(20, 20).startswith("10.40.0.20  free\n  pool      butler-system/edge\n  source")
    assert describe(4096, 4096) == "10.40.16.0  outside\n"


def test_many_are_a_row_each() -> None:
    lines = describe(0, 255, (ITEM, CommitCause(PERSON, "tenants/one.yaml", 3))).splitlines()
    assert lines[0].split() == ["ADDRESSES", "STATE", "HOLDER", "SINCE", "BY"]
    assert lines[1].endswith("   2026-02-15   A")
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "10.40.0.0-10.40.0.7",
        "10.40.0.8-10.40.0.15",
        "10.40.0.16-10.40.0.127",
        "10.40.0.128-10.40.0.129",
        "10.40.0.130",
        "10.40.0.131-10.40.0.255",
    ]


def test_events_of_one_commit_and_author_have_one_heading() -> None:
    (moved,) = happened(version(), version(first=16))
    (refused,) = happened(None, version("Failed"))
    cause = CommitCause(PERSON, "tenants/one.yaml", 3)
    shown = "".join(
        events_text([(moved, cause), (moved, CommitCause(PERSON)), (refused, None)], PLAIN)
    )
    line = "  moved        10.40.0.0-10.40.0.7 → 10.40.0.16-10.40.0.23  team-a/one (loadbalancer)"
    assert shown.splitlines() == [
        "2026-02-15T10:00:30Z  aaaaaaaaaaaa  by A <a@b> #12",
        line,
        "               in edge, tenants/one.yaml:3",
        line,
        "               in edge",
        "2026-02-15T10:00:30Z  aaaaaaaaaaaa  by gitops-ipam <i@x>",
        "  refused                               team-a/one (loadbalancer)",
        "               in edge",
    ]
