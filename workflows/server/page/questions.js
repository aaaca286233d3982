// The questions of a run, and the forms for their answers. The server names the events that answer a question; if there
// are several, the human selects one.
import * as api from "./api.js";
import { announce, announceNow } from "./announce.js";
import { approvalForm, callView, isApproval } from "./approval.js";
import { focusOn, h, icon } from "./dom.js";
import { schemaForm } from "./form.js";
import { fieldsView } from "./json_view.js";
import { visible } from "./text.js";
import { isToolQuestion, toolAnswerForm, toolQuestionView } from "./tool_question.js";

const most = 50;  // maximum of shown questions; others appear after an answer

export class Questions {
  #run; #workflow; #open = new Map(); #cards = new Map(); #said = new Set(); #consumed = new Map(); #ended = false;
  #answers = null; #schemas = null; #drawing = null;
  #exact = false;

  /// back() moves the focus after the last answer.
  constructor(run, workflow, back) {
    this.#run = run;
    this.#workflow = workflow;
    this.back = back;
    this.element = h("div", { class: "questions" });
  }
  get any() { return this.#open.size + this.#cards.size > 0; }

  /// Takes each event of the run, in their order.
  see(seq, event) {
    if (event.types?.includes("InputRequiredEvent")) {
      const key = String(event.question ?? `#${seq}`);
      if (this.#said.has(key) || this.#open.has(key)) return;
      this.#open.set(key, { key, id: event.question ?? null, type: event.type, value: event.value ?? {} });
    } else if (event.types?.includes("HumanResponseEvent") && event.question) {
      this.#exact = true;
      this.close(String(event.question));
    } else if (event.type === "StepStateChanged" && event.value?.step_state === "not_running" &&
               event.value.output_event_name)
      this.#count(String(event.value.input_event_name ?? "").split(".").at(-1).replace(/'>$/, ""), 1);
  }
  /// Takes the open questions from the server. Questions that came after the request (not in `known`) stay.
  tell(open, known) {
    if (!Array.isArray(open)) return;
    this.#exact = true;
    const ids = new Set(open.map(String));
    for (const key of known) if (!ids.has(key)) this.close(key);
  }
  get keys() { return [...this.#open.keys()]; }
  // An answer may not name its question: then the end of its step closes the oldest question that it fits. In doubt a
  // question stays open, since a hidden question would never get an answer.
  #count(type, change) {
    this.#consumed.set(type, (this.#consumed.get(type) ?? 0) + change);
  }
  close(key) {
    this.#said.add(key);
    this.#open.delete(key);
  }
  end() {
    this.#ended = true;
    this.#open.clear();
    this.draw();
  }

  /// Draws a card for each open question. True if a card is new.
  async draw() {
    if (this.#drawing) await this.#drawing;
    return this.#drawing = this.#drawNow().finally(() => { this.#drawing = null; });
  }
  async #drawNow() {
    if (this.#open.size && !this.#answers) {
      try {
        const [pairs, events] = await Promise.all([api.questionsOf(this.#workflow), api.eventsOf(this.#workflow)]);
        this.#answers = new Map((pairs.questions ?? []).map((pair) => [pair.type, pair.answers ?? []]));
        this.#schemas = new Map((events.events ?? []).map((schema) => [schema.title, schema]));
      } catch (error) {
        this.element.replaceChildren(h("p", { class: "wrong" }, `The run asks a question, but the page could not `
          + `read its answers: ${visible(error.message)}`));
        return false;
      }
    }
    this.#match();
    for (const [key, card] of this.#cards)
      if (!this.#open.has(key) && !card.busy) {
        const had = card.element.contains(document.activeElement);
        card.element.remove();
        this.#cards.delete(key);
        if (had) this.focus() || this.back();
      }
    let shown = false;
    for (const question of this.#open.values()) {
      if (this.#cards.size >= most) break;
      if (this.#cards.has(question.key)) continue;
      const card = this.#card(question);
      this.#cards.set(question.key, card);
      this.element.append(card.element);
      shown = true;
    }
    if (shown) announceNow("The run asks a question.");
    return shown;
  }
  #match() {
    if (!this.#answers || this.#exact) return;
    for (const question of [...this.#open.values()])
      for (const type of this.#answers.get(question.type) ?? []) {
        const left = this.#consumed.get(type) ?? 0;
        if (left < 1 || !this.#open.has(question.key)) continue;
        this.#consumed.set(type, left - 1);
        this.close(question.key);
      }
  }
  /// Removes a question that was answered elsewhere, or whose run has ended.
  #notOpen(key, sentence) {
    const note = h("p", { class: "note", role: "alert" }, `The run did not take the answer: ${visible(sentence)}`);
    this.element.before(note);
    setTimeout(() => note.remove(), 20000);
    this.close(key);
    return this.draw();
  }
  focus() {
    const first = this.element.querySelector("h2");
    if (first) focusOn(first);
    return Boolean(first);
  }

  /// Approves the other open questions about the tool, which came before it was allowed.
  async #allowOthers({ tool, fingerprint }, type) {
    for (const other of [...this.#open.values()]) {
      if (other.type !== "ToolApprovalRequestEvent" || other.value.tool !== tool || other.value.mistake) continue;
      if (other.value.fingerprint !== fingerprint) continue;  // the tool has changed since
      try {
        await api.answer(this.#run, type, '{"decision":"approve"}', other.id);
        this.#count(type, -1);
        this.close(other.key);
      } catch {
        // the question stays open for a separate answer
      }
    }
  }
  #card(question) {
    const names = this.#answers.get(question.type) ?? [];
    const choice = names.length ? names : [...this.#schemas.keys()].filter((name) => name !== question.type);
    const card = { busy: false };
    const place = h("div", {}), wrong = h("p", { class: "wrong", role: "alert", hidden: true });
    let form = null, type = null;
    const approves = isApproval(question.type, choice), tells = isToolQuestion(question.type, choice);
    const choose = (name) => {
      type = name;
      form = approves ? approvalForm(question.value) : tells ? toolAnswerForm(question.value)
        : schemaForm(this.#schemas.get(name) ?? {});
      place.replaceChildren(form.element);
    };
    const select = choice.length === 1 ? null : h("select", { onchange: () => choose(select.value) },
      choice.map((name) => h("option", { value: name }, visible(name))));
    if (choice.length) choose(choice[0]);
    const button = h("button", { type: "submit", class: "main-button" }, "Send the answer");
    const send = async (event) => {
      event.preventDefault();
      if (card.busy) return;
      wrong.hidden = true;
      const text = form?.read();
      if (!text) return;
      card.busy = true;
      button.setAttribute("aria-disabled", "true");
      try {
        await api.answer(this.#run, type, text, question.id);
        card.busy = false;
        this.close(question.key);
        this.#count(type, -1);  // the stream will report its step, too
        announce("The answer is sent.");
        if (form.always) await this.#allowOthers(question.value, type);
        await this.draw();
      } catch (error) {
        card.busy = false;
        if (error.status === 409) return this.#notOpen(question.key, error.message);
        button.removeAttribute("aria-disabled");
        if (form.explain(error.message)) return;
        wrong.textContent = visible(error.message);
        wrong.hidden = false;
        button.focus();
      }
    };
    const label = `Question ${visible(String(question.key))}: ${visible(question.type)}`;  // several questions may have one type
    card.element = h("section", { class: "card ask", "aria-label": label },
      h("h2", {}, icon("question"), "The run asks", h("code", { class: "soft" }, visible(question.type))),
      approves ? callView(question.value) : tells ? toolQuestionView(question.value) : fieldsView(question.value),
      h("form", { novalidate: true, onsubmit: send, onkeydown: (event) => {
        if (approves) form.submitted(event);
        submitByKeys(event);
      } },
        select ? h("label", { class: "pick" }, "Answer with ", select) : null, place, wrong,
        approves ? null : h("div", { class: "actions" }, button, tells ? form.decline : h("span", { class: "soft" },
          choice.length === 1 ? ["as ", h("code", {}, visible(choice[0]))]
            : choice.length ? null : "The server names no event that answers it."))));
    if (approves) card.element.addEventListener("keydown", (event) => form.press(event));
    return card;
  }
}

/// Ctrl+Enter sends the form from a text of several lines.
export function submitByKeys(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
