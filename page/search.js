/**
 * Find the text that a user types: an address, a CIDR, a tenant, a team, a pool, a pull request or a commit.
 */

/** @import { Report } from "./model.js" */
/** @import { RouteChanges } from "./route.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Whole } from "./pack.js" */
import { countText, formatRange, parseRange, plus } from "./addresses.js";
import { effectText, newClaims } from "./effects.js";
import { formatDay } from "./model.js";
import { STATE_WORDS } from "./lives.js";
import { livesWithin, partsAt, poolsAt } from "./occupancy.js";
import { authorName, commitsOfRequest } from "./times.js";

/**
 * @typedef {{sort: "address" | "network" | "tenant" | "team" | "pool" | "request" | "commit" | "change", label: string, detail: string,
 *   changes: RouteChanges}} Hit
 * @typedef {{names: string[], lower: string[]}} Names
 * @typedef {{sum: Whole, team: string}} Holding
 * @typedef {(text: string) => Hit[]} Search
 */

/** Maximum number of hits, and of names per rank. */
export const MOST_HITS = 12;

/** The parameters that a hit sets and removes. */
const NOWHERE = { view: null, pool: null, ip: null, q: null, find: null };

/** @param {Report} report @returns {Search} The best hit first. */
export function searchOf(report) {
  const owners = namesOf(report.owners);
  const teams = namesOf(report.data.teams.filter((team) => team !== ""));
  const claims = namesOf(report.claimKeys);
  const holding = holdingsOf(report);
  const planned = newClaims(report);
  const plannedNames = namesOf(planned.map((claim) => claim.name));
  return (text) => {
    const asked = text.trim().replace(/^team:/, "");
    if (asked === "") return [];
    const range = parseRange(asked) ?? partialRange(asked);
    /** @type {Hit[]} */
    const hits = range === null ? [] : [rangeHit(report, range)];
    hits.push(...requestHits(report, asked), ...poolHits(report, asked.toLowerCase()), ...teamHits(teams, asked));
    const news = best(plannedNames.names, plannedNames.lower, asked.toLowerCase(), 3).map((at) => changeHit(planned[at].name, planned[at].detail));
    hits.push(...commitHits(report, asked), ...revisionHits(report, asked));
    hits.push(...ownerHits(owners, asked, holding).slice(0, Math.max(0, MOST_HITS - hits.length - news.length)), ...news);
    if (hits.length < MOST_HITS) hits.push(...claimHits(report, claims, asked, hits));
    return hits.slice(0, MOST_HITS);
  };
}

/** @param {string[]} names @returns {Names} */
function namesOf(names) {
  return { names, lower: names.map((name) => name.toLowerCase()) };
}

