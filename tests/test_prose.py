"""The check of wording: a file has at most as many hits as its budget, a new file none."""

from pathlib import Path

from tests import prose


def test_idioms_are_found_in_texts_and_not_in_code() -> None:
    python = 'def stands() -> str:\n    """Tell it."""\n    # Nobody\n    return "it stands here"\n'
    assert [(hit.line, hit.words) for hit in prose.idioms("a.py", python)] == [(4, "stands")]
    markdown = "It `stands` here, too.\n```\nwhat it is\n```\n"
    assert [hit.words for hit in prose.idioms("a.md", markdown)] == [", too"]


def test_harper_names_the_place_in_each_of_several_files(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("b.md", "a.md")]
    for path, text in zip(paths, ("It is is wrong.\n", "One\n\nIt is an range.\n"), strict=True):
        Path(path).write_text(text)
    assert [(path, hit.line) for path, hit in prose.grammar(paths)] == [
        (paths[0], 1),
        (paths[1], 3),
    ]


def test_a_file_over_its_budget_and_a_new_file_with_a_hit_fail() -> None:
    hit = prose.Hit(1, 1, "anew", "again")
    found = {"old.md": [hit], "more.md": [hit, hit], "new.md": [hit], "clean.md": []}
    lines = prose.over(found, {"old.md": 1, "more.md": 1})
    assert [line.split(":")[0] for line in lines] == ["more.md", "more.md", "new.md"]
