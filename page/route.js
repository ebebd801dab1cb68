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

/** The address as it was read last: a page of links asks for it thousands of times. @type {{hash: string, route: Route | null}} */
const ROUTE_READ = { hash: "", route: null };

/** @returns {Route} The one of the page's address now. */
export function route() {
  const hash = location.hash;
  if (ROUTE_READ.route === null || ROUTE_READ.hash !== hash) Object.assign(ROUTE_READ, { hash, route: routeOf(hash) });
  return { .../** @type {Route} */ (/** @type {unknown} */ (ROUTE_READ.route)) };
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

/** @param {string} text @returns {string} The decoded text, or the text itself if its encoding is not valid. */
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
  /** @type {RouteChanges} */
  const next = route();
  if (!ROUTE_READ.hash.includes("view=")) next.view = null;
  Object.assign(next, changes);
  const more = Object.keys(next).filter((key) => !ROUTE_KEYS.includes(key)).sort();
  const parts = [];
  for (const key of more.length > 0 ? [...ROUTE_KEYS, ...more] : ROUTE_KEYS) {
    const value = next[key] ?? "";
    if (value !== "") parts.push(`${key}=${readable(value)}`);
  }
  return `#${parts.join("&")}`;
}

/** @param {string} value @returns {string} Encoded, except readable characters that a fragment can contain. */
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
