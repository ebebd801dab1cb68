/**
 * Build elements. All text of the data goes through here as text: nothing on this page is ever parsed as markup.
 */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute
 */

/**
 * An element. An attribute `onclick: fn` adds a listener; true sets it empty; false, null and undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, Attribute> | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, Attribute> | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes, ...children) {
  return dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, Attribute> | null | undefined} attributes
 * @param {(Child | Child[])[]} children
 * @returns {E}
 */
function dressed(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/**
 * Put children after those that are there; strings become text.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/** @param {Element} element @param {...(Child | Child[])} children Put them in place of all that is there. */
export function refill(element, ...children) {
  element.replaceChildren();
  fill(element, ...children);
}

/** @param {...Child} children @returns {HTMLElement} An address, id or path: monospace, digits of one width. */
export function mono(...children) {
  return el("span", { class: "mono" }, ...children);
}

/**
 * A region that scrolls by itself, so that the page never scrolls sideways; reachable by keyboard.
 * @param {string} label
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function scrollRegion(label, ...children) {
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, ...children);
}

/**
 * Arrows, Home and End move the focus over what `selector` finds inside; Enter and Space stay as they are.
 * @param {HTMLElement} box
 * @param {string} selector
 */
export function roving(box, selector) {
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const items = /** @type {HTMLElement[]} */ ([...box.querySelectorAll(selector)]).filter((item) => item.offsetParent !== null);
    const here = items.findIndex((item) => item === document.activeElement || item.contains(document.activeElement));
    const next = nextFocus(event.key, here, items.length);
    if (next === null || here < 0) return;
    event.preventDefault();
    for (const item of items) item.tabIndex = -1;
    items[next].tabIndex = 0;
    items[next].focus();
  });
}

/** @param {string} key @param {number} here @param {number} count @returns {number | null} */
function nextFocus(key, here, count) {
  if (key === "ArrowDown" || key === "ArrowRight") return Math.min(here + 1, count - 1);
  if (key === "ArrowUp" || key === "ArrowLeft") return Math.max(here - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/**
 * A button that copies a text, and announces the result, also to screen readers.
 * @param {string} label
 * @param {() => string} text
 * @returns {HTMLElement}
 */
export function copyButton(label, text) {
  const said = el("span", { class: "said", role: "status" });
  const button = el("button", { type: "button", class: "button", onclick: () => copy(text(), said) }, label);
  return el("span", { class: "copy" }, button, said);
}

/** @param {string} text @param {HTMLElement} said */
function copy(text, said) {
  const area = el("textarea", { class: "offscreen", "aria-hidden": "true", tabindex: -1 });
  area.value = text;
  document.body.append(area);
  const before = document.activeElement;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  said.textContent = done ? "Copied." : "Could not copy. Select the text and copy it.";
}
