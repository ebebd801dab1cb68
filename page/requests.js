/**
 * The request, as YAML to copy, that would get addresses of a pool: one document, or one an address where a kind gives one.
 */

/** @import { Pool } from "./model.js" */
/** @import { Range } from "./addresses.js" */
import { formatAddress, minus, plus, rangeOf, sizeOf } from "./addresses.js";
import { order } from "./occupancy.js";

/**
 * @typedef {{count: number, prefix: number | null}} Wanted `prefix`: an aligned network of that length.
 * @typedef {{name: string, namespace: string, type: string}} Asker The tenant that it is for.
 */

/** Maximum number of documents for kinds with one address each. */
export const MOST_DOCUMENTS = 16;

/** @param {string} text "8", "/28" @returns {Wanted | null} */
export function wantedOf(text) {
  const found = /^\s*(\/?)(\d{1,7})\s*(?:ips?|addresses)?\s*$/i.exec(text);
  if (found === null) return null;
  const number = Number(found[2]);
  if (found[1] === "") return number > 0 ? { count: number, prefix: null } : null;
  return number <= 32 && number >= 8 ? { count: 2 ** (32 - number), prefix: number } : null;
}

/** @param {Pool} pool @returns {boolean} Whether a claim of its kind gets a row of addresses, and not one only. */
export function givesRows(pool) {
  return pool.kind === "NetworkPool";
}

/**
 * Return the next range of the pool: the smallest free range that fits, or the lowest. An aligned network needs a pin.
 * @param {Pool} pool
 * @param {Range[]} free Free ranges of the pool.
 * @param {Wanted} wanted
 * @returns {Range | null}
 */
export function nextRun(pool, free, wanted) {
  const isLowest = (pool.placement ?? (givesRows(pool) ? "best-fit" : "lowest")) === "lowest";
  const runs = free.flatMap((run) => {
    const given = wanted.prefix === null ? startOf(run, wanted.count) : alignedIn(run, wanted.count);
    return given === null ? [] : [{ run, given }];
  });
  runs.sort((a, b) => a.run.version - b.run.version || (isLowest ? 0 : order(sizeOf(a.run), sizeOf(b.run))) || order(a.run.first, b.run.first));
  return runs[0]?.given ?? null;
}

/** @param {Range} run @param {number} count @returns {Range | null} */
function startOf(run, count) {
  return sizeOf(run) < count ? null : rangeOf(run.version, run.first, plus(run.first, count - 1));
}

/** @param {Range} run @param {number} count A power of two. @returns {Range | null} */
function alignedIn(run, count) {
  if (run.version !== 4) return null;
  const first = Math.ceil(Number(run.first) / count) * count;
  return first + count - 1 > run.last ? null : rangeOf(4, first, first + count - 1);
}

/**
 * Return the lowest free addresses, for a number of claims of one address each.
 * @param {Range[]} free Free ranges of the pool.
 * @param {number} count
 * @returns {Range[] | null} Null when there are not so many.
 */
export function nextSingles(free, count) {
  const runs = [...free].sort((a, b) => a.version - b.version || order(a.first, b.first));
  /** @type {Range[]} */
  const given = [];
  let left = count;
  for (const run of runs) {
    if (left === 0) break;
    const size = sizeOf(run);
    const take = size < left ? Number(size) : left;
    given.push(rangeOf(run.version, run.first, minus(plus(run.first, take), 1)));
    left -= take;
  }
  return left === 0 ? given : null;
}

/**
 * The documents to copy.
 * @param {Pool} pool
 * @param {Wanted} wanted
 * @param {Range} run The next range of the pool.
 * @param {Asker} asker
 * @returns {string}
 */
export function requestYaml(pool, wanted, run, asker) {
  if (givesRows(pool)) return rowRequest(pool, wanted, run, asker);
  const documents = [];
  for (let at = 1; at <= Math.min(wanted.count, MOST_DOCUMENTS); at += 1) {
    const name = wanted.count === 1 ? asker.name : `${asker.name}-${at}`;
    documents.push(pool.kind === "ProxyIPPool" ? vipRequest(pool, run, name) : claimRequest(pool, name, asker));
  }
  return documents.join("---\n");
}

/** @param {Pool} pool @param {Wanted} wanted @param {Range} run @param {Asker} asker @returns {string} */
function rowRequest(pool, wanted, run, asker) {
  const size =
    wanted.prefix === null
      ? [`  count: ${wanted.count}`]
      : ["  pinnedRange:", `    startAddress: ${quoted(formatAddress(run.version, run.first))}`, `    endAddress: ${quoted(formatAddress(run.version, run.last))}`];
  return lines([
    "apiVersion: butler.butlerlabs.dev/v1alpha1",
    "kind: IPAllocation",
    "metadata:",
    `  name: ${plain(`${asker.namespace}-${asker.name}-more-${asker.type === "nodes" ? "nodes" : "lb"}`)}`,
    `  namespace: ${plain(pool.namespace)}`,
    "spec:",
    "  poolRef:",
    `    name: ${plain(pool.name)}`,
    "  tenantClusterRef:",
    `    name: ${plain(asker.name)}`,
    `    namespace: ${plain(asker.namespace)}`,
    `  type: ${asker.type}`,
    ...size,
  ]);
}

/** @param {Pool} pool @param {Range} run @param {string} name @returns {string} */
function vipRequest(pool, run, name) {
  return lines([
    "apiVersion: novaedge.io/v1alpha1",
    "kind: ProxyVIP",
    "metadata:",
    `  name: ${plain(name)}`,
    "spec:",
    "  mode: L2ARP",
    `  addressFamily: ipv${run.version}`,
    "  ports:",
    "    - 443",
    "  poolRef:",
    `    name: ${plain(pool.name)}`,
  ]);
}

/** @param {Pool} pool @param {string} name @param {Asker} asker @returns {string} */
function claimRequest(pool, name, asker) {
  return lines([
    "apiVersion: ipam.cluster.x-k8s.io/v1beta2",
    "kind: IPAddressClaim",
    "metadata:",
    `  name: ${plain(name)}`,
    `  namespace: ${plain(pool.namespace === "" ? asker.namespace : pool.namespace)}`,
    "spec:",
    "  poolRef:",
    "    apiGroup: ipam.cluster.x-k8s.io",
    `    kind: ${plain(pool.kind)}`,
    `    name: ${plain(pool.name)}`,
  ]);
}

/** @param {string[]} all @returns {string} */
function lines(all) {
  return `${all.join("\n")}\n`;
}

/** @param {string} text @returns {string} The text, quoted unless YAML reads it as text. */
function plain(text) {
  return /^[a-z]([a-z0-9.-]*[a-z0-9])?$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/.test(text) ? text : quoted(text);
}

/** @param {string} text @returns {string} JSON's strings are YAML's. */
function quoted(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
