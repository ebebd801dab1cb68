/**
 * One moment of a map, ready to be drawn: the look of each cell, names on ranges, and lines around marked addresses.
 */

/** @import { Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Box, Cells } from "./cells.js" */
/** @import { Paint } from "./scene.js" */
/** @import { Marks } from "./map.js" */
import { formatCount, sizeOf } from "./addresses.js";
import { cellFrom } from "./cells.js";
import { textureOf } from "./maplegend.js";
import { countAt, FREE, isThen, KINDS, lookOf } from "./scene.js";

/**
 * `look` is the kind that a cell is all of, or -1; then `shares` has sixteenths by kind. `key` joins cells into runs.
 * @typedef {{x: number, y: number, text: string, look: number}} Word
 * @typedef {{name: string, x: number, y: number, width: number, height: number}} Line
 * @typedef {{look: Int8Array, key: Int32Array, shares: Uint8Array[], texture: string[], isJoined: Uint8Array, isFirst: Uint8Array,
 *   set: (t: number, boxes: Box[]) => void, words: () => Word[], lines: (marks: Marks) => Line[]}} Frame
 */

const LETTER = 6.1;
/** Keys from this number on belong to only one cell. */
const LONE = 2_000_000_000;

/** @param {Report} report @param {Paint} paint @returns {Frame} */
export function mapFrame(report, paint) {
  const { cells } = paint;
  const count = cells.first.length;
  const look = new Int8Array(count);
  const key = new Int32Array(count);
  const isJoined = new Uint8Array(count);
  const isFirst = new Uint8Array(count);
  const shares = Array.from({ length: count }, () => new Uint8Array(KINDS.length));
  const texture = Array(count).fill("");
  /** @type {Map<number, {name: string, texture: string}>} */
  const claims = new Map();
  let time = 0;
  /** @type {Box[]} */
  let boxes = [];

  const claimOf = (/** @type {number} */ at) => {
    let known = claims.get(at);
    if (known === undefined) {
      const claim = at < 0 ? null : report.claim(at);
      known = { name: claim === null ? "" : claim.owner.slice(claim.owner.indexOf("/") + 1), texture: claim === null ? "" : textureOf(claim.type) };
      claims.set(at, known);
    }
    return known;
  };

  /** Count a moment. @param {number} t @param {Box[]} places */
  const set = (t, places) => {
    time = t;
    boxes = places;
    countAt(paint, t);
    for (let cell = 0; cell < count; cell += 1) {
      look[cell] = lookOf(paint, cell, shares[cell]);
      key[cell] = keyOf(paint, cell, look[cell]);
    }
    for (let cell = 0; cell < count; cell += 1) {
      const top = paint.top[cell];
      isJoined[cell] = cell + 1 < count && key[cell] >= 0 && key[cell + 1] === key[cell] && boxes[cell + 1].row === boxes[cell].row ? 1 : 0;
      isFirst[cell] = cell === 0 || key[cell] < 0 || key[cell - 1] !== key[cell] || boxes[cell - 1].row !== boxes[cell].row ? 1 : 0;
      texture[cell] = wornBy(cell, top < 0 ? "" : claimOf(paint.spans[top].claim).texture);
    }
  };

  /** Held ranges of all types look the same. A cell with several ranges has no type. @param {number} cell @param {string} type @returns {string} */
  const wornBy = (cell, type) => {
    const mixed = shares[cell];
    if (look[cell] === 1 || (look[cell] < 0 && mixed[0] === 0 && mixed[1] > mixed[2])) return "held";
    return look[cell] < 3 && isMostly(paint, cell) ? type : "";
  };

  /**
   * Cells of one row that belong together: first and last.
   * @param {(cell: number) => number} keyAt The key that joined cells share. A cell with a key below 0 is left out.
   * @returns {[number, number][]}
   */
  const runs = (keyAt) => {
    /** @type {[number, number][]} */
    const found = [];
    for (let cell = 0; cell < count; cell += 1) {
      if (keyAt(cell) < 0) continue;
      const before = found[found.length - 1];
      if (before !== undefined && before[1] === cell - 1 && boxes[cell].row === boxes[cell - 1].row && keyAt(cell - 1) === keyAt(cell)) before[1] = cell;
      else found.push([cell, cell]);
    }
    return found;
  };

  /** @param {number} cell @returns {string} */
  const nameOf = (cell) => {
    const [top, other] = [paint.top[cell], paint.owner[cell]];
    if (look[cell] === FREE) return freeWords(cells, cell);
    if (look[cell] >= 0 && look[cell] < 3 && top >= 0) return claimOf(paint.spans[top].claim).name || paint.spans[top].title;
    return key[cell] >= 0 && other >= 0 ? paint.others[other].title : "";
  };

  /** Names on ranges that are wide enough. @returns {Word[]} */
  const words = () =>
    runs((cell) => (key[cell] < 0 && look[cell] === FREE && cells.version === 6 ? LONE + cell : key[cell])).flatMap(([from, to]) => {
      const name = nameOf(from);
      const ahead = look[from] === 1 || look[from] === 2 ? 14 : 5;
      const fits = Math.floor((boxes[to].x + boxes[to].width - boxes[from].x - ahead - 3) / LETTER);
      if (name === "" || fits < Math.min(6, name.length)) return [];
      const text = name.length > fits ? `${name.slice(0, fits - 1)}…` : name;
      return [{ x: boxes[from].x + ahead, y: boxes[from].y + boxes[from].height / 2 + 4, text, look: look[from] }];
    });

  /** @param {Uint8Array} flags @param {string} name @returns {Line[]} */
  const around = (flags, name) =>
    !flags.includes(1)
      ? []
      : runs((cell) => flags[cell] - 1).flatMap(([from, to]) => {
          const [first, last] = [boxes[from], boxes[to]];
          return [{ name, x: first.x, y: first.y, width: last.x + last.width - first.x, height: first.height }];
        });

  /** Lines around the team, new ranges, and the address. Conflicts are on top. @param {Marks} marks @returns {Line[]} */
  const lines = (marks) => {
    const [team, fresh, asked] = [new Uint8Array(count), new Uint8Array(count), new Uint8Array(count)];
    for (let at = 0; at < paint.spans.length; at += 1) {
      const span = paint.spans[at];
      if ((marks.team === null && !span.isNew) || !isThen(span, time)) continue;
      const isTheirs = marks.team !== null && span.claim >= 0 && report.teamOf(span.claim) === marks.team;
      for (let cell = paint.low[at]; cell <= paint.high[at]; cell += 1) {
        if (isTheirs) team[cell] = 1;
        if (span.isNew) fresh[cell] = 1;
      }
    }
    if (marks.ip !== null) for (const cell of cellsIn(cells, marks.ip)) asked[cell] = 1;
    return [
      ...around(team, "is-team"), ...around(fresh, "is-new"), ...around(asked, "is-asked-under"), ...around(asked, "is-asked"),
      ...around(paint.torn, "t-torn"), ...around(paint.torn, "is-torn"),
    ];
  };
  return { look, key, shares, texture, isJoined, isFirst, set, words, lines };
}

