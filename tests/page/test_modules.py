"""The page's modules: their types hold, and joined into one scope no name is there twice."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from reconciler.commands.reporting import shipped_parts
from reconciler.report.page.html import joined
from tests.caches import ROOT
from tests.page.tools import needed

_TOP = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|class) ([A-Za-z_$][\w$]*)", re.MULTILINE
)
MODULES = sorted((ROOT / "page").glob("*.js"))


def test_no_name_is_there_twice() -> None:
    names = Counter(name for path in MODULES for name in _TOP.findall(path.read_text("utf-8")))
    assert [name for name, count in names.items() if count > 1] == []


def test_all_of_them_are_in_the_script() -> None:
    script = joined(shipped_parts().modules)
    assert not re.search(r"^(?:import|export)\b", script, re.MULTILINE)
    for path in MODULES:
        for name in _TOP.findall(path.read_text("utf-8")):
            assert re.search(rf"\b{re.escape(name)}\b", script), f"{path.name} is not loaded"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_files_stay_small_and_take_no_text_as_html(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "eval(",
        "new Function",
        "document.write",
    ):
        assert word not in text
    for word in ("Date.now", "new Date()", "Math.random", "toLocale", "Intl.", "fetch(", "XMLHttp"):
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
