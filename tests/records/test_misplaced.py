"""Records with swapped paths."""

import pytest

from tests.planning.outcome import record_paths
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant


@pytest.mark.parametrize("pools", [("edge", "edge"), ("edge", "other")])
def test_records_that_stand_in_each_others_places_stay_there(pools: tuple[str, str]) -> None:
    files = reconciled(
        {
            **SMALL,
            "pools/other.yaml": pool("other", "10.41.0.0/24"),
            "providers/other.yaml": provider("other", f"[{{name: {pools[1]}}}]"),
            "tenants/two.yaml": tenant("two", providerConfigRef="{name: other}"),
        }
    )
    one, two = record_paths(files)
    files[one], files[two] = files[two], files[one]
    evaluation = evaluation_of(files)
    assert [(item.code, item.message) for item in evaluation.findings] == [
        ("record-misplaced", f"record is at the wrong path; {two} already has another record"),
        ("record-misplaced", f"record is at the wrong path; {one} already has another record"),
    ]
    assert evaluation.changes == ()
