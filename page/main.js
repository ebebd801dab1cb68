/**
 * Put the page together: header, verdicts, tabs, answers and the view that the address asks for.
 */

/** @import { Data, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
/** @import { Search } from "./search.js" */
import { parseRange } from "./addresses.js";
import { addressAnswer } from "./answer.js";
import { barPatterns } from "./bars.js";
import { changeView } from "./change.js";
import { el, mono, refill } from "./dom.js";
import { findView } from "./find.js";
import { findingsView } from "./findings.js";
import { nameAnswer } from "./listing.js";
import { formatTime, readReport } from "./model.js";
import { poolsView } from "./pools.js";
import { poolView } from "./poolview.js";
import { unfoldForPrint } from "./print.js";
import { go, linkTo, onRoute, route } from "./route.js";
import { searchOf } from "./search.js";
import { searchBox } from "./searchbox.js";
import { poolsAt } from "./occupancy.js";
import { tilesView } from "./tiles.js";
import { timeOf } from "./times.js";

function start() {
  const text = document.getElementById("data")?.textContent ?? "";
  const report = readReport(/** @type {Data} */ (JSON.parse(text)));
  const search = searchOf(report);
  const tabs = el("nav", { class: "tabs", "aria-label": "Views" });
  const verdicts = el("div");
  const answer = el("div", { class: "answer-host" });
  const view = el("div", { class: "view-host" });
  const main = el("main", { id: "main" }, answer, view);
  const skip = el("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => skipTo(event, main) }, "Skip to the content");
  const page = document.getElementById("page") ?? document.body;
  const team = teamSelect(report);
  refill(page, skip, barPatterns(), header(report, search, team), verdicts, tabs, main, footer(report));

  let before = "";
  const show = (/** @type {Route} */ here) => {
    refill(tabs, tabLinks(report, here));
    const current = tabs.querySelector("[aria-current]");
    if (current instanceof HTMLElement) tabs.scrollLeft = current.offsetLeft - 24;
    verdicts.hidden = !["pools", "findings"].includes(here.view) || here.ip !== null || here.q !== null;
    if (!verdicts.hidden) refill(verdicts, tilesView(report));
    team.value = here.team ?? "";
    nameSearch(here);
    const asked = JSON.stringify([here.ip, here.q, here.at, here.ip === null ? null : here.team]);
    if (asked !== before) refill(answer, answerOf(report, here, search));
    before = asked;
    const next = viewOf(report, here);
    if (view.firstChild !== next) refill(view, next);
    document.title = titleOf(report, here);
  };
  onRoute((here) => {
    show(here);
    if (isLost(document.activeElement)) focusHeading(main);
  });
  unfoldForPrint(report, view);
  show(route());
}

/** @param {Route} here The search box shows the current query, unless the user is typing. */
function nameSearch(here) {
  const input = document.getElementById("search");
  if (!(input instanceof HTMLInputElement)) return;
  if (input !== document.activeElement || here.ip !== null || here.q !== null || here.pool !== null) input.value = here.ip ?? (here.q ?? "").replace(/^team:/, "");
}

/**
 * @param {Report} report
 * @param {Route} here
 * @param {Search} search
 * @returns {Element[]}
 */
function answerOf(report, here, search) {
  return [addressAnswer(report, here), nameAnswer(report, here, search)].flatMap((card) => card ?? []);
}

/** @param {Report} report @param {Route} here @returns {Element | null} */
function viewOf(report, here) {
  if (here.view === "change") return changeView(report, here);
  if (here.view === "findings") return findingsView(report, here);
  if (here.view === "find") return findView(report, here);
  if (here.q !== null && here.pool === null) return null;
  if (here.view === "pools") return poolsView(report, here);
  const pool = poolKeyOf(report, here);
  if (pool !== null) return poolView(report, { ...here, pool });
  if (here.pool === null) return null;
  return el("section", { class: "card" }, el("h2", { tabindex: -1 }, "No such pool"), el("p", null, mono(here.pool), " is not a pool of this report. ", el("a", { href: linkTo({ pool: null, view: "pools" }) }, "Show all pools")));
}

/** @param {Report} report @param {Route} here @returns {string | null} The pool asked for, or the first one at the address. */
function poolKeyOf(report, here) {
  if (here.pool !== null) return report.poolOf(here.pool)?.key ?? null;
  const range = here.ip === null ? null : parseRange(here.ip);
  return range === null ? null : (poolsAt(report, range)[0]?.key ?? null);
}

/** @param {Report} report @param {Search} search @param {HTMLElement} team @returns {HTMLElement} */
function header(report, search, team) {
  const { revision, base, asOf } = report.data;
  const ids = [revision === null ? "no commit" : mono(revision.slice(0, 12)), base !== null && [" against ", mono(base.slice(0, 12))]].flat();
  return el(
    "header",
    { class: "top" },
    el("div", { class: "brand" }, el("h1", null, el("a", { href: "#" }, "IP addresses")), el("p", { class: "sub" }, "at ", ids, ", ", formatTime(Date.parse(asOf) / 1000))),
    searchBox(search),
    findForm(),
    el("div", { class: "field team-field" }, el("label", { for: "team" }, "Outline team"), team),
    el("button", { type: "button", class: "button theme", "aria-label": "Switch between dark and light", onclick: switchTheme }, "◐"),
  );
}

/** @returns {HTMLElement} */
function findForm() {
  const input = el("input", { id: "find", type: "text", placeholder: "8 or /28", spellcheck: "false", autocomplete: "off" });
  const form = el("form", { class: "find-form field" }, el("label", { for: "find" }, "Find free"), el("span", { class: "join" }, input, el("button", { type: "submit", class: "button" }, "Find")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go({ view: "find", find: input.value.trim() || "8", ip: null, q: null, pool: null });
  });
  return form;
}

/** @param {Report} report @returns {HTMLSelectElement} */
function teamSelect(report) {
  const names = report.data.teams.filter((name) => name !== "");
  const box = el("select", { id: "team" }, el("option", { value: "" }, "No team"), names.map((name) => el("option", { value: name }, name)));
  box.addEventListener("change", () => go({ team: box.value === "" ? null : box.value }));
  return box;
}

/** @param {Report} report @param {Route} here @returns {HTMLElement} */
function tabLinks(report, here) {
  const { findings, drift, change } = report.data;
  /** @type {[string, string, string][]} */
  const views = [
    ["pools", "Pools", String(report.pools.length)],
    ["change", "Change", change === null ? "" : String(change.actions.filter((action) => action.action !== "keep").length)],
    ["findings", "Findings and drift", String(findings.length + (drift ?? []).length)],
    ["find", "Find free", ""],
  ];
  const items = views.map(([view, title, count]) => {
    const isHere = here.view === view && (view !== "pools" || here.q === null);
    const link = linkTo({ view, pool: null, ip: null, q: null, at: null, show: null, find: view === "find" ? here.find : null });
    return el("li", null, el("a", { href: link, "aria-current": isHere ? "page" : null }, title, count !== "" && el("span", { class: "badge" }, count)));
  });
  const pool = here.view === "pool" ? report.poolOf(poolKeyOf(report, here) ?? "") : undefined;
  if (pool !== undefined) items.splice(1, 0, el("li", null, el("a", { href: linkTo({}), "aria-current": "page" }, pool.name)));
  return el("ul", null, items);
}

/** @param {Report} report @param {Route} here @returns {string} */
function titleOf(report, here) {
  const place = here.ip ?? here.q ?? report.poolOf(here.pool ?? "")?.title ?? here.view;
  const t = timeOf(report, here.at);
  return `${place}${t !== null ? ` at ${here.at}` : ""} · IP addresses`;
}

/** @param {Report} report @returns {HTMLElement} */
function footer(report) {
  const { history, version } = report.data;
  const begins = history.begins === null ? "" : `, since ${history.begins.slice(0, 10)}`;
  const whole = history.isWhole ? "" : " Older history is not in this page.";
  return el(
    "footer",
    { class: "foot" },
    el("p", null, `This page covers ${history.days} days of history${begins}.${whole} All times are UTC. The page uses no network and changes nothing. gitops-ipam ${version}.`),
    el("p", { class: "keys" }, el("kbd", null, "/"), " search  ", el("kbd", null, "↑"), el("kbd", null, "↓"), el("kbd", null, "Home"), el("kbd", null, "End"), " move in tables  ", el("kbd", null, "Esc"), " close"),
  );
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : root.dataset.theme === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
}

/** @param {Element | null} element @returns {boolean} Whether the focused element was removed, or the focus is in the search box. */
function isLost(element) {
  return (element === document.body || element?.id === "search" || element?.id === "find") && location.hash !== "";
}

/** @param {HTMLElement} main */
function focusHeading(main) {
  const heading = main.querySelector("h2");
  if (heading instanceof HTMLElement) heading.focus();
}

/** @param {Event} event @param {HTMLElement} main */
function skipTo(event, main) {
  event.preventDefault();
  main.tabIndex = -1;
  main.focus();
}

start();
