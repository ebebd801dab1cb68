/**
 * The page of an address or network: its owner now, at another time, and before.
 */

/** @import { Life, Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Route } from "./route.js" */
/** @import { Part } from "./occupancy.js" */
/** @import { Child } from "./dom.js" */
import { countText, formatCount, formatRange, meets, pairRange, parseRange, sizeOf } from "./addresses.js";
import { el, mono } from "./dom.js";
import { effectWords } from "./effects.js";
import { ownerLink, poolLink, rangeLink, teamLink } from "./links.js";
import { livesTable, STATE_WORDS } from "./lives.js";
import { formatTime, lifeRange, secondsOf } from "./model.js";
import { addressPlot } from "./ownerplot.js";
import { livesWithin, partsAt } from "./occupancy.js";
import { sortableTable } from "./table.js";
import { commitText, timeOf, timeText } from "./times.js";

/**
 * The card that answers `ip=`, with `at=` also as it was then.
 * @param {Report} report
 * @param {Route} here
 * @returns {HTMLElement | null} Null when nothing is asked.
 */
export function addressAnswer(report, here) {
  if (here.ip === null || here.ip === "") return null;
  const range = parseRange(here.ip);
  if (range === null) return notAnswered(`${here.ip} is not an address, a CIDR, or a range.`, "Write 10.40.1.72, 10.40.1.0/28, or 2001:db8::1.");
  const isOne = range.first === range.last;
  const t = timeOf(report, here.at);
  const card = el(
    "section",
    { class: "card answer", "aria-label": `Answer for ${formatRange(range)}` },
    el("h2", { tabindex: -1 }, mono(formatRange(range)), !isOne && el("span", { class: "muted" }, ` ${countText(sizeOf(range), "address", "addresses")}`)),
    here.at !== null && t === null && el("p", { class: "warn" }, `${here.at} names no commit and no time of this report. The answer is as of now.`),
  );
  if (t !== null && t < report.now) card.append(momentPart(report, range, t, `On ${timeName(report, here.at ?? "", t)}`));
  card.append(momentPart(report, range, report.now, "Now"));
  card.append(beforePart(report, range));
  return card;
}

/** @param {string} what @param {string} hint @returns {HTMLElement} */
export function notAnswered(what, hint) {
  return el("section", { class: "card answer" }, el("h2", { tabindex: -1 }, what), el("p", { class: "muted" }, hint));
}

/** @param {Report} report @param {string} at @param {number} t @returns {string} */
function timeName(report, at, t) {
  if (t === 0) return `${at} (before the first commit of this history)`;
  const commit = report.commits[t - 1];
  return /^[0-9a-f]{4,12}$/.test(at) ? `${formatTime(commit.clock)}, after commit ${commit.id}` : `${at} (after commit ${commit.id})`;
}

/**
 * @param {Report} report
 * @param {Range} range
 * @param {number} t
 * @param {string} title
 * @returns {HTMLElement}
 */
function momentPart(report, range, t, title) {
  const parts = partsAt(report, range, t);
  const body = range.first === range.last ? parts.map((part) => onePart(report, part, t)) : [manyParts(report, parts, t)];
  return el("div", { class: "moment" }, el("h3", null, title), body);
}

