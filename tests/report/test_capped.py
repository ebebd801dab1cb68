"""How many findings an output lists, and what is said of the others."""

from reconciler.documents.findings import Finding, Location, Severity, error, gate, warning
from reconciler.report.findings import IN_ALL, MORE, OF_A_FILE, capped


def warnings(path: str, count: int) -> list[Finding]:
    return [warning("base-ahead", Location(path, line), "w") for line in range(1, count + 1)]


def test_of_one_file_the_gravest_are_listed_in_their_order_and_the_others_counted() -> None:
    last = error("not-utf8", Location("a.yaml", 999), "e")
    stopped = gate("brake", Location("a.yaml", 998), "g")
    other = warnings("b.yaml", 1)
    found = capped([*warnings("a.yaml", OF_A_FILE + 10), stopped, last, *other])
    assert found[: OF_A_FILE - 2] == warnings("a.yaml", OF_A_FILE - 2)
    assert found[OF_A_FILE - 2 : OF_A_FILE] == [stopped, last]
    more = found[OF_A_FILE]
    assert (more.code, more.severity, more.location) == (MORE, Severity.WARNING, Location("a.yaml"))
    assert more.message == "and 12 more of this file: 12 warnings"
    assert found[OF_A_FILE + 1 :] == other


def test_of_all_files_the_gravest_are_listed_and_what_is_left_out_is_as_grave_as_it_is() -> None:
    errors = [error("not-utf8", Location(f"{n}.yaml", 1), "e") for n in range(IN_ALL + 7)]
    gates = [gate("brake", Location("g.yaml", 1), "g")]
    found = capped([*warnings("a.yaml", OF_A_FILE + 1), *errors, *gates])
    assert len(found) == IN_ALL
    assert found[:-1] == errors[: IN_ALL - 1]
    assert found[-1].severity is Severity.ERROR
    assert found[-1].location == Location(".")
    assert found[-1].message == "and 110 more: 8 errors, 1 refused, 101 warnings"
