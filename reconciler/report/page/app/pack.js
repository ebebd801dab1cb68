/**
 * Decode the packed lists of the page's data: what Python packed, byte for byte.
 *
 * Numbers are zigzag LEB128 (7 bits a byte, low first); names share a prefix with the
 * name before. Both are base64 in the JSON text. Nothing here knows what they mean.
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
 * The numbers of a packed list that all fit 32 bits (indices, clocks, differences).
 * @param {string} text
 * @returns {number[]}
 */
export function packedInts(text) {
  /** @type {number[]} */
  const numbers = [];
  for (const number of packedWholes(text)) numbers.push(Number(number));
  return numbers;
}

/**
 * The numbers of a packed list, each as large as it is.
 * @param {string} text
 * @returns {Whole[]}
 */
export function packedWholes(text) {
  const bytes = bytesOf(text);
  /** @type {Whole[]} */
  const numbers = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    let raw = 0;
    let factor = 1;
    while (bytes[at] >= 128) {
      if (at - start < 7) raw += (bytes[at] - 128) * factor;
      factor *= 128;
      at += 1;
    }
    // Seven bytes are 49 bits: exact in a number. What is longer is read again as a bigint.
    if (at - start < 7) {
      raw += bytes[at] * factor;
      numbers.push(raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2);
    } else {
      numbers.push(longNumber(bytes, start, at));
    }
    at += 1;
  }
  return numbers;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end The last byte of the number.
 * @returns {Whole}
 */
function longNumber(bytes, start, end) {
  let raw = 0n;
  for (let at = end; at >= start; at -= 1) raw = raw * 128n + BigInt(bytes[at] & 127);
  return narrow(raw % 2n === 0n ? raw / 2n : -(raw + 1n) / 2n);
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
  const bytes = bytesOf(text);
  const reader = new TextDecoder();
  /** @type {string[]} */
  const names = [];
  let before = new Uint8Array(0);
  let at = 0;
  while (at < bytes.length) {
    const shared = bytes[at];
    at += 1;
    let length = 0;
    let factor = 1;
    while (bytes[at] >= 128) {
      length += (bytes[at] - 128) * factor;
      factor *= 128;
      at += 1;
    }
    length += bytes[at] * factor;
    at += 1;
    const name = new Uint8Array(shared + length);
    name.set(before.subarray(0, shared), 0);
    name.set(bytes.subarray(at, at + length), shared);
    at += length;
    names.push(reader.decode(name));
    before = name;
  }
  return names;
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
