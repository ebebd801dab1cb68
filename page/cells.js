/**
 * The cells of a map: their addresses and positions.
 *
 * IPv4: one cell is one address up to 512 of them, 16 up to 4096, 256 above, and a larger
 * power of two where that gives more than 1024 cells. IPv6 is never counted out: a cell
 * is an interval between two edges that a range ever had, as wide as the logarithm of its size.
 */

/** @import { Whole } from "./pack.js" */
/** @import { Range } from "./addresses.js" */
import { formatAddress, minus, plus, sizeOf } from "./addresses.js";

/**
 * The sections of the addresses of one IP version, by address.
 * @typedef {{version: 4 | 6, perCell: number, first: Whole[], last: Whole[], size: Float64Array}} Cells
 * @typedef {{x: number, y: number, width: number, height: number, row: number}} Box
 * @typedef {{label: string, x: number, y: number, from: number, to: number}} MapRow Cells `from` to `to` (exclusive) in a row.
 * @typedef {{boxes: Box[], rows: MapRow[], heads: {x: number, text: string}[], width: number, height: number, top: number}} Places
 */

const MOST_CELLS = 1024;
const MOST_ROWS = 96;
const NARROW = 16;
const HEAD = 20;
const DIGIT = 6.7;

/**
 * @param {Range[]} networks Of IPv4, by address.
 * @returns {Cells}
 */
export function fourCells(networks) {
  const total = networks.reduce((sum, network) => sum + Number(sizeOf(network)), 0);
  let perCell = total <= 512 ? 1 : total <= 4096 ? 16 : 256;
  let found = cutCells(networks, perCell);
  while (found.first.length > MOST_CELLS || rowsOf(found, perCell) > MOST_ROWS) {
    perCell *= 2;
    found = cutCells(networks, perCell);
  }
  return { version: 4, perCell, first: found.first, last: found.last, size: Float64Array.from(found.size) };
}

/** @param {Range[]} networks @param {number} perCell */
function cutCells(networks, perCell) {
  /** @type {number[]} */
  const first = [];
  /** @type {number[]} */
  const last = [];
  /** @type {number[]} */
  const size = [];
  for (const network of networks) {
    const end = Number(network.last);
    for (let at = Number(network.first); at <= end && first.length <= MOST_CELLS * 4; ) {
      const stop = Math.min(end, Math.floor(at / perCell) * perCell + perCell - 1);
      const before = first.length - 1;
      if (before >= 0 && Math.floor(last[before] / perCell) === Math.floor(at / perCell)) {
        last[before] = stop;
        size[before] += stop - at + 1;
      } else {
        first.push(at);
        last.push(stop);
        size.push(stop - at + 1);
      }
      at = stop + 1;
    }
  }
  return { first, last, size };
}

/** @param {{first: number[]}} cells @param {number} perCell @returns {number} */
function rowsOf(cells, perCell) {
  return new Set(cells.first.map((first) => Math.floor(first / (perCell * NARROW)))).size;
}

/**
 * @param {Range[]} networks Of IPv6, by address.
 * @param {Iterable<Whole>} edges Where a range ever began, or ended (the address after it).
 * @returns {Cells}
 */
export function sixCells(networks, edges) {
  const sorted = [...new Set([...edges].map(BigInt))].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  /** @type {[bigint, bigint][]} */
  const parts = [];
  let at = 0;
  for (const network of networks) {
    const end = BigInt(network.last);
    let start = BigInt(network.first);
    while (at < sorted.length && sorted[at] <= start) at += 1;
    for (; at < sorted.length && sorted[at] <= end; at += 1) {
      parts.push([start, sorted[at] - 1n]);
      start = sorted[at];
    }
    parts.push([start, end]);
  }
  const together = Math.ceil(parts.length / MOST_CELLS);
  /** @type {Cells} */
  const cells = { version: 6, perCell: 0, first: [], last: [], size: new Float64Array(Math.ceil(parts.length / together)) };
  for (let part = 0; part < parts.length; part += 1) {
    const cell = Math.floor(part / together);
    if (cell === cells.first.length) cells.first.push(parts[part][0]);
    cells.last[cell] = parts[part][1];
    cells.size[cell] += Number(parts[part][1] - parts[part][0] + 1n);
  }
  return cells;
}

