/**
 * Moving about on a map: by pointer, and by keyboard as in any grid.
 */

/** @import { Places } from "./cells.js" */
/** @import { Tip } from "./maptip.js" */

/**
 * @typedef {{tip: Tip, announce: (cell: number, isFocus: boolean) => void, places: () => Places | null, group: (cell: number) => SVGGElement,
 *   cellAt: (target: Node) => number, current: () => number, move: (cell: number) => void, blur: () => void}} Grid
 */

/** @param {HTMLElement} element @param {Grid} grid */
export function gridKeys(element, grid) {
  const over = (/** @type {Event} */ event) => (event.target instanceof Node ? grid.cellAt(event.target) : -1);
  let hovered = -1;
  element.addEventListener("pointerover", (event) => {
    const cell = over(event);
    if (cell === hovered || grid.tip.isPinned()) return;
    hovered = cell;
    if (cell >= 0) grid.announce(cell, false);
  });
  element.addEventListener("pointerleave", () => {
    hovered = -1;
    if (!grid.tip.isPinned()) grid.tip.hide();
  });
  element.addEventListener("click", (event) => {
    const cell = over(event);
    if (cell < 0) return;
    grid.group(cell).focus({ preventScroll: true });
    grid.announce(cell, true);
    grid.tip.pin();
  });
  element.addEventListener("focusin", (event) => {
    const cell = over(event);
    if (cell < 0) return;
    grid.move(cell);
    grid.announce(cell, true);
  });
  element.addEventListener("focusout", () => {
    grid.blur();
    if (!grid.tip.isPinned()) grid.tip.hide();
  });
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey) return;
    const places = grid.places();
    if (places === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      grid.announce(grid.current(), true);
      grid.tip.pin();
      return;
    }
    if (event.key === "Escape") return grid.tip.hide();
    const next = nextCell(places, grid.current(), event.key, event.ctrlKey);
    if (next === null) return;
    event.preventDefault();
    const group = grid.group(next);
    group.focus({ preventScroll: true });
    group.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/**
 * @param {Places} places
 * @param {number} here
 * @param {string} key
 * @param {boolean} isAll Home and End of all, not of the row.
 * @returns {number | null}
 */
function nextCell(places, here, key, isAll) {
  const { boxes, rows } = places;
  const row = rows[boxes[here].row];
  if (key === "ArrowRight") return Math.min(here + 1, boxes.length - 1);
  if (key === "ArrowLeft") return Math.max(here - 1, 0);
  if (key === "Home") return isAll ? 0 : row.from;
  if (key === "End") return isAll ? boxes.length - 1 : row.to - 1;
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[key];
  if (step === undefined) return null;
  const there = rows[Math.max(0, Math.min(rows.length - 1, boxes[here].row + step))];
  let best = there.from;
  for (let cell = there.from; cell < there.to; cell += 1) {
    if (Math.abs(boxes[cell].x - boxes[here].x) < Math.abs(boxes[best].x - boxes[here].x)) best = cell;
  }
  return best;
}
