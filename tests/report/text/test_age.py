import pytest

from reconciler.model.instant import age
from tests.world import CLOCK


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (7_199, "119m"), (7_200, "2h"), (86_399, "23h"),
        (86_400, "1d"), (172_800, "2d"), (-5, "0s"),
    ],
)  # fmt: skip
def test_age_is_written_as_kubectl_does(seconds: int, text: str) -> None:
    assert age("2026-02-15T10:00:30Z", CLOCK + seconds) == text
