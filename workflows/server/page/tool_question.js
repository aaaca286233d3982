// The form for a question of a running tool: its fields, or a refusal to fill them in.
import { h } from "./dom.js";
import { schemaForm } from "./form.js";
import { visible } from "./text.js";

export const isToolQuestion = (type, answers) =>
  type === "ToolQuestionEvent" && answers.length === 1 && answers[0] === "ToolAnswerEvent";

/// Shows the asking tool and its question. The texts are not trusted, and look different from the page's own.
export function toolQuestionView(value) {
  const tool = ["the tool ", h("code", {}, visible(value.tool))];
  return h("div", {},
    h("p", {}, value.from ? [h("strong", {}, visible(value.from)), " asks, by ", tool].flat() : ["The tool ", tool[1],
      " asks"], ":"),
    h("p", { class: "text" }, visible(value.message)),
    value.mistake ? h("p", { class: "wrong" }, `The last answer was invalid: ${visible(value.mistake)}`) : null);
}

/// {element, read(): JSON text or null, explain(sentence), decline: a button that submits the form around it}
export function toolAnswerForm(value) {
  const schema = value.form && typeof value.form === "object" && !Array.isArray(value.form) ? value.form : {};
  const fields = schemaForm(schema);
  let declines = false;
  const decline = h("button", { type: "button", onclick: (event) => {
    declines = true;
    event.currentTarget.form.requestSubmit();
  } }, "Decline");
  return {
    element: fields.element,
    decline,
    focus: () => fields.focus(),
    read() {
      const refused = declines;
      declines = false;
      if (refused) return JSON.stringify({ action: "decline" });
      const content = fields.read();
      return content === null ? null : `{"action":"accept","content":${content}}`;
    },
    explain: (sentence) => fields.explain(sentence),
  };
}
