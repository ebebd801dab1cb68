/**
 * Lives of ranges as a table.
 */

/** @import { Life, Report } from "./model.js" */
/** @import { Child } from "./dom.js" */
/** @import { Column } from "./table.js" */
import { formatCount } from "./addresses.js";
import { el } from "./dom.js";
import { ownerLink, poolLink, rangeLink } from "./links.js";
import { lifeRange } from "./model.js";
import { sortableTable } from "./table.js";
import { commitText, timeText } from "./times.js";

/** The names of the states. @type {Record<Life["state"], string>} */
export const STATE_WORDS = { allocated: "allocated", held: "held", left: "left" };

/**
 * Lives as a table.
 * @param {Report} report
 * @param {Life[]} lives
 * @param {string} label
 * @param {boolean} [isOfOne] Of one tenant that is named above.
 * @returns {HTMLElement}
 */
export function livesTable(report, lives, label, isOfOne = false) {
  /** @type {Column<Life>} */
  const who = { title: "Who", value: (life) => report.claim(life.claim).owner, cell: (life) => ownerLink(report.claim(life.claim).owner) };
  return sortableTable({
    label,
    rows: lives,
    none: "Nothing.",
    columns: [
      { title: "Range", value: (life) => life.first, cell: (life) => rangeLink(lifeRange(life)) },
      { title: "Addresses", class: "number", value: (life) => life.size, cell: (life) => formatCount(life.size), isFirstHigh: true },
      ...(isOfOne ? [] : [who]),
      { title: "State", value: (life) => STATE_WORDS[life.state], cell: (life) => el("span", { class: `tag ${life.state}` }, STATE_WORDS[life.state]) },
      { title: "Type", value: (life) => report.claim(life.claim).type, cell: (life) => report.claim(life.claim).type },
      { title: "Pool", value: (life) => report.pools[life.pool].title, cell: (life) => poolLink(report.pools[life.pool]) },
      { title: "From", value: (life) => life.from, cell: (life) => timeText(report, life.from), isFirstHigh: true },
      { title: "To", value: (life) => (life.to === -1 ? report.now : life.to), cell: (life) => (life.to === -1 ? "now" : timeText(report, life.to)), isFirstHigh: true },
      { title: "Begun by", value: (life) => life.cause, cell: (life) => causeText(report, life) },
    ],
  }).element;
}

/** @param {Report} report @param {Life} life @returns {Child} */
function causeText(report, life) {
  const cause = life.cause >= 0 ? life.cause : life.from;
  return cause < 0 ? "" : commitText(report.commits[cause]);
}
