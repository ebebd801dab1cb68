/**
 * The description of a cell: in full next to it, and in short for screen readers.
 */

/** @import { Child } from "./dom.js" */
/** @import { Report } from "./model.js" */
/** @import { Other, Paint, Span } from "./scene.js" */
import { countText, formatCount, formatRange, sizeOf } from "./addresses.js";
import { el, mono, refill } from "./dom.js";
import { KIND_WORDS } from "./maplegend.js";
import { formatTime } from "./model.js";
import { linkTo } from "./route.js";
import { FREE, inCell, KINDS } from "./scene.js";
import { wholeOf } from "./steps.js";

const MAX_SHOWN = 4;

/**
 * @typedef {{element: HTMLElement, isPinned: () => boolean, show: (paint: Paint, cell: number, t: number, at: DOMRect) => void,
 *   pin: () => void, hide: () => void}} Tip
 */

/** @param {Report} report @param {HTMLElement} host Its parent element, which is positioned. @returns {Tip} */
export function mapTip(report, host) {
  const body = el("div", { class: "tip-body" });
  const close = el("button", { type: "button", class: "tip-close", "aria-label": "Close", hidden: true, onclick: () => hide() }, "×");
  const element = el("div", { class: "map-tip", role: "status", hidden: true }, close, body);
  let pinned = false;
  /** @type {Element | null} */
  let before = null;
  const hide = () => {
    const inside = element.contains(document.activeElement);
    pinned = false;
    element.hidden = true;
    element.classList.remove("is-pinned");
    if (!inside || !(before instanceof SVGElement)) return;
    before.focus({ preventScroll: true });
    element.hidden = true;
  };
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  return {
    element,
    isPinned: () => pinned,
    show: (paint, cell, t, at) => {
      refill(body, ...cellStory(report, paint, cell, t));
      element.hidden = false;
      close.hidden = true;
      const frame = host.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = element;
      const left = Math.max(0, Math.min(at.left - frame.left + at.width / 2 - width / 2, frame.width - width));
      const isBelow = at.top - height - 10 < 0;
      element.style.left = `${Math.round(left)}px`;
      element.style.top = `${Math.round(isBelow ? at.bottom - frame.top + 8 : at.top - frame.top - height - 8)}px`;
    },
    pin: () => {
      pinned = true;
      before = document.activeElement;
      element.classList.add("is-pinned");
      close.hidden = false;
      close.focus({ preventScroll: true });
    },
    hide,
  };
}

/** @param {Report} report @param {Paint} paint @param {number} cell @param {number} t @returns {Child[]} */
function cellStory(report, paint, cell, t) {
  const { cells } = paint;
  const range = { version: cells.version, first: cells.first[cell], last: cells.last[cell] };
  const found = inCell(paint, cell, t);
  const isMany = sizeOf(range) !== 1 && sizeOf(range) !== 1n;
  const shown = found.spans.slice(0, MAX_SHOWN);
  const rest = found.spans.length - shown.length;
  const isTorn = paint.torn[cell] === 1;
  return [
    el("p", { class: "tip-head" }, mono(formatRange(range)), isMany && el("span", { class: "muted" }, ` ${countText(sizeOf(range), "address", "addresses")}`)),
    isTorn && el("p", { class: "tip-torn" }, "Conflict: more than one holder"),
    ...shown.map((span) => spanStory(report, span)),
    rest > 0 && el("p", { class: "muted" }, `and ${countText(rest, "range")} more`),
    ...found.others.map(otherStory),
    found.free > 0 && el("p", null, isMany ? `${formatCount(wholeOf(found.free))} free` : "free"),
    el("p", { class: "tip-foot" }, el("a", { href: linkTo({ ip: formatRange({ ...range, last: range.first }), q: null, at: null }) }, "Link to this")),
  ];
}

/** @param {Report} report @param {Span} span @returns {HTMLElement} */
export function spanStory(report, span) {
  const claim = span.claim >= 0 ? report.claim(span.claim) : null;
  const life = span.life >= 0 ? report.life(span.life) : null;
  const begun = span.from >= 0 ? report.commits[span.from] : null;
  const cause = life !== null && life.cause >= 0 ? report.commits[life.cause] : begun;
  const range = { version: span.version, first: span.first, last: span.last };
  const slot = claim !== null && claim.type !== "" ? `${claim.type}${life?.isGrowth ? ", growth" : ""}` : "";
  /** @type {[string, Child][]} */
  const rows = [
    ["Range", mono(formatRange(range))],
    ["Tenant", claim?.owner || span.title],
    ["Team", claim?.team ?? ""],
    ["Type", slot],
    ["Since", begun === null ? (span.isNew ? "with this change" : "before the history of this page") : formatTime(begun.clock)],
    ["Commit", cause !== null && el("span", null, mono(cause.id), ` ${cause.subject}`)],
    ["Author", cause?.author ?? ""],
    ["Pull request", cause?.request ?? ""],
    ["File", life !== null && life.path !== "" && mono(`${life.path}:${life.line}`)],
  ];
  const state = KIND_WORDS[span.state][2] + (life?.isBraked ? "; held back by the release limit" : "");
  return el(
    "div",
    { class: "tip-part" },
    el("p", null, el("span", { class: `dot k-${KINDS[span.state]}`, "aria-hidden": "true" }), state),
    el("dl", { class: "tip-list" }, rows.flatMap(([word, value]) => (value ? [el("dt", null, word), el("dd", null, value)] : []))),
  );
}

/** @param {Other} other @returns {HTMLElement} */
function otherStory(other) {
  const place = other.path === "" ? "" : `${other.path}:${other.line}`;
  return el(
    "div",
    { class: "tip-part" },
    el("p", null, el("span", { class: `dot k-${KINDS[other.state]}`, "aria-hidden": "true" }), KIND_WORDS[other.state][2]),
    el(
      "dl",
      { class: "tip-list" },
      el("dt", null, "Range"),
      el("dd", null, mono(formatRange({ version: other.version, first: other.first, last: other.last }))),
      other.title !== "" && [el("dt", null, "Because"), el("dd", null, other.title)],
      place !== "" && [el("dt", null, "File"), el("dd", null, mono(place))],
    ),
  );
}

/**
 * A cell in one line, as it was last counted.
 * @param {Report} report
 * @param {Paint} paint
 * @param {number} cell
 * @param {number} look The kind that it is all of, or -1.
 * @returns {string}
 */
export function cellWords(report, paint, cell, look) {
  const { cells } = paint;
  const range = formatRange({ version: cells.version, first: cells.first[cell], last: cells.last[cell] });
  const span = paint.top[cell] >= 0 ? paint.spans[paint.top[cell]] : null;
  const claim = span !== null && span.claim >= 0 ? report.claim(span.claim) : null;
  const torn = paint.torn[cell] === 1 ? "conflict, " : "";
  if (look >= 0) {
    const who = look < 3 && claim !== null ? `, ${claim.owner}, ${claim.type}` : "";
    return `${range}: ${torn}${KINDS[look] === "unused" ? "not allocatable" : KINDS[look] === "used" ? "in use" : KINDS[look]}${who}`;
  }
  const free = paint.counts[cell * 8 + FREE];
  const most = claim === null ? "" : `, most of it ${claim.owner}`;
  return `${range}: ${torn}${formatCount(wholeOf(free))} of ${formatCount(wholeOf(cells.size[cell]))} free${most}`;
}
