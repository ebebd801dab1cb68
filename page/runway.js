/**
 * How long a pool will do, by the rates of its own history.
 */

/** @import { Pool, Rate } from "./model.js" */
import { formatDay } from "./model.js";

/**
 * @typedef {{days: number, level: "gate" | "full", span: number}} Runway Days until the gate stops changes, or until it is full.
 */

/** A pool with fewer days than this number needs attention. */
export const SHORT_RUNWAY = 30;

/**
 * The shorter one of the runways by all spans with enough history; null if nothing grows, or without enough history.
 * @param {Pool} pool
 * @returns {Runway | null}
 */
export function runwayOf(pool) {
  const found = pool.rates.flatMap((rate) => runwayBy(rate) ?? []).sort((a, b) => a.days - b.days);
  return found[0] ?? null;
}

/** @param {Rate} rate @returns {Runway | null} */
export function runwayBy(rate) {
  if (!rate.enoughHistory) return null;
  const found = rate.weeks.flatMap(({ level, weeks }) =>
    level === "warning" || weeks === null ? [] : [{ days: Math.floor(weeks * 7), level, span: rate.days }],
  );
  return found.sort((a, b) => a.days - b.days)[0] ?? null;
}

/** @param {Pool} pool @returns {boolean} */
export function isShort(pool) {
  const runway = runwayOf(pool);
  return runway !== null && runway.days < SHORT_RUNWAY;
}

/** @param {Runway} runway @returns {string} "17 days to the limit" */
export function runwayText(runway) {
  const where = runway.level === "gate" ? "the limit" : "full";
  if (runway.days === 0) return `at ${where} now`;
  return `${daysText(runway.days)} to ${where}`;
}

/** @param {number} asOf Seconds since 1970. @param {number} days @returns {string} "2026-06-02" */
export function dayAfter(asOf, days) {
  return formatDay(asOf + days * 86400);
}

/** @param {Runway} runway @param {number} asOf @returns {string} The day it ends; empty of one that ended, or is far away. */
export function runwayDay(runway, asOf) {
  return runway.days === 0 || runway.days >= 3650 ? "" : dayAfter(asOf, runway.days);
}

/** @param {number} days @returns {string} */
function daysText(days) {
  if (days >= 3650) return "over 10 years";
  return `${days} ${days === 1 ? "day" : "days"}`;
}

/** @param {Pool} pool @returns {string} The result of each span of its history. */
export function spansText(pool) {
  if (pool.rates.length === 0) return "the growth rate is unknown";
  return pool.rates
    .map((rate) => {
      const runway = runwayBy(rate);
      const says = runway === null ? (rate.enoughHistory ? "does not grow" : "too little history") : runwayText(runway);
      return `at the rate of the last ${rate.days} days: ${says}`;
    })
    .join("; ");
}
