/**
 * The report as all views read it: the page's data, decoded once, with the questions
 * that every view asks. Time is an index: `t` = commits that have happened.
 */

/** @import { Whole } from "./pack.js" */
/** @import { Range, Version } from "./addresses.js" */
import { minus, plus, rangeOf, unshifted } from "./addresses.js";
import { countOf, packedInts, packedNames, packedWholes } from "./pack.js";

/**
 * @typedef {"ok" | "warning" | "critical" | "exhausted"} Tier
 * @typedef {{level: "warning" | "gate" | "full", weeks: number | null}} Weeks
 * @typedef {{days: number, enoughHistory: boolean, change: number, weeks: Weeks[]}} Rate
 * @typedef {{
 *   key: string, family: string, kind: string, namespace: string, name: string, space: string, path: string, line: number,
 *   total: number | string, allocated: number | string, held: number | string, available: number | string,
 *   reserved: number | string, largestFreeBlock: number | string, allocationCount: number,
 *   fragmentationPercent: number, utilizationPercent: number, tier: Tier, gate: string | null,
 *   thresholds: {warning: number, critical: number, exhausted: number}, isPaused: boolean,
 *   networks: [string, string][], others: [string, string, string, string, string, number][],
 *   free: [string, string][], comesFree: [string, string, string | null][],
 *   fits: number, moreFit: boolean, shape: number[], levels: {level: "warning" | "gate" | "full", addresses: number | string}[],
 *   rates: Rate[], trend: {daysAgo: number, used: number | string | null}[], overlaps: string[], idle: number | null,
 *   placement?: "best-fit" | "lowest", isAutomatic?: boolean
 * }} PoolData
 * @typedef {{at: number, title: string, label: string, counts: {total: Whole, allocated: Whole, held: Whole, available: Whole,
 *   reserved: Whole, largestFreeBlock: Whole, used: Whole}}} PoolMore
 * @typedef {PoolData & PoolMore} Pool
 * @typedef {{id: string, clock: number, author: string, subject: string, request: string, isPlan: boolean}} Commit
 * @typedef {{code: string, severity: "error" | "warning" | "info" | "gate", message: string, path: string, line: number,
 *   column: number, hint: string}} Finding
 * @typedef {{cluster: string, state: string, object: string, manager: string, time: string, fields: string[], error: string}} Drift
 * @typedef {{commit: number, what: string, count: number, text: string}} Event
 * @typedef {{allocated: number | string, held: number | string, available?: number | string, utilizationPercent: number, tier: Tier}} Standing
 * @typedef {{action: string, claim: string, pool: string | null, start: string | null, end: string | null, count: number,
 *   from: {pool: string, start: string, end: string} | null, reason: string | null, message: string | null, path: string | null,
 *   line: number | null}} Action
 * @typedef {{base: string | null, digest: string, summary: Record<string, number>, actions: Action[],
 *   pools: Record<string, {before: Standing, after: Standing}>}} Change
 * @typedef {{count: number, name: string, owner: string, team: string, type: string}} ClaimData
 * @typedef {{count: number, id: string[], clock: string, author: string, subject: string, request: Record<string, string>,
 *   plan: string}} CommitData
 * @typedef {{count: number, pool: string, first: string, size: string, claim: string, state: string, from: string, to: string,
 *   cause: string, path: string, line: string}} LifeData
 * @typedef {{
 *   apiVersion: string, kind: "Report", revision: string | null, base: string | null, asOf: string, version: string,
 *   history: {days: number, isWhole: boolean, begins: string | null}, pools: PoolData[], teams: string[], authors: string[],
 *   subjects: string[], paths: string[], slots: string[], types: string[], kinds: string[], owners: string, claims: ClaimData,
 *   commits: CommitData, lives: LifeData, events: Event[], findings: Finding[], drift: Drift[] | null,
 *   growth: {cluster: string, time: string, seconds: number}[] | null, change: Change | null
 * }} Data
 * @typedef {"allocated" | "held" | "left"} LifeState
 * @typedef {{at: number, pool: number, version: Version, first: Whole, size: Whole, claim: number, state: LifeState,
 *   isGrowth: boolean, isBraked: boolean, from: number, to: number, cause: number, path: string, line: number}} Life
 * @typedef {{count: number, pool: Int32Array, version: Uint8Array, first: Whole[], size: Whole[], claim: Int32Array,
 *   low: Float64Array, high: Float64Array,
 *   state: Uint8Array, from: Int32Array, to: Int32Array, cause: Int32Array, path: Int32Array, line: Int32Array}} Lives `low` and `high`:
 *   first and last as floats, quick to compare, exact for IPv4 only.
 * @typedef {{key: string, owner: string, team: string, type: string, slot: string, name: string, kind: string}} Claim
 * @typedef {{
 *   data: Data, pools: Pool[], poolOf: (key: string) => Pool | undefined, commits: Commit[], lives: Lives, claimKeys: string[],
 *   owners: string[], now: number, asOf: number, life: (at: number) => Life, livesOf: (pool: number) => [number, number],
 *   claim: (at: number) => Claim, ownerOf: (claim: number) => number, teamOf: (claim: number) => string,
 *   isThere: (life: number, t: number) => boolean, usedAt: (pool: number, t: number) => {allocated: Whole, held: Whole},
 *   holdersAt: (pool: number, t: number) => Life[], lastCommitAt: (seconds: number) => number
 * }} Report
 */

