// The list of a run's events. The document has at most 500 of them; "Show earlier" moves this window back. At the end
// the window follows new events, and scrolls unless the reader has scrolled up.
import { displayOf, displayView } from "./display.js";
import { h, fresh } from "./dom.js";
import { EventLog, filterOf } from "./event_log.js";
import { copyButton, jsonView } from "./json_view.js";
import { count, grouped, parse, visible } from "./text.js";

const windowSize = 500, overlap = 50;

export class EventList {
  log = new EventLog();
  #matches = []; #from = 0; #follows = true; #filter = { text: "", type: "", internal: false }; #test; #typesShown = "";
  #none = "No events yet.";

  constructor() {
    this.#test = filterOf(this.#filter);
    this.#search = h("input", { type: "search", id: fresh("search"), placeholder: "Filter events", autocomplete: "off",
      spellcheck: false, "aria-label": "Filter events by text", oninput: () => this.#searchSoon() });
    this.#type = h("select", { "aria-label": "Type of event", onchange: () => this.#changed() },
      h("option", { value: "" }, "All types"));
    this.#internal = h("input", { type: "checkbox", onchange: () => this.#changed() });
    this.#told = h("p", { class: "soft told" }, "No events yet.");
    this.#gap = h("p", { class: "note", hidden: true });
    this.#earlier = h("button", { type: "button", class: "small wide", hidden: true, onclick: () => this.#back() },
      "Show earlier");
    this.#later = h("button", { type: "button", class: "small wide", hidden: true, onclick: () => this.#toEnd(true) },
      "Show the latest");
    this.#rows = h("ol", { class: "events" });
    this.#scroller = h("div", { class: "scroller", tabIndex: 0, role: "region", "aria-label": "Events" },
      this.#earlier, this.#rows, this.#later);
    this.element = h("section", { class: "card events-card", "aria-label": "Events of the run" },
      h("div", { class: "bar" }, h("h2", {}, "Events"), this.#told),
      h("div", { class: "bar filters" }, this.#search, this.#type,
        h("label", { class: "check" }, this.#internal, h("span", {}, "internal ones"))),
      this.#gap, this.#scroller);
  }
  #search; #type; #internal; #told; #gap; #earlier; #later; #rows; #scroller; #searching = 0;

  add(batch) {
    const near = this.#atBottom();
    const hits = batch.map((message) => this.log.add(message)).filter(this.#test);
    this.#matches.push(...hits);
    if (this.log.trim()) {
      const first = this.log.entries[0], before = this.#matches.length;
      const place = this.#matches.findIndex((entry) => entry.place >= first.place);
      this.#matches = place < 0 ? [] : this.#matches.slice(place);
      this.#from = Math.max(0, this.#from - (before - this.#matches.length));
      this.gap("This page no longer keeps the oldest events.");
    }
    if (this.#follows) {
      this.#rows.append(...hits.slice(-windowSize).map((entry) => this.#row(entry)));
      while (this.#rows.childElementCount > windowSize) this.#rows.firstElementChild.remove();
      this.#from = Math.max(0, this.#matches.length - windowSize);
      if (near && hits.length) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    }
    this.#tell();
    return hits.length;
  }
  gap(sentence) {
    this.#gap.textContent = visible(sentence);
    this.#gap.hidden = false;
  }
  end() {
    this.#none = "The server keeps no events of this run.";
    this.#tell();
  }

  #row(entry) {
    const inside = h("div", { class: "inside" });
    const details = h("details", { ontoggle: () => {
      if (!details.open) inside.replaceChildren();
      else if (!inside.hasChildNodes()) {
        const { display, ...value } = parse(entry.text).value ?? {};
        const shown = displayOf({ display });
        if (shown) inside.append(displayView(shown));
        inside.append(jsonView(display && !shown ? { ...value, display } : value, 1), copyButton(() => entry.text));
      }
    } }, h("summary", {},
      h("span", { class: "seq" }, entry.seq === null || entry.role === "internal" ? "" : String(entry.seq)),
      h("span", { class: `type ${entry.role}` }, visible(entry.type).slice(0, 100)),
      entry.path ? h("span", { class: "soft", title: `run ${visible(entry.run)}` }, visible(entry.path).slice(0, 100))
        : null,
      h("bdi", { class: "preview" }, entry.preview)), inside);
    return h("li", {}, details);
  }
  #atBottom() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < 40;
  }
  #draw() {
    const end = Math.min(this.#matches.length, this.#from + windowSize);
    this.#follows = end === this.#matches.length;
    this.#rows.replaceChildren(...this.#matches.slice(this.#from, end).map((entry) => this.#row(entry)));
    this.#tell();
  }
  #back() {
    const first = this.#matches[this.#from];
    this.#from = Math.max(0, this.#from - windowSize + overlap);
    this.#draw();
    const row = this.#rows.children[this.#matches.indexOf(first, this.#from) - this.#from];
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector("summary").focus({ preventScroll: true });
  }
  #toEnd(focus) {
    this.#from = Math.max(0, this.#matches.length - windowSize);
    this.#draw();
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    if (focus) this.#rows.lastElementChild?.querySelector("summary").focus();
  }
  #searchSoon() {
    clearTimeout(this.#searching);
    this.#searching = setTimeout(() => this.#changed(), 150);
  }
  #changed() {
    this.#filter = { text: this.#search.value, type: this.#type.value, internal: this.#internal.checked };
    this.#test = filterOf(this.#filter);
    this.#matches = this.log.entries.filter(this.#test);
    this.#toEnd(false);
  }

  #tell() {
    const all = this.log.entries.length, hits = this.#matches.length;
    this.#earlier.hidden = this.#from === 0;
    this.#earlier.textContent = `Show earlier (${count(this.#from, "event")} before)`;
    const after = hits - this.#from - this.#rows.childElementCount;
    this.#later.hidden = after <= 0;
    this.#later.textContent = `Show the latest (${count(after, "event")} after)`;
    const narrowed = this.#filter.text.trim() || this.#filter.type;
    this.#told.textContent = !all ? this.#none : narrowed ? `${grouped(hits)} of ${count(all, "event")}`
      : count(hits, "event");
    const types = [...this.log.types].map(([name, { internal }]) => name + (internal ? " (internal)" : ""));
    if (types.join("\n") === this.#typesShown) return;
    this.#typesShown = types.join("\n");
    const chosen = this.#type.value;
    this.#type.replaceChildren(h("option", { value: "" }, "All types"), ...[...this.log.types.keys()].slice(0, 500)
      .sort().map((name) => h("option", { value: name }, visible(name).slice(0, 100))));
    this.#type.value = chosen;
  }
}
