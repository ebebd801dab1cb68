/**
 * One pool: its map first, time under it, then figures, the table and plots.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
import { poolLink } from "./links.js";
import { countText, formatCount, formatRange, pairRange, parseRange } from "./addresses.js";
import { el, mono } from "./dom.js";
import { afterNote } from "./effects.js";
import { poolMap } from "./map.js";
import { growthPlot } from "./growthplot.js";
import { poolFigures } from "./poolfigures.js";
import { poolTable } from "./pooltable.js";
import { go } from "./route.js";
import { sceneOf } from "./scene.js";
import { timeSlider } from "./slider.js";
import { poolsAt } from "./occupancy.js";
import { stepAt, stepsOf, wholeOf } from "./steps.js";
import { formatTime } from "./model.js";
import { atOf, timeOf } from "./times.js";
import { usagePlot } from "./plots.js";
import { sharePlot } from "./shareplot.js";

/**
 * The view that is shown, so that a change of time, address or team changes it in place.
 * @type {{report: Report | null, pool: Pool | null, element: HTMLElement | null, update: (route: Route) => void}}
 */
const poolShown = { report: null, pool: null, element: null, update: () => undefined };

/** @param {Report} report @param {Route} route @returns {HTMLElement} The same element again, as long as the pool is the same. */
export function poolView(report, route) {
  const asked = route.ip === null ? null : parseRange(route.ip);
  const here = asked === null ? [] : poolsAt(report, asked);
  const pool = route.pool === null ? here[0] : report.poolOf(route.pool);
  if (pool === undefined) return noPool(route);
  if (poolShown.report !== report || poolShown.pool !== pool || poolShown.element === null) {
    const { element, update } = builtView(report, pool, route);
    Object.assign(poolShown, { report, pool, element, update });
  }
  poolShown.update(route);
  return /** @type {HTMLElement} */ (poolShown.element);
}

/** @param {Route} route @returns {HTMLElement} */
function noPool(route) {
  const what = route.pool !== null ? "This page has no pool with this name: " : "No pool contains this address: ";
  return el("section", { class: "view" }, el("h2", null, "No such pool"), el("p", null, what, mono(route.pool ?? route.ip ?? "")));
}

/** @param {Report} report @param {Pool} pool @param {Route} route */
function builtView(report, pool, route) {
  const scene = sceneOf(report, pool);
  const steps = stepsOf(report, pool);
  let t = timeOf(report, route.at) ?? report.now;
  const map = poolMap(report, scene, { title: `Map of ${pool.title}`, t });
  const table = poolTable(report, pool, scene);
  const then = el("p", { class: "map-then" });
  const tierTime = el("span", { class: "muted tier-time" });
  const tableTime = el("span", { class: "muted" });
  let tabled = -1;

  const say = () => {
    const step = steps[stepAt(steps, t)];
    const when = t === report.now ? "Now" : formatTime(step.seconds);
    then.replaceChildren(el("strong", null, when), `: ${formatCount(wholeOf(step.allocated))} allocated, ${formatCount(wholeOf(step.held))} held`);
    then.classList.toggle("is-past", t !== report.now);
    tierTime.textContent = t === report.now ? "" : " now";
  };
  const move = (/** @type {number} */ time, isAtRest = false) => {
    t = time;
    map.show(t, isAtRest);
    say();
  };
  const rest = () => {
    map.show(t, true);
    if (tabled !== t) table.show(t);
    tabled = t;
    tableTime.textContent = t === report.now ? "" : ` as of ${formatTime(steps[stepAt(steps, t)].seconds)}`;
  };
  const slider = timeSlider(report, pool, steps, {
    t,
    onMove: (time) => move(time),
    onRest: (time) => {
      move(time);
      rest();
      go({ at: atOf(report, time) });
    },
  });
  const after = afterNote(report, pool);
  const element = el(
    "section",
    { class: "view pool-view" },
    el(
      "header",
      { class: "view-head" },
      el("h2", { tabindex: -1 }, pool.title, " ", el("span", { class: `tag ${pool.tier}` }, pool.tier), tierTime),
      el("p", { class: "muted" }, `${pool.kind} · `, mono(pool.networks.slice(0, 3).map((pair) => formatRange(pairRange(pair))).join(", ")),
        pool.networks.length > 3 && ` and ${countText(pool.networks.length - 3, "network")} more`, " · ", mono(`${pool.path}:${pool.line}`)),
      after && el("p", { class: "note" }, after),
      pool.overlaps.length > 0 && el("p", { class: "warn" }, "Shares addresses with ", ...pool.overlaps.flatMap((key, at) => {
        const other = report.poolOf(key);
        return [at > 0 && ", ", other === undefined ? key : poolLink(other)];
      })),
    ),
    el("div", { class: "map-bar" }, then),
    map.element,
    slider.element,
    el("h3", null, "Figures now"),
    poolFigures(report, pool),
    el("h3", null, "Addresses", tableTime),
    table.element,
    el("div", { class: "plots" }, el("div", { class: "plot-column" }, usagePlot(report, pool, steps), growthPlot(report, pool)), sharePlot(report, pool)),
  );
  /** @param {Route} now */
  const update = (now) => {
    const time = timeOf(report, now.at) ?? report.now;
    if (time !== t || tabled < 0) {
      move(time);
      slider.set(time);
      rest();
    }
    const ip = now.ip === null ? null : parseRange(now.ip);
    map.mark({ team: now.team, ip });
  };
  say();
  return { element, update };
}
