"""Pictures of a terminal and a map, from real runs on the repository of `ipam demo`."""

from collections.abc import Iterator
from pathlib import Path

from tests.documentation import Terminal
from tests.pictures.pages import FOLDER
from tests.pictures.recording import Shot, recording

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
COLUMNS = 96
_DATE = "2026-03-02T09:00:00Z"
_PERSON = {"NAME": "Robin Example", "EMAIL": "robin@example.com"}


class Stage(Terminal):
    """A clone of the demo's remote as it was at its beginning: ids of commits are equal everywhere."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder)
        people = {
            f"GIT_{role}_{name}": value
            for role in ("AUTHOR", "COMMITTER")
            for name, value in {**_PERSON, "DATE": _DATE}.items()
        }
        self._environment |= {**people, "COLUMNS": str(COLUMNS)}
        # A separate remote, because the remote of the demo stores the state of reconcile.
        sent = "$(git rev-list --max-parents=0 main):refs/heads/main add-refunds"
        self.told("ipam demo demo && git init -q --bare -b main remote.git")
        self.told(
            f"git -C demo/repo push -q ../../remote.git {sent.replace('git', 'git -C demo/repo')}"
        )
        self.told("rm -r demo && git clone -q remote.git addresses && cd addresses")

    def told(self, command: str) -> str:
        status, text = self.run(command)
        assert status == 0, (command, text)
        return text


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures that are text, each with the file that it belongs in. Equal bytes on every machine."""
    stage = Stage(folder / "stage")
    yield MAP, map_of_change(stage)
    shots = [Shot(it, stage.told(f"export FORCE_COLOR=1\n{it}")) for it in COMMANDS]
    yield TERMINAL, recording(TITLE, shots)


def map_of_change(stage: Stage) -> str:
    """Return the map of changes to the pool in the demo's pull request."""
    picture = "../map.svg"
    stage.told(f"git switch -q add-refunds && ipam check --base main --output-file svg={picture}")
    stage.told("git switch -q main")
    return (stage.place / picture).read_text(encoding="utf-8")
