"""Pages that are pictured: a comment as forges render it, and the report of a repository."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from reconciler.cli import run
from tests.caches import ROOT
from tests.page.repositories import lived

STORY = ROOT / "tests" / "story" / "golden" / "pulls" / "01-tenant.txt"
FOLDER = ROOT / "docs" / "pictures"
COMMENT, REPORT = FOLDER / "SOURCE", FOLDER / "REPORT"
"""Hashes of the pages that the pictures show."""
WIDTH = 800
STYLE = Path(__file__).with_name("page.css")
_COMMAND = "$ cat ../comment.md\n"
_CIRCLE = '<svg width="13" height="13" viewBox="0 0 13 13"><circle cx="6.5" cy="6.5" r="6" fill="{}"/></svg>'
_CHECK = (
    '<svg width="16" height="16" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1a7f37"/>'
    '<path d="M4 8.5l3 3 5-6.5" fill="none" stroke="#fff" stroke-width="2"/></svg>'
)
# Signs that forges draw, and that few machines have letters for.
_DRAWN = {
    "✅": _CHECK,
    "🟢": _CIRCLE.format("#1a7f37"),
    "🟡": _CIRCLE.format("#d4a72c"),
    "🟠": _CIRCLE.format("#d1731d"),
    "🔴": _CIRCLE.format("#cf222e"),
}


class Look(NamedTuple):
    """A look at a page: its part, the size in pixels (height 0 for all of it), and the scheme."""

    name: str
    fragment: str
    size: tuple[int, int]
    scheme: str

    @property
    def file(self) -> str:
        return f"{self.name}-{self.size[0]}-{self.scheme}.png"


SCHEMES = ("light", "dark")
COMMENTS = tuple(Look("comment", "", (WIDTH, 0), scheme) for scheme in SCHEMES)
REPORTS = tuple(
    Look(name, fragment, size, scheme)
    for name, fragment in (
        ("report-first", ""),
        ("report-pool", "#pool=butler/NetworkPool/butler-system/edge"),
    )
    for size in ((1440, 900), (400, 860))
    for scheme in SCHEMES
)


def comment() -> str:
    _, _, rest = STORY.read_text(encoding="utf-8").partition(_COMMAND)
    return rest.partition("\n$ ")[0].strip()


def comment_page(text: str, scheme: str = "light") -> str:
    # The comment has tables and HTML elements for collapsed parts.
    body = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    for sign, drawn in _DRAWN.items():
        body = body.replace(sign, drawn)
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en" class="{scheme}" style="width: {WIDTH}px"><head><meta charset="utf-8">'
        f"<title>A comment</title><style>{style}</style></head>"
        f'<body><article><header>ipam</header><div class="text">{body}</div></article></body></html>\n'
    )


def report_page(folder: Path) -> str:
    """Return the report of a repository with a history of some months."""
    page = folder / "report.html"
    assert run(["report", "--repo", str(lived(folder / "lived")), "--out", str(page)]) == 0
    return page.read_text(encoding="utf-8")


def hash_of(page: str) -> str:
    return sha256(page.encode()).hexdigest()
