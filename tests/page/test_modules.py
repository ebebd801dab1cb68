"""The page's modules: their types hold, and joined into one scope no name is there twice."""

import subprocess
from pathlib import Path

import pytest

from tests.caches import ROOT
from tests.page.tools import needed

MODULES = sorted((ROOT / "page").glob("*.js"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_files_stay_small_and_take_no_text_as_html(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    words = "innerHTML outerHTML insertAdjacentHTML eval( Function( document.write Date.now Date()"
    for word in (*words.split(), "Math.random", "toLocale", "Intl.", "fetch(", "XMLHttp"):
        assert word not in text


def test_types_hold(tmp_path: Path) -> None:
    options = (
        *("--allowJs", "--checkJs", "--strict", "--noEmit", "--noUnusedLocals"),
        *("--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"),
        "--noUnusedParameters",
    )
    command = ["node", str(needed("tsc")), *options, *map(str, MODULES)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
