"""The page that is pictured: a comment, rendered as forges render Markdown, in colours like theirs."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
STORY = ROOT / "tests" / "story" / "golden" / "pulls" / "01-tenant.txt"
FOLDER = ROOT / "docs" / "pictures"
RECORDED = FOLDER / "SOURCE"
STYLE = Path(__file__).with_name("page.css")
_COMMAND = "$ cat ../comment.md\n"


class View(NamedTuple):
    """How wide a page is looked at, in pixels, and in which colours: `light` or `dark`."""

    width: int
    colours: str

    @property
    def file(self) -> str:
        """The name of its picture."""
        return f"comment-{self.width}-{self.colours}.png"


_CIRCLE = '<svg width="13" height="13" viewBox="0 0 13 13"><circle cx="6.5" cy="6.5" r="6" fill="{}"/></svg>'
_CHECK = (
    '<svg width="16" height="16" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1a7f37"/>'
    '<path d="M4 8.5l3 3 5-6.5" fill="none" stroke="#fff" stroke-width="2"/></svg>'
)
DRAWN = {
    "✅": _CHECK,
    "🟢": _CIRCLE.format("#1a7f37"),
    "🟡": _CIRCLE.format("#d4a72c"),
    "🟠": _CIRCLE.format("#d1731d"),
    "🔴": _CIRCLE.format("#cf222e"),
}
"""Signs that forges draw, and that few machines have letters for."""
VIEWS = tuple(View(width, colours) for width in (800, 400) for colours in ("light", "dark"))


def comment() -> str:
    """The Markdown of the story's first comment."""
    _, _, rest = STORY.read_text(encoding="utf-8").partition(_COMMAND)
    told, _, _ = rest.partition("\n$ ")
    return told.strip()


def page(text: str, view: View = VIEWS[0]) -> str:
    """A page of one comment, as wide as it is looked at: Chromium makes no window that is narrow."""
    # The comment has tables, and elements of its own for what is folded.
    body = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    for sign, drawn in DRAWN.items():
        body = body.replace(sign, drawn)
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en" class="{view.colours}" style="width: {view.width}px"><head><meta charset="utf-8">'
        f"<title>A comment</title><style>{style}</style></head>"
        f'<body><article><header>ipam</header><div class="text">{body}</div></article></body></html>\n'
    )


def source_hash() -> str:
    """What pictures are made of, in short: another one, and they have to be made anew."""
    return sha256(page(comment()).encode()).hexdigest()