/** @param {string} text "10.40" or "10.40.1." @returns {Range | null} The network that so far is meant. */
function partialRange(text) {
  const parts = /^(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?\.?$/.exec(text);
  if (parts === null) return null;
  return parts[3] === undefined ? parseRange(`${parts[1]}.${parts[2]}.0.0/16`) : parseRange(`${parts[1]}.${parts[2]}.${parts[3]}.0/24`);
}

/** @param {Report} report @param {Range} range @returns {Hit} */
function rangeHit(report, range) {
  const label = formatRange(range);
  if (range.first === range.last) return addressHit(report, range, label);
  const pools = poolsAt(report, range);
  const inPools = pools.length === 0 ? "in no pool" : `in ${pools.map((pool) => pool.name).slice(0, 2).join(", ")}`;
  const owners = new Set();
  for (const at of livesWithin(report, range)) if (report.isThere(at, report.now)) owners.add(report.ownerOf(report.lives.claim[at]));
  const who = owners.size <= 2 ? [...owners].map((at) => report.owners[at]).join(", ") : `${owners.size} tenants`;
  return {
    sort: "network",
    label,
    detail: `${who === "" ? "not allocated" : who} · ${inPools}`,
    changes: { ...NOWHERE, ip: label },
  };
}

/** @param {Report} report @param {Range} range @param {string} label @returns {Hit} The present owner of the address. */
function addressHit(report, range, label) {
  const said = partsAt(report, range, report.now).map(({ life, pool, sort, word }) => {
    const where = pool === null ? "" : ` · ${pool.label}`;
    const effect = effectText(report, pool, range);
    const planned = effect === "" ? "" : `; ${effect}`;
    if (life !== null) return `${report.claim(life.claim).owner}, ${STATE_WORDS[life.state]}${planned}${where}`;
    return sort === "none" ? "in no pool" : `${word === "" ? "not allocatable" : word}${planned}${where}`;
  });
  return { sort: "address", label, detail: said.join("; "), changes: { ...NOWHERE, ip: label } };
}

/** @param {Report} report @param {string} asked @returns {Hit[]} */
function requestHits(report, asked) {
  const number = /^(?:#|!|pr\s*#?|mr\s*!?)?(\d{1,7})$/i.exec(asked);
  if (number === null) return [];
  const signs = asked.startsWith("!") ? ["!"] : ["#", "!"];
  return signs.flatMap((sign) => {
    const found = commitsOfRequest(report, `${sign}${number[1]}`);
    if (found.length === 0) return [];
    const commit = report.commits[found[found.length - 1]];
    const detail = `${commit.subject} · ${authorName(commit.author)} · ${formatDay(commit.clock)}`;
    return [{ sort: /** @type {const} */ ("request"), label: commit.request, detail, changes: { ...NOWHERE, q: commit.request } }];
  });
}

/** @param {Report} report @param {string} asked @returns {Hit[]} Newest first. */
function commitHits(report, asked) {
  const start = asked.toLowerCase().slice(0, 12);
  if (!/^[0-9a-f]{4,}$/.test(start)) return [];
  const found = report.commits.filter((commit) => commit.id.startsWith(start)).reverse().slice(0, 3);
  return found.map((commit) => ({
    sort: /** @type {const} */ ("commit"),
    label: commit.id,
    detail: `${commit.subject} · ${authorName(commit.author)} · ${formatDay(commit.clock)}`,
    changes: { ...NOWHERE, q: commit.id },
  }));
}

/** @param {string} label @param {string} detail @returns {Hit} */
function changeHit(label, detail) {
  return { sort: "change", label, detail, changes: { ...NOWHERE, view: "change", at: null } };
}

/** @param {Report} report @param {string} asked @returns {Hit[]} The commits of the page itself, which need not have changed any address. */
function revisionHits(report, asked) {
  const start = asked.toLowerCase();
  if (!/^[0-9a-f]{4,40}$/.test(start)) return [];
  const { revision, base } = report.data;
  /** @type {[string | null, string][]} */
  const own = [[revision, "the revision of this page"], [base, "the base that this page is compared with"]];
  return own.flatMap(([id, what]) => (id !== null && id.startsWith(start) ? [changeHit(id.slice(0, 12), what)] : []));
}

/** @param {Report} report @param {string} asked @returns {Hit[]} */
function poolHits(report, asked) {
  const titles = report.pools.map((pool) => pool.title.toLowerCase());
  const found = best(report.pools.map((pool) => pool.key), titles, asked, 4);
  return found.map((at) => {
    const pool = report.pools[at];
    return {
      sort: /** @type {const} */ ("pool"),
      label: pool.label,
      detail: `${[pool.kind, pool.namespace].filter((word) => word !== "").join(" · ")} · ${pool.utilizationPercent} % used`,
      changes: { ...NOWHERE, pool: pool.key },
    };
  });
}

/** @param {Names} teams @param {string} asked @returns {Hit[]} */
function teamHits(teams, asked) {
  const found = best(teams.names, teams.lower, asked.toLowerCase(), 3);
  return found.map((at) => ({
    sort: /** @type {const} */ ("team"),
    label: teams.names[at],
    detail: "all addresses of the team",
    changes: { ...NOWHERE, q: `team:${teams.names[at]}` },
  }));
}

/** @param {Names} owners @param {string} asked @param {Map<number, Holding>} holding @returns {Hit[]} */
function ownerHits(owners, asked, holding) {
  const found = best(owners.names, owners.lower, asked.toLowerCase(), MOST_HITS);
  return found.map((at) => ownerHit(owners.names[at], holdingText(holding.get(at))));
}

/**
 * What tenants have now.
 * @param {Report} report
 * @returns {Map<number, Holding>} By the index of the tenant; only of those that have something.
 */
function holdingsOf(report) {
  /** @type {Map<number, Holding>} */
  const sums = new Map();
  for (let at = 0; at < report.lives.count; at += 1) {
    if (!report.isThere(at, report.now)) continue;
    const claim = report.lives.claim[at];
    const owner = report.ownerOf(claim);
    const before = sums.get(owner);
    if (before === undefined) sums.set(owner, { sum: report.lives.size[at], team: report.teamOf(claim) });
    else before.sum = plus(before.sum, report.lives.size[at]);
  }
  return sums;
}

/** @param {Holding | undefined} holding @returns {string} */
function holdingText(holding) {
  if (holding === undefined) return "had addresses before";
  return `${countText(holding.sum, "address", "addresses")}${holding.team === "" ? "" : ` · team ${holding.team}`}`;
}

/** @param {string} owner @param {string} detail @returns {Hit} */
function ownerHit(owner, detail) {
  return { sort: "tenant", label: owner, detail, changes: { ...NOWHERE, q: owner } };
}

/**
 * Claims with another name than their tenant, such as requests.
 * @param {Report} report
 * @param {Names} claims
 * @param {string} asked
 * @param {Hit[]} hits
 * @returns {Hit[]}
 */
function claimHits(report, claims, asked, hits) {
  const seen = new Set(hits.filter((hit) => hit.sort === "tenant").map((hit) => hit.label));
  const found = best(claims.names, claims.lower, asked.toLowerCase(), MOST_HITS).map((at) => report.claim(at));
  return found.flatMap((claim) => {
    if (seen.has(claim.owner)) return [];
    seen.add(claim.owner);
    return [ownerHit(claim.owner, `by its claim ${claim.key}`)];
  });
}

/**
 * The best names for a text: equal, then beginning so, then with a word that begins so, then holding it.
 * @param {string[]} names
 * @param {string[]} lower The same in small letters.
 * @param {string} asked In small letters.
 * @param {number} most
 * @returns {number[]} Indices; of equals the shorter one first.
 */
function best(names, lower, asked, most) {
  /** @type {number[][]} */
  const ranks = [[], [], [], []];
  const slashed = `/${asked}`;
  for (let at = 0; at < lower.length; at += 1) {
    const where = lower[at].indexOf(asked);
    if (where < 0) continue;
    const rank = rankOf(lower[at], asked, slashed, where);
    if (ranks[rank].length < 400) ranks[rank].push(at);
  }
  const inOrder = ranks.flatMap((rank) => rank.sort((a, b) => names[a].length - names[b].length || a - b));
  return inOrder.slice(0, most);
}

/** @param {string} name @param {string} asked @param {string} slashed @param {number} where @returns {number} */
function rankOf(name, asked, slashed, where) {
  if (name === asked || name.endsWith(slashed)) return 0;
  if (where === 0 || name.includes(slashed)) return 1;
  return "/-._".includes(name[where - 1]) ? 2 : 3;
}
