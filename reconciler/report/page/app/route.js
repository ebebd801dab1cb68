/**
 * Where the reader is: the state of the page in the fragment of its address, so that every view is a link.
 */

/**
 * @typedef {"pools" | "pool" | "change" | "findings" | "find"} View
 * @typedef {{view: View, pool: string | null, ip: string | null, q: string | null, at: string | null, team: string | null,
 *   find: string | null, side: string | null, [more: string]: string | null}} Route
 * @typedef {Record<string, string | null>} RouteChanges
 */

/** The views that a link may name. @type {readonly string[]} */
const VIEWS = ["pools", "pool", "change", "findings", "find"];

/** The order of the keys in a link. */
const ROUTE_KEYS = ["view", "pool", "ip", "q", "at", "team", "find", "side"];

/** @returns {Route} The one of the page's address now. */
export function route() {
  return routeOf(location.hash);
}

/** @param {string} fragment "#ip=10.40.1.72&at=2026-02-15" @returns {Route} */
export function routeOf(fragment) {
  /** @type {Record<string, string | null>} */
  const given = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [key, ...value] = part.split("=");
    if (key !== "") given[key] = decoded(value.join("="));
  }
  const { view, pool = null, ip = null, q = null, at = null, team = null, find = null, side = null, ...more } = given;
  const asked = VIEWS.includes(view ?? "") ? /** @type {View} */ (view) : defaultView(pool ?? ip, find);
  return { ...more, view: asked, pool, ip, q, at, team, find, side };
}

/** @param {string | null} place @param {string | null} find @returns {View} */
function defaultView(place, find) {
  if (place !== null) return "pool";
  return find === null ? "pools" : "find";
}

/** @param {string} text @returns {string} As it stands, when it is no valid encoding. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The link to where the reader is, with some things changed; null takes one away.
 * @param {RouteChanges} changes
 * @returns {string}
 */
export function linkTo(changes) {
  const here = route();
  /** @type {RouteChanges} */
  const next = { ...here, view: location.hash.includes("view=") ? here.view : null, ...changes };
  const more = Object.keys(next).filter((key) => !ROUTE_KEYS.includes(key)).sort();
  const parts = [...ROUTE_KEYS, ...more].flatMap((key) => {
    const value = next[key] ?? null;
    return value === null || value === "" ? [] : [`${key}=${readable(value)}`];
  });
  return `#${parts.join("&")}`;
}

/** @param {string} value @returns {string} Encoded, but for what a fragment may hold and people read. */
function readable(value) {
  return encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
}

/** @param {RouteChanges} changes */
export function go(changes) {
  const link = linkTo(changes);
  if (link !== location.hash) location.hash = link;
}

/** @param {(now: Route) => void} listener Called whenever the address changes. */
export function onRoute(listener) {
  window.addEventListener("hashchange", () => listener(route()));
}
