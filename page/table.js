/**
 * One table for all lists: sortable by every column, by mouse and keyboard, in a region that scrolls by itself.
 */

/** @import { Child } from "./dom.js" */
/** @import { Whole } from "./pack.js" */
import { el, fill, refill, roving, scrollRegion } from "./dom.js";
import { order } from "./occupancy.js";

/** Number of rows at first. A button shows more. */
const ROWS_AT_ONCE = 200;

/**
 * @template R
 * @typedef {{title: string, hint?: string, class?: string, value: ((row: R) => Whole | string | null) | null,
 *   cell: (row: R) => Child | Child[], isFirstHigh?: boolean}} Column
 */

/**
 * @template R
 * @typedef {{label: string, columns: Column<R>[], rows: R[], none: string, class?: string, sortBy?: number,
 *   memory?: {column: number, isDown: boolean}}} TableOf `memory` keeps the order when the table is made again.
 */

/**
 * A table; rows whose sort value is null are last in both directions.
 * @template R
 * @param {TableOf<R>} asked
 * @returns {{element: HTMLElement, show: (rows: R[]) => void}}
 */
export function sortableTable(asked) {
  const body = el("tbody");
  const head = el("tr");
  const foot = el("div", { class: "more" });
  /** @type {{rows: R[], column: number, isDown: boolean, most: number}} */
  const state = { rows: asked.rows, column: asked.sortBy ?? -1, isDown: false, most: ROWS_AT_ONCE };
  if (state.column >= 0) state.isDown = asked.columns[state.column].isFirstHigh === true;
  if (asked.memory !== undefined && asked.memory.column >= 0) Object.assign(state, asked.memory);

  const draw = () => {
    const rows = sorted(state.rows, asked.columns[state.column], state.isDown);
    refill(body, rows.slice(0, state.most).map((row) => tableRow(asked.columns, row)));
    if (rows.length === 0) fill(body, el("tr", null, el("td", { class: "none", colspan: asked.columns.length }, asked.none)));
    const first = body.querySelector("tr a, tr button");
    if (first instanceof HTMLElement) first.tabIndex = 0;
    refill(foot, rows.length > state.most && moreButton(rows.length - state.most));
    for (const [at, cell] of [...head.children].entries()) {
      if (asked.columns[at].value === null) continue;
      cell.setAttribute("aria-sort", at !== state.column ? "none" : state.isDown ? "descending" : "ascending");
    }
  };
  /** @param {number} left @returns {HTMLElement} */
  const moreButton = (left) => {
    const more = () => {
      state.most += 2000;
      draw();
    };
    return el("button", { type: "button", class: "button", onclick: more }, `Show more (${left} left)`);
  };
  /** @param {number} at */
  const sortAt = (at) => {
    state.isDown = at === state.column ? !state.isDown : asked.columns[at].isFirstHigh === true;
    state.column = at;
    if (asked.memory !== undefined) Object.assign(asked.memory, { column: at, isDown: state.isDown });
    draw();
  };
  fill(head, asked.columns.map((column, at) => headCell(column, () => sortAt(at))));
  draw();
  const table = el("table", { class: asked.class ?? "list" }, el("caption", { class: "offscreen" }, asked.label), el("thead", null, head), body);
  roving(body, "tr > :first-child :is(a, button)");
  const show = (/** @type {R[]} */ rows) => {
    state.rows = rows;
    state.most = ROWS_AT_ONCE;
    draw();
  };
  return { element: el("div", { class: "table-box" }, scrollRegion(asked.label, table), foot), show };
}

/**
 * @template R
 * @param {R[]} rows
 * @param {Column<R> | undefined} column
 * @param {boolean} isDown
 * @returns {R[]}
 */
function sorted(rows, column, isDown) {
  const value = column?.value;
  if (value === null || value === undefined) return rows;
  const sign = isDown ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null ? 1 : 0) - (b.key === null ? 1 : 0);
    return sign * order(a.key, b.key);
  });
  return keyed.map((item) => item.row);
}

/**
 * @template R
 * @param {Column<R>[]} columns
 * @param {R} row
 * @returns {HTMLElement}
 */
function tableRow(columns, row) {
  const cells = columns.map((column, at) =>
    at === 0 ? el("th", { scope: "row", class: column.class }, column.cell(row)) : el("td", { class: column.class }, column.cell(row)),
  );
  for (const link of cells[0].querySelectorAll("a, button")) if (link instanceof HTMLElement) link.tabIndex = -1;
  return el("tr", null, cells);
}

/**
 * @template R
 * @param {Column<R>} column
 * @param {() => void} sort
 * @returns {HTMLElement}
 */
function headCell(column, sort) {
  const attributes = { scope: "col", class: column.class, title: column.hint };
  if (column.value === null) return el("th", attributes, column.title);
  return el("th", attributes, el("button", { type: "button", class: "sort", onclick: sort }, column.title));
}
