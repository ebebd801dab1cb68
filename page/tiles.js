/**
 * The four verdicts of the first screen. Each says its unit and leads to the list behind it.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { RouteChanges } from "./route.js" */
/** @import { Whole } from "./pack.js" */
/** @import { Runway } from "./runway.js" */
import { countText, formatCount, pairRange, plus, sizeOf } from "./addresses.js";
import { el } from "./dom.js";
import { linkTo } from "./route.js";
import { isShort, runwayDay, runwayOf, runwayText, SHORT_RUNWAY } from "./runway.js";

/**
 * @typedef {"good" | "unknown" | "warn" | "bad"} Verdict
 * @typedef {{title: string, verdict: Verdict, figure: string, unit: string, more: string, changes: RouteChanges}} Tile
 */

/** A sign in addition to the color. @type {Record<Verdict, string>} */
const VERDICT_SIGNS = { good: "✓", unknown: "–", warn: "!", bad: "✕" };
/** @type {Record<Verdict, string>} */
const VERDICT_WORDS = { good: "fine", unknown: "not known", warn: "needs review", bad: "action needed" };

/** @param {Report} report @returns {HTMLElement} */
export function tilesView(report) {
  const tiles = [tiersTile(report), runwayTile(report), findingsTile(report), todayTile(report)];
  const isQuiet = tiles.every((tile) => tile.verdict === "good" || tile.verdict === "unknown");
  const drift = report.data.drift === null ? " Drift is not known: no apply result." : "";
  return el(
    "section",
    { class: "verdicts", "aria-label": "Verdicts" },
    isQuiet && el("p", { class: "quiet" }, el("strong", null, "Nothing needs attention."), " No pool is over a threshold or short of runway, no findings remain, and no held address becomes free today.", drift),
    el("ul", { class: "tiles" }, tiles.map(tileItem)),
  );
}

/** @param {Tile} tile @returns {HTMLElement} */
function tileItem(tile) {
  return el(
    "li",
    null,
    el(
      "a",
      { class: `tile ${tile.verdict}`, href: linkTo({ pool: null, ip: null, q: null, find: null, show: null, ...tile.changes }) },
      el("span", { class: "tile-title" }, tile.title),
      el("span", { class: "tile-sign", role: "img", "aria-label": VERDICT_WORDS[tile.verdict] }, VERDICT_SIGNS[tile.verdict]),
      el("span", { class: "tile-figure" }, el("b", null, tile.figure), " ", tile.unit),
      el("span", { class: "tile-more" }, tile.more),
    ),
  );
}

/** @param {Report} report @returns {Tile} */
function tiersTile(report) {
  const count = (/** @type {string} */ tier) => report.pools.filter((pool) => pool.tier === tier).length;
  const [warning, critical, exhausted] = [count("warning"), count("critical"), count("exhausted")];
  const all = warning + critical + exhausted;
  return {
    title: thresholdsTitle(report.pools),
    verdict: critical + exhausted > 0 ? "bad" : all > 0 ? "warn" : "good",
    figure: String(all),
    unit: `of ${countText(report.pools.length, "pool")}`,
    more: all === 0 ? "All pools are below their warning level." : tierWords({ exhausted, critical, warning }),
    changes: { view: "pools", show: "tier" },
  };
}

/** @param {Record<string, number>} tiers @returns {string} "2 critical · 1 warning" */
function tierWords(tiers) {
  return Object.entries(tiers).flatMap(([tier, count]) => (count > 0 ? [`${count} ${tier}`] : [])).join(" · ");
}

/** @param {Pool[]} pools @returns {string} With the figures, when all pools have the same thresholds. */
function thresholdsTitle(pools) {
  const levels = new Set(pools.map(({ thresholds }) => `${thresholds.warning} / ${thresholds.critical} / ${thresholds.exhausted}\u00a0%`));
  return levels.size === 1 ? `Pools at ${[...levels][0]}` : "Pools over their thresholds";
}

/** @param {Report} report @returns {Tile} */
function runwayTile(report) {
  const short = report.pools.filter(isShort).map((pool) => ({ pool, runway: runwayOf(pool) }));
  short.sort((a, b) => (a.runway?.days ?? 0) - (b.runway?.days ?? 0));
  const first = short[0];
  const isKnown = report.pools.some((pool) => pool.rates.some((rate) => rate.enoughHistory));
  const none = isKnown ? "No pool reaches its capacity limit or fills up within that time." : "The history is too short to estimate a rate.";
  return {
    title: `Runway below ${SHORT_RUNWAY} days`,
    verdict: short.length > 0 ? "bad" : "good",
    figure: String(short.length),
    unit: short.length === 1 ? "pool" : "pools",
    more: first?.runway ? `First ${first.pool.name}: ${runwayText(first.runway)}${dayWords(first.runway, report.asOf)}, at the rate of the last ${first.runway.span} days.` : none,
    changes: { view: "pools", show: "runway" },
  };
}

/** @param {Runway} runway @param {number} asOf @returns {string} */
function dayWords(runway, asOf) {
  const day = runwayDay(runway, asOf);
  return day === "" ? "" : ` (${day})`;
}

/** @param {Report} report @returns {Tile} */
function findingsTile(report) {
  const errors = report.data.findings.filter((finding) => finding.severity === "error" || finding.severity === "gate").length;
  const warnings = report.data.findings.filter((finding) => finding.severity === "warning").length;
  const notes = report.data.findings.length - errors - warnings;
  const drift = report.data.drift;
  const drifted = drift === null ? "drift is unknown: no apply result" : countText(drift.length, "object drifts", "objects drift");
  const verdict = errors > 0 || (drift ?? []).length > 0 ? "bad" : warnings > 0 ? "warn" : drift === null ? "unknown" : "good";
  return {
    title: "Findings and drift",
    verdict,
    figure: String(errors + warnings + (drift ?? []).length),
    unit: "to review",
    more: [countText(errors, "error"), countText(warnings, "warning"), notes > 0 ? countText(notes, "note") : "", drifted].filter((word) => word !== "").join(" · "),
    changes: { view: "findings" },
  };
}

/** @param {Report} report @returns {Tile} */
function todayTile(report) {
  const today = report.data.asOf.slice(0, 10);
  const found = report.pools.flatMap((pool) => freeToday(pool, today));
  const sum = found.reduce((all, item) => plus(all, sizeOf(pairRange([item[0], item[1]]))), /** @type {Whole} */ (0));
  const pools = report.pools.filter((pool) => freeToday(pool, today).length > 0).length;
  return {
    title: "Held addresses that become free today",
    verdict: found.length > 0 ? "warn" : "good",
    figure: formatCount(sum),
    unit: sum === 1 ? "address" : "addresses",
    more: found.length === 0 ? `None on ${today} (UTC).` : `In ${countText(pools, "pool")} on ${today} (UTC).`,
    changes: { view: "pools", show: "today" },
  };
}

/**
 * Return the addresses of a pool that become free on a day (UTC).
 * @param {Pool} pool
 * @param {string} day "2026-02-15"
 * @returns {[string, string, string | null][]}
 */
export function freeToday(pool, day) {
  return pool.comesFree.filter((item) => item[2]?.startsWith(day) === true);
}
