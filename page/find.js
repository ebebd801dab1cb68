/**
 * Find n free: in which pools, which run each would give next, and the request to copy.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Offer } from "./ask.js" */
/** @import { Child } from "./dom.js" */
/** @import { Route } from "./route.js" */
/** @import { Wanted } from "./requests.js" */
import { countText, formatCount, formatRange, sizeOf } from "./addresses.js";
import { poolLink } from "./links.js";
import { el, mono, refill } from "./dom.js";
import { afterNote, changeLink, claimTitle, freeLeft, freeTaken, planName, reachesGate, standingAfter, sumOf } from "./effects.js";
import { requestPart } from "./ask.js";
import { field } from "./pools.js";
import { givesRows, nextRun, nextSingles, wantedOf } from "./requests.js";
import { go } from "./route.js";
import { runwayDay, runwayOf, runwayText } from "./runway.js";
import { order } from "./occupancy.js";
import { sortableTable } from "./table.js";

/** @param {Report} report @param {Route} here @returns {HTMLElement} */
export function findView(report, here) {
  const text = here.find ?? "8";
  const wanted = wantedOf(text);
  const box = el("div");
  const input = el("input", { id: "find-count", type: "text", inputmode: "text", value: text, spellcheck: "false", autocomplete: "off", "aria-describedby": "find-help" });
  const form = el("form", { class: "filters" }, field("How many", input), el("button", { type: "submit", class: "button strong" }, "Find free"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go({ view: "find", find: input.value.trim() || "8" });
  });
  if (wanted === null) refill(box, el("p", { class: "warn" }, `${text} is not a valid count or prefix length. Write 8 for eight contiguous addresses, or /28 for a network.`));
  else refill(box, offersPart(report, wanted, here.pool));
  const help = "8 is eight contiguous addresses; /28 is an IPv4 network of 16 addresses that begins at a multiple of 16.";
  return el("section", { class: "find-view" }, el("h2", { tabindex: -1 }, "Find free addresses"), form, el("p", { id: "find-help", class: "muted" }, help), box);
}

/** @param {Report} report @param {Wanted} wanted @param {string | null} preferred A pool whose request is shown first. @returns {HTMLElement} */
function offersPart(report, wanted, preferred) {
  const offers = report.pools.flatMap((pool) => offerOf(report, pool, wanted));
  const asked = wanted.prefix === null ? countText(wanted.count, "address", "addresses") : `a /${wanted.prefix} (${countText(wanted.count, "address", "addresses")})`;
  if (offers.length === 0) return el("p", { class: "warn" }, `No pool has ${asked} free${takes(report)}. The largest free range is in ${largestText(report)}.`);
  const panel = el("div", { class: "request" });
  /** @param {Offer} offer */
  const choose = (offer) => refill(panel, requestPart(report, offer, wanted));
  const first = offers.find((offer) => offer.pool.key === preferred) ?? [...offers].sort((a, b) => rank(a) - rank(b))[0];
  choose(first);
  const table = sortableTable({
    label: `Pools that have ${asked} free`,
    rows: offers,
    none: "",
    columns: [
      { title: "Pool", value: (offer) => offer.pool.title, cell: (offer) => [poolLink(offer.pool), el("span", { class: "sub" }, [offer.pool.kind, offer.pool.namespace].filter((word) => word !== "").join(" · "))] },
      { title: "Next range", value: (offer) => offer.runs[0].first, cell: (offer) => [runsText(offer.runs), offer.isGated && el("span", { class: "sub low" }, "reaches the capacity limit"), takenNote(report, offer.pool)] },
      { title: "Request", value: null, cell: (offer) => el("button", { type: "button", class: "button", onclick: () => choose(offer) }, "Show YAML") },
      { title: "Free", class: "number", value: (offer) => offer.left, isFirstHigh: true, cell: (offer) => freeCell(report, offer) },
      { title: "Used", class: "number", value: (offer) => offer.percent, cell: (offer) => [`${offer.pool.utilizationPercent} %`, el("span", { class: "sub wraps" }, afterNote(report, offer.pool))] },
      { title: "Runway", value: (offer) => runwayOf(offer.pool)?.days ?? null, cell: (offer) => runwayWords(report, offer.pool) },
    ],
  });
  const title = el("h3", null, `${countText(offers.length, "pool has", "pools have")} ${asked} free`);
  return el("div", { class: "offers" }, el("div", null, title, table.element), panel);
}

/** @param {Report} report @param {Pool} pool @param {Wanted} wanted @returns {Offer[]} */
function offerOf(report, pool, wanted) {
  if (pool.isPaused || pool.isAutomatic === false) return [];
  const free = freeLeft(report, pool);
  const percent = standingAfter(report, pool)?.utilizationPercent ?? pool.utilizationPercent;
  const more = { left: sumOf(free), percent, isGated: reachesGate(report, pool, wanted.count) };
  if (givesRows(pool) || wanted.prefix !== null) {
    const run = givesRows(pool) ? nextRun(pool, free, wanted) : null;
    return run === null ? [] : [{ pool, runs: [run], ...more }];
  }
  const runs = nextSingles(free, wanted.count);
  return runs === null ? [] : [{ pool, runs, ...more }];
}

/** @param {Offer} offer @returns {number} Pools that give rows first, IPv4 before IPv6, then the one with most room. */
function rank({ pool, runs, percent, isGated }) {
  return (isGated ? 2000 : 0) + (givesRows(pool) ? 0 : 1000) + (runs[0].version === 4 ? 0 : 500) + percent;
}

/** @param {Report} report @returns {string} */
function takes(report) {
  return report.pools.some((pool) => freeTaken(report, pool).length > 0) ? `, without what ${planName(report)} takes` : "";
}

/** @param {Report} report @param {Pool} pool @returns {Child} Addresses that are free now, but not after the plan. */
function takenNote(report, pool) {
  const taken = freeTaken(report, pool);
  if (taken.length === 0) return null;
  const [{ range, claim }] = taken;
  const more = taken.length > 1 ? ` and ${countText(taken.length - 1, "more range")}` : "";
  return el("span", { class: "sub wraps" }, `without ${formatRange(range)}${more}: `, changeLink(`${planName(report)} allocates it`), ` to ${claimTitle(claim)}${more === "" ? "" : " and others"}`);
}

/** @param {Report} report @param {Offer} offer @returns {Child[]} */
function freeCell(report, { pool, left }) {
  const isLess = freeTaken(report, pool).length > 0;
  return [formatCount(left), isLess && el("span", { class: "sub" }, `${formatCount(pool.counts.available)} today`)];
}

/** @param {Report} report @param {Pool} pool @returns {Child[]} */
function runwayWords(report, pool) {
  const runway = runwayOf(pool);
  return runway === null ? ["does not grow"] : [runwayText(runway), el("span", { class: "sub" }, runwayDay(runway, report.asOf))];
}

/** @param {Range[]} runs @returns {HTMLElement} */
function runsText(runs) {
  const shown = runs.slice(0, 3).map(formatRange).join(", ");
  return mono(runs.length > 3 ? `${shown} and ${runs.length - 3} more` : shown);
}

/** @param {Report} report @returns {string} */
function largestText(report) {
  const runs = report.pools.flatMap((pool) => freeLeft(report, pool).map((run) => ({ pool, size: sizeOf(run) })));
  const first = runs.sort((a, b) => order(b.size, a.size))[0];
  return first === undefined ? "no pool" : `${first.pool.title}: ${countText(first.size, "address", "addresses")}`;
}
