// Traces and metrics, read by programs of other projects: a collector for OTLP/HTTP with JSON, whose .proto files check
// each member of a request, and a parser of Prometheus's text format.
// node telemetry.mjs DRIVER
import { createRequire } from "node:module";
import { eventually, expect, run, salesQuestion, same, serve } from "./driver.mjs";
import { limit } from "./limit.mjs";

const require = createRequire(import.meta.url);
const { MockOtlpServer } = require("@elastic/mockotlpserver");
const { getProtoRoot } = require("./node_modules/@elastic/mockotlpserver/lib/proto.js");
const parsePrometheus = require("parse-prometheus-text-format");

const received = { traces: [], requests: [] };
const collector = new MockOtlpServer({
  services: ["http"],
  httpHostname: "127.0.0.1",
  httpPort: 0,
  logLevel: "fatal",
  onTrace: (trace) => received.traces.push(trace),
  onRequest: (request) => received.requests.push(request),
});
await collector.start();
const env = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.httpUrl.origin,
  OTEL_BSP_SCHEDULE_DELAY: "100",
  OTEL_SERVICE_NAME: "weft-test",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,note=a%20b",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20sk-canary-otlp",
};
const server = await serve("--workflows", "hello,refund,react", "--model", "script:sales", { env });

/// Checks that a message in JSON follows the OTLP specification: lowerCamelCase names, ids in hex, enums as integers,
/// 64-bit integers as decimal text. Throws the fault and its place.
function check(value, type, path) {
  expect(value && typeof value === "object" && !Array.isArray(value), `${path} is not an object`);
  for (const [key, given] of Object.entries(value)) {
    const field = type.fields[key];
    expect(field, `${path}.${key} is not a field of ${type.name}`);
    field.resolve();
    expect(field.repeated === Array.isArray(given), `${path}.${key} is${field.repeated ? " no" : " a"} list`);
    for (const [i, one] of [given].flat().entries())
      checkOne(one, field, `${path}.${key}${field.repeated ? `[${i}]` : ""}`);
  }
  for (const { oneof, name } of type.oneofsArray)
    expect(oneof.filter((key) => key in value).length <= 1, `${path} has several of ${name}`);
}
function checkOne(value, field, path) {
  const wrong = `${path} is ${JSON.stringify(value)}, and has to be ${field.type}`;
  if (field.resolvedType?.fields) return check(value, field.resolvedType, path);
  if (field.resolvedType) return expect(Number.isInteger(value) && value in field.resolvedType.valuesById, wrong);
  if (field.type === "bytes") return expect(/^[0-9a-f]+$/.test(value), wrong);
  if (/64$/.test(field.type)) return expect(typeof value === "string" && /^-?\d+$/.test(value), wrong);
  if (/32$/.test(field.type)) return expect(Number.isInteger(value), wrong);
  return expect(typeof value === { string: "string", bool: "boolean", double: "number" }[field.type], wrong);
}
const Request = getProtoRoot().lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest");
const spansOf = (traces) =>
  traces
    .flatMap((t) => t.resourceSpans)
    .flatMap((r) => r.scopeSpans)
    .flatMap((s) => s.spans);
