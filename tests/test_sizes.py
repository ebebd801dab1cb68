"""Files stay small: a reader finds the room for a change from the folder list."""

import pytest

from tests.documentation import ROOT

MOST = {"reconciler": 300, "tests": 400, "benchmarks": 300}


@pytest.mark.parametrize("folder", MOST)
def test_no_file_is_longer_than_contributors_are_promised(folder: str) -> None:
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.parent.name != "schemas"  # fastjsonschema wrote it
    }
    assert lines
    assert [name for name, count in lines.items() if count > MOST[folder]] == []
