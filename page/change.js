/**
 * The effect of a change before the merge: in one sentence, as actions, and on the maps of its pools.
 */

/** @import { Action, Change, Pool, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
import { poolLink } from "./links.js";
import { countText } from "./addresses.js";
import { changeMaps } from "./changemaps.js";
import { changeTable } from "./changetable.js";
import { el, mono } from "./dom.js";
import { countOf } from "./pack.js";
import { formatCount } from "./addresses.js";

/** Number of pools whose maps are open at first. */
const MOST_MAPS = 6;

/**
 * The view that is shown, so that a choice of side or team changes it in place.
 * @type {{report: Report | null, element: HTMLElement | null, update: (route: Route) => void}}
 */
const changeShown = { report: null, element: null, update: () => undefined };

/** @param {Report} report @param {Route} route @returns {HTMLElement} The same element again for the same report. */
export function changeView(report, route) {
  if (changeShown.report !== report || changeShown.element === null) {
    Object.assign(changeShown, { report, ...builtChange(report) });
  }
  changeShown.update(route);
  return /** @type {HTMLElement} */ (changeShown.element);
}

/** @param {Report} report */
function builtChange(report) {
  const { change } = report.data;
  const head = el("h2", { tabindex: -1 }, change?.base ? "Effect of merging this change" : "Effect of the next reconcile");
  const nothing = () => undefined;
  if (change === null) {
    return { element: el("section", { class: "view" }, head, el("p", null, "This report contains no plan.")), update: nothing };
  }
  const actions = change.actions.filter((action) => action.action !== "keep");
  const sentence = el("p", { class: "change-sentence" }, changeWords(change.base !== null, actions));
  if (actions.length === 0) return { element: el("section", { class: "view" }, head, sentence), update: nothing };
  const touched = report.pools.filter((pool) => actions.some((action) => action.start !== null && (action.pool === pool.key || action.from?.pool === pool.key)));
  /** @type {ReturnType<typeof changeMaps>[]} */
  const maps = [];
  /** @type {Route | null} */
  let here = null;
  const add = (/** @type {Pool} */ pool) => {
    const made = changeMaps(report, pool, actions);
    maps.push(made);
    if (here !== null) made.update(here);
    return made.element;
  };
  const element = el(
    "section",
    { class: "view change-view" },
    head,
    sentence,
    el("p", { class: "muted" }, change.base === null ? "Compared with the records in Git. " : ["Compared with ", mono(change.base.slice(0, 12)), ". "], "Plan ", mono(change.digest.slice(0, 19))),
    poolsBeside(report, change),
    touched.slice(0, MOST_MAPS).map((pool) => el("section", { class: "change-pool" }, el("h3", null, poolLink(pool)), add(pool))),
    touched.slice(MOST_MAPS).map((pool) => folded(pool, () => add(pool))),
    el("h3", null, "All actions"),
    changeTable(report, actions),
  );
  return {
    element,
    update: (/** @type {Route} */ route) => {
      here = route;
      for (const it of maps) it.update(route);
    },
  };
}

/** @param {Pool} pool @param {() => HTMLElement} make @returns {HTMLElement} */
function folded(pool, make) {
  const fold = el("details", { class: "change-pool" }, el("summary", null, pool.title));
  fold.addEventListener("toggle", () => {
    if (fold.open && fold.children.length === 1) fold.append(make());
  });
  return fold;
}

/**
 * What all actions do, in one sentence.
 * @param {boolean} isMerge
 * @param {Action[]} actions
 * @returns {string}
 */
export function changeWords(isMerge, actions) {
  const subject = isMerge ? "Merging this change" : "Reconciling this revision";
  if (actions.length === 0) return `${subject} changes no address: every claim has its addresses.`;
  /** @type {[string, (claims: string, addresses: string) => string][]} */
  const words = [
    ["allocate", (claims, addresses) => `allocates ${addresses} to ${claims}`],
    ["grow", (claims, addresses) => `adds ${addresses} to ${claims} as growth`],
    ["move", (claims, addresses) => `moves ${claims} (${addresses})`],
    ["transfer", (claims, addresses) => `transfers ${addresses} of ${claims} to another owner`],
    ["release", (claims, addresses) => `releases ${addresses} of ${claims}`],
    ["expire", (_, addresses) => `frees ${addresses} that were held`],
    ["refuse", (claims) => `refuses ${claims}`],
  ];
  const known = words.flatMap(([name, message]) => {
    const mine = actions.filter((action) => action.action === name);
    const addresses = mine.reduce((sum, action) => sum + action.count, 0);
    return mine.length === 0 ? [] : [message(countText(mine.length, "claim"), countText(addresses, "address", "addresses"))];
  });
  const others = [...new Set(actions.map((action) => action.action))].filter((name) => !words.some(([word]) => word === name));
  const all = [...known, ...others.map((name) => `does “${name}” for ${countText(actions.filter((action) => action.action === name).length, "claim")}`)];
  const last = all.pop();
  return `${subject} ${all.length === 0 ? last : `${all.join(", ")} and ${last}`}.`;
}

/** @param {Report} report @param {Change} change @returns {HTMLElement | null} */
function poolsBeside(report, change) {
  const rows = Object.entries(change.pools);
  if (rows.length === 0) return null;
  const pair = (/** @type {string} */ before, /** @type {string} */ after) =>
    before === after ? before : el("span", null, el("span", { class: "muted" }, before), " → ", el("strong", null, after));
  const count = (/** @type {number | string} */ value) => formatCount(countOf(value));
  const percent = (/** @type {number} */ value) => `${value} %`;
  const tier = (/** @type {string} */ name) => el("span", { class: `tag ${name}` }, name);
  return el(
    "div",
    { class: "scroll change-figures", role: "region", tabindex: 0, "aria-label": "Pools before and after" },
    el(
      "table",
      { class: "list" },
      el("thead", null, el("tr", null, ["Pool", "Allocated", "Held", "Used", "Level"].map((head) => el("th", { scope: "col" }, head)))),
      el(
        "tbody",
        null,
        rows.map(([key, { before, after }]) => {
          const pool = report.poolOf(key);
          return el(
            "tr",
            null,
            el("th", { scope: "row" }, pool === undefined ? key : poolLink(pool)),
            el("td", null, pair(count(before.allocated), count(after.allocated))),
            el("td", null, pair(count(before.held), count(after.held))),
            el("td", null, pair(percent(before.utilizationPercent), percent(after.utilizationPercent))),
            el("td", null, before.tier === after.tier ? tier(after.tier) : [tier(before.tier), " → ", tier(after.tier)]),
          );
        }),
      ),
    ),
  );
}
