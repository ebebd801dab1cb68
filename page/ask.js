/**
 * The request of Find free: its owner, its text, and its copy button.
 */

/** @import { Pool, Report } from "./model.js" */
/** @import { Range } from "./addresses.js" */
/** @import { Whole } from "./pack.js" */
/** @import { Wanted } from "./requests.js" */
import { cidrsOf, formatRange } from "./addresses.js";
import { copyButton, el, refill } from "./dom.js";
import { freeTaken, planName } from "./effects.js";
import { gateRule } from "./poolfigures.js";
import { field, select } from "./pools.js";
import { givesRows, MOST_DOCUMENTS, requestYaml } from "./requests.js";

/**
 * @typedef {{pool: Pool, runs: Range[], left: Whole, percent: number, isGated: boolean}} Offer The ranges that a pool would allocate. There are several if each
 *   claim gets one address. `left` and `percent` are the free addresses and the used share after the plan of this page.
 */

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** @param {Report} report @param {Offer} offer @param {Wanted} wanted @returns {HTMLElement} */
export function requestPart(report, offer, wanted) {
  const { pool, runs } = offer;
  const isRow = givesRows(pool);
  const placeholders = [isRow ? "my-cluster" : "my-address", "my-team"];
  const name = el("input", { id: "ask-name", type: "text", value: placeholders[0], spellcheck: "false", autocomplete: "off", "aria-describedby": "ask-said" });
  const namespace = el("input", { id: "ask-namespace", type: "text", value: placeholders[1], spellcheck: "false", autocomplete: "off", "aria-describedby": "ask-said" });
  const type = select("ask-type", "loadbalancer", [["nodes", "nodes"]]);
  const yaml = el("pre", { class: "yaml", tabindex: 0, "aria-label": "The request" });
  const said = el("p", { id: "ask-said", role: "status" });
  const inputs = isRow || (pool.kind !== "ProxyIPPool" && pool.namespace === "") ? [name, namespace] : [name];
  /** @returns {string[]} The values, unchanged. */
  const left = () => inputs.flatMap((input, at) => (input.value.trim() === placeholders[at] ? [placeholders[at]] : []));
  const text = () => {
    const asked = requestYaml(pool, wanted, runs[0], { name: name.value.trim(), namespace: namespace.value.trim(), type: type.value || "loadbalancer" });
    return `${left().length > 0 ? `# Replace ${left().join(" and ")}.\n` : ""}${asked}`;
  };
  const copy = copyButton("Copy YAML", text);
  const button = copy.querySelector("button");
  const write = () => {
    const faults = inputs.map((input) => (input === name ? nameFault(isRow ? "Tenant cluster" : "Name", name.value.trim(), wanted, isRow) : labelFault("Namespace", namespace.value.trim())));
    const fault = faults.find((words) => words !== "") ?? "";
    inputs.forEach((input, at) => {
      input.setAttribute("aria-invalid", String(faults[at] !== ""));
      input.classList.toggle("is-placeholder", left().includes(input.value.trim()));
    });
    button?.toggleAttribute("disabled", fault !== "");
    said.className = fault === "" ? "muted" : "warn";
    said.textContent = fault !== "" ? `${fault} Correct this before you copy.` : left().length > 0 ? `Replace before use: ${left().join(", ")}.` : "";
    refill(yaml, text());
  };
  for (const control of [name, namespace, type]) control.addEventListener("input", write);
  write();
  return el(
    "section",
    { class: "card", "aria-label": `Request for ${pool.title}` },
    el("h3", null, "Request from ", pool.title),
    el("p", null, givesNext(report, offer, wanted)),
    offer.isGated && el("p", { class: "warn" }, `This request brings the pool to its capacity limit: ${gateRule(pool)}.`),
    el("div", { class: "filters" }, field(isRow ? "Tenant cluster" : "Name", name), inputs.length > 1 && field("Namespace", namespace), isRow && field("Type", type)),
    said,
    yaml,
    copy,
    el("p", { class: "muted" }, "Save it in a source folder of the repository and open a pull request: the plan shows the addresses before the merge."),
  );
}

/** @param {string} what @param {string} text @returns {string} Why it is not an RFC 1123 label, as namespaces are. Empty if it is one. */
function labelFault(what, text) {
  if (text === "") return `${what} is empty.`;
  if (text.length > 63) return `${what} has ${text.length} letters: at most 63.`;
  return LABEL.test(text) ? "" : `${what} is not a valid Kubernetes name: use lowercase letters, digits, and "-", with a letter or digit at both ends.`;
}

/**
 * Return why it is not an RFC 1123 subdomain, as names are. Empty if it is one.
 * @param {string} what
 * @param {string} text
 * @param {Wanted} wanted
 * @param {boolean} isRow
 * @returns {string}
 */
function nameFault(what, text, wanted, isRow) {
  if (text === "") return `${what} is empty.`;
  // The namespace, "more", or a number is added to it.
  const most = isRow ? 253 - 63 - "--more-nodes".length : 253 - (wanted.count > 1 ? 3 : 0);
  if (text.length > most) return `${what} has ${text.length} letters: at most ${most}.`;
  return text.split(".").every((part) => LABEL.test(part)) ? "" : `${what} is not a valid Kubernetes name: use lowercase letters, digits, "-", and ".", with a letter or digit at both ends.`;
}

/** @param {Report} report @param {Offer} offer @param {Wanted} wanted @returns {string} */
function givesNext(report, { pool, runs }, wanted) {
  const run = runs[0];
  if (!givesRows(pool)) {
    const more = wanted.count > MOST_DOCUMENTS ? ` Here are the first ${MOST_DOCUMENTS} documents.` : "";
    return wanted.count === 1
      ? `The pool allocates its lowest free address next: ${formatRange(run)}.`
      : `A claim of this kind gets one address, so this takes ${wanted.count} claims.${more}`;
  }
  if (wanted.prefix !== null) return `The request pins ${formatRange(run)}, the best place for an aligned network.`;
  const cidrs = cidrsOf(run);
  return `${freeTaken(report, pool).length > 0 ? `After ${planName(report)} the pool` : "Now the pool"} allocates ${formatRange(run)} next${cidrs.length > 1 && cidrs.length <= 4 ? ` (${cidrs.join(", ")})` : ""}.`;
}
