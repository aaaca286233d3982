// The form that approves a tool call: yes, always in this run, edit, no; a key for each.
import { fresh, h } from "./dom.js";
import { fieldsView } from "./json_view.js";
import { parse, visible } from "./text.js";

export const isApproval = (type, answers) =>
  type === "ToolApprovalRequestEvent" && answers.length === 1 && answers[0] === "ToolApprovalEvent";

/// Describes the question to a human: the tool, its arguments, and the reason for the question.
export function callView(value) {
  const given = value.arguments;
  const plain = given && typeof given === "object" && !Array.isArray(given) && !JSON.isRawJSON?.(given);
  return h("div", {},
    h("p", {}, "May ", h("code", {}, visible(value.tool)), " run", plain && !Object.keys(given).length
      ? " without arguments?" : " with this?", value.why ? h("span", { class: "soft" }, ` (${visible(value.why)})`) : null),
    fieldsView(plain ? given : { arguments: given }),
    value.mistake ? h("p", { class: "wrong" }, `The last answer was invalid: ${visible(value.mistake)}`) : null);
}

/// {element, read(): JSON text or null, explain(sentence), always: whether the human chose it}. Each button submits the
/// form around it.
export function approvalForm(value) {
  let decision = "approve";
  const given = JSON.stringify(value.arguments ?? {}, null, 2);
  const control = h("textarea", { id: fresh("arguments"), rows: 3, spellcheck: false, autocomplete: "off", class: "code" });
  control.value = visible(given);  // JSON escapes replace hidden characters
  const wrong = h("p", { class: "wrong", id: fresh("wrong"), hidden: true });
  control.setAttribute("aria-describedby", wrong.id);
  const reason = h("textarea", { id: fresh("reason"), rows: 1, autocomplete: "off" });
  const send = (what) => (event) => {
    decision = what;
    event.currentTarget.form.requestSubmit();
  };
  const part = (label, field, button, what) => h("div", { class: "part", hidden: true },
    h("div", { class: "label" }, h("label", { for: field.id }, h("span", { class: "name" }, label))), field,
    field === control ? wrong : null,
    h("div", { class: "actions" }, h("button", { type: "button", class: "main-button", onclick: send(what) }, button)));
  const edit = part("Arguments", control, "Run with these", "edit");
  const no = part("Why not? For the model", reason, "Reject", "reject");
  const show = (one, field) => () => {
    edit.hidden = one !== edit || !edit.hidden;
    no.hidden = one !== no || !no.hidden;
    for (const [button, shown] of [[e, edit], [n, no]]) button.setAttribute("aria-expanded", String(!shown.hidden));
    if (!one.hidden) field.focus();
  };
  const choice = (key, label, act, more = {}) =>
    h("button", { type: "button", "aria-keyshortcuts": key, onclick: act, ...more }, h("kbd", {}, key), " ", label);
  const y = choice("y", "Yes, once", send("approve"), { class: "main-button" });
  const a = choice("a", "Always in this run", send("always"));
  const e = choice("e", "Edit…", show(edit, control), { "aria-expanded": "false" });
  const n = choice("n", "No…", show(no, reason), { "aria-expanded": "false" });
  const letters = { y, a, e, n };
  return {
    element: h("div", { class: "approval" }, h("div", { class: "actions" }, y, a, e, n), edit, no),
    get always() { return decision === "always"; },
    /// Letters are keys outside of text fields. A key that is held down answers only one question.
    press(event) {
      if (event.repeat || event.target.closest("textarea, input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      const button = letters[event.key.toLowerCase()];
      if (!button) return;
      event.preventDefault();
      button.click();
    },
    /// Enter in the reason sends it; Ctrl+Enter in either field does.
    submitted(event) {
      if (event.target === control || event.target === reason)
        decision = event.target === control ? "edit" : "reject";
    },
    read() {
      wrong.hidden = true;
      if (decision === "approve" || decision === "always") return JSON.stringify({ decision });
      if (decision === "reject") return JSON.stringify({ decision, reason: reason.value.trim() });
      try {
        parse(control.value);
      } catch (error) {
        this.explain(`This is not JSON: ${error.message}.`);
        return null;
      }
      return `{"decision":"edit","arguments":${control.value}}`;
    },
    explain(sentence) {
      if (decision !== "edit") return false;
      wrong.textContent = visible(sentence);
      wrong.hidden = false;
      control.focus();
      return true;
    },
  };
}
