/**
 * The cells of one IP version on the screen: a grid for eyes, keyboard and screen readers.
 */

/** @import { Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Box, Places } from "./cells.js" */
/** @import { Paint } from "./scene.js" */
/** @import { Tip } from "./maptip.js" */
/** @import { Marks } from "./map.js" */
import { formatCount, sizeOf } from "./addresses.js";
import { cellFrom, placesOf } from "./cells.js";
import { el, svg } from "./dom.js";
import { drawnCell, paintCell } from "./mapcell.js";
import { gridKeys } from "./mapkeys.js";
import { textureOf } from "./maplegend.js";
import { cellWords } from "./maptip.js";
import { countAt, FREE, isThen, KINDS, lookOf } from "./scene.js";

/**
 * @typedef {{element: HTMLElement, paint: Paint, top: SVGGElement, show: (t: number, isAtRest: boolean) => void, mark: (marks: Marks) => void,
 *   focusOn: (range: Range) => void, boxesOf: (range: Range) => Box[]}} Panel
 * @typedef {{tip: Tip, title: string, t: number, onLaid: () => void}} PanelOptions
 */

/** @param {Report} report @param {Paint} paint @param {PanelOptions} options @returns {Panel} */
export function mapPanel(report, paint, options) {
  const { cells } = paint;
  const count = cells.first.length;
  const element = el("div", { class: `map-grid v${cells.version}` });
  const [under, words, lines, torn, top] = ["map-cells", "map-words", "map-lines", "map-torn", "map-top"].map((name) => svg("g", { class: name }));
  for (const layer of [words, lines, torn, top]) layer.setAttribute("aria-hidden", "true");
  const ring = svg("rect", { class: "map-ring", visibility: "hidden", rx: 3 });
  const looks = new Int8Array(count);
  const keys = new Int32Array(count);
  const shares = new Uint8Array(8);
  /** @type {ReturnType<typeof drawnCell>[]} */
  let drawn = [];
  /** @type {Places | null} */
  let places = null;
  /** @type {Marks} */
  let marks = { team: null, ip: null };
  let { t } = options;
  let width = 0;
  let current = 0;
  /** @type {Map<number, {name: string, texture: string}>} */
  const claims = new Map();
  const claimOf = (/** @type {number} */ at) => {
    let known = claims.get(at);
    if (known === undefined) {
      const claim = at < 0 ? null : report.claim(at);
      known = { name: claim === null ? "" : claim.owner.slice(claim.owner.indexOf("/") + 1), texture: claim === null ? "" : textureOf(claim.type) };
      claims.set(at, known);
    }
    return known;
  };

  /** Draw all anew: only when the room changes. */
  const lay = () => {
    places = placesOf(cells, width);
    under.replaceChildren();
    drawn = places.boxes.map((box) => drawnCell(box));
    const heads = places.heads.map((head) => svg("text", { class: "map-head", role: "columnheader", x: head.x, y: 12 }, head.text));
    if (heads.length > 0) under.append(svg("g", { role: "row" }, svg("text", { role: "columnheader", class: "map-head" }, ""), ...heads));
    for (const row of places.rows) {
      const label = svg("text", { class: "map-label", role: "rowheader", x: row.x, y: row.y }, row.label);
      under.append(svg("g", { role: "row" }, label, ...drawn.slice(row.from, row.to).map((cell) => cell.group)));
    }
    drawn[current]?.group.setAttribute("tabindex", "0");
    ring.setAttribute("visibility", "hidden");
    const picture = svg(
      "svg",
      { class: "map-picture", role: "grid", "aria-label": options.title, "aria-readonly": "true", width: places.width, height: places.height,
        viewBox: `0 0 ${places.width} ${places.height}` },
      under, words, lines, torn, top, ring,
    );
    element.replaceChildren(picture);
    show(t, true);
    options.onLaid();
  };

  const show = (/** @type {number} */ time, /** @type {boolean} */ isAtRest) => {
    t = time;
    if (places === null) return;
    countAt(paint, t);
    for (let cell = 0; cell < count; cell += 1) {
      looks[cell] = lookOf(paint, cell, shares);
      keys[cell] = keyOf(paint, cell, looks[cell]);
    }
    for (let cell = 0; cell < count; cell += 1) {
      const mine = paint.top[cell];
      const isJoined = keys[cell] >= 0 && cell + 1 < count && keys[cell + 1] === keys[cell] && places.boxes[cell + 1].row === places.boxes[cell].row;
      const isFirst = cell === 0 || keys[cell - 1] !== keys[cell] || keys[cell] < 0;
      if (looks[cell] < 0) lookOf(paint, cell, shares);
      paintCell(drawn[cell], looks[cell], shares, mine < 0 || !isMostly(paint, cell) ? "" : claimOf(paint.spans[mine].claim).texture, isJoined, isFirst);
      if (isAtRest) drawn[cell].group.setAttribute("aria-label", cellWords(report, paint, cell, looks[cell]));
    }
    write();
    outline();
  };

  /** Names on what is wide enough for them. */
  const write = () => {
    let used = 0;
    for (const [from, to] of runs((a, b) => keys[a] >= 0 && keys[a] === keys[b])) {
      const box = /** @type {Places} */ (places).boxes;
      const ahead = looks[from] === 1 || looks[from] === 2 ? 14 : 5;
      const room = box[to].x + box[to].width - box[from].x - ahead - 3;
      const mine = paint.top[from];
      const other = paint.owner[from];
      const name = looks[from] === FREE ? freeWords(from) : looks[from] < 3 && mine >= 0 ? claimOf(paint.spans[mine].claim).name || paint.spans[mine].title : other >= 0 ? paint.others[other].title : "";
      const fits = Math.floor(room / 6.1);
      if ((keys[from] < 0 && looks[from] !== FREE) || name === "" || fits < Math.min(6, name.length)) continue;
      const text = words.children[used] ?? words.appendChild(svg("text", { class: "map-word" }));
      used += 1;
      const written = name.length > fits ? `${name.slice(0, fits - 1)}…` : name;
      if (text.textContent !== written) text.textContent = written;
      text.setAttribute("class", `map-word on-${looks[from]}`);
      text.setAttribute("x", String(box[from].x + ahead));
      text.setAttribute("y", String(box[from].y + box[from].height / 2 + 4));
    }
    while (words.children.length > used) words.lastChild?.remove();
  };

  /** How many are free in an interval; a cell of IPv4 says it by its place. @param {number} cell @returns {string} */
  const freeWords = (cell) => (cells.version === 4 ? "" : `${formatCount(sizeOf({ version: 6, first: cells.first[cell], last: cells.last[cell] }))} free`);

  /** Lines around the team, the address and what is new; conflicts above all. */
  const outline = () => {
    const team = new Uint8Array(count);
    const fresh = new Uint8Array(count);
    paint.spans.forEach((span, at) => {
      if ((marks.team === null && !span.isNew) || !isThen(span, t)) return;
      const isTheirs = marks.team !== null && span.claim >= 0 && report.teamOf(span.claim) === marks.team;
      for (let cell = paint.low[at]; cell <= paint.high[at]; cell += 1) {
        if (isTheirs) team[cell] = 1;
        if (span.isNew) fresh[cell] = 1;
      }
    });
    const asked = new Uint8Array(count);
    if (marks.ip !== null) for (const cell of cellsOf(marks.ip)) asked[cell] = 1;
    const shapes = [...around(team, "is-team"), ...around(fresh, "is-new"), ...around(asked, "is-asked-under"), ...around(asked, "is-asked")];
    lines.replaceChildren(...shapes);
    torn.replaceChildren(...around(paint.torn, "t-torn"), ...around(paint.torn, "is-torn"));
  };

  /** @param {Uint8Array} flags @param {string} name @returns {SVGElement[]} */
  const around = (flags, name) =>
    !flags.includes(1) ? [] : runs((a, b) => flags[a] === 1 && flags[b] === 1).flatMap(([from, to]) => (flags[from] === 1 ? [frame(from, to, name)] : []));

  /** @param {number} from @param {number} to @param {string} name @returns {SVGElement} */
  const frame = (from, to, name) => {
    const { boxes } = /** @type {Places} */ (places);
    const [first, last] = [boxes[from], boxes[to]];
    return svg("rect", { class: name, x: first.x, y: first.y, width: last.x + last.width - first.x, height: first.height, rx: 2 });
  };

  /** Cells of one row that belong together, first and last. @param {(a: number, b: number) => boolean} isOne @returns {[number, number][]} */
  const runs = (isOne) => {
    /** @type {[number, number][]} */
    const found = [];
    const { boxes } = /** @type {Places} */ (places);
    for (let cell = 0; cell < count; cell += 1) {
      const before = found[found.length - 1];
      if (before !== undefined && before[1] === cell - 1 && boxes[cell].row === boxes[cell - 1].row && isOne(cell - 1, cell)) before[1] = cell;
      else found.push([cell, cell]);
    }
    return found;
  };

  /** @param {Range} range @returns {number[]} */
  const cellsOf = (range) => {
    const found = [];
    for (let cell = cellFrom(cells, range.first); cell < count && cells.first[cell] <= range.last; cell += 1) found.push(cell);
    return range.version === cells.version ? found : [];
  };

  /** @param {number} cell @param {boolean} isFocus */
  const tell = (cell, isFocus) => {
    const box = drawn[cell].group.getBoundingClientRect();
    options.tip.show(paint, cell, t, box);
    if (isFocus) {
      const { x, y, width: wide, height } = /** @type {Places} */ (places).boxes[cell];
      for (const [name, value] of Object.entries({ x: x - 1, y: y - 1, width: wide + 2, height: height + 2, visibility: "visible" })) ring.setAttribute(name, String(value));
    }
  };
  gridKeys(element, {
    tip: options.tip,
    tell,
    places: () => places,
    group: (cell) => drawn[cell].group,
    cellAt: (target) => drawn.findIndex((it) => it.group.contains(target)),
    current: () => current,
    move: (cell) => {
      drawn[current]?.group.setAttribute("tabindex", "-1");
      current = cell;
      drawn[current].group.setAttribute("tabindex", "0");
    },
    blur: () => ring.setAttribute("visibility", "hidden"),
  });
  new ResizeObserver(() => {
    const now = Math.floor(element.clientWidth);
    if (now === 0 || now === width) return;
    width = now;
    lay();
  }).observe(element);
  return {
    element, paint, top, show,
    mark: (given) => {
      marks = given;
      if (places !== null) outline();
    },
    focusOn: (range) => {
      const [cell] = cellsOf(range);
      if (cell === undefined || drawn.length === 0) return;
      drawn[cell].group.focus();
    },
    boxesOf: (range) => (places === null ? [] : cellsOf(range).map((cell) => /** @type {Places} */ (places).boxes[cell])),
  };
}

/** Whether one range has most of what records hold in a cell: only then has it a type. @param {Paint} paint @param {number} cell @returns {boolean} */
function isMostly(paint, cell) {
  const from = cell * KINDS.length;
  return paint.most[cell] * 2 >= paint.counts[from] + paint.counts[from + 1] + paint.counts[from + 2];
}

/** What joins cells into one: the same holder in the same state, or the same part that nobody holds. @param {Paint} paint @param {number} cell @param {number} look @returns {number} */
function keyOf(paint, cell, look) {
  if (look >= 0 && look < 3 && paint.top[cell] >= 0) return paint.spans[paint.top[cell]].claim * 4 + look + 4;
  if (look >= 3 && look <= 5 && paint.owner[cell] >= 0) return 1_500_000_000 + paint.owner[cell];
  return -1;
}
