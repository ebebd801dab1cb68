/**
 * The page of a name: all addresses of a tenant or team, or the changes of a commit or pull request.
 */

/** @import { Life, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
/** @import { Search } from "./search.js" */
/** @import { Child } from "./dom.js" */
/** @import { Whole } from "./pack.js" */
import { addressFault, countText, plus } from "./addresses.js";
import { notAnswered } from "./answer.js";
import { livesTable } from "./lives.js";
import { el, mono } from "./dom.js";
import { formatTime } from "./model.js";
import { livesPlot } from "./ownerplot.js";
import { linkTo } from "./route.js";
import { authorName, commitOf, commitsOfRequest, requestLink } from "./times.js";

/**
 * The card that answers `q=`.
 * @param {Report} report
 * @param {Route} here
 * @param {Search} search
 * @returns {HTMLElement | null} Null when nothing is asked.
 */
export function nameAnswer(report, here, search) {
  const asked = here.q ?? "";
  if (asked === "") return null;
  const owner = report.owners.indexOf(asked);
  if (owner >= 0) return ownerAnswer(report, asked, owner);
  if (asked.startsWith("team:")) return teamAnswer(report, asked.slice(5));
  const request = commitsOfRequest(report, asked);
  if (request.length > 0) return requestAnswer(report, asked, request);
  const commit = commitOf(report, asked);
  if (commit !== null) return commitAnswer(report, commit);
  return hitsAnswer(asked, search);
}

/** @param {Report} report @param {(claim: number) => boolean} isMeant @returns {Life[]} */
function livesOfClaims(report, isMeant) {
  const found = [];
  for (let at = 0; at < report.lives.count; at += 1) if (isMeant(report.lives.claim[at])) found.push(report.life(at));
  return found;
}

/** @param {Report} report @param {string} name @param {number} owner @returns {HTMLElement} */
function ownerAnswer(report, name, owner) {
  const lives = livesOfClaims(report, (claim) => report.ownerOf(claim) === owner);
  const teams = [...new Set(lives.map((life) => report.teamOf(life.claim)).filter((team) => team !== ""))];
  return whoseCard(report, name, teams.length > 0 ? `of team ${teams.join(", ")}` : "", lives);
}

/** @param {Report} report @param {string} team @returns {HTMLElement} */
function teamAnswer(report, team) {
  if (!report.data.teams.includes(team)) return notAnswered(`There is no team ${team}.`, "The search box finds the teams of this report.");
  const at = report.data.teams.indexOf(team);
  return whoseCard(report, `Team ${team}`, "", livesOfClaims(report, (claim) => report.teamOf(claim) === report.data.teams[at]));
}

/** @param {Report} report @param {string} title @param {string} more @param {Life[]} lives @returns {HTMLElement} */
function whoseCard(report, title, more, lives) {
  const now = lives.filter((life) => report.isThere(life.at, report.now));
  const past = lives.filter((life) => !report.isThere(life.at, report.now)).sort((a, b) => b.to - a.to || b.from - a.from);
  const isOne = new Set(lives.map((life) => report.ownerOf(life.claim))).size === 1;
  const used = now.filter((life) => life.state === "allocated");
  return el(
    "section",
    { class: "card answer", "aria-label": `Answer for ${title}` },
    el("h2", { tabindex: -1 }, title, " ", el("span", { class: "muted" }, more)),
    el("p", null, `${sumText(used)} allocated`, now.length > used.length && `, ${sumText(now.filter((life) => life.state !== "allocated"))} held`, "."),
    isOne && livesPlot(report, lives, `Ranges of ${title}`),
    el("h3", null, "Now"),
    now.length > 0 ? livesTable(report, now, "Current addresses", isOne) : el("p", { class: "muted" }, "No addresses now."),
    past.length > 0 && [el("h3", null, "Previous addresses"), livesTable(report, past, "Previous addresses, newest first", isOne)],
  );
}

/** @param {Life[]} lives @returns {string} */
function sumText(lives) {
  return countText(lives.reduce((sum, life) => plus(sum, life.size), /** @type {Whole} */ (0)), "address", "addresses");
}

/** @param {Report} report @param {string} name @param {number[]} commits @returns {HTMLElement} */
function requestAnswer(report, name, commits) {
  const first = report.commits[commits[0]];
  return el(
    "section",
    { class: "card answer", "aria-label": `Answer for ${name}` },
    el("h2", { tabindex: -1 }, name, " ", el("span", { class: "muted" }, first.subject)),
    el("p", null, "Commits: ", commits.flatMap((at) => [at === commits[0] ? "" : ", ", commitLink(report, at)]), "."),
    effectParts(report, new Set(commits)),
  );
}

/** @param {Report} report @param {number} at @returns {HTMLElement} */
function commitLink(report, at) {
  const id = report.commits[at].id;
  return el("a", { class: "mono", href: linkTo({ view: null, q: id, ip: null, pool: null }) }, id);
}

/** @param {Report} report @param {number} at @returns {HTMLElement} */
function commitAnswer(report, at) {
  const commit = report.commits[at];
  return el(
    "section",
    { class: "card answer", "aria-label": `Answer for ${commit.id}` },
    el("h2", { tabindex: -1 }, mono(commit.id), " ", el("span", { class: "muted" }, commit.subject)),
    el(
      "p",
      null,
      `${authorName(commit.author)}, ${formatTime(commit.clock)}`,
      commit.isPlan && ", made by reconcile",
      commit.request !== "" && [", ", requestLink(commit.request)],
      ".",
    ),
    effectParts(report, new Set([at])),
  );
}

/** @param {Report} report @param {Set<number>} commits @returns {Child[]} What began and ended by them. */
function effectParts(report, commits) {
  const { from, to, cause, count } = report.lives;
  const begun = [];
  const ended = [];
  for (let at = 0; at < count; at += 1) {
    if (commits.has(from[at]) || commits.has(cause[at])) begun.push(report.life(at));
    else if (commits.has(to[at])) ended.push(report.life(at));
  }
  if (begun.length + ended.length === 0) return [el("p", { class: "muted" }, "This commit changes no addresses.")];
  return [
    begun.length > 0 && el("h3", null, `New entries (${begun.length})`),
    begun.length > 0 && livesTable(report, begun, "New entries"),
    ended.length > 0 && el("h3", null, `Ended entries (${ended.length})`),
    ended.length > 0 && livesTable(report, ended, "Ended entries"),
  ];
}

/** @param {string} asked @param {Search} search @returns {HTMLElement} */
function hitsAnswer(asked, search) {
  const hits = search(asked);
  const fault = addressFault(asked);
  if (hits.length === 0 && fault !== null) return notAnswered(fault, "Write 10.40.1.72, 10.40.1.0/28, or 2001:db8::1.");
  if (hits.length === 0) return notAnswered(`No results for ${asked}.`, "Search for an address, CIDR, tenant, team, pool, pull request (#12), or commit.");
  const items = hits.map((hit) => el("li", null, el("a", { href: linkTo(hit.changes) }, hit.label), " ", el("span", { class: "muted" }, `${hit.sort}, ${hit.detail}`)));
  return el("section", { class: "card answer" }, el("h2", { tabindex: -1 }, `Results for ${asked}`), el("ul", { class: "plain" }, items));
}
