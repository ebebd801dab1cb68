"""The first five minutes of a newcomer: an empty home, an empty folder, and only what `init` says.

What each step prints is a golden: `pytest --update-golden` writes it anew.
"""

from pathlib import Path

import pytest

from tests.documentation import Terminal, masked

GOLDEN = Path(__file__).parent / "golden" / "first-minutes.txt"
STEPS = (
    "git init -q --bare -b main remote.git",
    "ipam init addresses",
    "cd addresses",
    "ipam check",
    "ipam check --worktree",
    # What the three marks ask for.
    "sed -i 's|10.40.0.0/24|10.72.8.0/22|' pools/example.yaml",
    "sed -i 's|10.40.0.0/28|10.72.8.0/26|' pools/example.yaml",
    "sed -i 's|name: example # 3.*|name: web|' tenants/example.yaml",
    "ipam plan --worktree",
    'git add . && git commit -q -m "Addresses from Git"',
    "git remote add origin ../remote.git && git push -q -u origin main",
    "ipam check",
    "ipam plan",
    "ipam reconcile",
    "git -C ../remote.git log --format=%s main",
    "ipam get tenants",
    "ipam reconcile",
    "ipam init",
)


def played(folder: Path) -> str:
    """What a terminal shows of it."""
    (folder / "home").mkdir()
    terminal = Terminal(folder)
    told = []
    for step in STEPS:
        status, came = terminal.run(f"export HOME={folder}/home\n{step}")
        failed = f"exit code {status}\n" if status else ""
        told.append(f"$ {step}\n{masked(came)}{failed}\n")
    return "".join(told)


def test_the_first_five_minutes_end_with_addresses_on_the_remote(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    came = played(tmp_path)
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(came, encoding="utf-8")
    assert came == GOLDEN.read_text(encoding="utf-8")
