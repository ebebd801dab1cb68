/**
 * Who uses a pool: teams, and the tenants that have most of each.
 */

/** @import { Pool, Report } from "./model.js" */
import { formatCount } from "./addresses.js";
import { plotFrame, scaled, shortened } from "./axes.js";
import { svg } from "./dom.js";
import { wholeOf } from "./steps.js";

const MOST_TEAMS = 7;
const MOST_TENANTS = 3;

/** @typedef {{name: string, allocated: number, held: number, isTeam: boolean}} Share */

/** @param {Report} report @param {Pool} pool @returns {HTMLElement | null} Null if the pool is unused. */
export function sharePlot(report, pool) {
  const rows = sharesOf(report, pool);
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.map((row) => row.allocated + row.held));
  const top = rows[0];
  return plotFrame({
    title: "Current use by team and tenant",
    about: `${top.name} uses the most: ${formatCount(wholeOf(top.allocated + top.held))} addresses, including held ones.`,
    draw: (width) => {
      const line = 21;
      const left = Math.min(230, Math.max(110, width * 0.34));
      const x = { from: 0, to: most, left, right: width - 56 };
      return {
        height: rows.length * line + 6,
        shapes: rows.flatMap((row, at) => {
          const y = at * line + 4;
          const [middle, end] = [scaled(x, row.allocated), scaled(x, row.allocated + row.held)];
          const high = row.isTeam ? 14 : 9;
          const name = shortened(row.name, left - (row.isTeam ? 8 : 24));
          return [
            svg("text", { class: row.isTeam ? "bar-text is-team-name" : "bar-text", x: row.isTeam ? 0 : 16, y: y + 11 }, name, svg("title", null, row.name)),
            svg("rect", { class: "k-allocated", x: left, y: y + (14 - high) / 2, width: Math.max(row.allocated > 0 ? 1 : 0, middle - left), height: high, opacity: row.isTeam ? 1 : 0.7 }),
            row.held > 0 && svg("rect", { class: "k-held", x: middle, y: y + (14 - high) / 2, width: Math.max(1, end - middle), height: high, opacity: row.isTeam ? 1 : 0.7 }),
            svg("text", { class: "axis-text", x: end + 6, y: y + 11 }, formatCount(wholeOf(row.allocated + row.held))),
          ];
        }),
      };
    },
    heads: ["Team or tenant", "Allocated", "Held"],
    rows: rows.map((row) => [row.isTeam ? row.name : `  ${row.name}`, formatCount(wholeOf(row.allocated)), formatCount(wholeOf(row.held))]),
  });
}

/** @param {Report} report @param {Pool} pool @returns {Share[]} Teams by size, after each its largest tenants. */
function sharesOf(report, pool) {
  const { lives } = report;
  const [from, to] = report.livesOf(pool.at);
  /** @type {Map<string, {own: Share, tenants: Map<string, Share>}>} */
  const teams = new Map();
  for (let at = from; at < to; at += 1) {
    if (!report.isThere(at, report.now)) continue;
    const team = report.teamOf(lives.claim[at]) || "(no team)";
    const owner = report.owners[report.ownerOf(lives.claim[at])] ?? "";
    const found = teams.get(team) ?? { own: share(team, true), tenants: new Map() };
    const tenant = found.tenants.get(owner) ?? share(owner, false);
    teams.set(team, found);
    found.tenants.set(owner, tenant);
    for (const it of [found.own, tenant]) it[(lives.state[at] & 3) === 0 ? "allocated" : "held"] += Number(lives.size[at]);
  }
  const sorted = [...teams.values()].sort((a, b) => bySize(a.own, b.own));
  const rows = sorted.slice(0, MOST_TEAMS).flatMap(({ own, tenants }) => {
    const all = [...tenants.values()].sort(bySize);
    return [own, ...all.slice(0, MOST_TENANTS), ...others(all.slice(MOST_TENANTS), "tenant", false)];
  });
  return [...rows, ...others(sorted.slice(MOST_TEAMS).map(({ own }) => own), "team", true)];
}

/** @param {string} name @param {boolean} isTeam @returns {Share} */
function share(name, isTeam) {
  return { name, allocated: 0, held: 0, isTeam };
}

/** @param {Share[]} rest @param {string} what @param {boolean} isTeam @returns {Share[]} */
function others(rest, what, isTeam) {
  if (rest.length === 0) return [];
  const sum = share(`${formatCount(rest.length)} more ${what}${rest.length === 1 ? "" : "s"}`, isTeam);
  for (const it of rest) {
    sum.allocated += it.allocated;
    sum.held += it.held;
  }
  return [sum];
}

/** @param {Share} a @param {Share} b @returns {number} */
function bySize(a, b) {
  return b.allocated + b.held - a.allocated - a.held || (a.name < b.name ? -1 : 1);
}
