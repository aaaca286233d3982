// The events of one run in their order: their texts, and the fields of the list. The page parses an event again when
// the reader unfolds it. Limits hold for the number and the size of the kept events.
import { displayLine, displayOf } from "./display.js";
import { preview } from "./text.js";

const mostEvents = 20000, mostText = 128 * 1024 * 1024;

const failures = ["WorkflowFailedEvent", "WorkflowTimedOutEvent", "WorkflowCancelledEvent"];

export function roleOf({ type, types }) {
  if (failures.includes(type)) return "failure";
  if (types?.includes("InternalDispatchEvent")) return "internal";
  if (types?.includes("StartEvent")) return "start";
  if (types?.includes("StopEvent")) return "stop";
  if (types?.includes("InputRequiredEvent")) return "question";
  if (types?.includes("HumanResponseEvent")) return "answer";
  return "event";
}

/// A display for the human goes first.
function previewOf(value) {
  const shown = displayOf(value);
  if (!shown) return preview(value);
  const { display, ...rest } = value;
  return [shown.text ? preview({ display: shown.text }, 100) : displayLine(shown), preview(rest, 100)].join(" · ");
}

export class EventLog {
  entries = [];
  types = new Map();  // name -> {number, internal}
  dropped = 0;
  #size = 0; #made = 0;

  add({ seq, text, event }) {
    const role = roleOf(event), type = String(event.type);
    const entry = { place: this.#made++, seq, text, type, role, preview: previewOf(event.value),
      run: String(event.run ?? ""), path: String(event.path ?? "") };
    this.entries.push(entry);
    this.#size += text.length;
    const known = this.types.get(type) ?? { number: 0, internal: role === "internal" };
    known.number++;
    this.types.set(type, known);
    return entry;
  }
  /// True if the oldest events were dropped.
  trim() {
    let from = Math.max(0, this.entries.length - mostEvents);
    for (let place = 0; place < from; place++) this.#size -= this.entries[place].text.length;
    while (this.#size > mostText && from < this.entries.length - 1) this.#size -= this.entries[from++].text.length;
    if (!from) return false;
    this.entries = this.entries.slice(from);
    this.dropped += from;
    return true;
  }
}

/// (entry) -> bool. Searches the text in the event's JSON, ignoring case.
export function filterOf({ text, type, internal }) {
  const needle = JSON.stringify(text.trim().toLowerCase()).slice(1, -1);
  return (entry) => {
    if (type ? entry.type !== type : entry.role === "internal" && !internal) return false;
    return !needle || entry.text.toLowerCase().includes(needle);
  };
}
