/**
 * One cell of a map: its shapes, and how they change with its content.
 */

/** @import { Box } from "./cells.js" */
import { svg } from "./dom.js";
import { KIND_WORDS } from "./maplegend.js";
import { FREE, KINDS } from "./scene.js";

/**
 * @typedef {{group: SVGGElement, base: SVGRectElement, parts: SVGRectElement[], texture: SVGRectElement | null, sign: SVGTextElement | null,
 *   box: Box, look: string}} Drawn
 */

/** @param {Box} box @returns {Drawn} */
export function drawnCell(box) {
  const base = svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 1.5 });
  const group = svg("g", { role: "gridcell", tabindex: -1 }, base);
  return { group, base, parts: [], texture: null, sign: null, box, look: "" };
}

/**
 * @param {Drawn} cell
 * @param {number} look The kind that it is all of; -1 where it is many things.
 * @param {Uint8Array} shares Of each kind, in sixteenths; read only where it is many things.
 * @param {string} texture Of what records hold in it.
 * @param {boolean} isJoined It continues in the next cell.
 * @param {boolean} isFirst It is the first cell of a range, so it shows the sign of its kind.
 */
export function paintCell(cell, look, shares, texture, isJoined, isFirst) {
  const key = look >= 0 ? `${look} ${look < 3 ? texture : ""} ${isJoined} ${isFirst}` : `${shares} ${texture}`;
  if (key === cell.look) return;
  cell.look = key;
  const { box, base } = cell;
  base.setAttribute("class", `k-${KINDS[look >= 0 ? look : shares[FREE] > 0 || shares[6] === 0 ? FREE : 6]}`);
  base.setAttribute("width", String(box.width + (isJoined && look >= 0 ? 3 : 0)));
  const taken = look >= 0 ? 0 : stack(cell, shares);
  for (const part of cell.parts.splice(taken)) part.remove();
  const lives = look >= 0 ? (look < 3 ? box.height : 0) : (box.height * Math.min(16, shares[0] + shares[1] + shares[2])) / 16;
  dress(cell, lives, texture, box.width + (isJoined && look >= 0 ? 3 : 0));
  const sign = look >= 0 && isFirst && box.height >= 13 ? KIND_WORDS[look][1] : "";
  if (sign === "") {
    cell.sign?.remove();
    cell.sign = null;
  } else {
    cell.sign ??= cell.group.appendChild(svg("text", { class: "cell-sign", x: box.x + Math.min(box.width, 16) / 2, y: box.y + box.height / 2 + 4 }));
    cell.sign.textContent = sign;
  }
}

/** The shares of a cell, from below. @param {Drawn} cell @param {Uint8Array} shares @returns {number} How many parts there are. */
function stack(cell, shares) {
  const { box } = cell;
  let count = 0;
  let below = 0;
  for (let kind = 0; kind < FREE; kind += 1) {
    if (shares[kind] === 0) continue;
    const high = Math.min(box.height - below, (box.height * shares[kind]) / 16);
    if (high <= 0) break;
    const part = cell.parts[count] ?? svg("rect", { x: box.x, width: box.width });
    if (cell.parts[count] === undefined) {
      cell.parts.push(part);
      cell.base.after(part);
    }
    below += high;
    part.setAttribute("class", `k-${KINDS[kind]}`);
    part.setAttribute("y", String(box.y + box.height - below));
    part.setAttribute("height", String(high));
    count += 1;
  }
  return count;
}

/** @param {Drawn} cell @param {number} height Of what records hold, from below. @param {string} texture @param {number} width */
function dress(cell, height, texture, width) {
  if (height === 0 || texture === "") {
    cell.texture?.remove();
    cell.texture = null;
    return;
  }
  const { box } = cell;
  cell.texture ??= svg("rect", { x: box.x, rx: 1.5 });
  cell.texture.setAttribute("class", `t-${texture}`);
  cell.texture.setAttribute("y", String(box.y + box.height - height));
  cell.texture.setAttribute("height", String(height));
  cell.texture.setAttribute("width", String(width));
  cell.group.insertBefore(cell.texture, cell.sign);
}
