/**
 * Addresses as numbers, and back: IPv4 as `number`, IPv6 as `bigint`.
 *
 * A range is inclusive and knows its version. The notation is the one of the command
 * line: canonical addresses, and the fewest CIDRs that are exactly a range.
 */

/** @import { Whole } from "./pack.js" */

/**
 * @typedef {4 | 6} Version
 * @typedef {{version: Version, value: Whole}} Address
 * @typedef {{version: Version, first: Whole, last: Whole}} Range
 */

/** IPv6 addresses are 2^32 higher in the data, so that versions never mix. */
const SIX_BEGINS = 4294967296n;

/** @param {Whole} a @param {Whole} b @returns {Whole} */
export function plus(a, b) {
  return typeof a === "number" && typeof b === "number" ? a + b : BigInt(a) + BigInt(b);
}

/** @param {Whole} a @param {Whole} b @returns {Whole} */
export function minus(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : BigInt(a) - BigInt(b);
}

/** @param {Range} range @returns {Whole} How many addresses it has. */
export function sizeOf(range) {
  return plus(minus(range.last, range.first), 1);
}

/** @param {Whole} number An address as the data counts it. @returns {Address} */
export function unshifted(number) {
  if (typeof number === "number" && number < 4294967296) return { version: 4, value: number };
  return { version: 6, value: BigInt(number) - SIX_BEGINS };
}

/** @param {string} text @returns {Address | null} Null if it is not an address. */
export function parseAddress(text) {
  return text.includes(":") ? parseSix(text) : parseFour(text);
}

/** @param {string} text @returns {Address | null} */
function parseFour(text) {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (parts === null) return null;
  let value = 0;
  for (const part of parts.slice(1)) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith("0"))) return null;
    value = value * 256 + Number(part);
  }
  return { version: 4, value };
}

/** @param {string} text @returns {Address | null} */
function parseSix(text) {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (tail !== null) {
    const four = parseFour(tail[2]);
    if (four === null) return null;
    const low = Number(four.value);
    return parseSix(`${tail[1]}${Math.floor(low / 65536).toString(16)}:${(low % 65536).toString(16)}`);
  }
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const given = groups.reduce((sum, half) => sum + half.length, 0);
  if (halves.length === 2 ? given > 7 : given !== 8) return null;
  const zeros = Array(8 - given).fill("0");
  const all = halves.length === 2 ? [...groups[0], ...zeros, ...groups[1]] : groups[0];
  let value = 0n;
  for (const group of all) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null;
    value = value * 65536n + BigInt(`0x${group}`);
  }
  return { version: 6, value };
}

/**
 * An address, a CIDR or a range `first-last`; spaces around are forgiven.
 * @param {string} text
 * @returns {Range | null} For a CIDR, the whole network, even if the address is inside it.
 */
export function parseRange(text) {
  const trimmed = text.trim();
  const cidr = /^([^/]+)\/(\d{1,3})$/.exec(trimmed);
  if (cidr !== null) {
    const base = parseAddress(cidr[1]);
    return base === null ? null : networkOf(base, Number(cidr[2]));
  }
  const [from, to, ...more] = trimmed.split(/\s*[-–]\s*/);
  const first = parseAddress(from);
  const last = to === undefined ? first : parseAddress(to);
  if (first === null || last === null || more.length > 0 || first.version !== last.version) return null;
  return first.value <= last.value ? { version: first.version, first: first.value, last: last.value } : null;
}

/**
 * Return the error in a text that looks like an address, CIDR, or range, but is not valid.
 * @param {string} text
 * @returns {string | null} Null for a valid address, and for other text.
 */
export function addressFault(text) {
  const asked = text.trim();
  const isMeant = /^\d+(\.\d+){3}(\s*[-–/].*)?$/.test(asked) || /^[0-9a-f:]*:[0-9a-f]*:[0-9a-f:.]*(\s*[-–/].*)?$/i.test(asked);
  if (!isMeant || parseRange(asked) !== null) return null;
  const none = `${asked} is not an address, a CIDR, or a range.`;
  if (asked.includes(":") || parseFour(asked.split(/\s*[-–/]/)[0]) !== null) return none;
  return `${none} Each of the four numbers must be 0 to 255, without leading zeros.`;
}

