/**
 * The history of a tenant or an address: its ranges, with start and end.
 */

/** @import { Life, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
import { teamLink } from "./links.js";
import { livesTable } from "./lives.js";
import { countText, formatCount, formatRange, plus } from "./addresses.js";
import { dateAxis, plotFrame, scaled, shortened } from "./axes.js";
import { el, svg } from "./dom.js";
import { textureOf, putTextures } from "./maplegend.js";
import { formatTime, lifeRange, secondsOf } from "./model.js";
import { livesIn } from "./occupancy.js";

const MOST_BARS = 60;

/** @param {Report} report @param {string} owner "namespace/name" @returns {HTMLElement} */
export function ownerLives(report, owner) {
  const at = report.owners.indexOf(owner);
  const { lives } = report;
  const mine = [];
  for (let life = 0; life < lives.count; life += 1) if (at >= 0 && report.ownerOf(lives.claim[life]) === at) mine.push(report.life(life));
  if (mine.length === 0) return el("section", { class: "card" }, el("h3", null, owner), el("p", null, "No holder with this name has or had addresses in this history."));
  const now = mine.filter((life) => report.isThere(life.at, report.now));
  const before = mine.filter((life) => !report.isThere(life.at, report.now));
  const sum = now.reduce((total, life) => plus(total, life.size), /** @type {number | bigint} */ (0));
  const team = report.teamOf(mine[0].claim);
  return el(
    "section",
    { class: "card owner-view" },
    el("h3", null, `History of ${owner}`),
    el("p", null, team !== "" && ["Team ", teamLink(team), ". "], now.length === 0 ? "Has no addresses now." : `Has ${countText(sum, "address", "addresses")} now, in ${countText(now.length, "range")}.`),
    livesPlot(report, mine, `Ranges of ${owner}`),
    now.length > 0 && [el("h3", null, "Now"), livesTable(report, now, "Ranges now")],
    before.length > 0 && [el("h3", null, "Before"), livesTable(report, before, "Ranges before")],
  );
}

/** The owners of an address over time. @param {Report} report @param {Range} range @returns {HTMLElement | null} Null if it never had an owner. */
export function addressPlot(report, range) {
  const found = livesIn(report, range);
  return found.length === 0 ? null : livesPlot(report, found, `Holders of ${formatRange(range)}`, true);
}

/**
 * Bars over time, one for each range of a claim; states one after the other.
 * @param {Report} report
 * @param {Life[]} lives
 * @param {string} title
 * @param {boolean} [isByOwner] Lines are tenants, not ranges.
 * @returns {HTMLElement}
 */
export function livesPlot(report, lives, title, isByOwner = false) {
  putTextures();
  /** @type {Map<string, Life[]>} */
  const lines = new Map();
  for (const life of lives) {
    const name = isByOwner ? report.claim(life.claim).owner : `${formatRange(lifeRange(life))} ${report.claim(life.claim).type}`;
    lines.set(name, [...(lines.get(name) ?? []), life]);
  }
  const shown = [...lines].sort(([, a], [, b]) => lastOf(report, b) - lastOf(report, a)).slice(0, MOST_BARS);
  const begins = report.data.history.begins;
  const start = begins === null ? report.commits[0]?.clock ?? report.asOf : secondsOf(begins);
  const from = Math.min(start, ...lives.map((life) => fromOf(report, life, start)));
  const rest = lines.size - shown.length;
  const kinds = new Set(lives.map((life) => life.state));
  return plotFrame({
    title,
    about: `${countText(lines.size, isByOwner ? "tenant" : "range")} over time${rest > 0 ? `; the ${formatCount(rest)} that ended first are only in the table` : ""}. Colours: ${[...kinds].join(", ")}.`,
    draw: (width) => {
      const line = 20;
      const left = Math.min(260, Math.max(120, width * 0.3));
      const x = { from, to: report.asOf, left, right: width - 6 };
      return {
        height: shown.length * line + 32,
        shapes: [
          ...shown.flatMap(([name, bars], at) => [
            svg("path", { class: "axis-line", d: `M${left},${at * line + 18}H${width - 6}` }),
            svg("text", { class: "bar-text mono", x: 0, y: at * line + 14 }, shortened(name, left - 6), svg("title", null, name)),
            ...bars.flatMap((life) => barOf(report, life, { from: scaled(x, fromOf(report, life, from)), to: scaled(x, toOf(report, life)), y: at * line + 3 })),
          ]),
          ...dateAxis(x, shown.length * line + 4),
        ],
      };
    },
    heads: ["Range", "Tenant", "State", "From", "To"],
    rows: lives.slice(0, 500).map((life) => [
      formatRange(lifeRange(life)),
      report.claim(life.claim).owner,
      life.state,
      life.from < 0 ? "before this history" : formatTime(report.commits[life.from].clock),
      life.to < 0 ? "now" : formatTime(report.commits[life.to].clock),
    ]),
  });
}

/** @param {Report} report @param {Life} life @param {{from: number, to: number, y: number}} at @returns {SVGElement[]} */
function barOf(report, life, { from, to, y }) {
  const frame = { x: from, y, width: Math.max(2, to - from), height: 13, rx: 2 };
  const claim = report.claim(life.claim);
  const words = `${formatRange(lifeRange(life))}, ${life.state}, ${claim.owner}`;
  const texture = life.state === "held" ? "held" : textureOf(claim.type);
  const shapes = [svg("rect", { class: `k-${life.state}`, ...frame }, svg("title", null, words))];
  if (texture !== "") shapes.push(svg("rect", { class: `t-${texture}`, ...frame }));
  return shapes;
}

/** @param {Report} report @param {Life[]} lives @returns {number} */
function lastOf(report, lives) {
  return Math.max(...lives.map((life) => toOf(report, life)));
}

/** @param {Report} report @param {Life} life @param {number} start @returns {number} */
function fromOf(report, life, start) {
  return life.from < 0 ? start : report.commits[life.from].clock;
}

/** @param {Report} report @param {Life} life @returns {number} */
function toOf(report, life) {
  return life.to < 0 ? report.asOf : report.commits[life.to].clock;
}
