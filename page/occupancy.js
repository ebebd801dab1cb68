/**
 * The content of a range: lives of records, and parts without a record (free, reserved, in no pool).
 */

/** @import { Life, Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Whole } from "./pack.js" */
import { meets, minus, pairRange, plus, rangeOf } from "./addresses.js";
import { lifeRange } from "./model.js";

/**
 * @typedef {{range: Range, pool: Pool | null, life: Life | null, sort: "life" | "other" | "free" | "none" | "unknown",
 *   word: string, title: string, path: string, line: number}} Part
 */

/**
 * Lives that share an address with a range, over all pools.
 * @param {Report} report
 * @param {Range} range
 * @returns {Life[]} By pool and address.
 */
export function livesIn(report, range) {
  return livesWithin(report, range).map(report.life);
}

/**
 * The same as indices, which is quicker where there are many.
 * @param {Report} report
 * @param {Range} range
 * @returns {number[]}
 */
export function livesWithin(report, range) {
  const { version, first, size, count, low, high } = report.lives;
  const found = [];
  if (range.version === 4) {
    const from = Number(range.first);
    const to = Number(range.last);
    for (let at = 0; at < count; at += 1) if (low[at] <= to && high[at] >= from && version[at] === 4) found.push(at);
    return found;
  }
  for (let at = 0; at < count; at += 1) {
    if (version[at] !== 6 || first[at] > range.last) continue;
    if (plus(first[at], size[at]) > range.first) found.push(at);
  }
  return found;
}

/** @param {Report} report @param {Range} range @returns {Pool[]} Pools whose networks meet it. */
export function poolsAt(report, range) {
  return report.pools.filter((pool) => pool.networks.some((pair) => meets(pairRange(pair), range)));
}

/**
 * The parts of a range, by pool and address.
 * @param {Report} report
 * @param {Range} range
 * @param {number} t The number of commits before that time. `report.now` also has the free parts.
 * @returns {Part[]}
 */
export function partsAt(report, range, t) {
  const lives = livesWithin(report, range).flatMap((at) => (report.isThere(at, t) ? [report.life(at)] : []));
  const pools = poolsAt(report, range);
  /** @type {Part[]} */
  const parts = lives.map((life) => partOf(cut(lifeRange(life), range), report.pools[life.pool], { life, sort: "life" }));
  for (const pool of pools) {
    const others = pool.others.filter((pair) => meets(pairRange(pair), range));
    for (const [first, last, word, title, path, line] of others) {
      const part = cut(pairRange([first, last]), range);
      parts.push(partOf(part, pool, { sort: "other", word, title, path, line }));
    }
    const free = pool.free.map(pairRange).filter((run) => t === report.now && meets(run, range));
    parts.push(...free.map((run) => partOf(cut(run, range), pool, { sort: "free", word: "free" })));
  }
  return parts.concat(gaps(range, parts, pools)).sort(byAddress);
}

/**
 * @param {Range} range
 * @param {Pool | null} pool
 * @param {Partial<Part> & Pick<Part, "sort">} more
 * @returns {Part}
 */
function partOf(range, pool, more) {
  return { range, pool, life: null, word: "", title: "", path: "", line: 0, ...more };
}

/** @param {Range} item @param {Range} frame @returns {Range} What of it lies within. */
function cut(item, frame) {
  const first = item.first < frame.first ? frame.first : item.first;
  return rangeOf(item.version, first, item.last > frame.last ? frame.last : item.last);
}

/**
 * Return the ranges that no part covers: in no pool, or not listed by their pool.
 * @param {Range} range
 * @param {Part[]} parts
 * @param {Pool[]} pools
 * @returns {Part[]}
 */
function gaps(range, parts, pools) {
  const networks = pools.flatMap((pool) => pool.networks.map((pair) => ({ pool, range: cut(pairRange(pair), range) })));
  const inside = networks.filter(({ range: network }) => meets(network, range));
  const outside = holes(range, inside.map((item) => item.range).concat(parts.map((part) => part.range)));
  const silent = inside.flatMap(({ pool, range: network }) =>
    holes(network, parts.map((part) => part.range)).map((hole) => partOf(hole, pool, { sort: "unknown" })),
  );
  return [...outside.map((hole) => partOf(hole, null, { sort: "none" })), ...silent];
}

/** @param {Range} frame @param {Range[]} covers @returns {Range[]} What of the frame none of them covers. */
export function holes(frame, covers) {
  const sorted = covers.filter((item) => meets(item, frame)).sort((a, b) => order(a.first, b.first));
  /** @type {Range[]} */
  const left = [];
  let next = frame.first;
  for (const item of sorted) {
    if (item.first > next) left.push(rangeOf(frame.version, next, minus(item.first, 1)));
    if (item.last >= next) next = plus(item.last, 1);
  }
  if (next <= frame.last) left.push(rangeOf(frame.version, next, frame.last));
  return left;
}

/** @param {Whole | string} a @param {Whole | string} b @returns {number} */
export function order(a, b) {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** @param {Part} a @param {Part} b @returns {number} */
function byAddress(a, b) {
  return order(a.range.first, b.range.first) || order(a.pool?.key ?? "", b.pool?.key ?? "");
}
