from pathlib import PurePosixPath

import pytest

from reconciler.documents.load import case_clashes, clashes, is_meant, unread


@pytest.mark.parametrize("path", ["a.json", "a.YAML", "a.Yml", "a.JSON"])
def test_a_file_that_seems_to_be_read_is_meant_and_told(path: str) -> None:
    assert is_meant(path)
    assert f"end with {PurePosixPath(path).suffix} are not read" in unread(path).message


def test_paths_clash_that_differ_in_case_or_in_how_a_sign_is_composed() -> None:
    paths = ["t/b.yaml", "t/B.yaml", "T/b.yaml", "t/c.yaml", "t/\u00e9.yaml", "t/e\u0301.yaml"]
    found = clashes(paths)
    assert [item.location.path for item in found] == ["t/B.yaml", "t/b.yaml", "t/\u00e9.yaml"]
    assert all((item.code, item.severity) == ("name-clash", "error") for item in found)
    assert "the same file as T/b.yaml on file systems that ignore case" in found[0].message
    assert "the Unicode form (NFC, NFD)" in found[2].message
    (beside,) = case_clashes(["t/e\u0301.yaml"], ["t/e\u0301.yaml", "t/\u00e9.yaml"])
    assert "(NFC, NFD)" in beside.message
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
    assert found[0].message.startswith("the same as ipam.yaml on file systems that ignore case")
    assert list(case_clashes(["pools"], ["pools", "tools"])) == []
