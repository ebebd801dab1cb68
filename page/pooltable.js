/**
 * The table of a pool: ranges with their owners, by address, and free ranges between them.
 */

/** @import { Whole } from "./pack.js" */
/** @import { Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Other, Scene, Span } from "./scene.js" */
import { ownerLink, teamLink } from "./links.js";
import { formatCount, formatRange, minus, plus, rangeOf, sizeOf } from "./addresses.js";
import { el, mono, refill, scrollRegion } from "./dom.js";
import { KIND_WORDS, swatch, textureOf } from "./maplegend.js";
import { go } from "./route.js";
import { isThen, KINDS } from "./scene.js";
import { timeText } from "./times.js";

/**
 * @typedef {{range: Range, span: Span | null, other: Other | null}} TableRow Free when neither.
 * @typedef {{element: HTMLElement, show: (t: number) => void}} PoolTable
 */

const ROWS_FIRST = 200;

/** @param {Report} report @param {Pool} pool @param {Scene} scene @returns {PoolTable} */
export function poolTable(report, pool, scene) {
  const body = el("tbody");
  const more = el("p", { class: "table-more" });
  const heads = ["Addresses", "Count", "Tenant", "Team", "Type", "State", "Since", "Commit"];
  const table = el(
    "table",
    { class: "list wide pool-table" },
    el("caption", { class: "offscreen" }, `Addresses of ${pool.title}, by address`),
    el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col", class: head === "Count" ? "number" : null }, head)))),
    body,
  );
  rowKeys(body);
  const show = (/** @type {number} */ t, limit = ROWS_FIRST) => {
    const rows = rowsAt(scene, t);
    refill(body, ...rows.slice(0, limit).map((row, at) => rowOf(report, row, at)));
    const rest = rows.length - limit;
    refill(more, rest > 0 && el("button", { type: "button", class: "button", onclick: () => show(t, limit + 1000) }, `Show ${formatCount(Math.min(rest, 1000))} more of ${formatCount(rest)}`));
  };
  return { element: el("div", null, scrollRegion(`Table of ${pool.title}`, table), more), show };
}

/**
 * All addresses of the networks of a scene at a time, in ranges, by address.
 * @param {Scene} scene
 * @param {number} t
 * @returns {TableRow[]}
 */
export function rowsAt(scene, t) {
  /** @type {TableRow[]} */
  const taken = [
    ...scene.spans.filter((span) => isThen(span, t)).map((span) => ({ range: rangeOf(span.version, span.first, span.last), span, other: null })),
    ...scene.others.map((other) => ({ range: rangeOf(other.version, other.first, other.last), span: null, other })),
  ];
  taken.sort((a, b) => a.range.version - b.range.version || (a.range.first < b.range.first ? -1 : a.range.first > b.range.first ? 1 : 0));
  /** @type {TableRow[]} */
  const rows = [];
  let at = 0;
  for (const network of scene.networks) {
    /** @type {Whole} */
    let next = network.first;
    const gap = (/** @type {Whole} */ last) => {
      if (last >= next) rows.push({ range: rangeOf(network.version, next, last), span: null, other: null });
    };
    for (; at < taken.length && isUpTo(taken[at].range, network); at += 1) {
      const { range } = taken[at];
      if (range.version === network.version && range.last >= network.first) gap(minus(range.first, 1));
      rows.push(taken[at]);
      if (range.version === network.version && range.last >= next) next = plus(range.last, 1);
    }
    gap(network.last);
  }
  rows.push(...taken.slice(at));
  return rows;
}

/** @param {Range} range @param {Range} network @returns {boolean} It begins before the network ends. */
function isUpTo(range, network) {
  return range.version < network.version || (range.version === network.version && range.first <= network.last);
}

/** @param {Report} report @param {TableRow} row @param {number} at @returns {HTMLElement} */
function rowOf(report, row, at) {
  const size = sizeOf(row.range);
  const keyed = { tabindex: at === 0 ? 0 : -1, "data-range": formatRange(row.range) };
  const addresses = el("th", { scope: "row", class: "mono" }, formatRange(row.range));
  if (row.span === null && row.other === null) {
    const find = el("button", { type: "button", class: "linkish", onclick: () => go({ view: "find", find: String(size), ip: null, q: null }) }, "find a free range");
    return el("tr", { class: "is-free", ...keyed }, addresses, el("td", { class: "number" }, formatCount(size)), el("td", { colspan: 6 }, el("span", { class: "free-run" }, `— ${formatCount(size)} free — `), find));
  }
  const count = el("td", { class: "number" }, formatCount(size));
  if (row.other !== null) {
    const { state, title, path, line } = row.other;
    return el("tr", { class: "is-other", ...keyed }, addresses, count, el("td", { colspan: 3 }, title), stateCell(state, ""), el("td", null, ""), el("td", { class: "mono" }, path === "" ? "" : `${path}:${line}`));
  }
  const span = /** @type {Span} */ (row.span);
  const claim = report.claim(span.claim);
  const cause = report.lives.cause[span.life] >= 0 ? report.lives.cause[span.life] : span.from;
  const commit = cause >= 0 ? report.commits[cause] : null;
  const growth = (report.lives.state[span.life] & 4) !== 0 ? ", growth" : "";
  return el(
    "tr",
    keyed,
    addresses,
    count,
    el("td", null, ownerLink(claim.owner)),
    el("td", null, claim.team === "" ? "" : teamLink(claim.team)),
    el("td", null, `${claim.type}${growth}`),
    stateCell(span.state, textureOf(claim.type)),
    el("td", { class: "nowrap" }, timeText(report, span.from)),
    el("td", { class: "commit-cell", title: commit?.subject ?? null }, commit !== null && [mono(commit.id), ` ${commit.request}`]),
  );
}

/** @param {number} state @param {string} texture @returns {HTMLElement} */
function stateCell(state, texture) {
  const [name, sign, words] = KIND_WORDS[state];
  return el("td", { class: "nowrap" }, swatch(`k-${KINDS[state]}`, sign, state === 1 ? "held" : state < 3 ? texture : "", undefined), ` ${name === "unused" ? words : name === "used" ? "in use" : name}`);
}

/** Arrows, Home, End and Page move between rows; Enter shows a row on the map. @param {HTMLElement} body */
function rowKeys(body) {
  const pick = (/** @type {HTMLElement} */ row) => {
    if (row.dataset.range !== undefined) go({ ip: row.dataset.range });
  };
  body.addEventListener("keydown", (event) => {
    const row = event.target instanceof HTMLElement ? event.target.closest("tr") : null;
    if (row === null || event.target !== row || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter") return pick(row);
    const rows = /** @type {HTMLElement[]} */ (Array.from(body.children));
    const here = rows.indexOf(row);
    const there = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1, PageDown: here + 12, PageUp: here - 12 }[event.key];
    if (there === undefined) return;
    event.preventDefault();
    const next = rows[Math.max(0, Math.min(rows.length - 1, there))];
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  body.addEventListener("click", (event) => {
    const row = event.target instanceof HTMLElement && event.target.closest("a, button") === null ? event.target.closest("tr") : null;
    if (row instanceof HTMLElement) pick(row);
  });
}
