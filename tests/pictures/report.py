"""The page of `report` as it is pictured: of which repository, and how it is looked at."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from reconciler.cli import run
from tests.page.repositories import lived
from tests.pictures.page import FOLDER

REPORT = FOLDER / "REPORT"


class Look(NamedTuple):
    """A look at the page: at what, how large in pixels, in which colours: `light` or `dark`."""

    name: str
    fragment: str
    size: tuple[int, int]
    colours: str

    @property
    def file(self) -> str:
        """The name of its picture."""
        return f"report-{self.name}-{self.size[0]}-{self.colours}.png"


LOOKS = tuple(
    Look(name, fragment, size, colours)
    for name, fragment in (("first", ""), ("pool", "#pool=butler/NetworkPool/butler-system/edge"))
    for size in ((1440, 900), (800, 900), (400, 860))
    for colours in ("light", "dark")
)


def report_of(folder: Path) -> Path:
    """The page of a repository in which things happened for some months."""
    page = folder / "report.html"
    assert run(["report", "--repo", str(lived(folder / "lived")), "--out", str(page)]) == 0
    return page


def report_hash(page: Path) -> str:
    """What the pictures of the page are of, in short."""
    return sha256(page.read_bytes()).hexdigest()
