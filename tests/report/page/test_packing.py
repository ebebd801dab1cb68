"""Packed columns: whatever goes in comes out."""

from base64 import b64decode

from hypothesis import given
from hypothesis import strategies as st

from reconciler.report.page.html import packed_names, packed_numbers, packed_steps
from tests.report.page.unpacking import names, numbers, sums

NUMBERS = st.lists(st.integers(-(1 << 130), 1 << 130))


@given(NUMBERS)
def test_numbers_of_any_size_and_sign_come_out_as_they_went_in(given_: list[int]) -> None:
    assert numbers(packed_numbers(given_)) == given_
    assert sums(packed_steps(given_)) == given_


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_names_come_out_as_they_went_in(given_: list[str]) -> None:
    assert names(packed_names(given_)) == given_


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 300)), max_size=9))
def test_what_repeats_comes_out_as_often(runs: list[tuple[int, int]]) -> None:
    given_ = [number for number, count in runs for _ in range(count)]
    assert numbers(packed_numbers(given_)) == given_


def test_names_share_what_they_begin_with() -> None:
    assert b64decode(packed_names(["team-a/one", "team-a/two"])) == b"\0\nteam-a/one\x07\x03two"
    long = "x" * 300
    assert names(packed_names([long, long])) == [long, long]
