/**
 * How elastic tenants grow in a pool, and how long their Services waited until addresses were served.
 */

/** @import { Pool, Report } from "./model.js" */
import { formatCount } from "./addresses.js";
import { countAxis, dateAxis, plotFrame, scaled } from "./axes.js";
import { svg } from "./dom.js";
import { formatTime, secondsOf } from "./model.js";
import { secondsAt, stairs } from "./steps.js";

/** @typedef {{seconds: number, count: number}} Grown */

/** @param {Report} report @param {Pool} pool @returns {HTMLElement | null} Nothing where nothing grew. */
export function growthPlot(report, pool) {
  const grown = grownOf(report, pool);
  const waits = waitsOf(report, pool);
  if (grown.length === 0) return null;
  const now = grown[grown.length - 1].count;
  const median = waits.length === 0 ? null : [...waits].sort((a, b) => a.took - b.took)[Math.floor(waits.length / 2)].took;
  const from = Math.min(grown[0].seconds, ...waits.map((wait) => wait.seconds));
  const most = Math.max(1, ...grown.map((it) => it.count));
  const longest = Math.max(1, ...waits.map((wait) => wait.took));
  const waited = median === null ? "To show waiting times, pass the results of reconcile." : `Half of the pending Services got an address within ${median} seconds.`;
  return plotFrame({
    title: "Growth of elastic tenants",
    about: `${formatCount(now)} addresses are growth now. ${waited}`,
    draw: (width) => {
      const left = 16 + 7 * Math.max(formatCount(most).length, formatCount(longest).length + 2);
      const x = { from, to: report.asOf, left, right: width - 6 };
      const y = { from: 0, to: most * 1.05, left: 110, right: 20 };
      const low = { from: 0, to: longest * 1.05, left: 240, right: 160 };
      const points = grown.map((it) => ({ x: scaled(x, it.seconds), y: scaled(y, it.count) }));
      const dots = waits.map((wait) => svg("circle", { class: "wait-dot", cx: scaled(x, wait.seconds), cy: scaled(low, wait.took), r: 3 }, svg("title", null, `${wait.cluster}, ${formatTime(wait.seconds)}: ${wait.took} s`)));
      const second = waits.length === 0 ? [] : [
        svg("text", { class: "bar-text", x: left, y: 148 }, "Seconds until a pending Service got an address"),
        ...countAxis(low, left, width - 6, 3),
        ...dots,
        svg("path", { class: "level level-gate", d: `M${left},${scaled(low, median ?? 0)}H${width - 6}` }),
      ];
      return {
        height: waits.length === 0 ? 138 : 268,
        shapes: [
          svg("text", { class: "bar-text", x: left, y: 11 }, "Addresses added by growth"),
          ...countAxis(y, left, width - 6, 3),
          svg("path", { class: "k-allocated", d: stairs(points, x.right, y.left) }),
          ...second,
          ...dateAxis(x, waits.length === 0 ? 110 : 240),
        ],
      };
    },
    heads: ["Time", "Tenant", "Seconds"],
    rows: waits.map((wait) => [formatTime(wait.seconds), wait.cluster, String(wait.took)]),
  });
}

/** @param {Report} report @param {Pool} pool @returns {Grown[]} Addresses added by growth, by time. */
function grownOf(report, pool) {
  const { lives } = report;
  const [start, end] = report.livesOf(pool.at);
  /** @type {Map<number, number>} */
  const changes = new Map();
  for (let at = start; at < end; at += 1) {
    if ((lives.state[at] & 7) !== 4) continue;
    const size = Number(lives.size[at]);
    const [from, to] = [lives.from[at] + 1, lives.to[at] + 1];
    changes.set(from, (changes.get(from) ?? 0) + size);
    if (to > 0) changes.set(to, (changes.get(to) ?? 0) - size);
  }
  let count = 0;
  return [...changes].sort(([a], [b]) => a - b).map(([t, change]) => {
    count += change;
    return { seconds: secondsAt(report, t), count };
  });
}

/** @param {Report} report @param {Pool} pool @returns {{cluster: string, seconds: number, took: number}[]} Of tenants that have something here. */
function waitsOf(report, pool) {
  const [start, end] = report.livesOf(pool.at);
  const names = new Set();
  for (let at = start; at < end; at += 1) {
    const owner = report.owners[report.ownerOf(report.lives.claim[at])] ?? "";
    names.add(owner).add(owner.slice(owner.indexOf("/") + 1));
  }
  return (report.data.growth ?? [])
    .filter((it) => names.has(it.cluster))
    .map((it) => ({ cluster: it.cluster, seconds: secondsOf(it.time), took: it.seconds }));
}
