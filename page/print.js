/**
 * On paper, all details are open, and the first page also has the findings.
 */

/** @import { Report } from "./model.js" */
import { findingsView } from "./findings.js";
import { route } from "./route.js";

/** @param {Report} report @param {HTMLElement} view Parent element of the view. */
export function unfoldForPrint(report, view) {
  /** @type {HTMLDetailsElement[]} */
  const opened = [];
  /** @type {HTMLElement[]} */
  const added = [];
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) {
      if (details.open) continue;
      details.open = true;
      opened.push(details);
    }
    if (route().view !== "pools" || view.firstChild === null || added.length > 0) return;
    added.push(findingsView(report, route()));
    view.append(...added);
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
    for (const element of added.splice(0)) element.remove();
  });
}
