// The view of one run: its status and result, its questions, its graph and its events.
import * as api from "./api.js";
import { answerView, isAgentAnswer } from "./answer.js";
import { announce, announceEvents, announceNow, forget } from "./announce.js";
import { confirm } from "./dialog.js";
import { badge, h } from "./dom.js";
import { EventList } from "./event_list.js";
import { GraphView } from "./graph.js";
import { fieldsView, longText } from "./json_view.js";
import { Questions } from "./questions.js";
import { sleepsUntil } from "./runs.js";
import { RunStream } from "./stream.js";
import { duration, fullTime, time, visible } from "./text.js";

export class RunView {
  #id; #runs; #run = null; #stream = null; #graph = null; #questions = null; #closed = false; #head; #status; #took;
  #branches; #sleep; #actions; #outcome; #timer; #link; #countdown = 0; #graphPlace; #busy = false; #early = [];
  #exact = null; #asking = 0;

  constructor(id, runs, removed) {
    this.#id = id;
    this.#runs = runs;
    this.removed = removed;
    forget();
    this.heading = h("h1", { tabIndex: -1 }, `Run ${visible(id)}`);
    this.#status = h("span", {});
    this.#head = h("p", { class: "facts" });
    this.#took = h("span", {});
    this.#branches = h("span", { hidden: true });
    this.#sleep = h("span", { hidden: true });
    this.#actions = h("div", { class: "actions" });
    this.#outcome = h("div", {});
    this.#link = h("p", { class: "link" });
    this.#graphPlace = h("section", { class: "card graph-card", "aria-label": "Graph of the workflow" },
      h("div", { class: "bar" }, h("h2", {}, "Graph")));
    this.events = new EventList();
    this.body = h("div", {});
    this.element = h("div", { class: "view" }, h("header", { class: "view-head" },
      h("div", { class: "title" }, this.heading, this.#status, this.#actions), this.#head), this.body);
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#load();
  }
  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    clearInterval(this.#countdown);
    this.#stream?.close();
    forget();
  }
  pause() { this.#stream?.pause(); }
  resume() {
    this.#stream?.resume();
    this.#tick();
  }

  async #load() {
    try {
      const run = await api.handler(this.#id);
      if (this.#closed) return;
      this.#questions = new Questions(this.#id, run.workflow_name, () => this.heading.focus());
      this.body.append(h("div", { class: "columns run" },
        h("div", { class: "stack" }, this.#questions.element, this.#outcome, this.events.element), this.#graphPlace));
      this.events.element.querySelector(".bar").append(this.#link);
      this.#show(run);
      this.#stream = new RunStream(this.#id, { events: (batch) => this.#add(batch),
        state: (name, detail) => this.#connection(name, detail), gap: (sentence) => this.events.gap(sentence) });
      await this.#draw(run.workflow_name);
    } catch (error) {
      if (this.#closed) return;
      this.body.replaceChildren(h("p", { class: "wrong", role: "alert" }, error.status === 404
        ? "The server knows no run of this name: it was deleted, or it belongs to another server."
        : visible(error.message)),
      h("button", { type: "button", onclick: () => { this.body.replaceChildren(); this.#load(); } }, "Try again"));
    }
  }
  async #draw(workflow) {
    let told;
    try {
      this.#graph = new GraphView((await api.graphOf(workflow)).graph ?? {});
      for (const event of this.#early ?? []) this.#graph.see(event);
      if (this.#run.status !== "running") this.#graph.end();
      told = this.#graph.element;
    } catch {
      told = h("p", { class: "wrong" }, "The graph could not be read.");
    }
    this.#early = null;
    this.#graphPlace.append(told);
  }

  #add(batch) {
    for (const { seq, event } of batch) {
      this.#graph ? this.#graph.see(event) : this.#early?.push(event);
      this.#questions.see(seq, event);
      if (event.type === "RunProgressEvent") this.#progress(event.value);
    }
    const shown = this.events.add(batch);
    if (shown && this.#run.status === "running") {
      const last = batch.findLast(({ event }) => !event.types?.includes("InternalDispatchEvent"));
      announceEvents(shown, visible((last ?? batch.at(-1)).event.type).slice(0, 80));
    }
    if (batch.some(({ event }) => event.types?.includes("StopEvent"))) this.#reread();
    else if (this.#run.status === "running") this.#askSoon();
  }
  /// Shows the settled branches of the fan-outs while the run is executing.
  #progress(value) {
    this.#branches.textContent = visible(`${value?.settled} of ${value?.begun} branches`);
    this.#branches.hidden = this.#run.status !== "running";
  }
  #askSoon() {
    if (!this.#questions.any) return;
    this.#asking ||= setTimeout(() => {
      this.#asking = 0;
      if (!this.#closed && this.#run.status === "running") this.#ask();
    }, this.#exact ? 200 : 0);
  }
  async #ask() {
    await this.#askServer();
    const shown = await this.#questions.draw();
    if (this.#closed) return;
    this.#badge();
    if (!shown) return;
    // The focus goes to the question only if no other control has it.
    const at = document.activeElement;
    if (at === document.body || at === this.heading || at?.id === "main") this.#questions.focus();
  }

  /// Reads the open questions from the server, since another client may have answered.
  async #askServer() {
    const known = this.#questions.keys;
    if (!known.length || this.#exact === false) return;
    try {
      const run = await api.handler(this.#id);
      if (Array.isArray(run.questions)) this.#exact = true;
      else this.#exact ??= false;  // a run that returns from its store has none for a moment
      if (run.status === "running") this.#runs.put(run);
      this.#questions.tell(run.questions, known);
    } catch { /* the stream continues, and the next event tries again */ }
  }

  #connection(name, wait) {
    clearInterval(this.#countdown);
    const say = (...parts) => this.#link.replaceChildren(...parts);
    this.#link.className = `link ${name}`;
    if (name === "live") say("live");
    else if (name === "connecting") say("connecting…");
    else if (name === "paused") say("paused while the page is hidden");
    else if (name === "ended") say("complete");
    else if (name === "lost") say(visible(wait));
    else {
      const until = Date.now() + wait, left = h("span", {});
      const tick = () => {
        const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
        left.textContent = `connection lost, next try in ${seconds} s `;
      };
      tick();
      this.#countdown = setInterval(tick, 1000);
      say(left, h("button", { type: "button", class: "small", onclick: () => this.#stream.retryNow() }, "Try now"));
      if (wait > 900) announce("The connection to the run is lost. The page tries again.");
    }
    if (name === "ended" && this.#run.status === "running") this.#reread();
    if (name === "ended") this.events.end();
  }
  async #reread(tries = 6) {
    try {
      const run = await api.handler(this.#id);
      if (this.#closed) return;
      this.#show(run);
      // The terminal event may come before the server has recorded the end of the run.
      if (run.status === "running" && tries) setTimeout(() => this.#reread(tries - 1), 250);
    } catch (error) {
      if (!this.#closed && tries && error.status !== 404) setTimeout(() => this.#reread(tries - 1), 2000);
    }
  }

  #show(run) {
    const before = this.#run;
    this.#run = run;
    this.#runs.put(run);
    const name = visible(run.workflow_name);
    this.heading.replaceChildren(name);
    document.title = `${name} ${visible(run.handler_id)} · weft`;
    this.#badge();
    const when = (label, iso) => [h("span", { class: "soft" }, label), " ",
      h("time", { datetime: iso, title: fullTime(iso) }, time(iso))];
    this.#head.replaceChildren(
      h("span", {}, h("span", { class: "soft" }, "run "), h("code", {}, visible(run.handler_id))),
      h("span", {}, h("a", { href: `#/workflows/${encodeURIComponent(run.workflow_name)}` }, "start another")),
      h("span", {}, when("started", run.started_at)),
      h("span", {}, h("span", { class: "soft" }, run.status === "running" ? "for " : "took "), this.#took),
      this.#branches, this.#sleep);
    this.#tick();
    const running = run.status === "running";
    if (!running) this.#branches.hidden = true;
    this.#actions.replaceChildren(h("button", { type: "button", class: running ? "danger quiet" : "quiet",
      onclick: () => (running ? this.#cancel() : this.#remove()) }, running ? "Cancel the run" : "Delete"));
    // The result is drawn once: the page may read it twice, and the reader may have unfolded a part of it.
    if (running || before?.status === run.status) return;
    this.#graph?.end();
    this.#questions.end();
    this.#result(run);
    if (before?.status === "running") announceNow(`The run is ${run.status}.`);
  }
  #badge() {
    const waits = this.#run.status === "running" && this.#questions.any;
    this.#status.replaceChildren(badge(waits ? "waiting" : this.#run.status));
  }
  #result(run) {
    if (run.status === "cancelled") return this.#outcome.replaceChildren();
    const result = run.result, title = run.status === "completed" ? "Result" : "Why it failed";
    this.#outcome.replaceChildren(h("section", { class: `card outcome ${run.status}`, "aria-label": title },
      h("div", { class: "bar" }, h("h2", {}, title),
        result?.type ? h("code", { class: "soft" }, visible(result.type)) : null),
      run.error ? h("p", { class: "error" }, longText(run.error, 2000)) : null,
      ...(isAgentAnswer(result?.value) ? answerView(result.value) : [result ? fieldsView(result.value) : null])));
  }
  #tick() {
    if (!this.#run) return;
    this.#took.textContent = duration(this.#run.started_at, this.#run.completed_at);
    const until = this.#run.status === "running" ? this.#runs.known.get(this.#id)?.sleeps_until : null;
    this.#sleep.hidden = !until;
    if (until && this.#sleep.dataset.until !== until) this.#sleep.replaceChildren(...sleepsUntil(until));
    this.#sleep.dataset.until = until ?? "";
  }

  async #act(title, text, yes, no, what) {
    if (this.#busy) return;
    this.#busy = true;
    const sure = await confirm({ title, text, yes, no });
    this.#busy = false;
    try {
      if (sure) await what();
    } catch (error) {
      const note = h("p", { class: "wrong", role: "alert" }, visible(error.message));
      this.#head.after(note);
      setTimeout(() => note.remove(), 15000);
      this.#reread(0);
    }
  }
  #cancel() {
    return this.#act("Cancel this run?", "The run stops its work and cannot continue.",
      "Cancel the run", "Let it run", async () => {
        await api.cancel(this.#id);
        await this.#reread();
        this.heading.focus();
      });
  }
  #remove() {
    return this.#act("Delete this run?", "Its result and its events are deleted from the server.", "Delete the run",
      "Keep it", async () => {
        await api.remove(this.#id);
        this.#runs.forget(this.#id);
        this.removed();
      });
  }
}
