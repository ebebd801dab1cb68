/**
 * The slider over the commits that changed a pool: its content at that time, and the events.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Step } from "./steps.js" */
import { countText, formatCount } from "./addresses.js";
import { el, mono, refill, svg } from "./dom.js";
import { formatTime } from "./model.js";
import { round1, stairs, stepAt } from "./steps.js";
import { authorName, requestLink } from "./times.js";

/**
 * @typedef {{element: HTMLElement, set: (t: number) => void}} TimeSlider
 * @typedef {{t: number, onMove: (t: number) => void, onRest: (t: number) => void}} SliderOptions
 * @typedef {{stop: number, commit: number, what: string, count: number, text: string}} Mark
 */

/** The lane of each kind of event, from above; others share the last. @type {readonly string[]} */
const LANES = ["released", "moved", "braked", "refused"];
const MOST_LISTED = 300;
const WHOLE_SECONDS = 14;

/**
 * @param {Report} report
 * @param {Pool} pool
 * @param {Step[]} steps
 * @param {SliderOptions} options
 * @returns {TimeSlider}
 */
export function timeSlider(report, pool, steps, options) {
  const last = steps.length - 1;
  const marks = marksOf(report, pool, steps);
  const range = el("input", { type: "range", class: "slider-range", min: 0, max: Math.max(1, last), step: 1, "aria-label": "Time: commits that changed this pool" });
  range.disabled = last === 0;
  const said = el("p", { class: "slider-said" });
  const count = el("span", { class: "slider-count muted" });
  const play = button("▶", "Play the history", () => (player.isOn() ? player.stop() : player.start()));
  const back = button("‹", "Previous commit", () => jump(Number(range.value) - 1));
  const next = button("›", "Next commit", () => jump(Number(range.value) + 1));
  const latest = el("button", { type: "button", class: "button slider-latest", onclick: () => jump(last) }, "Latest");
  let shown = -1;

  const show = (/** @type {number} */ stop, isAtRest = true) => {
    if (stop === shown && !isAtRest) return;
    shown = stop;
    range.value = String(stop);
    refill(said, ...storyOf(report, steps[stop], isAtRest), ...eventsAt(marks, stop));
    count.textContent = `${formatCount(stop)} of ${countText(last, "change")}`;
    range.setAttribute("aria-valuetext", said.textContent ?? "");
    back.disabled = stop === 0;
    next.disabled = latest.disabled = stop === last;
  };
  const timeAt = (/** @type {number} */ stop) => (stop === last ? report.now : steps[stop].t);
  const jump = (/** @type {number} */ stop) => {
    player.stop();
    const there = Math.max(0, Math.min(last, stop));
    show(there);
    options.onMove(timeAt(there));
    options.onRest(timeAt(there));
  };
  const player = playerOf(last, {
    at: () => Number(range.value),
    move: (stop) => {
      show(stop, false);
      options.onMove(timeAt(stop));
    },
    change: (isOn) => {
      play.textContent = isOn ? "❚❚" : "▶";
      play.setAttribute("aria-label", isOn ? "Pause" : "Play the history");
      if (isOn) return;
      show(Number(range.value));
      options.onRest(timeAt(Number(range.value)));
    },
  });
  let waiting = false;
  range.addEventListener("input", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      show(Number(range.value), false);
      options.onMove(timeAt(Number(range.value)));
    });
  });
  range.addEventListener("pointerdown", () => player.stop());
  range.addEventListener("change", () => {
    show(Number(range.value));
    options.onRest(timeAt(Number(range.value)));
  });
  show(stepAt(steps, options.t));
  const element = el(
    "section",
    { class: "slider", "aria-label": "Time" },
    el("div", { class: "slider-bar" }, play, back, next, el("div", { class: "slider-track" }, shapeOf(steps), markStrip(marks, last), range), latest),
    el("div", { class: "slider-line" }, said, count),
    last === 0 ? el("p", { class: "muted" }, "No commit of this history changed this pool.") : marksList(report, marks, jump),
  );
  return { element, set: (t) => !player.isOn() && show(stepAt(steps, t)) };
}

/** @param {string} sign @param {string} label @param {() => void} onclick @returns {HTMLButtonElement} */
function button(sign, label, onclick) {
  return el("button", { type: "button", class: "button slider-button", "aria-label": label, title: label, onclick }, sign);
}

/**
 * Steps through the history, frame by frame; all of it in about as long, be it ten changes or ten thousand.
 * @param {number} last
 * @param {{at: () => number, move: (stop: number) => void, change: (isOn: boolean) => void}} on
 */
function playerOf(last, on) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const each = isCalm ? 1000 : Math.max(4, Math.min(400, (WHOLE_SECONDS * 1000) / Math.max(1, last)));
  const stride = isCalm ? Math.max(1, Math.ceil(last / 30)) : 1;
  let frame = 0;
  let since = -1;
  const turn = (/** @type {number} */ now) => {
    if (since < 0) since = now;
    const steps = Math.floor((now - since) / each);
    if (steps > 0) {
      since += steps * each;
      on.move(Math.min(last, on.at() + steps * stride));
    }
    if (on.at() >= last) return stop();
    frame = requestAnimationFrame(turn);
  };
  const stop = () => {
    if (frame === 0) return;
    cancelAnimationFrame(frame);
    frame = 0;
    on.change(false);
  };
  return {
    isOn: () => frame !== 0,
    start: () => {
      if (on.at() >= last) on.move(0);
      since = -1;
      frame = requestAnimationFrame(turn);
      on.change(true);
    },
    stop,
  };
}

