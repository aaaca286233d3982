// The view of one workflow: its description, the form that starts it, its graph.
import * as api from "./api.js";
import { announceNow } from "./announce.js";
import { h } from "./dom.js";
import { schemaForm } from "./form.js";
import { GraphView } from "./graph.js";
import { submitByKeys } from "./questions.js";
import { visible } from "./text.js";

export class WorkflowView {
  constructor(name, description, started) {
    this.element = h("div", { class: "view" });
    this.heading = h("h1", { tabIndex: -1 }, visible(name));
    this.element.append(h("header", { class: "view-head" }, this.heading,
      description ? h("p", { class: "lead" }, visible(description)) : null));
    this.#place = h("div", { class: "columns" }, h("p", { class: "soft" }, "Reading the workflow…"));
    this.element.append(this.#place);
    this.#load(name, started);
  }
  #place;

  async #load(name, started) {
    try {
      const [schema, graph] = await Promise.all([api.schema(name), api.graphOf(name).catch(() => null)]);
      this.#place.replaceChildren(this.#form(name, schema.start ?? {}, started),
        h("section", { class: "card", "aria-label": "Graph of the workflow" }, h("div", { class: "bar" },
          h("h2", {}, "Graph")), graph ? new GraphView(graph.graph ?? {}).element
          : h("p", { class: "wrong" }, "The graph could not be read.")));
    } catch (error) {
      this.#place.replaceChildren(h("p", { class: "wrong", role: "alert" }, visible(error.message)),
        h("button", { type: "button", onclick: () => this.#load(name, started) }, "Try again"));
    }
  }

  #form(name, schema, started) {
    const form = schemaForm(schema);
    const wrong = h("p", { class: "wrong", role: "alert", hidden: true });
    const button = h("button", { type: "submit", class: "main-button" }, "Start");
    let busy = false;
    const start = async (event) => {
      event.preventDefault();
      if (busy) return;
      wrong.hidden = true;
      const value = form.read();
      if (value === null) return announceNow("The form is not complete yet.");
      busy = true;
      button.setAttribute("aria-disabled", "true");
      try {
        started(await api.start(name, schema.title, value));
      } catch (error) {
        if (!form.explain(error.message)) {
          wrong.textContent = visible(error.message);
          wrong.hidden = false;
          button.focus();
        }
      }
      busy = false;
      button.removeAttribute("aria-disabled");
    };
    return h("section", { class: "card", "aria-label": "Start a run" },
      h("div", { class: "bar" }, h("h2", {}, "Start a run"),
        schema.title ? h("code", { class: "soft" }, visible(schema.title)) : null),
      h("form", { novalidate: true, onsubmit: start, onkeydown: submitByKeys, autocomplete: "off" },
        form.element, wrong,
        h("div", { class: "actions" }, button, h("span", { class: "soft keys" }, "or Ctrl+Enter"))));
  }
}
