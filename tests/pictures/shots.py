"""What the terminal of README shows: made by real runs."""

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
TERMINAL = FOLDER / "terminal.svg"


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures that are text, each with the file that it belongs in. Equal bytes on every machine."""
    stage = Stage(folder / "stage")
    shots = [Shot(command, stage.run(command, FORCE_COLOR="1")) for command in COMMANDS]
    yield TERMINAL, recording(TITLE, shots)