/** @type {readonly LifeState[]} In the order of the data. */
const LIFE_STATES = ["allocated", "held", "left"];

/** @param {Data} data @returns {Report} */
export function readReport(data) {
  const pools = data.pools.map(readPool);
  const names = pools.map((pool) => pool.name);
  for (const pool of pools) if (names.indexOf(pool.name) !== names.lastIndexOf(pool.name)) pool.label = pool.title;
  const byKey = new Map(pools.map((pool) => [pool.key, pool]));
  const commits = readCommits(data);
  const lives = readLives(data.lives);
  const starts = startsOf(lives, pools.length);
  const owners = packedNames(data.owners);
  const claimKeys = packedNames(data.claims.name);
  const claimOwner = packedInts(data.claims.owner);
  const claimTeam = packedInts(data.claims.team);
  const claimType = packedInts(data.claims.type);

  /** @type {Report["isThere"]} */
  const isThere = (at, t) => lives.from[at] < t && (lives.to[at] === -1 || lives.to[at] >= t);
  /** @type {Report["life"]} */
  const life = (at) => {
    const state = lives.state[at];
    return {
      at,
      pool: lives.pool[at],
      version: lives.version[at] === 4 ? 4 : 6,
      first: lives.first[at],
      size: lives.size[at],
      claim: lives.claim[at],
      state: LIFE_STATES[state & 3],
      isGrowth: (state & 4) !== 0,
      isBraked: (state & 8) !== 0,
      from: lives.from[at],
      to: lives.to[at],
      cause: lives.cause[at],
      path: data.paths[lives.path[at]] ?? "",
      line: lives.line[at],
    };
  };
  return {
    data, pools, commits, lives, claimKeys, owners, isThere, life,
    poolOf: (key) => byKey.get(key),
    now: commits.length,
    asOf: secondsOf(data.asOf),
    livesOf: (pool) => [starts[pool], starts[pool + 1]],
    claim: (at) => {
      const parts = claimKeys[at].split("/");
      return {
        key: claimKeys[at],
        owner: owners[claimOwner[at]] ?? "",
        team: data.teams[claimTeam[at]] ?? "",
        type: data.types[claimType[at]] ?? "",
        slot: parts[4] ?? "",
        name: parts[3] ?? "",
        kind: parts[1] ?? "",
      };
    },
    ownerOf: (claim) => claimOwner[claim],
    teamOf: (claim) => data.teams[claimTeam[claim]] ?? "",
    usedAt: (pool, t) => {
      /** @type {Whole} */
      let allocated = 0;
      /** @type {Whole} */
      let held = 0;
      for (let at = starts[pool]; at < starts[pool + 1]; at += 1) {
        if (!isThere(at, t)) continue;
        if ((lives.state[at] & 3) === 0) allocated = plus(allocated, lives.size[at]);
        else held = plus(held, lives.size[at]);
      }
      return { allocated, held };
    },
    holdersAt: (pool, t) => {
      const holders = [];
      for (let at = starts[pool]; at < starts[pool + 1]; at += 1) if (isThere(at, t)) holders.push(life(at));
      return holders;
    },
    lastCommitAt: (seconds) => {
      let t = commits.length;
      while (t > 0 && commits[t - 1].clock > seconds) t -= 1;
      return t;
    },
  };
}

