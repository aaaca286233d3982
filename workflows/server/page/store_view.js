// The view of the store: its schedules with their actions, its queues with their limits, and the limits of models.
import * as api from "./api.js";
import { announce, announceNow } from "./announce.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { count, fullTime, time, visible } from "./text.js";

const often = 10000;
const timeOf = (iso) => h("time", { datetime: iso, title: fullTime(iso) }, time(iso));
const outcomes = { started: "started", by_hand: "started by hand", skipped: "skipped", missed: "missed", failed: "failed" };

export class StoreView {
  constructor() {
    this.heading = h("h1", { tabIndex: -1 }, "Schedules and queues");
    this.#schedules = h("div", {}, h("p", { class: "soft" }, "Reading the store…"));
    this.#queues = h("div", {});
    this.#models = h("div", {});
    this.#wrong = h("p", { class: "wrong", role: "alert", hidden: true });
    this.element = h("div", { class: "view" }, h("header", { class: "view-head" }, this.heading), this.#wrong,
      h("section", { class: "card", "aria-label": "Schedules" }, h("h2", {}, "Schedules"), this.#schedules),
      h("section", { class: "card", "aria-label": "Queues" }, h("h2", {}, "Queues"), this.#queues),
      h("section", { class: "card", "aria-label": "Limits of models" }, h("h2", {}, "Limits of models"), this.#models));
    this.resume();
  }
  #schedules; #queues; #models; #wrong; #timer = 0; #shown = ""; #isClosed = false; #reads = 0;

  close() {
    this.#isClosed = true;
    this.pause();
  }
  pause() { clearTimeout(this.#timer); }
  resume() { this.#refresh(); }

  async #refresh() {
    this.pause();
    const read = ++this.#reads;
    try {
      const all = await Promise.all([api.schedules(), api.queues(), api.modelLimits()]);
      if (read !== this.#reads) return;  // a later one knows of a change that this one may lack
      const text = JSON.stringify(all);
      if (text !== this.#shown) this.#draw(...all);  // a control keeps the focus while nothing changes
      this.#shown = text;
      this.#wrong.hidden = true;
    } catch (error) {
      if (read !== this.#reads) return;
      this.#complain(error);
    }
    if (!this.#isClosed && !document.hidden) this.#timer = setTimeout(() => this.#refresh(), often);
  }
  #complain(error) {
    this.#wrong.textContent = visible(error.message);
    this.#wrong.hidden = false;
  }
  #draw(schedules, queues, models) {
    const focused = document.activeElement?.dataset?.action;
    this.#schedules.replaceChildren(schedules.length ? h("ul", { class: "schedules" },
      schedules.map((each) => this.#schedule(each))) : h("p", { class: "soft" }, "The store has no schedules."));
    this.#queues.replaceChildren(queues.length ? h("ul", { class: "queues" }, queues.map((each) => this.#queue(each)))
      : h("p", { class: "soft" }, "No queue has runs or limits."));
    this.#models.replaceChildren(models.length ? h("ul", { class: "queues" }, models.map((each) => this.#model(each)))
      : h("p", { class: "soft" }, "No model has limits."));
    if (focused) [...this.element.querySelectorAll("button")].find((each) => each.dataset.action === focused)?.focus();
  }
  #schedule(each) {
    const can = each.state === "active" || each.state === "paused";
    const firing = each.firings.at(-1);
    const button = (label, action, act) => h("button", { type: "button", class: "small",
      "data-action": `${action} ${each.name}`, "aria-label": `${label} ${visible(each.name)}`, onclick: act }, label);
    const change = (action, done) => () => this.#change(each.name, action, done);
    return h("li", {}, h("p", {}, h("strong", {}, visible(each.name)), ` ${each.state} · `, visible(each.workflow), " ",
      visible(each.means)),
    h("p", { class: "soft" }, each.next.length ? ["next ", timeOf(each.next[0]), " · "] : null,
      count(each.started, "run"), firing ? [" · last: ", timeOf(firing.at), ` ${outcomes[firing.kind] ?? ""}`] : null,
      each.problem ? ` · ${visible(each.problem)}` : null),
    h("div", { class: "actions" }, each.state === "active" ? button("Pause", "pause", change("pause", "is paused")) : null,
      each.state === "paused" ? button("Resume", "resume", change("resume", "starts runs again")) : null,
      can ? button("Run now", "run", change("run", "has started a run")) : null,
      can || each.state === "damaged" ? button("Remove", "remove", () => this.#remove(each.name)) : null));
  }
  #queue(each) {
    const limits = each.limits, facts = ["ready", "running", "waiting"].map((state) => `${each[state]} ${state}`);
    if (each.sleeping) facts.push(`${each.sleeping} of them until a time`);
    if (each.overdue_seconds) facts.push(`overdue for ${count(Math.round(each.overdue_seconds), "second")}`);
    if (each.held_back) facts.push(`${each.held_back} held back by the limits`);
    if (limits?.running !== null && limits?.running !== undefined) facts.push(`at most ${limits.running} at once`);
    if (limits?.per) facts.push(`by ${visible(limits.per)}`
      + (limits.running_per_key ? `, at most ${limits.running_per_key} of each` : ""));
    if (limits?.starts) facts.push(`${count(limits.starts, "start")} in ${count(limits.seconds, "second")}`);
    return h("li", {}, h("strong", {}, visible(each.queue)), " ", facts.join(" · "));
  }
  #model(each) {
    const facts = ["requests", "tokens"].filter((kind) => each[kind]).map((kind) => `${each[kind]} ${kind} a minute, `
      + `${Math.floor(each[`${kind}_left`] ?? each[kind])} left now`);
    if (each.per) facts.push(`in turn by ${visible(each.per)}`);
    if (each.waiting) facts.push(`calls of ${count(each.waiting, "key")} wait`);
    return h("li", {}, h("strong", {}, visible(each.model)), " ", facts.join(" · "));
  }
  async #change(name, action, done) {
    try {
      await api.changeSchedule(name, action);
      announce(`The schedule ${visible(name)} ${done}.`);
    } catch (error) {
      this.#complain(error);
      announceNow(visible(error.message));
      return;
    }
    await this.#refresh();
  }
  async #remove(name) {
    const sure = await confirm({ title: "Remove the schedule?", yes: "Remove", no: "Keep",
      text: `${visible(name)} starts no more runs. Runs that it has started go on.` });
    if (sure) await this.#change(name, "remove", "is removed");
  }
}
