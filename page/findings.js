/**
 * Findings of the repository, and drift in the clusters.
 */

/** @import { Drift, Finding, Report } from "./model.js" */
/** @import { Route } from "./route.js" */
import { countText } from "./addresses.js";
import { el, mono } from "./dom.js";
import { field, select } from "./pools.js";
import { order } from "./occupancy.js";
import { sortableTable } from "./table.js";

/** The worst first. @type {Record<Finding["severity"], number>} */
const SEVERITIES = { error: 0, gate: 1, warning: 2, info: 3 };

/** @param {Report} report @param {Route} _here @returns {HTMLElement} */
export function findingsView(report, _here) {
  return el("section", { class: "findings-view" }, el("h2", { tabindex: -1 }, "Findings and drift"), findingsPart(report.data.findings), driftPart(report.data.drift));
}

/** @param {Finding[]} findings @returns {HTMLElement} */
function findingsPart(findings) {
  const title = el("h3", null, "Findings in the repository");
  if (findings.length === 0) return el("div", null, title, el("p", { class: "quiet" }, "No findings."));
  const all = [...findings].sort((a, b) => SEVERITIES[a.severity] - SEVERITIES[b.severity] || order(a.path, b.path) || a.line - b.line);
  const text = el("input", { id: "findings-text", type: "search", placeholder: "Code, text, or file", spellcheck: "false", autocomplete: "off" });
  const severity = select("findings-severity", "All", Object.keys(SEVERITIES).map((key) => [key, key]));
  const count = el("p", { class: "count", role: "status" });
  const table = sortableTable({
    label: "Findings",
    rows: all,
    none: "No findings match these filters.",
    class: "list wide",
    columns: [
      { title: "Severity", value: (item) => SEVERITIES[item.severity], cell: (item) => el("span", { class: `tag severity ${item.severity}` }, item.severity) },
      { title: "What", value: (item) => item.message, cell: (item) => [el("span", null, item.message), (item.hint ?? "") !== "" && el("span", { class: "sub" }, item.hint)] },
      { title: "Where", value: (item) => `${item.path}:${String(item.line).padStart(7, "0")}`, cell: placeOf },
      { title: "Code", value: (item) => item.code, cell: (item) => mono(item.code) },
    ],
  });
  const filter = () => {
    const asked = text.value.toLowerCase();
    const rows = all.filter((item) => {
      const words = `${item.code} ${item.message} ${item.path} ${item.hint ?? ""}`.toLowerCase();
      return words.includes(asked) && (severity.value === "" || item.severity === severity.value);
    });
    table.show(rows);
    count.textContent = rows.length === all.length ? countText(all.length, "finding") : `${rows.length} of ${countText(all.length, "finding")}`;
  };
  for (const control of [text, severity]) control.addEventListener("input", filter);
  filter();
  return el("div", null, title, el("div", { class: "filters" }, field("Filter", text), field("Severity", severity), count), table.element, explainHint());
}

/** @param {Finding} item @returns {HTMLElement} */
function placeOf(item) {
  const place = [item.path, item.line, item.column].filter((part) => part !== "" && part !== 0 && part !== null).join(":");
  return place === "" ? el("span", { class: "muted" }, "no file") : mono(place);
}

/** @returns {HTMLElement} */
function explainHint() {
  return el("p", { class: "muted" }, mono("ipam explain CODE"), " shows the cause and the fix of a finding.");
}

/** @param {Drift[] | null} drift @returns {HTMLElement} */
function driftPart(drift) {
  const title = el("h3", null, "Drift in the clusters");
  if (drift === null) {
    const how = el("p", { class: "muted" }, "Drift is unknown, because this report has no apply result. To show it, run ", mono("ipam report --apply-result FILE"), ".");
    return el("div", null, title, how);
  }
  if (drift.length === 0) return el("div", null, title, el("p", { class: "quiet" }, "No object differs from the repository."));
  const table = sortableTable({
    label: "Drift",
    rows: drift,
    none: "",
    class: "list wide",
    columns: [
      { title: "Cluster", value: (item) => item.cluster, cell: (item) => item.cluster },
      { title: "Object", value: (item) => item.object, cell: (item) => mono(item.object) },
      { title: "State", value: (item) => item.state, cell: (item) => [item.state, item.error ? el("span", { class: "sub" }, item.error) : null] },
      { title: "Fields", value: (item) => (item.fields ?? []).join(), cell: (item) => mono((item.fields ?? []).join(", ")) },
      { title: "Changed by", value: (item) => item.manager ?? "", cell: (item) => mono(item.manager ?? "") },
      { title: "When", value: (item) => item.time ?? "", cell: (item) => mono(item.time ?? "") },
    ],
  });
  return el("div", null, title, el("p", { class: "count" }, countText(drift.length, "object drifts", "objects drift")), table.element);
}
