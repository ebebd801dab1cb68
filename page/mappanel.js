/**
 * The cells of one IP version on the screen: a grid for eyes, keyboard and screen readers.
 */

/** @import { Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Box, Places } from "./cells.js" */
/** @import { Line, Word } from "./mapframe.js" */
/** @import { Paint } from "./scene.js" */
/** @import { Tip } from "./maptip.js" */
/** @import { Marks } from "./map.js" */
import { placesOf } from "./cells.js";
import { el, svg } from "./dom.js";
import { motionMap } from "./mapcanvas.js";
import { drawnCell, paintCell } from "./mapcell.js";
import { cellsIn, mapFrame } from "./mapframe.js";
import { gridKeys } from "./mapkeys.js";
import { cellWords } from "./maptip.js";

/**
 * @typedef {{element: HTMLElement, paint: Paint, top: SVGGElement, show: (t: number, isAtRest: boolean) => void, mark: (marks: Marks) => void,
 *   focusOn: (range: Range) => void, boxesOf: (range: Range) => Box[]}} Panel
 * @typedef {{tip: Tip, title: string, t: number, onLaid: () => void}} PanelOptions
 */

/** @param {Report} report @param {Paint} paint @param {PanelOptions} options @returns {Panel} */
export function mapPanel(report, paint, options) {
  const { cells } = paint;
  const element = el("div", { class: `map-grid v${cells.version}` });
  const [under, words, lines, top] = ["map-cells", "map-words", "map-lines", "map-top"].map((name) => svg("g", { class: name }));
  for (const layer of [words, lines, top]) layer.setAttribute("aria-hidden", "true");
  const ring = svg("rect", { class: "map-ring", visibility: "hidden", rx: 3 });
  const motion = motionMap();
  const frame = mapFrame(report, paint);
  /** @type {ReturnType<typeof drawnCell>[]} */
  let drawn = [];
  /** @type {Places | null} */
  let places = null;
  /** @type {Marks} */
  let marks = { team: null, ip: null };
  let { t } = options;
  let width = 0;
  let current = 0;

  /** Draw everything again. Needed only if the size changes. */
  const lay = () => {
    const laid = placesOf(cells, width);
    places = laid;
    motion.rest();
    drawn = laid.boxes.map((box) => drawnCell(box));
    const heads = laid.heads.map((head) => svg("text", { class: "map-head", role: "columnheader", x: head.x, y: 12 }, head.text));
    under.replaceChildren();
    if (heads.length > 0) under.append(svg("g", { role: "row" }, ...heads));
    for (const row of laid.rows) {
      const label = svg("text", { class: "map-label", role: "rowheader", x: row.x, y: row.y }, row.label);
      under.append(svg("g", { role: "row" }, label, ...drawn.slice(row.from, row.to).map((cell) => cell.group)));
    }
    current = Math.min(current, drawn.length - 1);
    drawn[current]?.group.setAttribute("tabindex", "0");
    ring.setAttribute("visibility", "hidden");
    const frame = { width: laid.width, height: laid.height, viewBox: `0 0 ${laid.width} ${laid.height}` };
    element.replaceChildren(
      svg("svg", { class: "map-picture", role: "grid", "aria-label": options.title, "aria-readonly": "true", ...frame }, under, words, lines, top, ring),
      ...motion.elements,
    );
    show(t, true);
    options.onLaid();
  };

  const show = (/** @type {number} */ time, /** @type {boolean} */ isAtRest) => {
    t = time;
    if (places === null) return;
    frame.set(t, places.boxes);
    if (!isAtRest) {
      motion.draw(frame, places, frame.words(), frame.lines(marks));
      return;
    }
    drawn.forEach((cell, at) => {
      paintCell(cell, frame.look[at], frame.shares[at], frame.texture[at], frame.isJoined[at] === 1, frame.isFirst[at] === 1);
      cell.group.setAttribute("aria-label", cellWords(report, paint, at, frame.look[at]));
    });
    words.replaceChildren(...frame.words().map(wordShape));
    lines.replaceChildren(...frame.lines(marks).map(lineShape));
    motion.rest();
  };

  /** @param {number} cell @param {boolean} isFocus */
  const announce = (cell, isFocus) => {
    options.tip.show(paint, cell, t, drawn[cell].group.getBoundingClientRect());
    if (!isFocus) return;
    const { x, y, width: wide, height } = drawn[cell].box;
    const place = { x: x - 1, y: y - 1, width: wide + 2, height: height + 2, visibility: "visible" };
    for (const [name, value] of Object.entries(place)) ring.setAttribute(name, String(value));
  };
  gridKeys(element, {
    tip: options.tip,
    announce,
    places: () => places,
    group: (cell) => drawn[cell].group,
    cellAt: (target) => drawn.findIndex((it) => it.group.contains(target)),
    current: () => current,
    move: (cell) => {
      drawn[current]?.group.setAttribute("tabindex", "-1");
      current = cell;
      drawn[current].group.setAttribute("tabindex", "0");
    },
    blur: () => ring.setAttribute("visibility", "hidden"),
  });
  new ResizeObserver(() => {
    const now = Math.floor(element.clientWidth);
    if (now === 0 || now === width) return;
    width = now;
    lay();
  }).observe(element);
  return {
    element, paint, top, show,
    mark: (given) => {
      marks = given;
      if (places !== null) show(t, true);
    },
    focusOn: (range) => {
      const [cell] = cellsIn(cells, range);
      if (cell !== undefined) drawn[cell]?.group.focus();
    },
    boxesOf: (range) => (places === null ? [] : cellsIn(cells, range).map((cell) => /** @type {Places} */ (places).boxes[cell])),
  };
}

/** @param {Word} word @returns {SVGElement} */
function wordShape({ x, y, text, look }) {
  return svg("text", { class: `map-word on-${look}`, x, y }, text);
}

/** @param {Line} line @returns {SVGElement} */
function lineShape({ name, ...place }) {
  return svg("rect", { class: name, ...place, rx: 2 });
}
