/**
 * The history of a pool as steps: at which times something changed in it, and how much it held then.
 */

/** @import { Pool, Report } from "./model.js" */

/**
 * The content of a pool from a time on. `t` counts commits, `seconds` is when.
 * @typedef {{t: number, seconds: number, allocated: number, held: number}} Step
 */

/**
 * The first step is how the pool was when the history begins; each other one a commit that changed it.
 * @param {Report} report
 * @param {Pool} pool
 * @returns {Step[]} By time; never empty.
 */
export function stepsOf(report, pool) {
  const { lives, commits } = report;
  const [start, end] = report.livesOf(pool.at);
  /** @type {Map<number, [number, number]>} */
  const changes = new Map([[0, [0, 0]]]);
  const change = (/** @type {number} */ t, /** @type {number} */ state, /** @type {number} */ count) => {
    const found = changes.get(t) ?? [0, 0];
    found[state === 0 ? 0 : 1] += count;
    changes.set(t, found);
  };
  for (let at = start; at < end; at += 1) {
    const state = lives.state[at] & 3;
    const size = Number(lives.size[at]);
    change(lives.from[at] + 1, state, size);
    if (lives.to[at] >= 0) change(lives.to[at] + 1, state, -size);
  }
  let allocated = 0;
  let held = 0;
  return [...changes.keys()]
    .sort((a, b) => a - b)
    .map((t) => {
      const [more, moreHeld] = /** @type {[number, number]} */ (changes.get(t));
      allocated += more;
      held += moreHeld;
      return { t, seconds: secondsAt(report, t), allocated, held };
    })
    .filter((step) => step.t <= commits.length);
}

/** @param {Report} report @param {number} t @returns {number} When it came to be so; before the first commit that one's time. */
export function secondsAt(report, t) {
  const { commits } = report;
  return commits.length === 0 ? report.asOf : commits[Math.max(0, Math.min(t, commits.length) - 1)].clock;
}

/**
 * The step that holds at a time: the last one not after it.
 * @param {Step[]} steps
 * @param {number} t
 * @returns {number} Its index.
 */
export function stepAt(steps, t) {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (steps[middle].t <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Steps as the outline of an area, from the left to the right edge.
 * @param {{x: number, y: number}[]} points Where each step begins, and how high it is.
 * @param {number} right
 * @param {number} base
 * @returns {string} The `d` of a path.
 */
export function stairs(points, right, base) {
  if (points.length === 0) return "";
  let path = `M${round1(points[0].x)},${round1(base)}`;
  for (const point of points) path += `H${round1(point.x)}V${round1(point.y)}`;
  return `${path}H${round1(right)}V${round1(base)}Z`;
}

/** @param {number} value @returns {number} */
export function round1(value) {
  return Math.round(value * 10) / 10;
}

/** @param {number} count Of addresses; above 2^53 about so many. @returns {number | bigint} */
export function wholeOf(count) {
  return Number.isSafeInteger(count) ? count : BigInt(Math.round(count));
}
