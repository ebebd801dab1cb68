/**
 * The map of a pool: its addresses in rows of cells, by address; changed in place as time moves.
 * Hue is the state, texture the type of claim, a line around cells the team that is looked for.
 */

/** @import { Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Box } from "./cells.js" */
/** @import { Paint, Scene } from "./scene.js" */
/** @import { Panel } from "./mappanel.js" */
import { countText } from "./addresses.js";
import { el } from "./dom.js";
import { mapLegend, putTextures, textureOf } from "./maplegend.js";
import { mapPanel } from "./mappanel.js";
import { mapTip } from "./maptip.js";
import { countAt, FREE, paintOf } from "./scene.js";

/**
 * @typedef {{team: string | null, ip: Range | null}} Marks
 * @typedef {{title: string, t: number, onPick?: (range: Range) => void, hasLegend?: boolean}} MapOptions
 * @typedef {{
 *   element: HTMLElement, panels: Panel[], show: (t: number, isAtRest?: boolean) => void, mark: (marks: Marks) => void,
 *   focusOn: (range: Range) => void, boxesOf: (range: Range) => {panel: Panel, boxes: Box[]}, onLaid: (then: () => void) => void
 * }} PoolMap
 */

/** @param {Report} report @param {Scene} scene @param {MapOptions} options @returns {PoolMap} */
export function poolMap(report, scene, options) {
  putTextures();
  const host = el("div", { class: "map" });
  const tip = mapTip(report, host);
  const versions = /** @type {const} */ ([4, 6]);
  const paints = versions.flatMap((version) => paintOf(scene, version) ?? []);
  /** @type {(() => void)[]} */
  const laid = [];
  const panels = paints.map((paint) =>
    mapPanel(report, paint, { tip, title: `${options.title}, IPv${paint.cells.version}`, t: options.t, onLaid: () => laid.forEach((then) => then()) }),
  );
  for (const panel of panels) {
    host.append(el("p", { class: "map-scale" }, scaleOf(panel.paint, paints.length > 1)), panel.element);
  }
  if (panels.length === 0) host.append(el("p", { class: "muted" }, "This pool has no addresses."));
  host.append(tip.element);
  const legend = options.hasLegend === false ? null : mapLegend(shownIn(report, paints));
  return {
    element: el("div", { class: "map-box" }, host, legend),
    panels,
    show: (t, isAtRest = true) => panels.forEach((panel) => panel.show(t, isAtRest)),
    mark: (marks) => panels.forEach((panel) => panel.mark(marks)),
    focusOn: (range) => panels.find((panel) => panel.paint.cells.version === range.version)?.focusOn(range),
    boxesOf: (range) => {
      const panel = panels.find((it) => it.paint.cells.version === range.version) ?? panels[0];
      return { panel, boxes: panel.boxesOf(range) };
    },
    onLaid: (then) => laid.push(then),
  };
}

/** @param {Paint} paint @param {boolean} isOneOfTwo @returns {string} */
function scaleOf(paint, isOneOfTwo) {
  const version = isOneOfTwo ? `IPv${paint.cells.version}. ` : "";
  if (paint.cells.version === 6) return `${version}Intervals by address, on a logarithmic scale: one step wider is twice as many addresses.`;
  if (paint.cells.perCell === 1) return `${version}One cell is one address.`;
  const prefix = 32 - Math.log2(paint.cells.perCell);
  return `${version}One cell is a /${prefix}: ${countText(paint.cells.perCell, "address", "addresses")}.`;
}

/** The items that a map can show, for its legend. @param {Report} report @param {Paint[]} paints */
function shownIn(report, paints) {
  const kinds = new Set([0, FREE]);
  const textures = new Set();
  const claims = new Set();
  let hasTorn = false;
  for (const paint of paints) {
    for (const span of paint.spans) {
      kinds.add(span.state);
      claims.add(span.claim);
    }
    for (const other of paint.others) kinds.add(other.state);
    countAt(paint, report.now);
    hasTorn ||= paint.torn.includes(1);
  }
  for (const claim of claims) if (claim >= 0) textures.add(textureOf(report.claim(claim).type));
  const hasNew = paints.some((paint) => paint.spans.some((span) => span.isNew));
  const perCell = Math.max(0, ...paints.map((paint) => paint.cells.perCell));
  return { kinds, textures, hasTorn, hasNew, hasShares: perCell > 1, perCell, isSix: paints.some((paint) => paint.cells.version === 6) };
}