const spans = (traceId) => spansOf(received.traces).filter((span) => !traceId || span.traceId === traceId);
const plain = (list) => Object.fromEntries((list ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
const text = () => JSON.stringify(received.traces);
const traceparent = (id, sampled = "01") => `00-${id}-00f067aa0ba902b7-${sampled}`;
const ask = (name, start_event, headers = {}) => server.ask(`/workflows/${name}/run`, { start_event }, headers);

/// Checks the rules of the format, because the parser accepts too much and mixes the histograms of different labels.
/// Returns the number of families, and the count of each histogram by its name and labels.
function checkExposition(content) {
  const name = "[a-zA-Z_:][a-zA-Z0-9_:]*",
    label = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
  const sample = new RegExp(`^(${name})(\\{${label}(?:,${label})*\\})? (-?[0-9.]+(?:e[+-]?\\d+)?|[+-]Inf|NaN)$`);
  const types = {},
    helped = new Set(),
    seen = new Set(),
    closed = new Set(),
    counts = {},
    buckets = {};
  expect(content.endsWith("\n") && !content.includes("\r"), "the text does not end with a line feed");
  let last = "";
  for (const line of content.slice(0, -1).split("\n")) {
    const comment = new RegExp(`^# (HELP|TYPE) (${name}) (.+)$`).exec(line),
      found = sample.exec(line);
    expect(comment || found, `this line is not part of the format: ${line}`);
    const base = comment ? comment[2] : types[found[1]] ? found[1] : found[1].replace(/_(bucket|sum|count)$/, "");
    if (base !== last) expect(!closed.has(base), `the lines of ${base} do not stand together`);
    closed.add((last = base));
    if (comment?.[1] === "TYPE") types[base] = comment[3];
    else if (comment) helped.add(base);
    else {
      expect(types[base] && helped.has(base), `${base} has no type or no help before ${line}`);
      expect(!seen.has(found[1] + found[2]), `${line} is there twice`);
      seen.add(found[1] + found[2]);
      if (types[base] === "counter") expect(base.endsWith("_total"), `the counter ${base} does not end in _total`);
      if (types[base] !== "histogram") continue;
      const labels = (found[2] ?? "{}").replace(/,?le="([^"]*)"/, "");
      if (found[1].endsWith("_count")) counts[base + labels] = Number(found[3]);
      if (found[1].endsWith("_bucket"))
        (buckets[base + labels] ??= []).push([/le="([^"]*)"/.exec(found[2])[1], Number(found[3])]);
    }
  }
  for (const [which, some] of Object.entries(buckets)) {
    expect(
      some.every(
        ([at, count], i) =>
          !i || (Number(at.replace("+Inf", "Infinity")) > Number(some[i - 1][0]) && count >= some[i - 1][1]),
      ),
      `${which} is not cumulative`,
    );
    same(some.at(-1), ["+Inf", counts[which]], `the last bucket of ${which}`);
  }
  return { families: Object.keys(types).length, counts };
}
async function metrics() {
  const { text: content, headers } = await server.ask("/metrics");
  same(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8", "the type of the metrics");
  const parsed = parsePrometheus(content);
  return {
    parsed,
    content,
    ...checkExposition(content),
    value: (name, labels = {}) => {
      const family = parsed.find((one) => one.name === name);
      const fits = (one) => Object.entries(labels).every(([key, wanted]) => one.labels?.[key] === wanted);
      return family?.metrics.filter(fits).reduce((sum, one) => sum + Number(one.value), 0) ?? 0;
    },
  };
}

const cases = {
  async "a run of react is a trace that a collector accepts, below the caller's span"() {
    const id = "4bf92f3577b34da6a3ce929d0e0e4736";
    const { json } = await ask(
      "react",
      { text: salesQuestion },
      { traceparent: traceparent(id), tracestate: "vendor=1" },
    );
    expect(json.result.value.response.includes("212.73"), "the answer is another");
    await eventually(
      () => spans(id).some((span) => span.name === "invoke_agent react"),
      "the span of the run does not come",
    );
    for (const trace of received.traces) check(trace, Request, "request");
    const all = spans(id),
      root = all.find((span) => span.name === "invoke_agent react");
    same([root.parentSpanId, root.kind], ["00f067aa0ba902b7", 1], "parent and kind of the run's span");
    same(new Set(all.map((span) => span.spanId)).size, all.length, "the number of span ids");
    for (const span of all) {
      expect(
        /^[0-9a-f]{16}$/.test(span.spanId) && /[1-9a-f]/.test(span.spanId),
        `${span.name} has the id ${span.spanId}`,
      );
      const [begin, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
      expect(begin <= end && Math.abs(Number(end / 1000000n) - Date.now()) < limit, `${span.name} is not of now`);
      if (span === root) continue;
      same(span.parentSpanId, root.spanId, `the parent of ${span.name}`);
      expect(
        begin >= BigInt(root.startTimeUnixNano) && end <= BigInt(root.endTimeUnixNano),
        `${span.name} is not within its run`,
      );
    }
    const chats = all.filter((span) => span.name.startsWith("chat ")),
      tools = all.filter((span) => span.name.startsWith("execute_tool "));
    same(
      [chats.length, tools.length, all.length],
      [7, 6, 14],
      "the number of calls of model and tools, and of all spans",
    );
    expect(chats.every((span) => span.kind === 3) && tools.every((span) => span.kind === 1), "kinds are others");
    same(
      tools.map((span) => span.name.slice(13)).sort(),
      ["list_sql_tables", "math_calculator", "math_calculator", "sql_db_query", "sql_db_query", "sql_db_schema"],
      "the tools",
    );
    const [ofRoot, ofChat, ofTool] = [root, chats[0], tools[0]].map((span) => plain(span.attributes));
    same(
      [ofRoot["gen_ai.operation.name"], ofRoot["gen_ai.agent.name"], ofRoot["weft.run.id"]],
      ["invoke_agent", "react", json.run_id],
      "the run's attributes",
    );
    expect(
      ofChat["gen_ai.operation.name"] === "chat" && ofChat["gen_ai.provider.name"] && ofTool["gen_ai.tool.name"],
      "required attributes are missing",
    );
    const resource = plain(received.traces[0].resourceSpans[0].resource.attributes);
    same(
      [resource["service.name"], resource["deployment.environment.name"], resource.note],
      ["weft-test", "test", "a b"],
      "the resource",
    );
    return `${all.length} spans in ${received.requests.length} requests`;
  },
  async "the trace has no text of the conversation and no key"() {
    // With its bracket, because the digits alone may be in an id or a time.
    for (const said of ["How did sales", "(17200", "SELECT SUM", "Sales rose", "Thought:"])
      expect(!text().includes(said), `the traces tell "${said}"`);
    expect(
      received.requests.every((request) => request.headers.authorization === "Bearer sk-canary-otlp"),
      "the collector's key did not come",
    );
    expect(!text().includes("sk-canary") && !server.said.includes("sk-canary"), "the traces or the log have a key");
  },
  async "a failure has its span, and hello is a trace of its own"() {
    const none = "00000000000000000000000000000000",
      own = "1bf92f3577b34da6a3ce929d0e0e4737";
    same(
      (await ask("refund", { order: "7", amount: -1 }, { traceparent: traceparent(own) })).status,
      500,
      "the status of the failed run",
    );
    await eventually(() => spans(own).length, "the span of the failed run does not come");
    const [failed] = spans(own);
    same([failed.status.code, failed.name], [2, "invoke_workflow refund"], "the failed run's span");
    expect(plain(failed.attributes)["error.type"], "it has no error.type");
    const before = new Set(spans().map((span) => span.spanId));
    const wrong = [
      traceparent(none),
      `00-${own}-0000000000000000-01`,
      `ff-${own}-00f067aa0ba902b7-01`,
      "rubbish",
      traceparent(own.toUpperCase()),
      "00-" + "a".repeat(10000),
      `00-${own}-00f067aa0ba902b7-01-more`,
    ];
    for (const header of wrong)
      same(
        (await ask("hello", { text: "you" }, { traceparent: header })).status,
        200,
        `hello with ${header.slice(0, 80)}`,
      );
    const fresh = () => spans().filter((span) => !before.has(span.spanId));
    await eventually(() => fresh().length === wrong.length, `not every run of hello has come`);
    expect(
      fresh().every((span) => !span.parentSpanId && span.traceId !== own && span.traceId !== none),
      "a header that is none was taken",
    );
    same(new Set(fresh().map((span) => span.traceId)).size, wrong.length, "the number of traces");
    const unsampled = "2bf92f3577b34da6a3ce929d0e0e4738";
    await ask("hello", { text: "you" }, { traceparent: traceparent(unsampled, "00") });
    await ask("hello", { text: "you" }, { traceparent: traceparent("3bf92f3577b34da6a3ce929d0e0e4739") });
    await eventually(() => spans("3bf92f3577b34da6a3ce929d0e0e4739").length, "the last run of hello has not come");
    same(spans(unsampled).length, 0, "the number of spans of a trace that its caller does not sample");
    for (const trace of received.traces) check(trace, Request, "request");
  },
  async "metrics have the required format, and count the work"() {
    const refund = await server.ask("/workflows/refund/run-nowait", { start_event: { order: "8", amount: 100 } });
    await eventually(
      async () => (await metrics()).value("weft_runs", { state: "idle" }) === 1,
      "the run that waits is not counted as idle",
    );
    const path = `/handlers/${refund.json.handler_id}`;
    await server.ask(`/events/${refund.json.handler_id}`, {
      event: { type: "ApprovalEvent", value: { granted: true } },
    });
    await eventually(async () => (await server.ask(path)).status === 200, "the refund is not decided");
    const got = await metrics(),
      run_ = (workflow, outcome) => got.value("weft_runs_total", { workflow, outcome });
    same(
      [run_("react", "stopped"), run_("hello", "stopped"), run_("refund", "failed"), run_("refund", "stopped")],
      [1, 9, 1, 1],
      "the runs",
    );
    same(
      [got.value("weft_model_calls_total", { outcome: "ok" }), got.value("weft_tool_calls_total", { outcome: "ok" })],
      [7, 6],
      "the calls",
    );
    same(got.value("weft_tool_calls_total", { tool: "sql_db_query" }), 2, "the queries");
    same(
      [got.value("weft_questions_asked_total"), got.value("weft_questions_answered_total")],
      [1, 1],
      "the questions",
    );
    same(
      got.value("weft_http_requests_total", { route: "/workflows/{}/run", status: "200" }),
      10,
      "the requests that were answered",
    );
    same(
      got.value("weft_http_requests_total", { route: "/workflows/{}/run", status: "500" }),
      1,
      "the requests that failed",
    );
    same([got.value("weft_runs"), got.value("weft_served_runs")], [0, 0], "the running runs");
    same(got.counts[`weft_run_seconds{workflow="hello"}`], 9, "the count of the histogram");
    same(got.parsed.length, got.families, "the number of families that the parser sees");
    expect(
      !got.content.includes(refund.json.handler_id) && !got.content.includes(refund.json.run_id),
      "an id is a label",
    );
    return `${got.families} families, ${got.content.split("\n").length} lines`;
  },
  async "unknown paths make no new labels"() {
    for (let i = 0; i < 50; i++) (await server.ask(`/nobody/${i}/x`), await server.ask(`/handlers/none${i}`));
    const got = await metrics();
    same(got.value("weft_http_requests_total", { route: "other", status: "404" }), 50, "the requests of no route");
    expect(!got.content.includes("none4"), "a path is a label");
  },
  async "a missing collector delays neither runs nor the shutdown"() {
    const greet = async () => {
      const began = Date.now();
      for (let i = 0; i < 20; i++) same((await ask("hello", { text: "you" })).status, 200, "the status of hello");
      return Date.now() - began;
    };
    const before = await greet();
    await collector.close();
    const after = await greet();
    await server.stop(); // independent of the machine: runs are delayed if they take much longer than before
    expect(after < 10000 + 20 * before, `20 runs took ${before} ms, and then ${after} ms`);
    return `${before} ms for 20 runs, and then ${after} ms`;
  },
};
await run(cases);
