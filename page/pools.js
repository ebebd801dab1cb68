/**
 * All pools in one sortable table, with filters; `show=` keeps those that a verdict counts.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
/** @import { Child } from "./dom.js" */
/** @import { Column } from "./table.js" */
import { countText, exactCount, formatCount, pairRange, sizeOf } from "./addresses.js";
import { poolLink, rangeLink } from "./links.js";
import { barLegend, overlapMark, poolBar, sparkline } from "./bars.js";
import { el, fill } from "./dom.js";
import { afterNote } from "./effects.js";
import { formatTime, secondsOf } from "./model.js";
import { linkTo } from "./route.js";
import { isShort, runwayDay, runwayOf, runwayText, SHORT_RUNWAY, spansText } from "./runway.js";
import { sortableTable } from "./table.js";
import { freeToday } from "./tiles.js";

/** @type {Record<string, (pool: Pool, report: Report) => boolean>} What `show=` keeps. */
const SHOWS = {
  tier: (pool) => pool.tier !== "ok",
  runway: isShort,
  today: (pool, report) => freeToday(pool, report.data.asOf.slice(0, 10)).length > 0,
};

/** The choices of the reader, for a return to the table. */
const POOLS_MEMORY = { order: { column: -1, isDown: false }, text: "", family: "", tier: "" };

/** Families as their users call them. @type {Record<string, string>} */
const FAMILY_WORDS = { butler: "Butler", novaedge: "NovaEdge", capi: "Cluster API" };

/** @param {Report} report @param {Route} here @returns {HTMLElement} */
export function poolsView(report, here) {
  const isShown = SHOWS[here.show ?? ""] ?? (() => true);
  const among = report.pools.filter((pool) => isShown(pool, report));
  const text = el("input", { type: "search", id: "pools-text", placeholder: "Name, kind, namespace, space", spellcheck: "false", autocomplete: "off" });
  const family = select("pools-family", "All systems", uniqueOf(report.pools, (pool) => pool.family).map((key) => [key, FAMILY_WORDS[key] ?? key]));
  const tier = select("pools-tier", "All levels", ["ok", "warning", "critical", "exhausted"].map((key) => [key, key]));
  const count = el("p", { class: "count", role: "status" });
  const teamPools = here.team === null ? null : poolsOfTeam(report, here.team);
  const table = sortableTable({ label: "All pools", rows: among, columns: poolColumns(report), none: report.pools.length === 0 ? "This report has no pools." : "No pools match these filters.", class: "list pools", sortBy: 1, memory: POOLS_MEMORY.order });
  Object.assign(text, { value: POOLS_MEMORY.text });
  Object.assign(family, { value: POOLS_MEMORY.family });
  Object.assign(tier, { value: POOLS_MEMORY.tier });
  const filter = () => {
    Object.assign(POOLS_MEMORY, { text: text.value, family: family.value, tier: tier.value });
    const words = text.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = among.filter((pool) => {
      const all = `${pool.title} ${pool.kind} ${pool.family} ${pool.space} ${pool.path}`.toLowerCase();
      const fits = words.every((word) => all.includes(word)) && (teamPools === null || teamPools.has(pool.at));
      return fits && (family.value === "" || pool.family === family.value) && (tier.value === "" || pool.tier === tier.value);
    });
    table.show(rows);
    count.textContent = countLine(rows.length, report.pools.length, here);
  };
  for (const control of [text, family, tier]) control.addEventListener("input", filter);
  filter();
  return el(
    "section",
    { class: "pools-view" },
    el("div", { class: "headline" }, el("h2", { tabindex: -1 }, "Pools"), count, showNote(here)),
    here.show === "today" && among.length > 0 && todayTable(report),
    el("div", { class: "filters" }, field("Filter", text), field("System", family), field("Level", tier)),
    table.element,
    barLegend(),
  );
}

