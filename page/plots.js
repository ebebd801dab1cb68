/**
 * How much of a pool was used over its whole history, and where that leads; and the view of a tenant.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
/** @import { Step } from "./steps.js" */
/** @import { Scale } from "./axes.js" */
import { formatCount } from "./addresses.js";
import { countAxis, dateAxis, dateTicks, plotFrame, scaled } from "./axes.js";
import { el, svg } from "./dom.js";
import { swatch } from "./maplegend.js";
import { formatDay, secondsOf } from "./model.js";
import { ownerLives } from "./ownerplot.js";
import { countOf } from "./pack.js";
import { dayAfter } from "./runway.js";
import { stairs, wholeOf } from "./steps.js";

const DAY = 86400;
const LEVEL_WORDS = { warning: "warning", gate: "capacity limit: blocks changes that reach it", full: "full" };

/** The life of a tenant. @param {Report} report @param {Route} route `q` is its name, "namespace/name". @returns {HTMLElement} */
export function ownerView(report, route) {
  return ownerLives(report, route.q ?? "");
}

/** @param {Report} report @param {Pool} pool @param {Step[]} steps @returns {HTMLElement} */
export function usagePlot(report, pool, steps) {
  const now = report.asOf;
  const last = steps[steps.length - 1];
  const used = last.allocated + last.held;
  const rates = pool.rates.filter((rate) => rate.enoughHistory);
  const begins = report.data.history.begins;
  const from = Math.min(steps[0].seconds, begins === null ? now : secondsOf(begins));
  const ahead = rates.length === 0 ? 0 : Math.max(28 * DAY, Math.min((now - from) * 0.35, 182 * DAY));
  const levels = pool.levels.map(({ level, addresses }) => ({ level, count: Number(countOf(addresses)) }));
  const full = levels.find((level) => level.level === "full")?.count ?? 0;
  const high = Math.max(1, ...steps.map((step) => step.allocated + step.held));
  const reach = Math.max(high, ...rates.map((rate) => used + (rate.change / rate.days) * (ahead / DAY)));
  const most = reach * 8 < full ? reach * 1.25 : Math.max(full, high) * 1.04;
  const seen = levels.filter((level) => level.count <= most);
  const about = [
    `${formatCount(wholeOf(used))} addresses are used now.`,
    full > most ? `The pool is full at ${formatCount(wholeOf(full))}, far above this scale.` : "",
    ...rates.map((rate) => `At the rate of the last ${rate.days} days (${rate.change > 0 ? "+" : ""}${formatCount(rate.change)}): ${weeksWords(rate.weeks, now)}.`),
    rates.length === 0 ? "There is not enough history for a forecast." : "",
  ].filter((sentence) => sentence !== "").join(" ");
  return plotFrame({
    title: "Usage and forecast",
    about,
    legend: usageLegend(rates.length > 0),
    draw: (width) => {
      const height = 240;
      const left = 16 + 7 * Math.max(...[most].map((it) => formatCount(wholeOf(Math.round(it))).length));
      /** @type {Scale} */
      const x = { from, to: now + ahead, left, right: width - 4 };
      /** @type {Scale} */
      const y = { from: 0, to: most, left: height - 30, right: 10 };
      const base = y.left;
      const points = (/** @type {(step: Step) => number} */ of) => thin(steps.map((step) => ({ x: scaled(x, Math.max(from, step.seconds)), y: scaled(y, of(step)) })));
      const end = scaled(x, now);
      return {
        height,
        shapes: [
          ...countAxis(y, left, width - 4),
          svg("path", { class: "k-held", d: stairs(points((step) => step.allocated + step.held), end, base) }),
          svg("path", { class: "k-allocated", d: stairs(points((step) => step.allocated), end, base) }),
          ...band(rates, used, { x, y, now, to: now + ahead, most: Math.min(most, full || most) }),
          ...seen.flatMap((level) => levelLine(level, x, y)),
          svg("path", { class: "now-line", d: `M${end},${y.right}V${base}` }),
          ahead > 0 && svg("text", { class: "axis-text", x: end + 5, y: base - 6 }, "now"),
          ...dateAxis(x, base),
        ],
      };
    },
    heads: ["Day", "Allocated", "Held"],
    rows: monthly(steps, from, now).map((step) => [formatDay(step.seconds), formatCount(wholeOf(step.allocated)), formatCount(wholeOf(step.held))]),
  });
}

