"""The picture of a terminal: it needs nobody, can be read without motion, and shows any text as text."""

import re
from xml.etree import ElementTree as ET

from tests.pictures.recording import Shot, recording
from tests.report.hostile import corpus

SVG = "{http://www.w3.org/2000/svg}"
PRINTED = "\x1b[1mPools\x1b[0m\n\n  edge   \x1b[33m▓▓▒░\x1b[0m   · ▁█ \x1b[2m╵70\x1b[0m\n"
SHOTS = (Shot("git switch -q change", ""), Shot("ipam status --bars", PRINTED))


def texts(picture: str) -> list[str]:
    return ["".join(it.itertext()) for it in ET.fromstring(picture).iter(f"{SVG}text")]


def test_it_shows_commands_and_what_they_print_in_colour() -> None:
    picture = recording("Two commands", SHOTS)
    assert texts(picture) == [
        *("$", "git switch -q change", "$", "ipam status --bars"),
        *("Pools", "edge", "·", "70"),
    ]
    assert '<text x="16.0" y="98" class="prompt"' in picture
    assert ' class="c1" textLength="42.0" lengthAdjust="spacingAndGlyphs">Pools</text>' in picture
    shapes = re.findall(r'height="([0-9.]+)"(?: class="(\w+)")? opacity="([0-9.]+)"/>', picture)
    assert shapes == [
        ("14.0", "c33", "1"), ("14.0", "c33", ".6"), ("14.0", "c33", ".22"),
        ("1.8", "", "1"), ("14.0", "", "1"), ("7.0", "", "1"),
    ]  # fmt: skip


def test_it_asks_nobody_for_anything() -> None:
    picture = recording("Two commands", SHOTS)
    assert re.findall(r"https?://[^\"<]+", picture) == ["http://www.w3.org/2000/svg"]
    for word in ("<script", "href", "url(", "@import", "@font-face", "<image", "<foreignObject"):
        assert word not in picture


def test_hostile_texts_are_text() -> None:
    # What no XML may hold, the program does not print.
    hostile = [it for it in corpus() if it.isprintable()]
    assert hostile
    for text in [*hostile, "</text><script>alert(1)</script>", '" onload="x']:
        picture = recording("Hostile", [Shot("ipam who", f"{text}\n")])
        assert "<script" not in picture
        assert set("".join(texts(picture))) >= set(text) - set(" ▓▒░▁▂▃▄▅▆▇█╵")
