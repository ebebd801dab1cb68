/**
 * Shared parts of plots: a frame that is drawn again for each size, axes of counts and dates, and a table as an alternative.
 */

/** @import { Child } from "./dom.js" */
import { formatCount } from "./addresses.js";
import { el, scrollRegion, svg } from "./dom.js";
import { formatDay } from "./model.js";
import { wholeOf } from "./steps.js";

/**
 * @typedef {{from: number, to: number, left: number, right: number}} Scale Of values to pixels.
 * @typedef {{title: string, about: string, draw: (width: number) => {height: number, shapes: Child[]}, heads: string[], rows: Child[][],
 *   legend?: Child}} PlotOptions
 */

/** How wide a letter of an axis is, at most. */
const AXIS_LETTER = 7;

/** @param {Scale} scale @param {number} value @returns {number} */
export function scaled(scale, value) {
  const share = scale.to === scale.from ? 0 : (value - scale.from) / (scale.to - scale.from);
  return Math.round((scale.left + share * (scale.right - scale.left)) * 10) / 10;
}

/** @param {PlotOptions} options @returns {HTMLElement} */
export function plotFrame(options) {
  const host = el("div", { class: "plot-room" });
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(host.clientWidth);
    if (now === 0 || now === width) return;
    width = now;
    const { height, shapes } = options.draw(width);
    host.replaceChildren(
      svg("svg", { class: "plot-picture", role: "img", "aria-label": `${options.title}. ${options.about}`, width, height, viewBox: `0 0 ${width} ${height}` },
        svg("title", null, options.title), svg("desc", null, options.about), ...shapes),
    );
  }).observe(host);
  const table = el(
    "table",
    { class: "plot-table" },
    el("thead", null, el("tr", null, options.heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", null, options.rows.map(([first, ...rest]) => el("tr", null, el("th", { scope: "row" }, first), rest.map((cell) => el("td", null, cell))))),
  );
  return el(
    "figure",
    { class: "plot" },
    el("figcaption", null, el("h3", null, options.title), el("p", { class: "muted" }, options.about), options.legend ?? null),
    host,
    el("details", null, el("summary", null, "As a table"), scrollRegion(options.title, table)),
  );
}

/** @param {number} most @param {number} count About how many. @returns {number[]} Round values from 0 on. */
export function countTicks(most, count) {
  const raw = Math.max(1, most / count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((it) => it >= raw) ?? raw;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

/** @param {Scale} y @param {number} left @param {number} right @param {number} count @returns {SVGElement[]} */
export function countAxis(y, left, right, count = 4) {
  return countTicks(y.to, count).flatMap((tick) => {
    const at = scaled(y, tick);
    return [
      svg("path", { class: "axis-line", d: `M${left},${at}H${right}` }),
      svg("text", { class: "axis-text is-end", x: left - 6, y: at + 4 }, formatCount(wholeOf(tick))),
    ];
  });
}

/** @param {Scale} x Of seconds. @param {number} y @returns {SVGElement[]} Days, months or years: as many as there is room for. */
export function dateAxis(x, y) {
  const room = Math.max(2, Math.floor((x.right - x.left) / 84));
  let end = -Infinity;
  return dateTicks(x.from, x.to, room).flatMap(({ seconds, text }) => {
    const at = scaled(x, seconds);
    const wide = text.length * AXIS_LETTER;
    const side = at > x.right - wide / 2 ? "is-end" : at < x.left + 20 ? "" : "is-middle";
    const start = side === "is-end" ? at - wide : side === "" ? at : at - wide / 2;
    const tick = svg("path", { class: "axis-tick", d: `M${at},${y}v5` });
    if (start < end + AXIS_LETTER) return [tick];
    end = start + wide;
    return [tick, svg("text", { class: `axis-text ${side}`, x: at, y: y + 18 }, text)];
  });
}

/** @param {number} from @param {number} to Seconds since 1970. @param {number} most @returns {{seconds: number, text: string}[]} */
export function dateTicks(from, to, most) {
  const days = (to - from) / 86400;
  if (days / most <= 20) {
    const step = Math.max(1, [1, 2, 5, 7, 14, 21].find((it) => days / it <= most) ?? 21);
    const first = Math.ceil(from / 86400);
    return Array.from({ length: Math.max(0, Math.floor((to / 86400 - first) / step) + 1) }, (_, at) => (first + at * step) * 86400).map((seconds) => ({ seconds, text: formatDay(seconds) }));
  }
  const months = [1, 2, 3, 6, 12, 24, 60].find((it) => days / 30.4 / it <= most) ?? 120;
  const start = new Date(from * 1000);
  const ticks = [];
  for (let month = start.getUTCFullYear() * 12 + start.getUTCMonth(); ; month += 1) {
    const seconds = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000;
    if (seconds > to) return ticks;
    if (seconds >= from && month % months === 0) ticks.push({ seconds, text: formatDay(seconds).slice(0, months % 12 === 0 ? 4 : 7) });
  }
}

/** @param {string} text @param {number} room In pixels. @returns {string} */
export function shortened(text, room) {
  const fits = Math.max(2, Math.floor(room / 6.6));
  return text.length > fits ? `${text.slice(0, fits - 1)}…` : text;
}
