// Texts for people. Characters that reorder or hide their neighbours, as a model may write them, appear as \u202e.

const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const spell = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");

export const visible = (text) => String(text).replace(/\r\n/g, "\n").replace(hidden, spell);

/// At most `most` characters; never cuts a surrogate pair.
export function shorten(text, most) {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 2]) ? most - 2 : most - 1;
  return text.slice(0, end) + "…";
}

/// A summary of an object in one line: {"order":"7","amount":5} is "order: 7 · amount: 5".
export function preview(value, most = 160) {
  const parts = [];
  let left = most;
  for (const [key, item] of Object.entries(value ?? {})) {
    if (left <= 0) break;
    if (item === null) continue;
    let text;
    if (typeof item === "string") text = item.slice(0, most);
    else if (Array.isArray(item)) text = `[${item.length}]`;
    else if (item && typeof item === "object" && !isRaw(item)) text = "{…}";
    else text = JSON.stringify(item);
    const part = `${key}: ${text}`;
    left -= part.length;
    parts.push(part);
  }
  return shorten(visible(parts.join(" · ")).replace(/\s+/g, " "), most);
}

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;
export { isRaw };

/// JSON.parse that keeps integers beyond a double's precision, if the browser supports that.
export function parse(text) {
  if (!JSON.rawJSON || !/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && /^-?\d{16,}$/.test(context?.source ?? "") && !Number.isSafeInteger(value)
      ? JSON.rawJSON(context.source) : value);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function time(iso, now = new Date()) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return at.toDateString() === now.toDateString() ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}
export function fullTime(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : full.format(at);
}

/// A time without an end still grows, so it has whole seconds. It is never negative, since clocks may differ.
export function duration(from, to) {
  const ms = Math.max(0, new Date(to ?? Date.now()) - new Date(from));
  if (Number.isNaN(ms)) return "";
  if (!to && ms < 10000) return `${Math.floor(ms / 1000)} s`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} m`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
}

export const grouped = (n) => n.toLocaleString("en").replace(/,/g, "\u202f");
export const count = (n, one, many = one + "s") => `${grouped(n)} ${n === 1 ? one : many}`;
