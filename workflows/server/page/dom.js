// Makes elements. Text always becomes a text node: the page never parses HTML.

/// h("p", {class: "soft", onclick: f}, "text", element, null)
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  return append(element, children);
}

let made = 0;
export const fresh = (prefix) => `${prefix}-${++made}`;

const shapes = {
  running: "M8 2a6 6 0 1 1-6 6",
  completed: "M3 8.5 6.5 12 13 4.5",
  failed: "M4 4l8 8M12 4l-8 8",
  cancelled: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M4 12l8-8",
  waiting: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9.2 8 10M8 13v.1",
  question: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9.2 8 10M8 13v.1",
};
export function icon(name) {
  return svg("svg", { class: `icon icon-${name}`, viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    svg("path", { d: shapes[name] ?? shapes.question }));
}

/// The status of a run as a sign and a word, so that colour is not the only difference.
export const badge = (status) => h("span", { class: `badge ${status}` }, icon(status), status);

/// Moves the focus to an element that is not a control, such as a heading.
export function focusOn(element) {
  if (!element) return;
  if (!element.hasAttribute("tabindex") && !element.matches("a, button, input, select, textarea, summary"))
    element.tabIndex = -1;
  element.focus();
}
