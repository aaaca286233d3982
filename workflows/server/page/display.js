// Shows the display of a tool's observation to the human: a text, tables, files. None of it is trusted: texts become
// text nodes, and a file can only be saved, as bytes without a type.
import { h } from "./dom.js";
import { longText } from "./json_view.js";
import { count, visible } from "./text.js";

const rowsAtOnce = 100, longestName = 200;
const list = (value) => (Array.isArray(value) ? value : []);
const short = (text) => visible(String(text ?? "")).slice(0, longestName);

/// The display in an event's data; null without a display, or if it is empty.
export function displayOf(value) {
  const display = value?.display;
  if (!display || typeof display !== "object") return null;
  return display.text || list(display.tables).length || list(display.files).length ? display : null;
}
/// "table orders (34 rows), file orders.csv"
export function displayLine(display) {
  const rows = (table) => list(table?.rows).length + (Number(table?.more_rows) || 0);
  return [...list(display.tables).map((table) => `table ${short(table?.name)} (${count(rows(table), "row")})`),
    ...list(display.files).map((file) => `file ${short(file?.name)}`)].join(", ");
}

function tableView(table) {
  const columns = list(table?.columns), rows = list(table?.rows), body = h("tbody", {});
  let next = 0;
  const add = () => {
    for (const end = Math.min(rows.length, next + rowsAtOnce); next < end; next++)
      body.append(h("tr", {}, ...list(rows[next]).map((cell) =>
        h("td", { dir: "auto" }, longText(String(cell), 300)))));
  };
  add();
  const label = () => `show more (${count(rows.length - next, "row")} left)`;
  const more = h("button", { type: "button", class: "small", hidden: next >= rows.length, onclick: () => {
    add();
    more.textContent = label();
    more.hidden = next >= rows.length;
  } }, label());
  const rest = Number(table?.more_rows) || 0;
  return h("div", { class: "shown-table", tabIndex: 0, role: "region", "aria-label": `Table ${short(table?.name)}` },
    h("table", {}, h("caption", {}, short(table?.name)),
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, short(column))))), body),
    more, rest ? h("p", { class: "soft" }, `${count(rest, "more row")} not kept`) : null);
}
function fileView(file) {
  const name = short(file?.name) || "file";
  const about = `${short(file?.media_type)}, ${count(Number(file?.bytes) || 0, "byte")}`;
  const keep = () => {
    const bytes = Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  return h("li", {}, typeof file?.data === "string" && file.data
    ? h("button", { type: "button", class: "small", onclick: keep }, `Save ${name}`)
    : h("span", {}, name), " ", h("span", { class: "soft" }, about, file?.data ? null : ", not kept"));
}
export function displayView(display) {
  const files = list(display.files);
  return h("div", { class: "shown" }, display.text ? h("p", {}, longText(String(display.text), 4000)) : null,
    ...list(display.tables).map(tableView),
    files.length ? h("ul", { class: "shown-files" }, ...files.map(fileView)) : null);
}
