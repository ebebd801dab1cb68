/**
 * Moments: which commit a person means by `at=`, and how a commit is shown.
 */

/** @import { Commit, Report } from "./model.js" */
import { el, mono } from "./dom.js";
import { formatTime, secondsOf } from "./model.js";
import { linkTo } from "./route.js";

/** What `at=` says of the time before the first commit, which has no id. */
const BEGIN = "begin";

/**
 * The time index of `at=`: `begin` (before the first commit), a commit id or the start of one, a day (its end, in UTC), a minute or an instant.
 * @param {Report} report
 * @param {string | null} at
 * @returns {number | null} Null of a text that names no moment.
 */
export function timeOf(report, at) {
  if (at === null || at === "") return null;
  if (at === BEGIN) return 0;
  const seconds = momentOf(report, at);
  if (seconds !== null) return report.lastCommitAt(seconds);
  const found = commitOf(report, at);
  return found === null ? null : found + 1;
}

/** @param {Report} report @param {number} t @returns {string | null} What `at=` says of a time; null for now. */
export function atOf(report, t) {
  if (t === report.now) return null;
  return t === 0 ? BEGIN : report.commits[t - 1].id;
}

/** @param {Report} report @param {string} text @returns {number | null} Seconds since 1970. */
function momentOf(report, text) {
  const ago = /^(\d{1,4})d$/.exec(text);
  if (ago !== null) return report.asOf - Number(ago[1]) * 86400;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return secondsOr(`${text}T23:59:59Z`);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(text)) return secondsOr(text.replace("Z", ":59Z"));
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? secondsOr(text) : null;
}

/** @param {string} time @returns {number | null} Null of a day that no calendar has. */
function secondsOr(time) {
  const seconds = secondsOf(time);
  return Number.isNaN(seconds) ? null : seconds;
}

/**
 * The commit whose id begins so.
 * @param {Report} report
 * @param {string} text At least four hex digits; of a whole id the first twelve count.
 * @returns {number | null} Its index.
 */
export function commitOf(report, text) {
  const start = text.toLowerCase().slice(0, 12);
  if (!/^[0-9a-f]{4,}$/.test(start)) return null;
  const at = report.commits.findIndex((commit) => commit.id.startsWith(start));
  return at < 0 ? null : at;
}

/** @param {Report} report @param {string} text "#12" @returns {number[]} Indices of its commits. */
export function commitsOfRequest(report, text) {
  return report.commits.flatMap((commit, at) => (commit.request === text ? [at] : []));
}

/** @param {string} author "Ada <ada@example.com>" @returns {string} "Ada" */
export function authorName(author) {
  return author.replace(/\s*<[^>]*>\s*$/, "") || author;
}

/**
 * A commit as a link with its author, subject and pull request.
 * @param {Commit} commit
 * @returns {HTMLElement}
 */
export function commitText(commit) {
  return el(
    "span",
    { class: "commit" },
    el("a", { class: "mono", href: linkTo({ view: "pools", q: commit.id, ip: null, pool: null }) }, commit.id),
    " ",
    el("span", { title: commit.author }, authorName(commit.author)),
    commit.request !== "" && [" ", requestLink(commit.request)],
    " ",
    el("span", { class: "muted" }, commit.subject),
  );
}

/** @param {string} request "#12" @returns {HTMLElement} */
export function requestLink(request) {
  return el("a", { href: linkTo({ view: "pools", q: request, ip: null, pool: null }) }, request);
}

/**
 * When a life began or ended, in words.
 * @param {Report} report
 * @param {number} commit An index; -1 is before the history.
 * @returns {HTMLElement}
 */
export function timeText(report, commit) {
  if (commit >= 0) return mono(formatTime(report.commits[commit].clock));
  const begins = report.data.history.begins;
  return el("span", { class: "muted" }, "before this history", begins !== null && ` (${begins.slice(0, 10)})`);
}
