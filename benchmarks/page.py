"""`python -m benchmarks.page FILE`: how quick the page of a report is in Chromium.

Each figure is the median of some runs in one browser: from opening the file to the first
paint and to the finished first screen, of the searches that people type, and of frames while the
slider goes through the history of the fullest pool.
"""

import sys
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.page.repositories import document_of
from tests.page.tools import chromium

_RUNS = 5
_PAINTS = """() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  whole: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
})"""
_IS_PAINTED = 'performance.getEntriesByName("first-contentful-paint").length > 0'
_SEARCH = """(text) => {
  const box = document.getElementById("search");
  const begin = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input"));
  return performance.now() - begin;
}"""
_SLIDE = """() => new Promise((done) => {
  const slider = document.querySelector("input.slider-range");
  const times = [];
  const last = Number(slider.max);
  const step = (time) => {
    times.push(time);
    if (times.length > 91) {
      const spans = times.slice(1).map((it, at) => it - times[at]).sort((a, b) => a - b);
      return done({ frames: 91000 / (times[91] - times[0]), median: spans[45], p95: spans[86] });
    }
    slider.value = String(Math.round((last * times.length) / 92));
    slider.dispatchEvent(new Event("input"));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def main(file: Path) -> int:
    """Measure, and print; the exit code."""
    program = chromium()
    if program is None:
        print("there is no chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        opened = []
        for _ in range(_RUNS):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(file.as_uri())
            page.wait_for_function(_IS_PAINTED)
            opened.append(page.evaluate(_PAINTS))
            page.close()
        _tell("first paint", [it["paint"] for it in opened], "ms")
        _tell("first screen", [it["whole"] for it in opened], "ms")
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(file.as_uri())
        for text in ("10.", "10.0.3.77", "team-4", "tenant-0", "zzzz"):
            times = [page.evaluate(_SEARCH, text) for _ in range(_RUNS)]
            _tell(f"search {text}", times, "ms")
        _slide(page, document_of(file))
        browser.close()
    return 0


def _slide(page: Page, document: dict[str, Any]) -> None:
    fullest = max(document["pools"], key=lambda it: it["allocationCount"])
    page.evaluate("(it) => { location.hash = `pool=${encodeURIComponent(it)}`; }", fullest["key"])
    page.wait_for_selector("input.slider-range")
    found = [page.evaluate(_SLIDE) for _ in range(_RUNS)]
    _tell("slider", [it["frames"] for it in found], "frames/s")
    _tell("slider, a frame", [it["median"] for it in found], "ms")
    _tell("slider, 95 of 100 frames", [it["p95"] for it in found], "ms")


def _tell(what: str, figures: list[float], unit: str) -> None:
    low, high = min(figures), max(figures)
    print(f"{what:28} {median(figures):8.1f} {unit} ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