/** @param {PoolData} pool @param {number} at @returns {Pool} */
function readPool(pool, at) {
  const counts = {
    total: countOf(pool.total),
    allocated: countOf(pool.allocated),
    held: countOf(pool.held),
    available: countOf(pool.available),
    reserved: countOf(pool.reserved),
    largestFreeBlock: countOf(pool.largestFreeBlock),
    used: plus(countOf(pool.allocated), countOf(pool.held)),
  };
  const title = pool.namespace === "" ? pool.name : `${pool.namespace}/${pool.name}`;
  return { ...pool, at, title, label: pool.name, counts };
}

/** @param {Data} data @returns {Commit[]} Oldest first. */
function readCommits(data) {
  const { id, clock, author, subject, plan, request } = data.commits;
  const clocks = packedInts(clock);
  const authors = packedInts(author);
  const subjects = packedInts(subject);
  const plans = packedInts(plan);
  let seconds = 0;
  return id.map((short, at) => {
    seconds += clocks[at];
    return {
      id: short,
      clock: seconds,
      author: data.authors[authors[at]] ?? "",
      subject: data.subjects[subjects[at]] ?? "",
      request: request[String(at)] ?? "",
      isPlan: plans[at] === 1,
    };
  });
}

/** @param {LifeData} packed @returns {Lives} */
function readLives(packed) {
  const count = packed.count;
  const pool = Int32Array.from(packedInts(packed.pool));
  const claim = Int32Array.from(packedInts(packed.claim));
  const version = new Uint8Array(count);
  const first = packedWholes(packed.first);
  const size = packedWholes(packed.size);
  const low = new Float64Array(count);
  const high = new Float64Array(count);
  /** @type {Whole} */
  let address = 0;
  for (let at = 0; at < count; at += 1) {
    if (pool[at] !== 0) address = 0;
    if (at > 0) {
      pool[at] += pool[at - 1];
      claim[at] += claim[at - 1];
    }
    address = plus(address, first[at]);
    const plain = unshifted(address);
    version[at] = plain.version;
    first[at] = plain.value;
    if (plain.version === 6) size[at] = BigInt(size[at]);
    low[at] = Number(plain.value);
    high[at] = low[at] + Number(size[at]) - 1;
  }
  const less = (/** @type {string} */ text) => Int32Array.from(packedInts(text), (number) => number - 1);
  return {
    count, pool, version, first, size, claim, low, high,
    state: Uint8Array.from(packedInts(packed.state)),
    from: less(packed.from),
    to: less(packed.to),
    cause: less(packed.cause),
    path: less(packed.path),
    line: Int32Array.from(packedInts(packed.line)),
  };
}

/** @param {Lives} lives @param {number} pools @returns {Int32Array} Where each pool's lives begin; one more at the end. */
function startsOf(lives, pools) {
  const starts = new Int32Array(pools + 1);
  for (let at = 0; at < lives.count; at += 1) starts[lives.pool[at] + 1] += 1;
  for (let pool = 0; pool < pools; pool += 1) starts[pool + 1] += starts[pool];
  return starts;
}

/** @param {Pick<Life, "version" | "first" | "size">} life @returns {Range} */
export function lifeRange(life) {
  return rangeOf(life.version, life.first, minus(plus(life.first, life.size), 1));
}

/** @param {string} time "2026-02-15T10:00:30Z" @returns {number} Seconds since 1970. */
export function secondsOf(time) {
  return Math.floor(Date.parse(time) / 1000);
}

/** @param {number} seconds @returns {string} "2026-02-15 10:00 UTC" */
export function formatTime(seconds) {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** @param {number} seconds @returns {string} "2026-02-15", the day in UTC */
export function formatDay(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
