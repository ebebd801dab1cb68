/**
 * Decode the packed lists of the page's data: what Python packed, byte for byte.
 *
 * Numbers are zigzag, with a bit below that says whether they repeat, in LEB128 (7 bits a
 * byte, low first); names share a prefix with the name before. Both are base64 in the JSON text. This module does not interpret them.
 */

/** A whole number: a `number` up to 2^53 - 1, else a `bigint`. @typedef {number | bigint} Whole */

/**
 * The bytes of a base64 text.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

/**
 * The numbers of a packed list that all fit 2^48 (indices, clocks, differences).
 * @param {string} text
 * @returns {number[]}
 */
export function packedInts(text) {
  return /** @type {number[]} */ (packedWholes(text));
}

/**
 * The numbers of a packed list, each as large as it is. A token whose lowest bit is set represents
 * several numbers: the next one is their count minus two.
 * @param {string} text
 * @returns {Whole[]}
 */
export function packedWholes(text) {
  const tokens = unsigned(text);
  /** @type {Whole[]} */
  const numbers = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    const isLong = typeof token === "bigint";
    const isRepeated = isLong ? token % 2n === 1n : token % 2 === 1;
    const number = isLong ? longSigned(token / 2n) : signed(Math.floor(token / 2));
    numbers.push(number);
    if (!isRepeated) continue;
    at += 1;
    for (let more = Number(tokens[at]) + 1; more > 0; more -= 1) numbers.push(number);
  }
  return numbers;
}

/** @param {bigint} raw Zigzag. @returns {Whole} */
function longSigned(raw) {
  return narrow(raw % 2n === 0n ? raw / 2n : -(raw + 1n) / 2n);
}

/** @param {number} raw Zigzag. @returns {number} */
function signed(raw) {
  return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
}

/**
 * Numbers of seven bits a byte.
 * @param {string} text
 * @returns {Whole[]}
 */
function unsigned(text) {
  const bytes = bytesOf(text);
  /** @type {Whole[]} */
  const numbers = [];
  let start = 0;
  let number = 0;
  let factor = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    number += (byte & 127) * factor;
    factor *= 128;
    if (byte >= 128) continue;
    // Seven bytes are 49 bits: exact in a number. Longer numbers are read again as a bigint.
    numbers.push(at - start >= 7 ? longNumber(bytes, start, at) : number);
    start = at + 1;
    number = 0;
    factor = 1;
  }
  return numbers;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end The last byte of the number.
 * @returns {bigint}
 */
function longNumber(bytes, start, end) {
  let raw = 0n;
  for (let at = end; at >= start; at -= 1) raw = raw * 128n + BigInt(bytes[at] & 127);
  return raw;
}

/**
 * The same number, as a `number` where that is exact.
 * @param {Whole} number
 * @returns {Whole}
 */
export function narrow(number) {
  if (typeof number === "number") return number;
  const isSafe = number >= BigInt(Number.MIN_SAFE_INTEGER) && number <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSafe ? Number(number) : number;
}

/**
 * The names of a packed list.
 * @param {string} text
 * @returns {string[]}
 */
export function packedNames(text) {
  // A letter of `raw` is a byte: strings share and join their bytes many times quicker than arrays.
  const raw = atob(text);
  /** @type {string[]} */
  const names = [];
  let before = "";
  let at = 0;
  while (at < raw.length) {
    const shared = raw.charCodeAt(at);
    at += 1;
    let length = 0;
    let factor = 1;
    while (raw.charCodeAt(at) >= 128) {
      length += (raw.charCodeAt(at) - 128) * factor;
      factor *= 128;
      at += 1;
    }
    length += raw.charCodeAt(at) * factor;
    at += 1;
    before = before.slice(0, shared) + raw.slice(at, at + length);
    at += length;
    names.push(/[\x80-\xff]/.test(before) ? decodedName(before) : before);
  }
  return names;
}

/** @param {string} raw A letter for each byte. @returns {string} */
function decodedName(raw) {
  return new TextDecoder().decode(Uint8Array.from(raw, (letter) => letter.charCodeAt(0)));
}

/**
 * A count of the data: a number, or decimal digits above 2^53 - 1.
 * @param {number | string | null | undefined} value
 * @returns {Whole}
 */
export function countOf(value) {
  if (typeof value === "string") return narrow(BigInt(value));
  return value ?? 0;
}