/** @param {number} shown @param {number} all @param {Route} here @returns {string} */
function countLine(shown, all, here) {
  const team = here.team === null ? "" : `, where team ${here.team} has addresses`;
  return shown === all ? countText(all, "pool") : `${shown} of ${countText(all, "pool")}${team}`;
}

/** @param {Route} here @returns {HTMLElement | false} */
function showNote(here) {
  /** @type {Record<string, string>} */
  const all = { tier: "over a threshold", runway: `with less than ${SHORT_RUNWAY} days of runway`, today: "with held addresses that become free today" };
  const words = all[here.show ?? ""];
  return words !== undefined && el("p", { class: "note" }, `Only pools ${words}. `, el("a", { href: linkTo({ show: null }) }, "Show all pools"));
}

/** @param {Report} report @param {string} team @returns {Set<number>} */
function poolsOfTeam(report, team) {
  const found = new Set();
  const { count, pool, claim } = report.lives;
  for (let at = 0; at < count; at += 1) if (report.isThere(at, report.now) && report.teamOf(claim[at]) === team) found.add(pool[at]);
  return found;
}

/** @param {Report} report @returns {Column<Pool>[]} */
function poolColumns(report) {
  return [
    { title: "Pool", value: (pool) => pool.name.toLowerCase(), cell: nameCell },
    {
      title: "Used", hint: "Allocated or held, as a share of the usable addresses; ticks at the pool's thresholds", class: "bar-cell",
      value: (pool) => pool.utilizationPercent, isFirstHigh: true, cell: (pool) => usedCell(report, pool),
    },
    { title: "Free", hint: "Addresses that can be allocated", class: "number", value: (pool) => pool.counts.available, isFirstHigh: true, cell: (pool) => count(pool.counts.available) },
    { title: "Usable", hint: "All addresses except reserved ones", class: "number", value: (pool) => pool.counts.total, isFirstHigh: true, cell: (pool) => count(pool.counts.total) },
    {
      title: "Largest range", hint: "Size of the largest contiguous free range", class: "number", value: (pool) => pool.counts.largestFreeBlock, isFirstHigh: true,
      cell: (pool) => count(pool.counts.largestFreeBlock),
    },
    {
      title: "Tenants that fit", hint: "Number of tenants of the median size that fit in the free ranges", class: "number", value: (pool) => pool.fits, isFirstHigh: true, cell: fitsCell,
    },
    { title: "Runway", hint: "Days until the capacity limit blocks changes, or the pool is full, at the faster of the 30-day and 90-day rates", value: (pool) => runwayOf(pool)?.days ?? null, cell: (pool) => runwayCell(report, pool) },
    { title: "90 days", hint: "Allocated or held in the last 90 days, from 0 to all usable addresses", value: growthOf, isFirstHigh: true, cell: (pool) => sparkline(pool) ?? el("span", { class: "muted" }, "no history") },
    { title: "Overlaps", hint: "Other pools that share addresses with it", value: (pool) => pool.overlaps.length, isFirstHigh: true, cell: (pool) => overlapCell(report, pool) },
  ];
}

/** @param {Parameters<typeof formatCount>[0]} number @returns {HTMLElement} */
function count(number) {
  return el("span", { title: `${exactCount(number)} addresses` }, formatCount(number));
}

/** @param {Pool} pool @returns {Child[]} */
function nameCell(pool) {
  return [
    el("a", { class: "pool-name", href: linkTo({ view: null, pool: pool.key, ip: null, q: null, find: null, show: null }) }, pool.name),
    pool.isPaused && el("span", { class: "tag outside" }, "paused"),
    el("span", { class: "sub" }, [pool.kind, pool.namespace, pool.space === "default" ? "" : `space ${pool.space}`].filter((word) => word !== "").join(" · ")),
  ];
}

