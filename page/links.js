/**
 * Links within the page: to a tenant, a team, a pool, a range.
 */

/** @import { Pool } from "./model.js" */
/** @import { Range } from "./addresses.js" */
import { formatRange } from "./addresses.js";
import { el } from "./dom.js";
import { linkTo } from "./route.js";

/** @param {string} owner @returns {HTMLElement} */
export function ownerLink(owner) {
  return el("a", { href: linkTo({ view: null, q: owner, ip: null, pool: null, find: null }) }, owner);
}

/** @param {string} team @returns {HTMLElement} */
export function teamLink(team) {
  return el("a", { href: linkTo({ view: null, q: `team:${team}`, ip: null, pool: null, find: null }) }, team);
}

/** @param {Pool} pool @returns {HTMLElement} */
export function poolLink(pool) {
  return el("a", { href: linkTo({ view: null, pool: pool.key, q: null, ip: null, find: null }), title: pool.title }, pool.label);
}

/** @param {Range} range @returns {HTMLElement} */
export function rangeLink(range) {
  const text = formatRange(range);
  return el("a", { class: "mono", href: linkTo({ view: null, ip: text, pool: null, q: null, find: null }) }, text);
}
