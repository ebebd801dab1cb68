/**
 * The actions of a change as a table, by pool.
 */

/** @import { Child } from "./dom.js" */
/** @import { Action, Report } from "./model.js" */
import { formatCount, pairRange } from "./addresses.js";
import { poolLink, rangeLink } from "./links.js";
import { el, mono, refill, scrollRegion } from "./dom.js";

const ACTIONS_AT_ONCE = 300;

/** The order of actions: first those that remove addresses, then those that allocate them. @type {readonly string[]} */
const ACTION_ORDER = ["refuse", "move", "transfer", "release", "expire", "allocate", "grow"];

/** @param {Report} report @param {Action[]} actions @returns {HTMLElement} */
export function changeTable(report, actions) {
  const heads = ["Action", "Claim", "Addresses", "Count", "Why", "File"];
  const table = el("table", { class: "list wide change-table" }, el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col", class: head === "Count" ? "number" : null }, head)))));
  const more = el("p", { class: "more" });
  const sorted = [...actions].sort((a, b) => compared(a.pool ?? "~", b.pool ?? "~") || actionRank(a) - actionRank(b) || compared(a.claim, b.claim));
  const show = (/** @type {number} */ limit) => {
    for (const body of Array.from(table.tBodies)) body.remove();
    /** @type {HTMLElement | null} */
    let body = null;
    let before = "";
    for (const action of sorted.slice(0, limit)) {
      const key = action.pool ?? "";
      if (body === null || key !== before) {
        const pool = report.poolOf(key);
        body = el("tbody", null, el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: heads.length }, pool !== undefined ? poolLink(pool) : key === "" ? "No pool" : key)));
        table.append(body);
        before = key;
      }
      body.append(actionRow(action));
    }
    const rest = sorted.length - limit;
    refill(more, rest > 0 && el("button", { type: "button", class: "button", onclick: () => show(sorted.length) }, `Show ${formatCount(rest)} more`));
  };
  show(ACTIONS_AT_ONCE);
  return el("div", null, scrollRegion("Actions of the change", table), more);
}

/** @param {string} a @param {string} b @returns {number} */
function compared(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {Action} action @returns {number} */
function actionRank(action) {
  const rank = ACTION_ORDER.indexOf(action.action);
  return rank < 0 ? ACTION_ORDER.length : rank;
}

/** @param {Action} action @returns {HTMLElement} */
function actionRow(action) {
  /** @type {Child[]} */
  const addresses = [];
  if (action.from !== null) addresses.push(rangeLink(pairRange([action.from.start, action.from.end])), " → ");
  if (action.start !== null && action.end !== null) addresses.push(rangeLink(pairRange([action.start, action.end])));
  const [, , ...name] = action.claim.split("/");
  const place = action.path === null ? "" : `${action.path}${action.line === null ? "" : `:${action.line}`}`;
  return el(
    "tr",
    null,
    el("td", null, el("span", { class: `tag act-${action.action}` }, action.action)),
    el("th", { scope: "row", title: action.claim }, name.length > 0 ? name.join("/") : action.claim),
    el("td", { class: "nowrap" }, addresses),
    el("td", { class: "number" }, formatCount(action.count)),
    el("td", { class: "why" }, action.reason ?? "", action.message !== null && el("span", { class: "sub" }, action.message)),
    el("td", null, mono(place)),
  );
}
