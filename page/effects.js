/**
 * The effect of the plan of this page on addresses, for the other views: they show it next to the present state.
 */

/** @import { Action, Pool, Report, Standing } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Whole } from "./pack.js" */
/** @import { Child } from "./dom.js" */
import { countText, formatRange, meets, minus, pairRange, plus, rangeOf, sizeOf } from "./addresses.js";
import { el } from "./dom.js";
import { countOf } from "./pack.js";
import { linkTo } from "./route.js";
import { holes } from "./occupancy.js";

/** @typedef {{range: Range, claim: string, before: string, after: string}} Effect `before` and `after` its claim, in words. */

/** Actions that allocate nothing. @type {readonly string[]} */
const GIVES_NOTHING = ["keep", "refuse", "release", "expire"];

/** @param {Report} report @returns {string} The name of the plan: the change, or the next reconcile. */
export function planName(report) {
  return report.data.change?.base ? "this change" : "the next reconcile";
}

/** @param {string} text @returns {HTMLElement} */
export function changeLink(text) {
  return el("a", { href: linkTo({ view: "change", pool: null, ip: null, q: null, find: null, at: null, show: null }) }, text);
}

/** @param {string} key "butler/TenantCluster/team/shop/loadbalancer" @returns {string} "team/shop" */
export function claimTitle(key) {
  const [, , namespace = "", name = ""] = key.split("/");
  return name === "" ? key : namespace === "_" || namespace === "" ? name : `${namespace}/${name}`;
}

/** The effect of an action on its claim, in words. @type {Record<string, string>} */
const ACTION_WORDS = { allocate: "allocates", grow: "adds to it", move: "moves it to", transfer: "transfers to it", release: "releases", expire: "frees" };

/**
 * Claims that no record names yet: only the plan knows them.
 * @param {Report} report
 * @returns {{name: string, detail: string}[]} `name` as people write it, "team/shop/loadbalancer".
 */
export function newClaims(report) {
  const known = new Set(report.claimKeys);
  /** @type {Map<string, string>} */
  const found = new Map();
  const who = planName(report);
  for (const action of report.data.change?.actions ?? []) {
    if (known.has(action.claim)) continue;
    const name = action.claim.split("/").slice(2).filter((part) => part !== "_").join("/");
    const count = countText(countOf(action.count), "address", "addresses");
    const where = report.poolOf(action.pool ?? "")?.label;
    const gives = `${who} ${ACTION_WORDS[action.action] ?? `does “${action.action}”:`} ${count}${where === undefined ? "" : ` in ${where}`}`;
    found.set(name === "" ? action.claim : name, action.action === "refuse" ? `${who} refuses it` : gives);
  }
  return [...found].map(([name, detail]) => ({ name, detail }));
}

/** @param {Report} report @param {string | null} key @param {Pool} pool @returns {boolean} Whether both give out of one space. */
function isBeside(report, key, pool) {
  return key === pool.key || (key !== null && report.poolOf(key)?.space === pool.space);
}

/** @param {Report} report @param {Pool} pool @returns {{range: Range, action: Action}[]} What actions take in the pool's space. */
function takenIn(report, pool) {
  return (report.data.change?.actions ?? []).flatMap((action) => {
    if (action.start === null || action.end === null || GIVES_NOTHING.includes(action.action)) return [];
    return isBeside(report, action.pool, pool) ? [{ action, range: pairRange([action.start, action.end]) }] : [];
  });
}

/** @param {Report} report @param {Pool} pool @returns {Range[]} The free runs that are left once the plan took its own. */
export function freeLeft(report, pool) {
  const taken = takenIn(report, pool).map((item) => item.range);
  return pool.free.map(pairRange).flatMap((run) => holes(run, taken));
}

/** @param {Report} report @param {Pool} pool @returns {{range: Range, claim: string}[]} Free addresses of the pool that the plan gives out. */
export function freeTaken(report, pool) {
  const runs = pool.free.map(pairRange);
  return takenIn(report, pool).filter(({ range }) => runs.some((run) => meets(run, range))).map(({ range, action }) => ({ range, claim: action.claim }));
}

/** @param {Range[]} runs @returns {Whole} */
export function sumOf(runs) {
  return runs.reduce((sum, run) => plus(sum, sizeOf(run)), /** @type {Whole} */ (0));
}

/** @param {Report} report @param {Pool} pool @returns {Standing | null} The pool after the plan. Null if the plan does not change it. */
export function standingAfter(report, pool) {
  return report.data.change?.pools[pool.key]?.after ?? null;
}

/** @param {Report} report @param {Pool} pool @returns {Child} "with this change: 75 %, warning" */
export function afterNote(report, pool) {
  const after = standingAfter(report, pool);
  return after !== null && changeLink(`with ${planName(report)}: ${after.utilizationPercent}\u00a0%, ${after.tier}`);
}

/**
 * Return whether an allocation of this size, after the plan, brings the pool to its gate.
 * @param {Report} report
 * @param {Pool} pool
 * @param {Whole} count
 * @returns {boolean}
 */
export function reachesGate(report, pool, count) {
  const gate = pool.levels.find((level) => level.level === "gate");
  if (gate === undefined || pool.gate === null) return false;
  const after = standingAfter(report, pool);
  const used = after === null ? pool.counts.used : plus(countOf(after.allocated), countOf(after.held));
  return minus(plus(used, count), countOf(gate.addresses)) >= 0;
}

/**
 * Return the effect of the plan on addresses of a range.
 * @param {Report} report
 * @param {Pool} pool
 * @param {Range} range
 * @returns {Effect[]}
 */
export function effectsOn(report, pool, range) {
  const who = report.data.change?.base ? "the change" : "the next reconcile";
  /** @type {Effect[]} */
  const found = [];
  const add = (/** @type {Range} */ item, /** @type {Action} */ action, /** @type {(what: string) => [string, string]} */ words) => {
    if (!meets(item, range)) return;
    const part = rangeOf(item.version, item.first < range.first ? range.first : item.first, item.last > range.last ? range.last : item.last);
    const [before, after] = words(part.first === range.first && part.last === range.last ? "it" : formatRange(part));
    found.push({ range: part, claim: claimTitle(action.claim), before: `${who} ${before}`, after });
  };
  for (const action of report.data.change?.actions ?? []) {
    const { from } = action;
    if (from !== null && from.pool === pool.key) add(pairRange([from.start, from.end]), action, (what) => [`releases ${what}, because `, " moves"]);
    if (action.start === null || action.end === null || !isBeside(report, action.pool, pool)) continue;
    const given = pairRange([action.start, action.end]);
    if (action.action === "release") add(given, action, (what) => [`releases ${what}, held by `, ""]);
    else if (action.action === "expire") add(given, action, (what) => [`frees ${what}, which was held for `, ""]);
    else if (!GIVES_NOTHING.includes(action.action)) add(given, action, (what) => [`allocates ${what} to `, ""]);
  }
  return found;
}

/** @param {Report} report @param {Pool | null} pool @param {Range} range @returns {string} The same as text; empty when it does nothing there. */
export function effectText(report, pool, range) {
  return pool === null ? "" : effectsOn(report, pool, range).map(({ before, claim, after }) => `${before}${claim}${after}`).join("; ");
}

/** @param {Report} report @param {Pool | null} pool @param {Range} range @returns {Child[]} The same with a link to the change. */
export function effectWords(report, pool, range) {
  const text = effectText(report, pool, range);
  return text === "" ? [] : ["; ", changeLink(text)];
}
