/**
 * The search box: a combobox whose list follows the typed text. `/` focuses it, Enter opens, Escape closes.
 */

/** @import { Hit, Search } from "./search.js" */
import { addressFault, countText } from "./addresses.js";
import { el, refill } from "./dom.js";
import { go } from "./route.js";

/** The names of the sorts of hits. @type {Record<Hit["sort"], string>} */
const HIT_WORDS = {
  address: "Address",
  network: "Network",
  tenant: "Tenant",
  team: "Team",
  pool: "Pool",
  request: "Request",
  commit: "Commit",
  change: "Change",
};

/** @param {Search} search @returns {HTMLElement} */
export function searchBox(search) {
  const list = el("ul", { id: "hits", class: "hits", role: "listbox", "aria-label": "Results", hidden: true });
  const said = el("span", { class: "offscreen", role: "status" });
  const input = el("input", {
    id: "search", type: "search", class: "search-input", role: "combobox", autocomplete: "off", spellcheck: "false",
    "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list", "aria-label": "Search",
    placeholder: "Address, CIDR, tenant, team, pool, #12, or commit",
  });
  /** @type {{hits: Hit[], active: number}} */
  const state = { hits: [], active: 0 };

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  /** @param {Hit | undefined} hit */
  const open = (hit) => {
    if (hit === undefined) return;
    close();
    input.value = hit.label;
    go(hit.changes);
  };
  /** @param {number} active */
  const point = (active) => {
    state.active = active;
    for (const [at, item] of [...list.querySelectorAll("[role=option]")].entries()) {
      item.setAttribute("aria-selected", String(at === active));
      if (at === active) input.setAttribute("aria-activedescendant", item.id);
    }
  };
  const look = () => {
    state.hits = search(input.value);
    const isAsked = input.value.trim() !== "";
    refill(list, state.hits.length > 0 ? state.hits.map((hit, at) => hitItem(hit, at, open)) : nothingFound(input.value));
    said.textContent = isAsked ? (state.hits.length === 0 ? list.textContent : countText(state.hits.length, "result")) : "";
    list.hidden = !isAsked;
    input.setAttribute("aria-expanded", String(isAsked));
    if (isAsked) point(0);
    else close();
  };

  input.addEventListener("input", look);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const last = state.hits.length - 1;
    if (event.key === "Enter") open(list.hidden ? search(input.value)[0] : state.hits[state.active]);
    else if (event.key === "ArrowDown" && list.hidden) look();
    else if (event.key === "ArrowDown") point(state.active >= last ? 0 : state.active + 1);
    else if (event.key === "ArrowUp") point(state.active <= 0 ? last : state.active - 1);
    else if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Escape") input.value = "";
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
  });
  return el("div", { class: "search", role: "search" }, input, el("kbd", { class: "search-key", "aria-hidden": "true" }, "/"), list, said);
}

/** @param {Hit} hit @param {number} at @param {(hit: Hit) => void} open @returns {HTMLElement} */
function hitItem(hit, at, open) {
  // The mouse goes down before the input loses the focus: a click would come too late.
  const choose = (/** @type {MouseEvent} */ event) => {
    event.preventDefault();
    open(hit);
  };
  return el(
    "li",
    { id: `hit-${at}`, class: "hit", role: "option", "aria-selected": "false", onmousedown: choose },
    el("span", { class: "hit-sort" }, HIT_WORDS[hit.sort]),
    el("span", { class: "hit-label mono" }, hit.label),
    el("span", { class: "hit-detail" }, hit.detail),
  );
}

/** @param {string} text @returns {HTMLElement} */
function nothingFound(text) {
  return el("li", { class: "hit-none", role: "presentation" }, addressFault(text) ?? "This report has no such name, address, pull request, or commit.");
}

/** @param {EventTarget | null} target @returns {boolean} Whether a key there is text. */
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || isTextInput(target);
}

/** @param {HTMLElement} target @returns {boolean} */
function isTextInput(target) {
  return target instanceof HTMLInputElement && !["range", "checkbox", "radio", "button"].includes(target.type);
}
