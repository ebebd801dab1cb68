"""An import as text and JSON: what it says of new addresses, of much, and of what is left out."""

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.findings import Location
from reconciler.importing.assembling import Imported
from reconciler.importing.outcome import Line
from reconciler.report.importing import import_document, moved
from reconciler.report.text.importing import MOST_LINES, MOST_NOTES, import_text
from reconciler.report.text.table import Painter
from tests.importing.sources import imported, table
from tests.world import tenant

PLAIN = Painter(is_on=False)
ONE, OTHER = IPRange(4, 1, 1), IPRange(4, 2, 2)


def result() -> Imported:
    return imported(table("ip,name\n10.0.0.5,web\n"))


def line(old: IPRange | None, new: IPRange | None) -> Line:
    return Line("a/web", "nodes", "edge", old, new, Location("x", 0, 0, "/3"))


def test_what_moves_and_what_is_new_is_counted() -> None:
    found = replace(result(), lines=(line(ONE, OTHER), line(None, ONE), line(ONE, None)))
    assert moved(found) == 1
    text = import_text(found, (), PLAIN, ".")
    assert "0.0.0.1   →   0.0.0.2   x/3" in text
    assert "nothing   +   0.0.0.1" in text
    assert "0.0.0.1   →   refused" in text
    assert "1 moved. 1 get addresses that they do not have yet.\n" in text
    document = import_document(found, ["b", "a"], 0)
    assert [item["new"] for item in document["ranges"]] == [
        "0.0.0.2-0.0.0.2", "0.0.0.1-0.0.0.1", None,
    ]  # fmt: skip
    assert document["written"] == ["a", "b"]


def test_much_is_cut_and_says_so() -> None:
    found = replace(
        result(),
        lines=(line(ONE, ONE),) * (MOST_LINES + 2),
        notes=tuple(map(str, range(MOST_NOTES + 3))),
        files={"a": b""},
    )
    text = import_text(found, (), PLAIN, ".")
    assert "and 2 more; -o json lists all\n" in text
    assert "and 3 more notes; -o json lists all\n" in text
    assert "Nothing was written: 1 file would be" in text


def test_what_was_written_is_listed() -> None:
    assert "Written to out:\n  a.yaml\n" in import_text(result(), ["a.yaml"], PLAIN, "out")


def test_requests_without_a_tenant_are_told_as_what_they_are() -> None:
    told = import_text(result(), ["a.yaml"], PLAIN, "out")
    assert "default/web has a request, and no TenantCluster: these addresses are held" in told
    assert "TenantCluster" not in import_text(result(), (), PLAIN, "out")
    described = imported(
        table("ip,name\n10.0.0.5,web\n"), {"tenants/t.yaml": tenant("web", "default")}
    )
    assert described.lines
    assert "TenantCluster" not in import_text(described, ["a.yaml"], PLAIN, "out")
