import json

import pytest

from reconciler.report.ci import gitlab_text
from tests.report.hostile import corpus, everywhere


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_control_character_gets_through_even_to_a_reader_of_the_json(text: str) -> None:
    raw = gitlab_text(everywhere(text))
    raw.encode()
    for item in json.loads(raw):
        assert item["description"].isprintable()
        assert item["location"]["path"].isprintable()
