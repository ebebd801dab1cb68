"""What the terminal of README shows, and the map of a change: made by real runs."""

from collections.abc import Iterator
from pathlib import Path

from tests.pictures.page import FOLDER
from tests.pictures.recording import Shot, recording
from tests.pictures.stage import Stage

COMMANDS = (
    "git switch -q add-refunds",
    "ipam plan --base main",
    "git switch -q main && git merge -q --no-ff -m 'Merge add-refunds' add-refunds && git push -q",
    "ipam reconcile",
    "ipam who 10.92.90.65",
    "ipam status --bars vlan40-pool vlan41-pool",
)
TITLE = (
    "A terminal: ipam plan shows two addresses for a new tenant; after the merge ipam reconcile commits the same"
    " two, ipam who tells whose they are and by which commit, ipam status --bars how full two pools are."
)
TERMINAL, MAP = FOLDER / "terminal.svg", FOLDER / "map.svg"


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures that are text, each with the file that it belongs in. Equal bytes on every machine."""
    stage = Stage(folder / "stage")
    yield MAP, map_of_change(stage)
    shots = [Shot(command, stage.run(command, FORCE_COLOR="1")) for command in COMMANDS]
    yield TERMINAL, recording(TITLE, shots)


def map_of_change(stage: Stage) -> str:
    """What the demo's pull request changes in its pool."""
    picture = stage.folder / "map.svg"
    stage.run("git switch -q add-refunds")
    stage.run(f"ipam check --base main --output-file svg={picture}")
    stage.run("git switch -q main")
    return picture.read_text(encoding="utf-8")
