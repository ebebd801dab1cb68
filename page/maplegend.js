/**
 * Textures of the map, and its legend: each swatch is drawn as the cells are.
 */

/** @import { Child } from "./dom.js" */
import { el, svg } from "./dom.js";

/** The signs in cells and the legend, by kind: number, sign, words. @type {readonly (readonly [string, string, string])[]} */
export const KIND_WORDS = [
  ["allocated", "", "allocated"],
  ["held", "~", "held: released, not yet free"],
  ["left", "«", "left: moved away, announced while in use"],
  ["gateway", "+", "gateway"],
  ["used", "!", "in use outside of Git"],
  ["reserved", "", "reserved"],
  ["unused", "", "not allocatable"],
  ["free", "", "free"],
];

/** Textures by the type of a claim. @type {Readonly<Record<string, string>>} */
const TEXTURES = { loadbalancer: "lines", vip: "rows", "control-plane": "rows", ingress: "rows", address: "dots" };

/** @type {readonly (readonly [string, string])[]} */
const TEXTURE_WORDS = [
  ["", "nodes"],
  ["lines", "load balancer"],
  ["rows", "virtual IP (control plane, ingress)"],
  ["dots", "single address"],
];

/** @param {string} type @returns {string} The name of its texture; "" is plain. */
export function textureOf(type) {
  return TEXTURES[type] ?? "";
}

/** Put the textures into the page, once: all maps refer to the same. */
export function putTextures() {
  if (document.getElementById("map-textures") !== null) return;
  const ink = { class: "tex-ink" };
  const texture = (/** @type {string} */ name, /** @type {number} */ size, /** @type {Child[]} */ ...shapes) =>
    svg("pattern", { id: `tex-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, ...shapes);
  const sheet = svg(
    "svg",
    { id: "map-textures", class: "map-textures", width: 0, height: 0, "aria-hidden": "true", focusable: "false" },
    svg(
      "defs",
      null,
      texture("lines", 6, svg("path", { ...ink, d: "M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2" })),
      texture("rows", 5, svg("path", { ...ink, d: "M0,2.5 h5" })),
      texture("dots", 6, svg("circle", { class: "tex-dot", cx: 1.5, cy: 1.5, r: 1.1 }), svg("circle", { class: "tex-dot", cx: 4.5, cy: 4.5, r: 1.1 })),
      texture("held", 6, svg("path", { class: "tex-held", d: "M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2" })),
      texture("torn", 5, svg("path", { class: "tex-torn", d: "M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2 M0,0 l5,5 M-1,4 l2,2 M4,-1 l2,2" })),
      svg(
        "marker",
        { id: "move-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
        svg("path", { class: "move-head", d: "M0,0 L8,4 L0,8 z" }),
      ),
    ),
  );
  document.body.append(sheet);
}

/**
 * @typedef {{kinds: Set<number>, textures: Set<string>, hasTorn: boolean, hasShares: boolean, hasNew: boolean, perCell: number, isSix: boolean}} Shown
 * @param {Shown} shown The items that the map can show.
 * @returns {HTMLElement}
 */
export function mapLegend(shown) {
  const items = KIND_WORDS.flatMap(([name, sign, words], kind) =>
    shown.kinds.has(kind) ? [entry(words, `k-${name}`, sign, name === "held" ? "held" : "")] : [],
  );
  const types = TEXTURE_WORDS.flatMap(([texture, words]) => (shown.textures.has(texture) ? [entry(words, "k-allocated", "", texture)] : []));
  if (shown.hasShares) items.push(shareEntry());
  if (shown.hasNew) items.push(entry("new or changed", "k-allocated", "", "", "is-new"));
  if (shown.hasTorn) items.push(entry("conflict: two holders", "k-allocated", "", "torn", "is-torn"));
  return el(
    "div",
    { class: "map-legend", role: "group", "aria-label": "Legend of the map" },
    el("ul", { class: "legend-list", "aria-label": "Color: state of an address" }, items),
    types.length > 0 && el("ul", { class: "legend-list", "aria-label": "Texture: type of an address" }, types),
  );
}

/** @param {string} words @param {string} kind @param {string} sign @param {string} texture @param {string} [line] @returns {HTMLElement} */
function entry(words, kind, sign, texture, line) {
  return el("li", null, swatch(kind, sign, texture, line), words);
}

/** @param {string} kind @param {string} sign @param {string} texture @param {string} [line] @returns {SVGElement} */
export function swatch(kind, sign, texture, line) {
  return svg(
    "svg",
    { class: "swatch", width: 22, height: 16, viewBox: "0 0 22 16", "aria-hidden": "true" },
    svg("rect", { class: kind, x: 1, y: 1, width: 20, height: 14, rx: 2 }),
    texture !== "" && svg("rect", { class: `t-${texture}`, x: 1, y: 1, width: 20, height: 14, rx: 2 }),
    line !== undefined && svg("rect", { class: line, x: 1, y: 1, width: 20, height: 14, rx: 2 }),
    sign !== "" && svg("text", { class: "cell-sign", x: 11, y: 12 }, sign),
  );
}

/** @returns {HTMLElement} */
function shareEntry() {
  const part = svg(
    "svg",
    { class: "swatch", width: 22, height: 16, viewBox: "0 0 22 16", "aria-hidden": "true" },
    svg("rect", { class: "k-free", x: 1, y: 1, width: 20, height: 14, rx: 2 }),
    svg("rect", { class: "k-allocated", x: 1, y: 9, width: 20, height: 6 }),
  );
  return el("li", null, part, "partly used: filled up to its share");
}
