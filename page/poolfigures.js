/**
 * The figures of a pool, as the command line shows them.
 */

/** @import { Child } from "./dom.js" */
/** @import { Pool, Report } from "./model.js" */
import { countText, exactCount, formatCount } from "./addresses.js";
import { el } from "./dom.js";
import { weeksWords } from "./plots.js";

/** @param {Pool} pool @returns {string} What its gate does. */
export function gateRule(pool) {
  if (pool.gate === null) return "none";
  const percent = pool.thresholds[/** @type {keyof Pool["thresholds"]} */ (pool.gate)];
  return `changes that reach ${pool.gate}${percent === undefined ? "" : ` (${percent} %)`} are blocked`;
}

/** @param {Report} report @param {Pool} pool @returns {HTMLElement} */
export function poolFigures(report, pool) {
  const { counts } = pool;
  const number = (/** @type {number | bigint} */ count) => el("span", { title: exactCount(count) }, formatCount(count));
  const shape = pool.shape.length === 0 ? "" : ` (${pool.shape.map((size) => formatCount(size)).join(" + ")} addresses each)`;
  /** @type {[string, Child[]][]} */
  const items = [
    ["Total", [number(counts.total)]],
    ["Allocated", [number(counts.allocated)]],
    ["Held", [number(counts.held)]],
    ["Free", [number(counts.available)]],
    ["Reserved", [number(counts.reserved)]],
    ["Largest free range", [number(counts.largestFreeBlock)]],
    ["Used", [`${pool.utilizationPercent} %`]],
    ["Fragmentation", [`${pool.fragmentationPercent} %`]],
    ["Level", [el("span", { class: `tag ${pool.tier}` }, pool.tier), el("span", { class: "muted" }, ` at ${pool.thresholds.warning} / ${pool.thresholds.critical} / ${pool.thresholds.exhausted} %`)]],
    ["Capacity limit", [el("span", { class: pool.gate === null ? null : "figure-words" }, gateRule(pool)), pool.isPaused && ", paused"]],
    ["Still fit", [`${pool.moreFit ? "at least " : ""}${countText(pool.fits, "tenant")}`, el("span", { class: "muted" }, shape)]],
    ["Ranges", [number(pool.allocationCount)]],
    ...(pool.idle === null ? [] : [/** @type {[string, Child[]]} */ (["Idle", [number(pool.idle), el("span", { class: "muted" }, " no Service uses them")]])]),
  ];
  const runway = pool.rates.map((rate) =>
    el("p", null, `At the rate of the last ${rate.days} days: `, rate.enoughHistory ? weeksWords(rate.weeks, report.asOf) : "not enough history", "."),
  );
  return el(
    "div",
    null,
    el("dl", { class: "figures" }, items.map(([word, value]) => el("div", null, el("dt", null, word), el("dd", null, value)))),
    el("div", { class: "runway" }, runway),
    report.data.history.isWhole ? null : el("p", { class: "muted" }, "This page does not contain older history."),
  );
}
