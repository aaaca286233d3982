// The controls of a form with one value each: text, numbers, yes or no, one of several, raw JSON. Each has
//   element, focus(), path, and read(problems): the value, undefined to leave it out; mistakes join `problems`.
import { fresh, h } from "./dom.js";
import { parse, visible } from "./text.js";
import { wrongWith } from "./schema.js";

/// The common parts of all fields: name, mark, hint, and a place for errors.
export function frame(at, control, { group = false } = {}) {
  const id = control.id || (control.id = fresh("field"));
  const error = h("p", { class: "wrong", id: fresh("wrong"), hidden: true });
  const hint = at.schema.description;
  const about = hint ? h("p", { class: "hint", id: fresh("hint") }, visible(hint)) : null;
  const title = h("span", { class: "name" }, visible(at.label));
  const marks = [h("span", { class: at.required ? "mark" : "mark soft" }, at.required ? "required" : "optional"),
    h("span", { class: "mark soft kind" }, at.kindName)];
  const described = [about?.id, error.id].filter(Boolean).join(" ");
  let element;
  if (group) {
    element = h("fieldset", { class: "field", "aria-describedby": described },
      h("legend", {}, title, marks), about, control, error);
  } else {
    control.setAttribute("aria-describedby", described);
    if (at.required) control.setAttribute("aria-required", "true");
    element = h("div", { class: "field" },
      h("div", { class: "label" }, h("label", { for: id }, title), marks), about, control, error);
  }
  const marked = group ? element : control;
  return {
    element, path: at.path,
    focus: () => (group ? control.querySelector("input, select, textarea, button") ?? control : control).focus(),
    show(sentence) {
      error.textContent = sentence ?? "";
      error.hidden = !sentence;
      if (sentence && !group) marked.setAttribute("aria-invalid", "true");
      else marked.removeAttribute("aria-invalid");
      element.classList.toggle("bad", Boolean(sentence));
    },
  };
}
const fail = (problems, field, sentence) => {
  problems.push({ field, sentence });
  field.show(sentence);
  return undefined;
};

export function textField(at) {
  const control = h("textarea", { rows: 1, spellcheck: false, autocomplete: "off" });
  control.value = at.initial ?? at.schema.default ?? "";
  const field = frame(at, control);
  field.read = (problems) => {
    field.show(null);
    const value = control.value;
    if (value === "" && at.initial !== "" && at.schema.default === undefined) {
      if (!at.required) return undefined;
      return fail(problems, field, "This field is required. An empty text can be given as JSON.");
    }
    const wrong = wrongWith("text", at.schema, value);
    return wrong ? fail(problems, field, wrong) : value;
  };
  return field;
}

export function numberField(at) {
  const whole = at.kind === "integer";
  const control = h("input", { type: "text", class: "number", autocomplete: "off",
    inputmode: whole ? "numeric" : "decimal" });
  const before = at.initial ?? at.schema.default;
  control.value = before === undefined || before === null ? "" : JSON.stringify(before);
  const field = frame(at, control);
  field.read = (problems) => {
    field.show(null);
    const text = control.value.trim();
    if (text === "") return at.required ? fail(problems, field, "This field is required.") : undefined;
    const value = Number(text);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || !Number.isFinite(value))
      return fail(problems, field, whole ? "Write a whole number, such as 12." : "Write a number, such as 12.5.");
    if (whole && !Number.isInteger(value)) return fail(problems, field, "Write a whole number, such as 12.");
    if (whole && !Number.isSafeInteger(value)) {
      if (JSON.rawJSON && /^-?[1-9]\d*$/.test(text)) return JSON.rawJSON(text);
      return fail(problems, field, "This number is too large for the form: write it as JSON.");
    }
    const wrong = wrongWith(at.kind, at.schema, value);
    return wrong ? fail(problems, field, wrong) : value;
  };
  return field;
}

/// Yes and no are separate choices, since an empty checkbox could mean "no" or "not given".
export function booleanField(at) {
  const name = fresh("choice"), before = at.initial ?? at.schema.default;
  const radio = (value, label) => h("label", { class: "radio" },
    h("input", { type: "radio", name, value: String(value), checked: before === value }), label);
  const radios = h("div", { class: "radios" }, radio(true, "yes"), radio(false, "no"),
    at.required ? null : radio(undefined, "not given"));
  const field = frame(at, radios, { group: true });
  field.read = (problems) => {
    field.show(null);
    const chosen = radios.querySelector("input:checked")?.value;
    if (chosen === "true" || chosen === "false") return chosen === "true";
    return at.required ? fail(problems, field, "Choose yes or no.") : undefined;
  };
  return field;
}

export function enumField(at) {
  const values = at.kind === "const" ? [at.schema.const] : at.schema.enum;
  const before = JSON.stringify(at.initial !== undefined ? at.initial : at.schema.default
    ?? (at.kind === "const" && at.required ? at.schema.const : undefined));
  const words = (value) => (typeof value === "string" ? visible(value) : JSON.stringify(value)).slice(0, 200);
  const label = (value, place) => {
    const title = at.schema.enumNames?.[place];
    return typeof title === "string" && title && title !== value ? `${words(value)} (${words(title)})` : words(value);
  };
  const control = h("select", {}, h("option", { value: "" }, at.required ? "choose…" : "not given"),
    values.map((value, place) => h("option", { value: String(place), selected: JSON.stringify(value) === before },
      label(value, place))));
  const field = frame(at, control);
  field.read = (problems) => {
    field.show(null);
    if (control.value !== "") return values[Number(control.value)];
    return at.required ? fail(problems, field, "Choose one.") : undefined;
  };
  return field;
}

export function jsonField(at) {
  const control = h("textarea", { rows: 2, spellcheck: false, autocomplete: "off", class: "code" });
  const before = at.initial !== undefined ? at.initial : at.schema.default;
  control.value = before === undefined ? "" : JSON.stringify(before, null, 2);
  const field = frame(at, control);
  field.read = (problems) => {
    field.show(null);
    if (control.value.trim() === "")
      return at.required ? fail(problems, field, 'This field is required: write JSON, such as {"a": 1} or "text".')
        : undefined;
    try {
      return parse(control.value);
    } catch (error) {
      return fail(problems, field, `This is not JSON: ${error.message}.`);
    }
  };
  return field;
}
