from pathlib import PurePosixPath

import pytest

from reconciler.documents.document import Document, Kind
from reconciler.documents.load import case_clashes, clashes, is_meant, reserved, unfit, unread


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("tenants/con.yaml", "keeps 'con.yaml' for a device"),
        ("tenants/Aux/x.yaml", "keeps 'Aux' for a device"),
        ("tenants/lpt1.tar.yaml", "keeps 'lpt1.tar.yaml' for a device"),
        ("tenants/COM\u00b9.yaml", "keeps 'COM\u00b9.yaml' for a device"),
        ("tenants/lpt\u00b2/x.yaml", "keeps 'lpt\u00b2' for a device"),
        ("tenants/nul .yaml", "keeps 'nul .yaml' for a device"),
        ("tenants/x./y.yaml", "drops the end of 'x.'"),
        ("tenants/x /y.yaml", "drops the end of 'x '"),
        ("tenants/a:b.yaml", "takes no 'a:b.yaml'"),
        ("tenants/a?.yaml", "takes no 'a?.yaml'"),
    ],
)
def test_what_windows_does_not_take_is_a_warning_at_its_path(path: str, words: str) -> None:
    (found,) = unfit(path)
    assert (found.code, found.severity, found.location.path) == ("name-unfit", "warning", path)
    assert words in found.message


@pytest.mark.parametrize(("field", "name"), [("name", "nul"), ("namespace", "com7")])
def test_a_document_whose_record_windows_would_not_take_is_told(field: str, name: str) -> None:
    data = f"metadata: {{{field}: {name}}}\n".encode()
    names = {"namespace": "a", "name": "b", field: name}
    kind = Kind("v1", "X", "", None)
    document = Document(
        "t.yaml", 0, 1, kind, names["namespace"], names["name"], {"metadata": {field: name}}, data
    )
    (found,) = reserved([document])
    assert (found.code, found.location.pointer) == ("name-unfit", f"/metadata/{field}")
    assert f"'{name}'" in found.message


@pytest.mark.parametrize("path", ["a.json", "a.YAML", "a.Yml", "a.JSON"])
def test_a_file_that_seems_to_be_read_is_meant_and_told(path: str) -> None:
    assert is_meant(path)
    assert f"end with {PurePosixPath(path).suffix} are not read" in unread(path).message


def test_paths_clash_that_differ_in_case_or_in_how_a_sign_is_composed() -> None:
    paths = ["t/b.yaml", "t/B.yaml", "T/b.yaml", "t/c.yaml", "t/\u00e9.yaml", "t/e\u0301.yaml"]
    found = clashes(paths)
    assert [item.location.path for item in found] == ["t/B.yaml", "t/b.yaml", "t/\u00e9.yaml"]
    assert all((item.code, item.severity) == ("name-clash", "error") for item in found)
    assert "the same file as T/b.yaml" in found[0].message
    assert clashes(["t/b.yaml", "t/c.yaml"]) == []
    assert clashes(["t/b.yaml", "t/b.yaml"]) == []


def test_what_is_one_that_is_read_where_case_does_not_count_is_told_beside_it_and_alone() -> None:
    found = list(
        case_clashes(
            ["ipam.yaml", "pools", "net/a"], ["IPAM.yaml", "ipam.yaml", "Pools", "net/a", "net/b"]
        )
    )
    assert [(item.location.path, item.severity) for item in found] == [
        ("IPAM.yaml", "error"),
        ("Pools", "warning"),
    ]
    assert found[0].message.startswith("the same as ipam.yaml where upper and lower case")
    assert list(case_clashes(["pools"], ["pools", "tools"])) == []
