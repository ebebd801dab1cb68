"""The generated pages of docs/reference: `python -m tests.documentation` writes them again.

Text before and after the marks of a page is written by hand, and stays.
"""

import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path

import click

from reconciler.cli.commands import GROUP_OF, GROUPS, PROMINENT, VERBS, examples, ipam
from reconciler.codes import CODES, SUBJECTS
from reconciler.report.ci import examples as findings

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
_FOLDERS = ("codes", "commands")
_OWN, _ALL = "Options", "Global options"
_BEGIN, _END = "<!-- generated -->\n\n", "<!-- end of generated -->\n"


def pages() -> dict[Path, str]:
    """All generated pages, as they should be."""
    codes, commands = REFERENCE / "codes", REFERENCE / "commands"
    partly = {codes / "index.md": _code_index(), commands / "index.md": _command_index()}
    partly |= {commands / f"{name}.md": _command_page(name) for name in VERBS}
    return {
        **{path: _with(path, "".join(parts)) for path, parts in partly.items()},
        **{codes / f"{code}.md": "".join(_code_page(code)) for code in CODES},
    }


def strays() -> set[Path]:
    """Pages in folders of generated pages that nothing generates any more."""
    return {path for folder in _FOLDERS for path in (REFERENCE / folder).iterdir()} - {*pages()}


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
    about, example = CODES[code], findings()[code]
    yield f"# `{code}`\n\n{about.cause}\n\n## Fix\n\n{about.fix}\n"
    hint = f"  hint: {example['hint']}\n" if example["hint"] else ""
    yield f"\n## Example\n\n```text\n{example['finding']}\n{hint}```\n"


def _command_index() -> Iterator[str]:
    for section in PROMINENT:
        yield f"## {section}\n\n| Command | Use |\n| --- | --- |\n"
        found = ((name, verb) for name, verb in VERBS.items() if verb.section == section)
        yield from (f"| [`ipam {name}`]({name}.md) | {verb.help} |\n" for name, verb in found)
        yield "\n"
    yield "## Options of all commands\n\n"
    context = _context(click.Context(ipam, info_name="ipam", **ipam.context_settings), "status")
    yield from _option_table(context, (it for it in _options(context) if _title(it) == _ALL))


def _command_page(name: str) -> Iterator[str]:
    context = _context(click.Context(ipam, info_name="ipam", **ipam.context_settings), name)
    yield from _about(context)
    shared: set[str] = set()
    if isinstance(context.command, click.Group):
        inner = [_context(context, it) for it in context.command.commands]
        shared = set.intersection(*({str(it.name) for it in _options(each)} for each in inner))
        for each in inner:
            yield f"## `ipam {name} {each.info_name}`\n\n"
            yield from _about(each)
            yield from _option_table(each, (it for it in _options(each) if it.name not in shared))
        context = inner[0]
    for title in (_OWN, *(it for it in GROUPS if it != _ALL)):
        found = [it for it in _options(context) if _title(it) == title]
        if found := [it for it in found if not shared or it.name in shared]:
            yield f"## {title}\n\n"
            yield from _option_table(context, found)
    yield "[Options of all commands](index.md#options-of-all-commands)\n\n"
    if shown := examples(name):
        yield "## Examples\n\n```bash\n"
        yield from (f"{line}  # {why}\n" for line, why in shown)
        yield "```\n\n"


def _context(parent: click.Context, name: str) -> click.Context:
    assert isinstance(parent.command, click.Group)
    command = parent.command.get_command(parent, name)
    assert command is not None
    return click.Context(command, parent, name)


def _about(context: click.Context) -> Iterator[str]:
    """The usage of a command, and the paragraphs of its help, one sentence per line."""
    usage = " ".join(context.command.get_usage(context).removeprefix("Usage: ").split())
    yield f"```text\n{usage}\n```\n\n"
    for paragraph in cleandoc(context.command.help or "").split("\n\n"):
        sentences = re.sub(r"(?<=[.]) (?=[A-Z])", "\n", " ".join(paragraph.split()))
        yield f"{_prose(sentences)}\n\n"


def _prose(text: str) -> str:
    """A text for a terminal as Markdown."""
    return re.sub(r"(?<![`\w])--[a-z-]+", r"`\g<0>`", text.replace("<", "&lt;"))


def _options(context: click.Context) -> list[click.Option]:
    return [it for it in context.command.get_params(context) if isinstance(it, click.Option)]


def _title(option: click.Option) -> str:
    return GROUP_OF.get("help" if "--help" in option.opts else option.name or "", _OWN)


def _option_table(context: click.Context, options: Iterable[click.Option]) -> Iterator[str]:
    yield "| Option | Variable | Use |\n| --- | --- | --- |\n"
    for option in options:
        # A table has no other place for a bar than between its cells.
        value = "" if option.is_flag else f" {option.make_metavar(context).replace('|', ' or ')}"
        _, text = option.get_help_record(context) or ("", "")
        if isinstance(option.type, click.Choice):
            value = ""
            text = f"{text.partition('  [')[0]} One of {', '.join(f'`{it}`' for it in option.type.choices)}."
        names = ", ".join(f"`{it}{value}`" for it in (*option.opts, *option.secondary_opts))
        variable = f"`{option.envvar}`" if isinstance(option.envvar, str) else ""
        yield f"| {names} | {variable} | {_prose(text)} |\n"
    yield "\n"


def write() -> None:
    """Write all generated pages, and remove the others."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    for path in strays():
        path.unlink()
