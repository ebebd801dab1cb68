/**
 * The map while time moves: the same cells as bare pixels, over the real ones, because no browser repaints
 * a thousand patterned shapes thirty times a second. At rest the real ones are shown again.
 */

/** @import { Places } from "./cells.js" */
/** @import { Frame, Line, Word } from "./mapframe.js" */
import { el, svg } from "./dom.js";
import { FREE, KINDS } from "./scene.js";

/** @typedef {{elements: HTMLElement[], draw: (frame: Frame, places: Places, words: Word[], lines: Line[]) => void, rest: () => void}} MotionMap */

/** Whose look is read from the style sheet. */
const CANVAS_CLASSES = ["tex-ink", "tex-held", "tex-torn", "is-new", "is-team", "is-asked", "is-asked-under", "is-torn"];

/** @type {readonly string[]} */
const CANVAS_TEXTURES = ["", "lines", "rows", "dots", "held"];

/** @returns {MotionMap} */
export function motionMap() {
  const ground = el("canvas", { class: "map-motion", hidden: true, "aria-hidden": "true" });
  const above = el("canvas", { class: "map-motion", hidden: true, "aria-hidden": "true" });
  /** @type {ReturnType<typeof brushes> | null} */
  let brush = null;
  /** @type {CanvasRenderingContext2D[]} */
  let pens = [];
  /** The content of each cell, so that only changed cells are drawn again. */
  let drawn = new Float64Array(0);
  return {
    elements: [ground, above],
    draw: (frame, places, words, lines) => {
      if (brush === null) {
        pens = [ground, above].map((canvas) => penOf(canvas, places));
        brush = brushes(ground, pens[0]);
        drawn = new Float64Array(places.boxes.length).fill(-1);
        cover(pens[0], brush.paper, places);
      }
      drawCells(pens[0], brush, frame, places, drawn);
      pens[1].clearRect(0, 0, places.width, places.height);
      drawWords(pens[1], brush, words);
      drawLines(pens[1], brush, lines);
    },
    rest: () => {
      ground.hidden = above.hidden = true;
      brush = null;
    },
  };
}

/** @param {HTMLCanvasElement} canvas @param {Places} places @returns {CanvasRenderingContext2D} */
function penOf(canvas, places) {
  const ratio = Math.min(2, devicePixelRatio);
  canvas.hidden = false;
  canvas.width = Math.ceil(places.width * ratio);
  canvas.height = Math.ceil(places.height * ratio);
  canvas.style.width = `${places.width}px`;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(ratio, ratio);
  pen.font = "10px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  return pen;
}

/** Hide the real cells, but not what names rows and columns. @param {CanvasRenderingContext2D} pen @param {string} paper @param {Places} places */
function cover(pen, paper, places) {
  const left = places.boxes.reduce((least, box) => Math.min(least, box.x), places.width);
  pen.fillStyle = paper;
  for (const row of places.rows) {
    const { y, height } = places.boxes[row.from];
    pen.fillRect(left - 3, y - 3, places.width - left + 3, height + 6);
  }
}

