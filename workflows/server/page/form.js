// A form for a JSON Schema: nested fields, and a switch to raw JSON for values that no field can express.
import { fresh, h } from "./dom.js";
import { booleanField, enumField, frame, jsonField, numberField, textField } from "./fields.js";
import { fieldNamedIn, understand, wrongWith } from "./schema.js";
import { parse, visible } from "./text.js";

const makers = { text: textField, number: numberField, integer: numberField, boolean: booleanField, enum: enumField,
  const: enumField, array: arrayField, object: objectField, choice: choiceField, json: jsonField };
const names = { text: "text", number: "number", integer: "whole number", boolean: "yes or no", enum: "one of these",
  const: "fixed", array: "list", object: "object", choice: "one of these", json: "JSON" };

function makeField(form, given, { label, path, required, initial, depth }) {
  const { kind, schema, nullable } = understand(form.root, given);
  const deep = depth > 8 ? "json" : kind;
  const at = { form, schema, kind: deep, kindName: names[deep], label, path, required, initial: initial ?? undefined,
    depth };
  const absent = !required && schema.default === undefined && ["object", "choice"].includes(deep);
  if (!nullable && !absent) return keep(form, makers[deep](at));
  return optionalField(form, at, nullable, initial);
}
function keep(form, field) {
  form.fields.push(field);
  return field;
}

/// An optional or nullable object; a checkbox shows its fields.
function optionalField(form, at, nullable, initial) {
  const wanted = initial !== undefined ? initial !== null : (at.schema.default ?? null) !== null;
  const inner = keep(form, makers[at.kind]({ ...at, required: true, initial: initial ?? undefined }));
  inner.element.querySelector(".mark")?.remove();
  const box = h("input", { type: "checkbox", id: fresh("given"), checked: wanted,
    onchange: () => { inner.element.hidden = !box.checked; if (box.checked) inner.focus(); } });
  inner.element.hidden = !wanted;
  const element = h("div", { class: "maybe" }, h("label", { class: "check" }, box,
    h("span", {}, `give ${visible(at.label)}`), h("span", { class: "mark soft" }, nullable ? "or null" : "optional")),
    inner.element);
  return { ...inner, element, focus: () => (box.checked ? inner.focus() : box.focus()),
    read: (problems) => box.checked ? inner.read(problems) : nullable ? null : undefined };
}

/// The fields; the fields in the schema's propertyOrdering come first.
function inOrder({ properties, propertyOrdering }) {
  properties ??= {};
  const listed = Array.isArray(propertyOrdering) ? propertyOrdering.filter((name) => Object.hasOwn(properties, name)) : [];
  return [...new Set([...listed, ...Object.keys(properties)])].map((name) => [name, properties[name]]);
}
function objectField(at, bare = false) {
  const required = new Set(at.schema.required ?? []);
  const inside = inOrder(at.schema).map(([name, schema]) => [name, makeField(at.form, schema, {
    label: name, path: at.path ? `${at.path}.${name}` : name, required: required.has(name), initial: at.initial?.[name],
    depth: at.depth + 1 })]);
  const box = h("div", { class: bare ? "fields-of" : "fields-of nested" }, inside.map(([, field]) => field.element));
  if (!inside.length) box.append(h("p", { class: "hint" }, "It has no fields."));
  const field = bare ? { element: box, path: "", focus: () => inside[0]?.[1].focus(), show() {} }
    : frame(at, box, { group: true });
  field.read = (problems) => {
    const value = {};
    for (const [name, one] of inside) {
      const item = one.read(problems);
      if (item !== undefined) Object.defineProperty(value, name, { value: item, enumerable: true });
    }
    return value;
  };
  return field;
}

