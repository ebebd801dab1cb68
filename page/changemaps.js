/**
 * The map of a pool before and after a change: next to each other if there is room, otherwise one of the two.
 */

/** @import { Action, Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Route } from "./route.js" */
/** @import { PoolMap } from "./map.js" */
/** @import { Span } from "./scene.js" */
import { pairRange, parseRange } from "./addresses.js";
import { el, svg } from "./dom.js";
import { poolMap } from "./map.js";
import { go } from "./route.js";
import { isThen, sceneOf } from "./scene.js";

/** The state of a range after its release, if the plan does not name it. @type {Readonly<Record<string, number>>} */
const LEAVES = { held: 1, left: 2 };

/** @param {Report} report @param {Pool} pool @param {Action[]} actions @returns {{element: HTMLElement, update: (route: Route) => void}} */
export function changeMaps(report, pool, actions) {
  const whole = sceneOf(report, pool);
  const before = { ...whole, spans: whole.spans.filter((span) => isThen(span, report.now)) };
  const after = { ...before, spans: spansAfter(report, pool, before.spans, actions) };
  const maps = /** @type {const} */ (["before", "after"]).map((side) => ({
    side,
    map: poolMap(report, side === "before" ? before : after, { title: `${pool.title} ${side} the change`, t: report.now, hasLegend: side === "after" }),
  }));
  const buttons = maps.map(({ side }) => el("button", { type: "button", class: "button", onclick: () => go({ side }) }, side));
  const element = el(
    "div",
    { class: "change-maps" },
    el("div", { class: "side-choice", role: "group", "aria-label": `Map of ${pool.title}` }, buttons),
    el("div", { class: "sides" }, maps.map(({ side, map }) => el("div", { class: `side side-${side}` }, el("h4", null, side), map.element))),
  );
  const moves = actions.filter((action) => action.from !== null && action.from.pool === pool.key && action.pool === pool.key && action.start !== null && action.end !== null);
  const [, { map: last }] = maps;
  last.onLaid(() => drawMoves(last, moves));
  return {
    element,
    update: (route) => {
      const shown = route.side === "before" ? "before" : "after";
      element.dataset.side = shown;
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(maps[at].side === shown)));
      const ip = route.ip === null ? null : parseRange(route.ip);
      for (const { map } of maps) map.mark({ team: route.team, ip });
    },
  };
}

/**
 * The ranges of a pool once all actions are done.
 * @param {Report} report
 * @param {Pool} pool
 * @param {Span[]} spans
 * @param {Action[]} actions
 * @returns {Span[]}
 */
function spansAfter(report, pool, spans, actions) {
  /** @type {(Span | null)[]} */
  const result = [...spans];
  const claims = new Map(actions.map((action) => [action.claim, -1]));
  report.claimKeys.forEach((key, at) => claims.has(key) && claims.set(key, at));
  /** @param {Range} range @param {Partial<Span> | null} becomes Null: it goes. */
  const change = (range, becomes) => {
    const at = result.findIndex((span) => span !== null && span.version === range.version && span.first === range.first && span.last === range.last);
    if (at < 0) return false;
    result[at] = becomes === null ? null : { .../** @type {Span} */ (result[at]), ...becomes, isNew: true };
    return true;
  };
  for (const action of actions) {
    const { leaves } = /** @type {{leaves?: string | null}} */ (action);
    if (action.from !== null && action.from.pool === pool.key) {
      change(pairRange([action.from.start, action.from.end]), leaves === null ? null : { state: LEAVES[leaves ?? "left"] ?? 2 });
    }
    if (action.pool !== pool.key || action.start === null || action.end === null || action.action === "refuse") continue;
    const range = pairRange([action.start, action.end]);
    const claim = claims.get(action.claim) ?? -1;
    const title = action.claim.split("/").slice(3, 4).join("");
    if (action.action === "expire") change(range, null);
    else if (action.action === "release") change(range, leaves === null ? null : { state: LEAVES[leaves ?? "held"] ?? 1 });
    else if (!change(range, { claim, title, state: 0 })) {
      result.push({ ...range, state: 0, claim, from: -1, to: -1, life: -1, isNew: true, title });
    }
  }
  return result.flatMap((span) => span ?? []);
}

/** Arrows from where a claim was to where it goes. @param {PoolMap} map @param {Action[]} moves */
function drawMoves(map, moves) {
  for (const panel of map.panels) panel.top.replaceChildren();
  for (const action of moves) {
    if (action.from === null || action.start === null || action.end === null) continue;
    const from = map.boxesOf(pairRange([action.from.start, action.from.end]));
    const to = map.boxesOf(pairRange([action.start, action.end]));
    if (from.boxes.length === 0 || to.boxes.length === 0 || from.panel !== to.panel) continue;
    const [a, b] = [middleOf(from.boxes), middleOf(to.boxes)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const bend = Math.min(40, Math.hypot(dx, dy) / 4);
    const length = Math.max(1, Math.hypot(dx, dy));
    const [x, y] = [(a.x + b.x) / 2 + (dy / length) * bend, (a.y + b.y) / 2 - (dx / length) * bend];
    const d = `M${Math.round(a.x)},${Math.round(a.y)} Q${Math.round(x)},${Math.round(y)} ${Math.round(b.x)},${Math.round(b.y)}`;
    from.panel.top.append(
      svg("path", { class: "move-under", d }),
      svg("circle", { class: "move-start", cx: Math.round(a.x), cy: Math.round(a.y), r: 3.5 }),
      svg("path", { class: "move-line", d, "marker-end": "url(#move-head)" }),
    );
  }
}

/** @param {{x: number, y: number, width: number, height: number, row: number}[]} boxes @returns {{x: number, y: number}} The middle of those in the first row. */
function middleOf(boxes) {
  const row = boxes.filter((box) => box.row === boxes[0].row);
  const last = row[row.length - 1];
  return { x: (row[0].x + last.x + last.width) / 2, y: row[0].y + row[0].height / 2 };
}