/** @param {Cells} cells @param {Range} range @returns {number[]} The cells that have any of it. */
export function cellsIn(cells, range) {
  const found = [];
  if (range.version !== cells.version) return [];
  for (let cell = cellFrom(cells, range.first); cell < cells.first.length && cells.first[cell] <= range.last; cell += 1) found.push(cell);
  return found;
}

/** How many are free in an interval; of IPv4 the place says it. @param {Cells} cells @param {number} cell @returns {string} */
function freeWords(cells, cell) {
  if (cells.version === 4) return "";
  return `${formatCount(sizeOf({ version: 6, first: cells.first[cell], last: cells.last[cell] }))} free`;
}

/** Whether one range has most of what records hold in a cell. @param {Paint} paint @param {number} cell @returns {boolean} */
function isMostly(paint, cell) {
  const from = cell * KINDS.length;
  return paint.most[cell] * 2 >= paint.counts[from] + paint.counts[from + 1] + paint.counts[from + 2];
}

/**
 * The key that joins cells: the same holder in the same state, or the same part without a holder.
 * @param {Paint} paint
 * @param {number} cell
 * @param {number} look
 * @returns {number}
 */
function keyOf(paint, cell, look) {
  const top = paint.top[cell];
  if (look >= 0 && look < 3 && top >= 0) {
    const { claim, first } = paint.spans[top];
    return claim >= 0 ? claim * 4 + look : -1 - Number(first === paint.cells.first[cell]);
  }
  return look >= 3 && look <= 5 && paint.owner[cell] >= 0 ? 1_500_000_000 + paint.owner[cell] : -1;
}
