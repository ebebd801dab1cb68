import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.documents import yaml

SCALARS = st.sampled_from(
    [
        *(
            "a",
            "no",
            "on",
            "1",
            "-0",
            "007",
            "0x1f",
            "1.5",
            "1e3",
            ".inf",
            "~",
            "",
            "true",
            "=",
            "y",
        ),
        *(
            "'quoted'",
            '"no"',
            "10.0.0.1",
            "1:30",
            "2024-01-01",
            "<<",
            "'<<'",
            "&a x",
            "*a",
            "!!str 1",
        ),
        *("9" * 25, "a: b", "[a, b]", "{a: 1, a: 2}", "{a: 1, b: [1, {c: d}]}", "- x", "|\n  text"),
        *("# c", "? k", "%YAML 1.2", "---", "...", "null", "'", "]", "\t"),
    ]
)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "no", "1", "<<", "'<<'", "k k"]), SCALARS)))
def test_the_quick_reading_is_the_careful_one(pairs: list[tuple[str, str]]) -> None:
    data = "\n".join(f"{key}: {value}" for key, value in pairs).encode()
    quickly = yaml.read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "_quick", lambda _: None)
        carefully = yaml.read(data)
    assert repr(quickly) == repr(carefully)


@pytest.mark.parametrize("depth", [31, 32, 33])
def test_depth_counts_alike(depth: int) -> None:
    data = ("{a: " * depth + "1" + "}" * depth).encode()
    assert bool(yaml.read(data).problems) is (depth > yaml.MAX_DEPTH)


@pytest.mark.parametrize("count", [9_998, 9_999, 10_000])
def test_values_count_alike(count: int) -> None:
    data = ("a: [" + "1," * (count - 1) + "1]").encode()
    assert bool(yaml.read(data).problems) is (count + 2 > yaml.MAX_NODES)
