/**
 * The content of the cells of a map at a time: the ranges of a pool with their spans of
 * commits, counted into cells in one pass, fast enough for a slider over all of history.
 */

/** @import { Whole } from "./pack.js" */
/** @import { Pool, Report } from "./model.js" */
/** @import { Cells } from "./cells.js" */
import { minus, pairRange, plus } from "./addresses.js";
import { cellFrom, fourCells, sharedWith, sixCells } from "./cells.js";

/**
 * One range in one state, over a span of commits; `to` -1 is still.
 * @typedef {{version: 4 | 6, first: Whole, last: Whole, state: number, claim: number, from: number, to: number, life: number,
 *   isNew: boolean, title: string}} Span
 * @typedef {{version: 4 | 6, first: Whole, last: Whole, state: number, title: string, path: string, line: number}} Other
 * @typedef {{spans: Span[], others: Other[], networks: import("./addresses.js").Range[]}} Scene
 * @typedef {{
 *   cells: Cells, spans: Span[], others: Other[], begins: Int32Array, ends: Int32Array, low: Int32Array, high: Int32Array, atLow: Float64Array, atHigh: Float64Array,
 *   fixed: Float64Array, owner: Int32Array, counts: Float64Array, top: Int32Array, most: Float64Array, torn: Uint8Array
 * }} Paint
 */

/** The states of an address, by number. @type {readonly string[]} */
export const KINDS = ["allocated", "held", "left", "gateway", "used", "reserved", "unused", "free"];
export const FREE = 7;
const KIND_COUNT = 8;

/** Names in the data of addresses without a record. @type {Readonly<Record<string, number>>} */
const OTHER_KINDS = { gateway: 3, "in use": 4, reserved: 5, "not allocatable": 6 };

/** @param {Report} report @param {Pool} pool @returns {Scene} */
export function sceneOf(report, pool) {
  const { lives } = report;
  const [from, to] = report.livesOf(pool.at);
  /** @type {Span[]} */
  const spans = [];
  for (let at = from; at < to; at += 1) {
    spans.push({
      version: lives.version[at] === 4 ? 4 : 6,
      first: lives.first[at],
      last: minus(plus(lives.first[at], lives.size[at]), 1),
      state: lives.state[at] & 3,
      claim: lives.claim[at],
      from: lives.from[at],
      to: lives.to[at],
      life: at,
      isNew: false,
      title: "",
    });
  }
  const others = pool.others.map(([first, last, state, title, path, line]) => ({
    ...pairRange([first, last]),
    state: OTHER_KINDS[state] ?? 5,
    title,
    path,
    line,
  }));
  return { spans, others, networks: pool.networks.map(pairRange) };
}

/**
 * A scene of one IP version, ready to be counted into cells; null when the pool has none of it.
 * @param {Scene} scene
 * @param {4 | 6} version
 * @returns {Paint | null}
 */
export function paintOf(scene, version) {
  const mine = (/** @type {{version: number}} */ it) => it.version === version;
  const networks = scene.networks.filter(mine);
  if (networks.length === 0) return null;
  const spans = scene.spans.filter(mine).sort(byFirst);
  const others = scene.others.filter(mine);
  const cells = version === 4 ? fourCells(networks) : sixCells(networks, edgesOf([...spans, ...others]));
  const count = cells.first.length;
  /** @type {Paint} */
  const paint = {
    cells, spans, others,
    begins: Int32Array.from(spans, (span) => span.from), ends: Int32Array.from(spans, (span) => span.to),
    low: new Int32Array(spans.length), high: new Int32Array(spans.length),
    atLow: new Float64Array(spans.length), atHigh: new Float64Array(spans.length),
    fixed: new Float64Array(count * KIND_COUNT), owner: new Int32Array(count).fill(-1),
    counts: new Float64Array(count * KIND_COUNT), top: new Int32Array(count), most: new Float64Array(count), torn: new Uint8Array(count),
  };
  spans.forEach((span, at) => {
    paint.low[at] = cellFrom(cells, span.first);
    paint.high[at] = cellFrom(cells, span.last);
    if (paint.high[at] >= count || cells.first[paint.high[at]] > span.last) paint.high[at] -= 1;
    if (paint.low[at] >= count || paint.high[at] < paint.low[at]) return;
    paint.atLow[at] = sharedWith(cells, paint.low[at], span.first, span.last);
    paint.atHigh[at] = sharedWith(cells, paint.high[at], span.first, span.last);
  });
  others.forEach((other, at) => {
    for (let cell = cellFrom(cells, other.first); cell < count && cells.first[cell] <= other.last; cell += 1) {
      paint.fixed[cell * KIND_COUNT + other.state] += sharedWith(cells, cell, other.first, other.last);
      if (paint.owner[cell] < 0 || other.state < others[paint.owner[cell]].state) paint.owner[cell] = at;
    }
  });
  return paint;
}