/** @param {Report} report @param {Part} part @param {number} t @returns {HTMLElement} */
function onePart(report, part, t) {
  const { life, pool } = part;
  /** @type {[string, Child | Child[]][]} */
  const facts = [];
  if (life !== null) {
    const claim = report.claim(life.claim);
    facts.push(["Who", [ownerLink(claim.owner), claim.team !== "" && [" of team ", teamLink(claim.team)]].flat()]);
    facts.push(["State", [...stateText(report, life, pool), ...(t === report.now ? effectWords(report, pool, part.range) : [])]]);
    facts.push(["Range", [mono(formatRange(lifeRange(life))), `, ${countText(life.size, "address", "addresses")}, ${claim.type}${life.isGrowth ? ", growth" : ""}`]]);
  } else {
    facts.push([t === report.now ? "State" : "Then", standingWords(report, part, t === report.now)]);
  }
  if (pool !== null) facts.push(["Pool", poolLink(pool)]);
  if (life !== null) {
    facts.push(["Since", timeText(report, life.from)]);
    const cause = life.cause >= 0 ? life.cause : life.from;
    if (cause >= 0) facts.push(["By", commitText(report.commits[cause])]);
    if (life.from >= 0 && life.from !== cause) facts.push(["Recorded in", commitText(report.commits[life.from])]);
    if (life.path !== "") facts.push(["File", mono(`${life.path}:${life.line}`)]);
  } else if (part.path !== "") {
    facts.push(["File", mono(`${part.path}:${part.line}`)]);
  }
  return el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

/** @param {Report} report @param {Life} life @param {Pool | null} pool @returns {Child[]} */
function stateText(report, life, pool) {
  const tag = el("span", { class: `tag ${life.state}` }, STATE_WORDS[life.state]);
  if (life.state === "allocated" || life.to !== -1) return [tag, life.to === -1 ? "" : " until ", life.to !== -1 && timeText(report, life.to)];
  if (life.isBraked) return [tag, " the release limit holds its release back"];
  const found = pool?.comesFree.find((item) => meets(pairRange([item[0], item[1]]), lifeRange(life)));
  if (found === undefined) return [tag];
  return [tag, found[2] === null ? " announced while in use" : ` is free from ${formatTime(secondsOf(found[2]))}`];
}

/** @param {Report} report @param {Part} part @param {boolean} isNow @returns {Child[]} The text for addresses without a record. */
function standingWords(report, part, isNow) {
  const planned = isNow ? effectWords(report, part.pool, part.range) : [];
  if (part.sort === "none") return [el("span", { class: "tag outside" }, "in no pool"), " This repository does not allocate it."];
  if (part.sort === "free") return [el("span", { class: "tag free" }, "free"), ...(planned.length > 0 ? planned : [" It is not allocated."])];
  if (part.sort === "unknown") return [isNow ? "No record contains it, and the pool does not allocate it." : "No record named it."];
  const what = part.title === "" || part.title === part.word ? "" : ` ${part.title}`;
  return [el("span", { class: "tag reserved" }, part.word), what, !isNow && " (as the pool is today)"];
}

/** @param {Report} report @param {Part[]} parts @param {number} t @returns {HTMLElement} */
function manyParts(report, parts, t) {
  const isNow = t === report.now;
  return sortableTable({
    label: isNow ? "Current entries" : "Entries at that time",
    rows: parts,
    none: "No pool of this repository has these addresses.",
    columns: [
      { title: "Range", value: (part) => part.range.first, cell: (part) => rangeLink(part.range) },
      { title: "Addresses", class: "number", value: (part) => sizeOf(part.range), cell: (part) => formatCount(sizeOf(part.range)), isFirstHigh: true },
      { title: "State", value: (part) => (part.life === null ? part.word || part.sort : STATE_WORDS[part.life.state]), cell: (part) => partState(report, part, isNow) },
      { title: "Who", value: (part) => ownerOfPart(report, part), cell: (part) => (part.life === null ? "" : ownerLink(ownerOfPart(report, part))) },
      { title: "Team", value: (part) => (part.life === null ? "" : report.claim(part.life.claim).team), cell: (part) => (part.life === null ? "" : report.claim(part.life.claim).team) },
      { title: "Pool", value: (part) => part.pool?.title ?? "", cell: (part) => (part.pool === null ? "" : poolLink(part.pool)) },
      { title: "Since", value: (part) => part.life?.from ?? null, cell: (part) => (part.life === null ? "" : timeText(report, part.life.from)) },
    ],
  }).element;
}

/** @param {Report} report @param {Part} part @returns {string} */
function ownerOfPart(report, part) {
  return part.life === null ? "" : report.claim(part.life.claim).owner;
}

/** @param {Report} report @param {Part} part @param {boolean} isNow @returns {Child[]} */
function partState(report, part, isNow) {
  if (part.life === null) return standingWords(report, part, isNow);
  return [el("span", { class: `tag ${part.life.state}` }, STATE_WORDS[part.life.state]), ...(isNow ? effectWords(report, part.pool, part.range) : [])];
}

/** @param {Report} report @param {Range} range @returns {HTMLElement} All that ended there, newest first. */
function beforePart(report, range) {
  const gone = livesWithin(report, range).filter((at) => !report.isThere(at, report.now));
  const past = gone.map(report.life).sort((a, b) => b.to - a.to || b.from - a.from);
  const title = el("h3", null, "Before");
  if (past.length === 0) return el("div", { class: "moment" }, title, el("p", { class: "muted" }, noEarlierHolder(report)));
  const table = livesTable(report, past, "Previous holders, newest first");
  if (range.first === range.last) return el("div", { class: "moment" }, title, table, addressPlot(report, range));
  return el("details", { class: "moment" }, el("summary", null, `Earlier states and holders (${past.length})`), table);
}

/** @param {Report} report @returns {string} */
function noEarlierHolder(report) {
  const { isWhole, begins } = report.data.history;
  if (isWhole || begins === null) return "This history has no earlier holder.";
  return `No earlier holder since ${begins.slice(0, 10)}, the start of this history.`;
}
