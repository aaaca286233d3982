// JSON as a tree that unfolds. Folded values are not in the document, and long values appear in pieces, so that a
// megabyte of text, or a list of ten thousand items, costs nothing before the reader unfolds it.
import { h } from "./dom.js";
import { isRaw, visible } from "./text.js";

const firstText = 1500, moreText = 20000, items = 100;

/// A long text with a button that shows more of it.
export function longText(text, first = firstText) {
  if (text.length <= first + 200) return h("span", { class: "text" }, visible(text));
  const shown = h("span", {}, visible(text.slice(0, first)));
  let end = first;
  const label = () => `show more (${(text.length - end).toLocaleString("en")} characters are left)`;
  const more = h("button", { type: "button", class: "small", onclick: () => {
    const next = Math.min(text.length, end + moreText);
    shown.append(visible(text.slice(end, next)));
    end = next;
    if (end < text.length) more.textContent = label();
    else more.remove();
  } }, label());
  return h("span", { class: "text" }, shown, " ", more);
}

function scalar(value) {
  if (typeof value === "string") return h("span", { class: "json-string" }, "“", longText(value), "”");
  const kind = value === null ? "null" : typeof value === "boolean" ? "boolean" : "number";
  return h("span", { class: `json-${kind}` }, JSON.stringify(value));
}
const isTree = (value) => value !== null && typeof value === "object" && !isRaw(value);

/// Makes the children when the reader unfolds the element, a hundred at a time.
export function lazy(details, fill) {
  const place = h("div", { class: "inside" });
  details.append(place);
  const toggle = () => {
    if (!details.open) place.replaceChildren();
    else if (!place.hasChildNodes()) fill(place);
  };
  details.addEventListener("toggle", toggle);
  if (details.open) fill(place);
  return details;
}
function fillTree(place, entries, depth) {
  const list = h("ul", { class: "json" });
  let next = 0;
  const add = () => {
    for (const end = Math.min(entries.length, next + items); next < end; next++) {
      const [key, value] = entries[next];
      list.append(h("li", {}, tree(value, depth, visible(String(key)))));
    }
  };
  add();
  place.append(list);
  if (next >= entries.length) return;
  const more = h("button", { type: "button", class: "small", onclick: () => {
    add();
    more.textContent = label();
    if (next >= entries.length) more.remove();
  } }, label());
  function label() { return `show more (${entries.length - next} are left)`; }
  place.append(more);
}

function tree(value, depth, key) {
  const name = key === undefined ? null : h("span", { class: "key" }, key.slice(0, 300) + ": ");
  if (!isTree(value)) return h("div", { class: "leaf" }, name, scalar(value));
  const many = Array.isArray(value);
  const entries = many ? value.map((item, place) => [place, item]) : Object.entries(value);
  if (!entries.length) return h("div", { class: "leaf" }, name, many ? "[ ]" : "{ }");
  const size = many ? `[ ${entries.length} ]` : `{ ${entries.length} }`;
  const open = depth > 0 && entries.length <= 20;
  return lazy(h("details", { class: "tree", open }, h("summary", {}, name, h("span", { class: "size" }, size))),
    (place) => fillTree(place, entries, depth - 1));
}

/// The whole value, with `depth` unfolded levels.
export function jsonView(value, depth = 1) {
  const view = h("div", { class: "json-view" });
  if (!isTree(value)) view.append(tree(value, depth));
  else {
    const entries = Array.isArray(value) ? value.map((item, place) => [place, item]) : Object.entries(value);
    if (entries.length) fillTree(view, entries, depth);
    else view.append(h("span", { class: "soft" }, "no fields"));
  }
  return view;
}

/// The fields of an event for people: texts as texts, other values as trees.
export function fieldsView(value) {
  const list = h("dl", { class: "fields" });
  for (const [key, item] of Object.entries(value ?? {}).slice(0, items))
    list.append(h("dt", {}, visible(key.slice(0, 300))), h("dd", {}, typeof item === "string"
      ? item === "" ? h("span", { class: "soft" }, "(empty)") : longText(item, 4000) : tree(item, 1)));
  return list;
}

export function copyButton(text) {
  const button = h("button", { type: "button", class: "small", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not let this page copy";
    }
    setTimeout(() => { button.textContent = "Copy JSON"; }, 2000);
  } }, "Copy JSON");
  return button;
}
