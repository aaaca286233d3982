// Maps a JSON Schema to the kinds of a form's fields. A value without a kind is written as JSON.

const deepest = 12;

function follow(root, schema) {
  for (let hops = 0; hops < deepest && typeof schema?.$ref === "string"; hops++) {
    if (!schema.$ref.startsWith("#")) return {};
    let at = root;
    for (const part of schema.$ref.slice(1).split("/").filter(Boolean))
      at = at?.[decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~")];
    const { $ref, ...own } = schema;
    schema = { ...(at ?? {}), ...own };
  }
  return schema?.$ref ? {} : schema;
}

/// {kind, schema, nullable}: kind is text, number, integer, boolean, enum, const, array, object, choice or json.
export function understand(root, given, depth = 0) {
  let schema = follow(root, given === true || given === undefined || given === null ? {} : given);
  let nullable = false;
  if (Array.isArray(schema.type)) {
    nullable = schema.type.includes("null");
    const rest = schema.type.filter((type) => type !== "null");
    schema = { ...schema, type: rest.length === 1 ? rest[0] : undefined };
    if (rest.length > 1) schema = { ...schema, anyOf: rest.map((type) => ({ type })) };
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options) && !schema.properties) {
    const { anyOf, oneOf, ...own } = schema;
    const real = options.filter((option) => follow(root, option)?.type !== "null");
    nullable ||= real.length < options.length;
    if (real.length === 1) return combine(understand(root, { ...real[0], ...own }, depth + 1), nullable);
    return { kind: real.length ? "choice" : "json", schema: { ...own, options: real }, nullable };
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length === 1) {
    const { allOf, ...own } = schema;
    return combine(understand(root, { ...allOf[0], ...own }, depth + 1), nullable);
  }
  return { kind: depth > deepest ? "json" : plain(schema), schema, nullable };
}
const combine = (found, nullable) => ({ ...found, nullable: found.nullable || nullable });

function plain(schema) {
  if ("const" in schema) return "const";
  if (Array.isArray(schema.enum) && schema.enum.length) return "enum";
  switch (schema.type) {
    case "string": return "text";
    case "number": case "integer": case "boolean": return schema.type;
    case "array": return schema.prefixItems || Array.isArray(schema.items) || schema.items === false ? "json" : "array";
    case "object": return schema.properties && !isMap(schema) ? "object" : "json";
    default: return schema.properties ? "object" : "json";
  }
}
const isMap = (schema) => schema.additionalProperties && typeof schema.additionalProperties === "object";

/// The mistake in a typed value as a sentence; null if the value can be sent.
export function wrongWith(kind, schema, value) {
  if (kind === "text") {
    if (schema.minLength > [...value].length) return `At least ${schema.minLength} characters are needed.`;
    if (schema.maxLength < value.length) return `At most ${schema.maxLength} characters are possible.`;
  }
  if (kind === "number" || kind === "integer") {
    if (schema.minimum > value) return `It must be at least ${schema.minimum}.`;
    if (schema.maximum < value) return `It must be at most ${schema.maximum}.`;
    if (typeof schema.exclusiveMinimum === "number" && value <= schema.exclusiveMinimum)
      return `It must be more than ${schema.exclusiveMinimum}.`;
    if (typeof schema.exclusiveMaximum === "number" && value >= schema.exclusiveMaximum)
      return `It must be less than ${schema.exclusiveMaximum}.`;
  }
  if (kind === "array") {
    if (schema.minItems > value.length) return `At least ${schema.minItems} are needed.`;
    if (schema.maxItems < value.length) return `At most ${schema.maxItems} are possible.`;
  }
  return null;
}

/// The path of the field that a message of the server names: "start_event.items[2].name: expected text".
export function fieldNamedIn(sentence, paths) {
  const quoted = (path) => [`${path}:`, `.${path}`, `"${path}"`, `'${path}'`, `\`${path}\``];
  return paths.filter((path) => path && quoted(path).some((form) => sentence.includes(form)))
    .sort((a, b) => b.length - a.length)[0] ?? null;
}
