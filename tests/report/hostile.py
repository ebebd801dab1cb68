"""Evaluations with findings of any text, for tests of the forms that CI services read."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, Severity, error, gate, warning
from reconciler.planning.evaluate import Evaluation
from reconciler.report.markdown import MARKER
from tests.world import SMALL, evaluation_of

PLACE = Location("pools/a.yaml", 3, 9, "/spec/cidr")
_TABLE = Path(__file__).parents[1] / "bad_input" / "hostile.yaml"
MARKUP = (
    "<img src=x onerror=alert(1)>",
    "</details><script>x</script>",
    "<!-- ipam -->",
    "[x](https://evil.example) ![y](https://evil.example/z.png)",
    "https://evil.example www.evil.example mallory@evil.example",
    "@everyone @org/team, (@mallory)",
    "#1 GH-1 org/repo#1 !1 ~label %milestone &1",
    "`x` ``y`` ```z``` `",
    "**b** __i__ ~~s~~ $x$ $`y`$ :tada:",
    "a | b || c \\| d",
    "\n# heading\n- list\n> quote\n/close\n```\n",
    "]]> --> ]]&gt; &lt; &amp; & ' \"",
    "[a]: https://evil.example",
    "[^1] {0} {1} [[wiki]]",
    "%0A::error::x %3A %25",
    "\ud800 \udcff \ufffe \x00",
    "",
    " ",
)


def corpus() -> list[str]:
    """Return texts in files that attack readers of the output."""
    rows = yaml.load(_TABLE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [*(row["text"] for row in rows if row["text"] != "LONG"), *MARKUP]


def found(*findings: Finding) -> Evaluation:
    gates = tuple(item for item in findings if item.severity is Severity.GATE)
    others = tuple(item for item in findings if item.severity is not Severity.GATE)
    return replace(evaluation_of(SMALL), findings=others, gates=gates)


def everywhere(text: str) -> Evaluation:
    """Return an evaluation with the text in each part of findings that can come from a person."""
    place = Location(text, 3, 9, text)
    return found(
        error("cidr-invalid", place, text, text),
        warning("base-ahead", place, f"a {text} b", f"'{text}'"),
        gate("capacity", PLACE, f"({text}): {text}", text),
    )


HTML = {MARKER, "<br>", "<details>", "<summary>", "</summary>", "</details>", "<sub>", "</sub>"}


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        yield token
        yield from token.children or ()


def assert_inert(raw: str) -> None:
    raw.encode()
    assert all(line.isprintable() for line in raw.replace("\ufe0f", "").split("\n"))
    html = set()
    for token in tokens(raw):
        assert token.type not in ("link_open", "image", "fence", "code_block", "blockquote_open")
        if token.type in ("html_inline", "html_block"):
            html |= set(re.findall(r"<[^>]*>", token.content))
        elif token.type == "text":
            assert not re.search(r"[@#<>\[\]`*_~/$!\\|]|\w\.\w*[a-z]|\w:\w", token.content)
    assert html <= HTML