function arrayField(at) {
  const rows = h("ol", { class: "rows" });
  const items = [];
  const add = h("button", { type: "button", class: "small", onclick: () => { addRow(undefined).focus(); } },
    `Add to ${visible(at.label)}`);
  function number() {
    items.forEach((item, place) => item.button.setAttribute("aria-label", `Remove ${at.label} ${place + 1}`));
  }
  function addRow(initial) {
    const item = makeField(at.form, at.schema.items ?? {}, { label: `${at.label} ${items.length + 1}`,
      path: `${at.path}[${items.length}]`, required: true, initial, depth: at.depth + 1 });
    item.button = h("button", { type: "button", class: "small", onclick: () => {
      const place = items.indexOf(item);
      items.splice(place, 1);
      item.row.remove();
      number();
      (items[place] ?? items[place - 1] ?? { button: add }).button.focus();
    } }, "Remove");
    item.row = h("li", {}, item.element, item.button);
    items.push(item);
    rows.append(item.row);
    number();
    return item;
  }
  const field = frame(at, h("div", {}, rows, add), { group: true });
  const before = at.initial ?? at.schema.default;
  if (Array.isArray(before)) before.slice(0, 200).forEach(addRow);
  field.focus = () => add.focus();
  field.read = (problems) => {
    field.show(null);
    const value = items.map((item) => item.read(problems) ?? null);
    if (!value.length && !at.required && before === undefined) return undefined;
    const wrong = wrongWith("array", at.schema, value);
    if (!wrong) return value;
    field.show(wrong);
    problems.push({ field, sentence: wrong });
    return undefined;
  };
  return field;
}

function choiceField(at) {
  const place = h("div", { class: "chosen" });
  let inner = null;
  const select = h("select", { id: fresh("choice"), "aria-label": `Kind of ${at.label}`, onchange: show },
    h("option", { value: "" }, "choose…"), at.schema.options.map((option, number) => {
      const { kind, schema } = understand(at.form.root, option);
      const keys = Object.keys(schema.properties ?? {});
      return h("option", { value: String(number) },
        visible(schema.title ?? (keys.length === 1 ? keys[0] : names[kind])).slice(0, 100));
    }));
  function show() {
    inner = select.value === "" ? null : makeField(at.form, at.schema.options[Number(select.value)],
      { label: "value", path: at.path, required: true, depth: at.depth + 1 });
    place.replaceChildren(...(inner ? [inner.element] : []));
  }
  const before = at.initial !== undefined ? at.initial : at.schema.default;
  if (before !== undefined && before !== null) return jsonField({ ...at, kindName: names.json });
  const field = frame(at, h("div", {}, select, place), { group: true });
  field.read = (problems) => {
    field.show(null);
    if (inner) return inner.read(problems);
    if (!at.required) return undefined;
    field.show("Choose one.");
    problems.push({ field, sentence: "Choose one." });
    return undefined;
  };
  return field;
}

/// {element, read(): JSON text or null, explain(sentence of the server), focus()}
export function schemaForm(schema) {
  const form = { root: schema, fields: [] };
  const place = h("div", {});
  let top, raw = null;
  const draw = (initial) => {
    form.fields = [];
    const { kind, schema: own } = understand(schema, schema);
    const at = { form, schema: own, kind, label: "value", kindName: names[kind], path: "", required: true, initial,
      depth: 0 };
    const fields = kind === "object" || !own.type || own.type === "object";
    top = fields ? objectField({ ...at, schema: { properties: {}, ...own } }, true) : makers[kind](at);
    raw = null;
    place.replaceChildren(top.element);
  };
  const toRaw = (text) => {
    const at = { schema: {}, label: "JSON", kindName: "as it is sent", path: "", required: true };
    top = jsonField(at);
    raw = top.element.querySelector("textarea");
    raw.value = text;
    raw.rows = 8;
    place.replaceChildren(top.element);
  };
  const asJson = h("input", { type: "checkbox", onchange: () => {
    if (asJson.checked) return toRaw(JSON.stringify(top.read([]) ?? {}, null, 2));
    const problems = [];
    const value = top.read(problems);
    if (problems.length || value === null || typeof value !== "object" || Array.isArray(value)) {
      if (!problems.length) top.show("The form needs an object: {…}.");
      asJson.checked = true;
    } else draw(value);
  } });
  const toggle = h("label", { class: "check" }, asJson, h("span", {}, "Edit as JSON"));
  if (understand(schema, schema).kind === "json" && !schema.properties && schema.type !== "object") {
    toRaw("{}");
    toggle.hidden = true;
  } else draw(undefined);
  return {
    element: h("div", { class: "schema-form" }, place, toggle),
    focus: () => top.focus(),
    read() {
      const problems = [];
      const value = top.read(problems);
      if (problems.length) problems[0].field.focus();
      return problems.length ? null : raw ? raw.value.trim() : JSON.stringify(value);
    },
    explain(sentence) {
      const shown = form.fields.filter((one) => one.element.isConnected);
      const path = raw ? null : fieldNamedIn(sentence, shown.map((one) => one.path));
      const field = shown.find((one) => one.path === path);
      if (!path || !field) return false;
      field.show(sentence);
      field.focus();
      return true;
    },
  };
}