/** @param {Report} report @param {Pool} pool @returns {Child[]} */
function usedCell(report, pool) {
  const note = afterNote(report, pool);
  const tier = pool.tier !== "ok" && el("span", { class: `tag tier ${pool.tier}` }, pool.tier);
  return [el("span", { class: "bar-line" }, poolBar(pool), el("span", { class: "percent" }, `${pool.utilizationPercent} %`), tier), note && el("span", { class: "sub" }, note)];
}

/** @param {Pool} pool @returns {Child[]} */
function fitsCell(pool) {
  const size = pool.shape.reduce((sum, part) => sum + part, 0);
  const shape = pool.shape.length > 1 ? pool.shape.join(" + ") : String(size);
  if (pool.shape.length === 0) return [el("span", { class: "muted" }, "no tenant yet")];
  return [`${pool.moreFit ? "≥ " : ""}${formatCount(pool.fits)}`, el("span", { class: "sub" }, `each ${shape} ${size === 1 ? "address" : "addresses"}`)];
}

/** @param {Report} report @param {Pool} pool @returns {Child} */
function runwayCell(report, pool) {
  const runway = runwayOf(pool);
  if (runway === null) {
    const isKnown = pool.rates.some((rate) => rate.enoughHistory);
    return el("span", { class: "muted", title: spansText(pool) }, isKnown ? "does not grow" : "too little history");
  }
  const day = runwayDay(runway, report.asOf);
  const isLow = runway.days < SHORT_RUNWAY;
  return el("span", { class: isLow ? "low" : null, title: spansText(pool) }, runwayText(runway), el("span", { class: "sub" }, day === "" ? "" : `${day}, `, `at the rate of the last ${runway.span} days`));
}

/** @param {Pool} pool @returns {number | null} Addresses more than 90 days before. */
function growthOf(pool) {
  const past = pool.trend.filter((point) => point.used !== null);
  return past.length < 2 ? null : Number(past[past.length - 1].used) - Number(past[0].used);
}

/** @param {Report} report @param {Pool} pool @returns {Child} */
function overlapCell(report, pool) {
  if (pool.overlaps.length === 0) return el("span", { class: "muted" }, "none");
  const names = pool.overlaps.map((key) => report.poolOf(key)?.title ?? key);
  return el("span", { class: "overlap", title: names.join(", ") }, overlapMark(), " ", names[0], names.length > 1 && ` and ${names.length - 1} more`);
}

/** @param {Report} report @returns {HTMLElement} Addresses that become free today, by pool and address. */
function todayTable(report) {
  const today = report.data.asOf.slice(0, 10);
  const rows = report.pools.flatMap((pool) => freeToday(pool, today).map((item) => ({ pool, range: pairRange([item[0], item[1]]), until: item[2] ?? "" })));
  return sortableTable({
    label: "Held addresses that become free today", rows, none: `None on ${today} (UTC).`,
    columns: [
      { title: "Range", value: (row) => row.range.first, cell: (row) => rangeLink(row.range) },
      { title: "Addresses", class: "number", value: (row) => sizeOf(row.range), cell: (row) => formatCount(sizeOf(row.range)) },
      { title: "Pool", value: (row) => row.pool.title, cell: (row) => poolLink(row.pool) },
      { title: "Free from", value: (row) => row.until, cell: (row) => formatTime(secondsOf(row.until)) },
    ],
  }).element;
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} name
 * @returns {string[]} Sorted.
 */
function uniqueOf(items, name) {
  return [...new Set(items.map(name))].sort();
}

/** @param {string} id @param {string} all @param {string[][]} options @returns {HTMLSelectElement} */
export function select(id, all, options) {
  return el("select", { id }, el("option", { value: "" }, all), options.map(([value, text]) => el("option", { value }, text)));
}

/** @param {string} label @param {HTMLElement} control @returns {HTMLElement} */
export function field(label, control) {
  const box = el("div", { class: "field" }, el("label", { for: control.id }, label));
  fill(box, control);
  return box;
}