/** All that a cell shows as one number: exact, below 2^53. @param {Frame} frame @param {number} cell @returns {number} */
function numberOf(frame, cell) {
  const look = frame.look[cell];
  let number = 0;
  if (look < 0) for (const share of frame.shares[cell]) number = number * 17 + share;
  return ((number * 9 + look + 1) * CANVAS_TEXTURES.length + CANVAS_TEXTURES.indexOf(frame.texture[cell])) * 2 + frame.isJoined[cell];
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {ReturnType<typeof brushes>} brush
 * @param {Frame} frame
 * @param {Places} places
 * @param {Float64Array} drawn
 */
function drawCells(pen, brush, frame, places, drawn) {
  const { boxes } = places;
  for (let cell = 0; cell < boxes.length; cell += 1) {
    const number = numberOf(frame, cell);
    if (drawn[cell] === number) continue;
    drawn[cell] = number;
    const { x, y, width, height } = boxes[cell];
    const look = frame.look[cell];
    const shares = frame.shares[cell];
    const wide = width + (frame.isJoined[cell] === 1 ? 3 : 0);
    const ground = look >= 0 ? look : shares[FREE] > 0 || shares[6] === 0 ? FREE : 6;
    pen.fillStyle = brush.paper;
    pen.fillRect(x, y, width + (cell + 1 < boxes.length && boxes[cell + 1].x > x ? boxes[cell + 1].x - x - width : 2), height);
    pen.fillStyle = brush.fills[ground];
    pen.fillRect(x, y, wide, height);
    if (ground === FREE) {
      pen.strokeStyle = brush.freeLine;
      pen.lineWidth = 0.75;
      pen.strokeRect(x + 0.4, y + 0.4, width - 0.8, height - 0.8);
    }
    let below = 0;
    for (let kind = 0; look < 0 && kind < FREE && below < height; kind += 1) {
      if (shares[kind] === 0) continue;
      const high = Math.min(height - below, (height * shares[kind]) / 16);
      below += high;
      pen.fillStyle = brush.fills[kind];
      pen.fillRect(x, y + height - below, width, high);
    }
    const texture = brush.textures[frame.texture[cell]];
    const high = look >= 0 ? (look < 3 ? height : 0) : (height * Math.min(16, shares[0] + shares[1] + shares[2])) / 16;
    if (texture !== undefined && high > 0) {
      pen.fillStyle = texture;
      pen.fillRect(x, y + height - high, look >= 0 ? wide : width, high);
    }
  }
}

/** @param {CanvasRenderingContext2D} pen @param {ReturnType<typeof brushes>} brush @param {Word[]} words */
function drawWords(pen, brush, words) {
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  for (const word of words) {
    pen.strokeStyle = brush.fills[word.look];
    pen.strokeText(word.text, word.x, word.y);
    pen.fillStyle = brush.words[word.look];
    pen.fillText(word.text, word.x, word.y);
  }
}

/** @param {CanvasRenderingContext2D} pen @param {ReturnType<typeof brushes>} brush @param {Line[]} lines */
function drawLines(pen, brush, lines) {
  for (const { name, x, y, width, height } of lines) {
    if (name === "t-torn") {
      pen.fillStyle = brush.textures.torn ?? "";
      pen.fillRect(x, y, width, height);
      continue;
    }
    [pen.strokeStyle, pen.lineWidth] = brush.lines[name] ?? [brush.paper, 2];
    pen.strokeRect(x, y, width, height);
  }
}

/** Colours and textures as the style sheet has them now. @param {HTMLElement} host @param {CanvasRenderingContext2D} pen */
function brushes(host, pen) {
  const probe = svg("svg", { class: "map-picture map-probe", width: 0, height: 0, "aria-hidden": "true" });
  const shapes = new Map([...KINDS.map((kind) => `k-${kind}`), ...CANVAS_CLASSES].map((name) => [name, svg("rect", { class: name })]));
  const texts = KINDS.map((_, kind) => svg("text", { class: `map-word on-${kind}` }));
  probe.append(...shapes.values(), ...texts);
  host.after(probe);
  const styleOf = (/** @type {string} */ name) => getComputedStyle(/** @type {Element} */ (shapes.get(name)));
  const read = (/** @type {string} */ name) => {
    const { stroke, strokeWidth, opacity } = styleOf(name);
    return { stroke, width: Number.parseFloat(strokeWidth), opacity: Number.parseFloat(opacity) };
  };
  const [ink, held, torn] = [read("tex-ink"), read("tex-held"), read("tex-torn")];
  const fills = KINDS.map((kind) => styleOf(`k-${kind}`).fill);
  const words = texts.map((text) => getComputedStyle(text).fill);
  /** @type {Record<string, [string, number]>} */
  const lines = {};
  for (const name of ["is-new", "is-team", "is-asked", "is-asked-under", "is-torn"]) lines[name] = [read(name).stroke, read(name).width];
  const found = {
    paper: lines["is-asked-under"][0],
    fills,
    words,
    lines,
    freeLine: read("k-free").stroke,
    textures: /** @type {Record<string, CanvasPattern | undefined>} */ ({
      lines: tile(pen, 6, ink, "M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2"),
      rows: tile(pen, 5, ink, "M0,2.5 h5"),
      dots: tile(pen, 6, { ...ink, width: 2.2 }, "M0.4,1.5 h2.2 M3.4,4.5 h2.2"),
      held: tile(pen, 6, held, "M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2"),
      torn: tile(pen, 5, torn, "M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2 M0,0 l5,5 M-1,4 l2,2 M4,-1 l2,2"),
    }),
  };
  probe.remove();
  return found;
}

/** @param {CanvasRenderingContext2D} pen @param {number} size @param {{stroke: string, width: number, opacity: number}} ink @param {string} shape @returns {CanvasPattern | undefined} */
function tile(pen, size, ink, shape) {
  const small = el("canvas", { width: size, height: size });
  const brush = small.getContext("2d");
  if (brush === null) return undefined;
  brush.globalAlpha = ink.opacity;
  brush.strokeStyle = ink.stroke;
  brush.lineWidth = ink.width;
  brush.stroke(new Path2D(shape));
  return pen.createPattern(small, "repeat") ?? undefined;
}