/** @param {{level: "warning" | "gate" | "full", weeks: number | null}[]} weeks @param {number} asOf @returns {string} */
export function weeksWords(weeks, asOf) {
  const texts = weeks.flatMap(({ level, weeks: count }) => {
    if (count === null) return [];
    if (count > 104) return [`${level} in over 2 years`];
    return [count === 0 ? `${level} is reached` : `${level} in ${formatCount(Math.round(count * 10) / 10)} weeks (${dayAfter(asOf, Math.floor(count * 7))})`];
  });
  return texts.length === 0 ? "no level is reached" : texts.join(", ");
}

/** Merge points of the same pixel. @param {{x: number, y: number}[]} points */
function thin(points) {
  return points.filter((point, at) => at + 1 === points.length || points[at + 1].x - point.x >= 0.5);
}

/**
 * The area between the rates, from now on.
 * @param {{days: number, change: number}[]} rates
 * @param {number} used
 * @param {{x: Scale, y: Scale, now: number, to: number, most: number}} frame
 * @returns {SVGElement[]}
 */
function band(rates, used, { x, y, now, to, most }) {
  const paths = rates.map((rate) => {
    const slope = rate.change / (rate.days * DAY);
    const stop = slope > 0 ? Math.min(to, now + Math.max(0, most - used) / slope) : slope < 0 ? Math.min(to, now - used / slope) : to;
    const points = [[now, used], [stop, used + slope * (stop - now)]];
    if (stop < to) points.push([to, slope > 0 ? Math.max(used, most) : 0]);
    return { rate, points: points.map(([at, count]) => [scaled(x, at), scaled(y, count)]) };
  });
  if (paths.length === 0) return [];
  const text = (/** @type {number[][]} */ points) => points.map((point) => point.join(",")).join(" ");
  const [one, two] = [paths[0], paths[paths.length - 1]];
  return [
    svg("polygon", { class: "band", points: `${text(one.points)} ${text([...two.points].reverse())}` }),
    ...paths.map(({ rate, points }) => svg("polyline", { class: `rate rate-${rate.days}`, points: text(points) }, svg("title", null, `rate of ${rate.days} days`))),
  ];
}

/** @param {{level: "warning" | "gate" | "full", count: number}} level @param {Scale} x @param {Scale} y @returns {SVGElement[]} */
function levelLine({ level, count }, x, y) {
  const at = scaled(y, count);
  return [
    svg("path", { class: `level level-${level}`, d: `M${x.left},${at}H${x.right}` }),
    svg("text", { class: "level-text", x: x.left + 6, y: at + (level === "gate" ? 12 : -4) }, level === "gate" ? `${LEVEL_WORDS[level]} (${formatCount(wholeOf(count))})` : `${LEVEL_WORDS[level]} ${formatCount(wholeOf(count))}`),
  ];
}

/** @param {boolean} hasBand @returns {HTMLElement} */
function usageLegend(hasBand) {
  const band = svg("svg", { class: "swatch", width: 22, height: 16, "aria-hidden": "true" }, svg("rect", { class: "band", x: 1, y: 3, width: 20, height: 10 }), svg("path", { class: "rate rate-30", d: "M1,8H21" }));
  return el(
    "ul",
    { class: "legend-list" },
    el("li", null, swatch("k-allocated", "", "", undefined), "allocated"),
    el("li", null, swatch("k-held", "", "", undefined), "held"),
    hasBand && el("li", null, band, "forecast, between the rates of 30 (line) and 90 days (dashed)"),
  );
}

/** How it was at the begin of each month, and now. @param {Step[]} steps @param {number} from @param {number} now @returns {Step[]} */
function monthly(steps, from, now) {
  const times = [...dateTicks(from, now, 36).map((tick) => tick.seconds), now];
  let at = 0;
  return times.map((seconds) => {
    while (at + 1 < steps.length && steps[at + 1].seconds <= seconds) at += 1;
    return { ...steps[at], seconds };
  });
}