/** @param {{first: Whole, from: number}} a @param {{first: Whole, from: number}} b @returns {number} */
function byFirst(a, b) {
  return a.first < b.first ? -1 : a.first > b.first ? 1 : a.from - b.from;
}

/** @param {{first: Whole, last: Whole}[]} ranges @returns {Whole[]} */
function edgesOf(ranges) {
  return ranges.flatMap((range) => [range.first, plus(range.last, 1n)]);
}

/** @param {Span} span @param {number} t @returns {boolean} */
export function isThen(span, t) {
  return span.from < t && (span.to === -1 || span.to >= t);
}

/**
 * Count the addresses of each span at a time into the cells: in `counts`, `top` (the span that has most of a cell, -1) and `torn`.
 * @param {Paint} paint
 * @param {number} t
 */
export function countAt(paint, t) {
  const { spans, begins, ends, low, high, atLow, atHigh, counts, top, most, torn, cells } = paint;
  counts.set(paint.fixed);
  top.fill(-1);
  most.fill(0);
  torn.fill(0);
  let behind = -1;
  for (let at = 0; at < spans.length; at += 1) {
    if (begins[at] >= t || (ends[at] !== -1 && ends[at] < t)) continue;
    const span = spans[at];
    const end = high[at];
    for (let cell = low[at]; cell <= end; cell += 1) {
      const share = cell === low[at] ? atLow[at] : cell === end ? atHigh[at] : cells.size[cell];
      counts[cell * KIND_COUNT + span.state] += share;
      if (share > most[cell]) {
        most[cell] = share;
        top[cell] = at;
      }
    }
    if (behind >= 0 && span.first <= spans[behind].last) {
      const shared = span.last < spans[behind].last ? span.last : spans[behind].last;
      if (span.claim !== spans[behind].claim) tear(paint, low[at], shared);
      if (span.last > spans[behind].last) behind = at;
    } else {
      behind = at;
    }
  }
  for (let cell = 0; cell < top.length; cell += 1) {
    let taken = 0;
    for (let kind = 0; kind < FREE; kind += 1) taken += counts[cell * KIND_COUNT + kind];
    counts[cell * KIND_COUNT + FREE] = Math.max(0, cells.size[cell] - taken);
  }
}

/** @param {Paint} paint @param {number} from The first cell. @param {Whole} last The last address that two have. */
function tear(paint, from, last) {
  for (let cell = from; cell < paint.torn.length && paint.cells.first[cell] <= last; cell += 1) paint.torn[cell] = 1;
}

/**
 * The look of a cell as last counted: the kind when it is all one, else -1, and the share of each kind in sixteenths.
 * @param {Paint} paint
 * @param {number} cell
 * @param {Uint8Array} shares Filled, by kind.
 * @returns {number}
 */
export function lookOf(paint, cell, shares) {
  const from = cell * KIND_COUNT;
  const size = paint.cells.size[cell];
  let whole = -1;
  for (let kind = 0; kind < KIND_COUNT; kind += 1) {
    const count = paint.counts[from + kind];
    shares[kind] = count === 0 ? 0 : Math.max(1, Math.min(16, Math.round((count / size) * 16)));
    if (count >= size && whole < 0) whole = kind;
  }
  return whole;
}

/**
 * Return the content of a cell at a time, by address: ranges of records, and others.
 * @param {Paint} paint
 * @param {number} cell
 * @param {number} t
 * @returns {{spans: Span[], others: Other[], free: number}}
 */
export function inCell(paint, cell, t) {
  const [first, last] = [paint.cells.first[cell], paint.cells.last[cell]];
  const meets = (/** @type {{first: Whole, last: Whole}} */ it) => it.first <= last && it.last >= first;
  countAt(paint, t);
  return {
    spans: paint.spans.filter((span) => meets(span) && isThen(span, t)),
    others: paint.others.filter(meets),
    free: paint.counts[cell * KIND_COUNT + FREE],
  };
}