/** @param {Address} address @param {number} prefix @returns {Range | null} */
export function networkOf(address, prefix) {
  const bits = address.version === 4 ? 32 : 128;
  if (prefix > bits) return null;
  const size = 1n << BigInt(bits - prefix);
  const first = (BigInt(address.value) / size) * size;
  return rangeOf(address.version, first, first + size - 1n);
}

/** @param {Version} version @param {Whole} first @param {Whole} last @returns {Range} */
export function rangeOf(version, first, last) {
  if (version === 4) return { version, first: Number(first), last: Number(last) };
  return { version, first: BigInt(first), last: BigInt(last) };
}

/**
 * The range of a pair of texts as the data holds them.
 * @param {readonly [string, string, ...unknown[]]} pair
 * @returns {Range}
 */
export function pairRange(pair) {
  const first = parseAddress(pair[0]);
  const last = parseAddress(pair[1]);
  if (first === null || last === null) throw new RangeError(`no addresses: ${pair[0]}, ${pair[1]}`);
  return { version: first.version, first: first.value, last: last.value };
}

/** @param {Version} version @param {Whole} value @returns {string} Canonical (RFC 5952). */
export function formatAddress(version, value) {
  if (version === 4) {
    const number = Number(value);
    return [16777216, 65536, 256, 1].map((unit) => Math.floor(number / unit) % 256).join(".");
  }
  const groups = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(Number((BigInt(value) >> shift) & 65535n));
  let longest = { start: -1, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length += 1;
    if (length > longest.length) longest = { start, length };
  }
  const words = groups.map((group) => group.toString(16));
  if (longest.start < 0) return words.join(":");
  const head = words.slice(0, longest.start).join(":");
  return `${head}::${words.slice(longest.start + longest.length).join(":")}`;
}

/**
 * The fewest CIDRs that are exactly the range, by address.
 * @param {Range} range
 * @returns {string[]}
 */
export function cidrsOf(range) {
  const bits = range.version === 4 ? 32 : 128;
  const cidrs = [];
  const last = BigInt(range.last);
  let first = BigInt(range.first);
  while (first <= last) {
    let prefix = bits;
    while (prefix > 0) {
      const size = 1n << BigInt(bits - prefix + 1);
      if (first % size !== 0n || first + size - 1n > last) break;
      prefix -= 1;
    }
    cidrs.push(`${formatAddress(range.version, first)}/${prefix}`);
    first += 1n << BigInt(bits - prefix);
  }
  return cidrs;
}

/**
 * A range in its shortest exact notation: address, CIDR or `first-last`.
 * @param {Range} range
 * @returns {string}
 */
export function formatRange(range) {
  const first = formatAddress(range.version, range.first);
  if (range.first === range.last) return first;
  const cidrs = cidrsOf(range);
  return cidrs.length === 1 ? cidrs[0] : `${first}-${formatAddress(range.version, range.last)}`;
}

/** @param {Range} a @param {Range} b @returns {boolean} Whether they share an address. */
export function meets(a, b) {
  return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

/**
 * A count for people: exact with thin spaces, from 2^40 on as a power of two.
 * @param {Whole} count
 * @returns {string}
 */
export function formatCount(count) {
  if (count < 1099511627776 && count > -1099511627776) {
    return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f").replace("-", "\u2212");
  }
  const whole = BigInt(count);
  const power = whole.toString(2).length - 1;
  const above = whole - (1n << BigInt(power));
  const below = (1n << BigInt(power + 1)) - whole;
  if (above === 0n) return `2^${power}`;
  if (below <= 65536n) return `2^${power + 1} \u2212 ${formatCount(below)}`;
  if (above <= 65536n) return `2^${power} + ${formatCount(above)}`;
  const share = Number((above * 100n) >> BigInt(power)) / 100;
  return `\u2248 2^${(power + Math.log2(1 + share)).toFixed(1)}`;
}

/** @param {Whole} count @returns {string} Every digit, with thin spaces: for titles. */
export function exactCount(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** @param {Whole} count @param {string} one @param {string} [many] @returns {string} "1 address", "8 addresses" */
export function countText(count, one, many) {
  return `${formatCount(count)} ${count === 1 || count === 1n ? one : (many ?? `${one}s`)}`;
}
