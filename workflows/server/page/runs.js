// The list of runs at the side. The page requests running runs every few seconds and all runs rarely. It requests
// nothing while it is hidden, and less and less often while the server does not answer.
import * as api from "./api.js";
import { badge, fresh, h } from "./dom.js";
import { count, duration, fullTime, time, visible } from "./text.js";

const often = 4000, rarely = 30000, slowest = 60000, share = 30, shownAtOnce = 100;

export const sleepsUntil = (iso) => ["sleeps until ", h("time", { datetime: iso, title: fullTime(iso) }, time(iso))];

export class Runs {
  known = new Map();
  #rows = new Map(); #most = shownAtOnce; #timer = 0; #failures = 0; #lastAll = 0; #took = 0; #current = null; #busy = false;
  #list; #told; #search; #status; #more; #stopped = false;

  constructor() {
    const heading = fresh("runs");
    this.#search = h("input", { type: "search", placeholder: "Filter runs", "aria-label": "Filter runs by text",
      autocomplete: "off", spellcheck: false, oninput: () => this.draw() });
    this.#status = h("select", { "aria-label": "Status of runs", onchange: () => this.draw() },
      h("option", { value: "" }, "Any status"),
      ["running", "waiting", "completed", "failed", "cancelled"].map((name) => h("option", { value: name }, name)));
    this.#list = h("ul", { class: "runs" });
    this.#told = h("p", { class: "soft told" });
    this.#more = h("button", { type: "button", class: "small wide", hidden: true, onclick: () => {
      this.#most += shownAtOnce;
      this.draw();
    } }, "Show more");
    this.element = h("section", { class: "side-runs", "aria-labelledby": heading },
      h("div", { class: "bar" }, h("h2", { id: heading }, "Runs"), this.#told),
      h("div", { class: "bar filters" }, this.#search, this.#status), this.#list, this.#more);
    setInterval(() => this.#tick(), 1000);
  }

  put(handler, alone = true) {
    const before = this.known.get(handler.handler_id);
    this.known.set(handler.handler_id, { ...handler, result: undefined });  // results can be large
    if (alone && (!before || api.statusOf(before) !== api.statusOf(handler))) this.draw();
  }
  forget(id) {
    this.known.delete(id);
    this.draw();
  }
  get failing() { return this.#failures > 0; }
  mark(id) {
    this.#current = id;
    for (const [key, row] of this.#rows) {
      if (key === id) row.link.setAttribute("aria-current", "page");
      else row.link.removeAttribute("aria-current");
    }
  }
  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
  pause() { clearTimeout(this.#timer); }

  /// Reads the list, also for the first time; false if the server does not answer.
  async refresh(all = false) {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#busy) return true;
    this.#busy = true;
    try {
      // Requests take at most a 30th of the time, so a slow list is requested less often.
      if (all || Date.now() - this.#lastAll >= Math.max(rarely, share * this.#took)) await this.#all();
      else await this.#running();
      this.#failures = 0;
    } catch {
      this.#failures++;
    }
    this.#busy = false;
    if (!this.#stopped && !document.hidden)
      this.#timer = setTimeout(() => this.refresh(), Math.min(slowest, often * 2 ** this.#failures));
    return this.#failures === 0;
  }
  async #all() {
    const began = Date.now(), before = [...this.known.keys()], handlers = await api.handlers();
    this.#lastAll = Date.now();
    this.#took = this.#lastAll - began;
    const ids = new Set(handlers.map((handler) => handler.handler_id));
    for (const id of before) if (!ids.has(id)) this.known.delete(id);  // not one that has started meanwhile
    for (const handler of handlers) this.put(handler, false);
    this.draw();
  }
  async #running() {
    const handlers = await api.handlers("?status=running");
    const ids = new Set(handlers.map((handler) => handler.handler_id));
    const gone = [...this.known.values()].filter((run) => run.status === "running" && !ids.has(run.handler_id));
    if (gone.length > 5) return this.#all();
    for (const handler of handlers) this.put(handler, false);
    this.draw();
    for (const { handler_id: id } of gone) {
      try {
        this.put(await api.handler(id));
      } catch (error) {
        if (error.status !== 404) throw error;
        this.forget(id);
      }
    }
  }

  draw() {
    const text = this.#search.value.trim().toLowerCase(), status = this.#status.value;
    const fits = (run) => !status || run.status === status || api.statusOf(run) === status;
    const hits = [...this.known.values()].filter((run) => fits(run) &&
      (!text || `${run.workflow_name} ${run.handler_id} ${run.error ?? ""}`.toLowerCase().includes(text)))
      .sort((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0));
    const rows = hits.slice(0, this.#most).map((run) => this.#row(run));
    const kept = new Set(hits.slice(0, this.#most).map((run) => run.handler_id));
    for (const id of this.#rows.keys()) if (!kept.has(id)) this.#rows.delete(id);
    rows.forEach((row, place) => {  // a row may have the focus, so rows that stay are not moved
      if (this.#list.children[place] !== row) this.#list.insertBefore(row, this.#list.children[place] ?? null);
    });
    while (this.#list.childElementCount > rows.length) this.#list.lastElementChild.remove();
    this.#more.hidden = hits.length <= this.#most;
    this.#told.textContent = hits.length === this.known.size ? count(hits.length, "run")
      : `${hits.length} of ${this.known.size}`;
    if (!hits.length) this.#told.textContent = this.known.size ? "no match" : "none yet";
    this.mark(this.#current);
  }
  #row(run) {
    let row = this.#rows.get(run.handler_id);
    if (!row) {
      const status = h("span", {}), took = h("span", { class: "took" });
      const sleep = h("span", { class: "soft", hidden: true });
      const link = h("a", { href: `#/runs/${encodeURIComponent(run.handler_id)}` },
        h("span", { class: "line" }, h("strong", {}, visible(run.workflow_name)), took),
        h("span", { class: "line soft" }, h("span", {}, h("code", {}, visible(run.handler_id)), " · ",
          h("time", { datetime: run.started_at, title: fullTime(run.started_at) }, time(run.started_at))), status), sleep);
      row = { element: h("li", {}, link), link, status, took, sleep, shown: null, until: null };
      this.#rows.set(run.handler_id, row);
    }
    row.run = run;
    const status = api.statusOf(run);
    if (row.shown !== status) row.status.replaceChildren(badge(row.shown = status));
    row.took.textContent = duration(run.started_at, run.completed_at);
    const until = run.sleeps_until ?? null;
    row.sleep.hidden = !until;
    if (until && row.until !== until) row.sleep.replaceChildren(...sleepsUntil(until));
    row.until = until;
    return row.element;
  }
  #tick() {
    if (document.hidden) return;
    for (const { run, took } of this.#rows.values())
      if (run.status === "running") took.textContent = duration(run.started_at);
  }
}
