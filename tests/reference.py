"""The generated pages of docs/reference: `python -m tests.reference` writes them again.

Text before and after the marks of a page is written by hand, and stays.
"""

from collections.abc import Iterator
from pathlib import Path

from reconciler.codes import CODES, SUBJECTS
from reconciler.report.ci import examples
from tests.documentation import ROOT

REFERENCE = ROOT / "docs" / "reference"
_BEGIN, _END = "<!-- generated -->\n\n", "<!-- end of generated -->\n"


def pages() -> dict[Path, str]:
    """All generated pages, as they should be."""
    codes = REFERENCE / "codes"
    return {
        codes / "index.md": _with(codes / "index.md", "".join(_code_index())),
        **{codes / f"{code}.md": "".join(_code_page(code)) for code in CODES},
    }


def strays() -> set[Path]:
    """Pages in folders of generated pages that nothing generates any more."""
    return {path for folder in ("codes",) for path in (REFERENCE / folder).iterdir()} - {*pages()}


def _with(path: Path, text: str) -> str:
    before, begin, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    assert end, f"{path} lacks {_BEGIN.strip()} or {_END.strip()}"
    return f"{before}{begin}{text}{end}{after}"


def _code_index() -> Iterator[str]:
    for subject, texts in SUBJECTS.items():
        yield f"## {subject}\n\n| Code | Cause |\n| --- | --- |\n"
        yield from (f"| [`{code}`]({code}.md) | {CODES[code].cause} |\n" for code in texts)
        yield "\n"


def _code_page(code: str) -> Iterator[str]:
    about, example = CODES[code], examples().get(code)
    yield f"# `{code}`\n\n{about.cause}\n\n## Fix\n\n{about.fix}\n"
    if example is not None:
        hint = f"  hint: {example['hint']}\n" if example["hint"] else ""
        yield f"\n## Example\n\n```text\n{example['finding']}\n{hint}```\n"


def main() -> None:
    """Write all generated pages, and remove the others."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    for path in strays():
        path.unlink()


if __name__ == "__main__":
    main()