/** @param {Report} report @param {Step} step @param {boolean} isAtRest Then its pull request is a link. @returns {(Node | string)[]} */
function storyOf(report, step, isAtRest) {
  const commit = step.t > 0 ? report.commits[step.t - 1] : null;
  if (commit === null) return ["Start of this history"];
  return [
    mono(formatTime(commit.clock)),
    " ",
    mono(commit.id),
    " ",
    el("span", { class: "slider-author" }, authorName(commit.author)),
    ...(commit.request === "" ? [] : [" ", isAtRest ? requestLink(commit.request) : commit.request]),
    " ",
    el("span", { class: "muted" }, commit.subject),
  ];
}

/** The events of the commit of a stop, as the marks count them. @param {Mark[]} marks @param {number} stop @returns {(Node | string)[]} */
function eventsAt(marks, stop) {
  const here = marks.filter((mark) => mark.stop === stop);
  const events = [...new Set(here.map((mark) => mark.what))].map((what) => `${what} ${formatCount(here.filter((mark) => mark.what === what).length)}`);
  return events.length === 0 ? [] : [" ", el("strong", { class: "mark-what" }, events.join(", "))];
}

/** Events of commits that changed this pool. @param {Report} report @param {Pool} pool @param {Step[]} steps @returns {Mark[]} */
function marksOf(report, pool, steps) {
  const stops = new Map(steps.map((step, stop) => [step.t - 1, stop]));
  return report.data.events.flatMap((event) => {
    const about = /** @type {{pool?: string | null}} */ (event).pool;
    const stop = about === pool.key ? stepAt(steps, event.commit + 1) : about === undefined ? stops.get(event.commit) : undefined;
    return stop === undefined ? [] : [{ stop, commit: event.commit, what: event.what, count: event.count, text: event.text }];
  });
}

/** How much the pool held, behind the slider. @param {Step[]} steps @returns {SVGElement} */
function shapeOf(steps) {
  const most = Math.max(1, ...steps.map((step) => step.allocated + step.held));
  const each = 1000 / Math.max(1, steps.length - 1);
  const points = (/** @type {(step: Step) => number} */ of) => steps.map((step, stop) => ({ x: stop * each, y: 30 - (of(step) / most) * 28 }));
  return svg(
    "svg",
    { class: "slider-shape", viewBox: "0 0 1000 30", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { class: "k-held", d: stairs(points((step) => step.allocated + step.held), 1000, 30) }),
    svg("path", { class: "k-allocated", d: stairs(points((step) => step.allocated), 1000, 30) }),
  );
}

/** @param {Mark[]} marks @param {number} last @returns {SVGElement} */
function markStrip(marks, last) {
  /** @type {Set<string>} */
  const drawn = new Set();
  const shapes = marks.flatMap((mark) => {
    const lane = laneOf(mark.what);
    const x = Math.round((mark.stop / Math.max(1, last)) * 400) / 4;
    if (drawn.has(`${lane} ${x}`)) return [];
    drawn.add(`${lane} ${x}`);
    return [svg("rect", { class: `mark mark-${LANES[lane]}`, x: `${round1(x)}%`, y: lane * 4, width: 2.5, height: 3 })];
  });
  return svg("svg", { class: "slider-marks", width: "100%", height: 16, "aria-hidden": "true" }, ...shapes);
}

/** @param {string} what @returns {number} */
function laneOf(what) {
  const lane = LANES.indexOf(what);
  return lane < 0 ? 0 : lane;
}

/** @param {Report} report @param {Mark[]} marks @param {(stop: number) => void} jump @returns {HTMLElement | null} */
function marksList(report, marks, jump) {
  if (marks.length === 0) return null;
  const counts = LANES.flatMap((what, lane) => {
    const count = marks.filter((mark) => laneOf(mark.what) === lane).length;
    const sign = svg("svg", { class: "swatch", width: 8, height: 10, "aria-hidden": "true" }, svg("rect", { class: `mark-${what}`, x: 1, y: 1, width: 6, height: 8 }));
    return count === 0 ? [] : [el("span", { class: "mark-count" }, sign, `${what} ${formatCount(count)}`)];
  });
  const list = el("ol", { class: "mark-list" });
  const fold = el("details", { class: "slider-events" }, el("summary", null, el("span", null, "All changes: "), counts), list);
  fold.addEventListener("toggle", () => {
    if (!fold.open || list.children.length > 0) return;
    const shown = marks.slice(-MOST_LISTED).reverse();
    for (const mark of shown) {
      const to = el("button", { type: "button", class: "linkish mono", onclick: () => jump(mark.stop) }, formatTime(report.commits[mark.commit].clock));
      list.append(el("li", null, to, el("strong", { class: "mark-what" }, mark.what), mark.text));
    }
    if (marks.length > shown.length) list.append(el("li", { class: "muted" }, `and ${formatCount(marks.length - shown.length)} earlier changes`));
  });
  return fold;
}