/**
 * The cell that an address is in, or the first one after it.
 * @param {Cells} cells
 * @param {Whole} address
 * @returns {number} The count of cells, when all are before it.
 */
export function cellFrom(cells, address) {
  let low = 0;
  let high = cells.last.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells.last[middle] < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Cells} cells @param {number} cell @param {Whole} first @param {Whole} last @returns {number} How many of these are in the cell. */
export function sharedWith(cells, cell, first, last) {
  const from = first > cells.first[cell] ? first : cells.first[cell];
  const to = last < cells.last[cell] ? last : cells.last[cell];
  return to < from ? 0 : Number(plus(minus(to, from), 1));
}

/** @param {Cells} cells @param {number} width What there is, in pixels. @returns {Places} */
export function placesOf(cells, width) {
  return cells.version === 4 ? fourPlaces(cells, width) : sixPlaces(cells, width);
}

/** @param {Cells} cells @param {number} width @returns {Places} */
function fourPlaces(cells, width) {
  const longest = formatAddress(4, cells.first[cells.first.length - 1] ?? 0).length;
  const gutter = Math.ceil(longest * DIGIT) + 10;
  const columns = columnsOf(cells.first.length, width - gutter);
  const unit = Math.max(12, Math.min(40, Math.floor((width - gutter) / columns)));
  const tall = Math.min(26, unit);
  const gap = unit < 16 ? 1 : 2;
  const span = cells.perCell * columns;
  /** @type {Box[]} */
  const boxes = [];
  /** @type {MapRow[]} */
  const rows = [];
  let base = -1;
  let y = HEAD - tall;
  cells.first.forEach((first, at) => {
    const begins = Math.floor(Number(first) / span) * span;
    if (begins !== base) {
      y += tall + (base >= 0 && begins !== base + span ? Math.round(tall / 2) : 0);
      base = begins;
      rows.push({ label: formatAddress(4, base), x: 0, y: y + tall / 2 - gap / 2 + 4, from: at, to: at });
    }
    const column = Math.floor((Number(first) - base) / cells.perCell);
    rows[rows.length - 1].to = at + 1;
    boxes.push({ x: gutter + column * unit, y, width: unit - gap, height: tall - gap, row: rows.length - 1 });
  });
  const step = unit < 22 ? 4 : unit < 26 ? 2 : 1;
  const heads = Array.from({ length: columns / step }, (_, at) => ({
    x: gutter + at * step * unit + (unit - gap) / 2,
    text: headText(at * step, cells.perCell),
  }));
  const wide = cells.perCell >= 256 ? heads.filter((_, at) => unit * step >= 34 || at % 2 === 0) : heads;
  return { boxes, rows, heads: wide, width: gutter + columns * unit, height: y + tall, top: HEAD };
}

/** @param {number} count @param {number} room @returns {number} */
function columnsOf(count, room) {
  if (count > 512 && room / 64 >= 17) return 64;
  return room / 32 >= 18 ? 32 : NARROW;
}

/** What to add to the label of the row, in the digits that change. @param {number} column @param {number} perCell @returns {string} */
function headText(column, perCell) {
  const ahead = column * perCell;
  if (perCell < 256) return `.${ahead % 256}`;
  return ahead < 65536 ? `+${ahead / 256}.0` : `+${Math.floor(ahead / 65536)}.${(ahead / 256) % 256}.0`;
}

/** @param {Cells} cells @param {number} width @returns {Places} */
function sixPlaces(cells, width) {
  const height = 26;
  const step = Math.max(6, Math.min(14, width / 72));
  const line = height + 24;
  /** @type {Box[]} */
  const boxes = [];
  /** @type {MapRow[]} */
  const rows = [];
  let x = 0;
  cells.first.forEach((first, at) => {
    const wide = Math.min(width, Math.round(step * (1 + Math.log2(cells.size[at]))));
    const isApart = at > 0 && minus(first, cells.last[at - 1]) !== 1n;
    if (at === 0 || isApart || x + wide > width) {
      x = 0;
      rows.push({ label: formatAddress(6, first), x: 0, y: rows.length * line + 12, from: at, to: at });
    }
    const row = rows.length - 1;
    rows[row].to = at + 1;
    boxes.push({ x, y: row * line + 18, width: wide - 2, height, row });
    x += wide;
  });
  return { boxes, rows, heads: [], width, height: rows.length * line, top: 0 };
}
