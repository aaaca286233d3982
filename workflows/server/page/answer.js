// The outcome of an agent for people: its answer, then its thoughts, actions and observations, then the figures.
import { h } from "./dom.js";
import { fieldsView, longText } from "./json_view.js";
import { isRaw } from "./text.js";

export const isAgentAnswer = (value) => typeof value?.response === "string" && Array.isArray(value.reasoning);

const written = (value) => (typeof value === "string" ? value
  : value && typeof value === "object" && !isRaw(value) && !Object.keys(value).length ? "" : JSON.stringify(value));
/// The labelled lines of one step. The answer itself is above.
function linesOf(step) {
  const lines = [["Thought", step?.thought]];
  if (step?.kind === "action") lines.push(["Action", `${step.tool}(${written(step.arguments ?? "")})`]);
  if (step?.kind === "observation") lines.push([step.ok === false ? "Failed observation" : "Observation", step.text]);
  if (step?.kind === "fault") lines.push(["Reply not followed", step.text]);
  lines.push(["Note", step?.note]);
  return lines.filter(([, text]) => text);
}
export function answerView({ response, reasoning, ...figures }) {
  const lines = reasoning.flatMap(linesOf);
  return [h("p", { class: "answer" }, longText(response, 8000)),
    lines.length ? h("h3", {}, "Trace") : null,
    lines.length ? h("ol", { class: "trace" }, ...lines.map(([label, text]) =>
      h("li", {}, h("strong", {}, label), " ", longText(String(text), 1500)))) : null,
    h("h3", {}, "Figures"), fieldsView(figures)];
}
