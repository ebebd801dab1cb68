/**
 * Small pictures in rows: the stacked bar of a pool, its sparkline, and their legend. Patterns carry what colour carries.
 */

/** @import { Pool } from "./model.js" */
/** @import { Whole } from "./pack.js" */
import { countText, formatCount, plus } from "./addresses.js";
import { el, svg } from "./dom.js";
import { countOf } from "./pack.js";

const BAR_WIDTH = 180;
const BAR_HEIGHT = 14;
/** Reserved addresses take at most this share of the bar, because they are not usable. */
const MOST_RESERVED = 0.2;

/** @returns {SVGElement} The patterns that all bars share: once a page. */
export function barPatterns() {
  const held = svg("pattern", { id: "bar-held", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 5, height: 5, class: "bar-held-ground" }), svg("rect", { width: 2, height: 5, class: "bar-held-line" }));
  const reserved = svg("pattern", { id: "bar-reserved", width: 4, height: 4, patternUnits: "userSpaceOnUse" },
    svg("rect", { width: 4, height: 4, class: "bar-reserved-ground" }), svg("circle", { cx: 1.2, cy: 1.2, r: 0.9, class: "bar-reserved-dot" }));
  return svg("svg", { class: "offscreen", "aria-hidden": "true", width: 0, height: 0 }, svg("defs", null, held, reserved));
}

/** @param {Whole} part @param {Whole} whole @returns {number} 0…1 */
export function shareOf(part, whole) {
  const all = Number(whole);
  return all > 0 ? Math.min(1, Number(part) / all) : 0;
}

/**
 * The stacked bar of a pool: allocated, held, and free usable addresses, ticks at the thresholds, and the reserved addresses next to it.
 * @param {Pool} pool
 * @returns {SVGElement}
 */
export function poolBar(pool) {
  const { total, allocated, held, available, reserved } = pool.counts;
  const reservedShare = reserved > 0 ? Math.max(0.03, Math.min(MOST_RESERVED, shareOf(reserved, plus(total, reserved)))) : 0;
  const usable = BAR_WIDTH * (1 - reservedShare) - (reservedShare > 0 ? 3 : 1);
  const usedWidth = visible(usable * shareOf(allocated, total), allocated);
  const heldWidth = Math.min(usable - usedWidth, visible(usable * shareOf(held, total), held));
  const words = [
    `${formatCount(allocated)} allocated`, `${formatCount(held)} held`, `${formatCount(available)} free of ${formatCount(total)} usable`,
    `${formatCount(reserved)} reserved`,
  ].join(", ");
  const { warning, critical, exhausted } = pool.thresholds;
  return svg(
    "svg",
    { class: "bar", viewBox: `0 0 ${BAR_WIDTH} ${BAR_HEIGHT + 4}`, width: BAR_WIDTH, height: BAR_HEIGHT + 4, role: "img", "aria-label": words },
    svg("title", null, `${words}. Ticks at ${warning}, ${critical} and ${exhausted} %.`),
    svg("rect", { class: "bar-free", x: 0.5, y: 2.5, width: usable, height: BAR_HEIGHT - 1 }),
    svg("rect", { class: "bar-used", x: 0.5, y: 2.5, width: usedWidth, height: BAR_HEIGHT - 1 }),
    svg("rect", { class: "bar-held", x: 0.5 + usedWidth, y: 2.5, width: heldWidth, height: BAR_HEIGHT - 1 }),
    reservedShare > 0 && svg("rect", { class: "bar-reserved", x: usable + 3.5, y: 2.5, width: BAR_WIDTH * reservedShare - 1, height: BAR_HEIGHT - 1 }),
    [warning, critical, exhausted].map((percent) => {
      const x = Math.round((usable * percent) / 100) + 0.5;
      return svg("line", { class: "bar-tick", x1: x, x2: x, y1: 0, y2: BAR_HEIGHT + 4 });
    }),
  );
}

/** @param {number} width @param {Whole} count @returns {number} The width, at least a pixel and a half if the count is not 0. */
function visible(width, count) {
  return count > 0 ? Math.max(1.5, width) : 0;
}

/** @returns {HTMLElement} The legend of the bar. */
export function barLegend() {
  /** @type {[string, string][]} */
  const parts = [["bar-used", "allocated"], ["bar-held", "held: released, not free yet"], ["bar-free", "free"], ["bar-reserved", "reserved: next to the bar, at most a fifth of it"]];
  const items = parts.map(([name, word]) =>
    el("li", null, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, svg("rect", { class: name, x: 0.5, y: 0.5, width: 13, height: 11 })), ` ${word}`),
  );
  const tick = el("li", null, svg("svg", { width: 8, height: 12, "aria-hidden": "true" }, svg("line", { class: "bar-tick", x1: 4, x2: 4, y1: 0, y2: 12 })), " thresholds of the pool");
  return el("ul", { class: "legend", "aria-label": "Legend of the bars" }, items, tick);
}

/**
 * How many addresses were allocated or held in the last 90 days, from nothing to all of the pool.
 * @param {Pool} pool
 * @returns {SVGElement | null} Null without a past.
 */
export function sparkline(pool) {
  const points = pool.trend.flatMap(({ daysAgo, used }) => (used === null ? [] : [{ daysAgo, used: countOf(used) }]));
  if (points.length < 2) return null;
  const width = 96;
  const height = 20;
  const days = Math.max(90, ...pool.trend.map((point) => point.daysAgo));
  const spots = points.map(({ daysAgo, used }) => {
    const x = 1 + (width - 4) * (1 - daysAgo / days);
    return `${x.toFixed(1)},${(height - 2 - (height - 4) * shareOf(used, pool.counts.total)).toFixed(1)}`;
  });
  const first = points[0];
  const last = points[points.length - 1];
  const words = `${countText(first.used, "address", "addresses")} allocated or held ${first.daysAgo} days ago, ${formatCount(last.used)} now`;
  const [endX, endY] = spots[spots.length - 1].split(",");
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words },
    svg("title", null, words),
    svg("line", { class: "spark-ground", x1: 0, x2: width, y1: height - 1.5, y2: height - 1.5 }),
    svg("polyline", { class: "spark-line", points: spots.join(" ") }),
    svg("circle", { class: "spark-end", cx: endX, cy: endY, r: 2 }),
  );
}

/** @returns {SVGElement} Two squares that share a corner: pools that share addresses. */
export function overlapMark() {
  const square = (/** @type {number} */ at) => svg("rect", { class: "overlap-square", x: at, y: at, width: 7, height: 7 });
  return svg("svg", { class: "overlap-mark", width: 13, height: 13, "aria-hidden": "true" }, square(1), square(4.5));
}
