// A stand-in for the server with behaviour that a real one does not show on request: ten thousand events at once,
// broken streams, too old cursors, refused browsers, schemas of every kind.
//
//     node mock.mjs [PORT]          // prints its address; to view the page during its development
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath, pathToFileURL } from "node:url";
import { catalogue } from "./mock_workflows.mjs";

const folder = fileURLToPath(new URL("../../workflows/server/page/", import.meta.url));
const kinds = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function mock() {
  const runs = new Map();
  const streams = new Set();
  const state = { locked: false, silent: false, tellsQuestions: false, opened: 0, requests: [], keptFrom: 0,
    mostPoured: Infinity };
  let made = 0;

  function stop(run, status, envelope, more) {
    if (run.row.status !== "running") return;
    for (const timer of run.timers) clearTimeout(timer);
    Object.assign(run.row, { status, completed_at: new Date().toISOString(), ...more });
    run.tell(envelope);
    for (const stream of run.streams) stream.end();
  }
  function start(name, value, id) {
    const run = { streams: new Set(), events: [], number: -1, timers: [], questions: new Map(), row: { handler_id: id,
      workflow_name: name, run_id: `r${id}`, error: null, result: null, status: "running",
      started_at: new Date().toISOString(), updated_at: new Date().toISOString(), completed_at: null } };
    run.tell = (envelope) => {
      const text = JSON.stringify(envelope);
      const internal = envelope.types?.includes("InternalDispatchEvent");  // has the number of the event before it
      run.events.push({ text, internal, number: internal ? run.number : ++run.number });
      for (const stream of run.streams) stream.more();
    };
    run.state = state;
    run.later = (ms, act) => run.timers.push(setTimeout(act, ms));
    run.step = (step, step_state, input, output = null) => run.tell({ type: "StepStateChanged",
      types: ["InternalDispatchEvent"], value: { name: step, step_state, worker_id: "0", input_event_name: input,
        output_event_name: output } });
    run.ask = (type, question) => {
      const key = String(run.questions.size + 1);
      run.questions.set(key, type);
      run.tell({ type, types: ["InputRequiredEvent"], value: question, question: key });
    };
    run.finish = (type, result) => {
      const envelope = { type, types: ["StopEvent"], value: result, qualified_name: type };
      stop(run, "completed", envelope, { result: envelope });
    };
    const last = (type, value) => ({ type, types: ["StopEvent"], value });
    run.fail = (step_name, exception_message) => stop(run, "failed", last("WorkflowFailedEvent", { step_name,
      exception: { exception_type: "usage", exception_message }, attempts: 1, elapsed_seconds: 0 }),
    { error: exception_message });
    run.cancel = () => stop(run, "cancelled", last("WorkflowCancelledEvent", {}));
    runs.set(id, run);
    catalogue[name].begin(run, value);
    return run.row;
  }

  function stream(run, url, response) {
    const cursor = url.searchParams.get("after_sequence");
    const internal = url.searchParams.get("include_internal") === "true";
    const after = Number(cursor ?? -1);
    let next = run.events.findIndex((one) => one.number > after || (one.internal && one.number === after));
    if (next < 0) next = run.events.length;
    if (after + 1 < state.keptFrom) return [410, { detail: "the events before number " +
      `${state.keptFrom} are no longer kept: request later ones with after_sequence=${state.keptFrom - 1}` }];
    if (run.row.status !== "running" && next >= run.events.length) return [204];
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.flushHeaders();
    state.opened++;
    const write = ({ number, text }) => response.write(`${number < 0 ? "" : `id: ${number}\n`}data: ${text}\n\n`);
    const reader = {
      more() {
        for (; next < run.events.length; next++)
          if (internal || !run.events[next].internal) write(run.events[next]);
      },
      end: () => { reader.more(); response.end(); },
      cut: () => response.destroy(),
    };
    run.streams.add(reader);
    streams.add(reader);
    response.on("close", () => { run.streams.delete(reader); streams.delete(reader); });
    reader.more();
    if (run.row.status !== "running") response.end();
    return null;
  }

  const checked = (schema, value, what) => {
    for (const name of schema?.required ?? []) if (!(name in value)) return `${what}.${name}: is missing`;
    return null;
  };
  function answer(method, url, body, response) {
    const [, room, name, part] = url.pathname.split("/").map(decodeURIComponent);
    if (state.locked) return [401, { detail: "the token is missing" }];
    if (room === "workflows" && !name)
      return [200, { workflows: Object.keys(catalogue), descriptions: Object.fromEntries(
        Object.entries(catalogue).map(([key, flow]) => [key, flow.description])) }];
    if (room === "workflows") {
      const flow = Object.hasOwn(catalogue, name) ? catalogue[name] : null;
      if (!flow) return [404, { detail: `there is no workflow "${name}"` }];
      if (part === "schema") return [200, { start: flow.start, stop: flow.stop }];
      if (part === "events") return [200, { events: [flow.start, flow.stop, ...flow.events ?? []] }];
      if (part === "representation") return [200, { graph: { name, description: null, ...flow.graph } }];
      if (part === "questions") return [200, { questions: flow.questions ?? [] }];
      if (part === "run-nowait" && method === "POST") {
        const value = body.start_event?.value ?? body.start_event ?? {};
        const wrong = checked(flow.start, value, "start_event") ?? flow.refuse?.(value);
        return wrong ? [400, { detail: wrong }] : [200, start(name, value, `mock${String(++made).padStart(6, "0")}`)];
      }
    }
    if (room === "handlers" && !name) {
      const wanted = url.searchParams.getAll("status");
      return [200, { handlers: [...runs.values()].map((run) => run.row)
        .filter((row) => !wanted.length || wanted.includes(row.status)) }];
    }
    const run = runs.get(name);
    if ((room === "handlers" || room === "events") && !run) return [404, { detail: `there is no run "${name}"` }];
    if (room === "handlers" && part === "cancel" && method === "POST") {
      if (url.searchParams.get("purge") === "true")
        return run.cancel(), runs.delete(name), [200, { status: "deleted" }];
      if (run.row.status !== "running") return [404, { detail: "this run has ended" }];
      return run.cancel(), [200, { status: "cancelled" }];
    }
    if (room === "handlers")
      return [{ running: 202, completed: 200 }[run.row.status] ?? 500, state.tellsQuestions ? { ...run.row,
        questions: [...run.questions.keys()].filter((key) => run.questions.get(key)) } : run.row];
    if (room === "events" && method === "GET") return stream(run, url, response);
    if (room === "events") {
      if (run.row.status !== "running") return [409, { detail: "Workflow already completed" }];
      const flow = catalogue[run.row.workflow_name], { type, value } = body.event;
      const wrong = checked((flow.events ?? []).find((schema) => schema.title === type), value, "event");
      if (wrong) return [400, { detail: wrong }];
      if (!run.questions.has(body.question)) return [409, { detail: `question ${body.question} is not open` }];
      run.questions.set(body.question, null);
      flow.answered(run, type, value);
      return [200, { status: "sent" }];
    }
    return [404, { detail: "there is no such route" }];
  }

  const files = new Map(readdirSync(folder).map((name) => [`/page/${name}`, name]));
  files.set("/", "index.html");
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    state.requests.push(`${request.method} ${url.pathname}`);
    if (state.silent) return request.socket.destroy();
    const file = files.get(url.pathname);
    if (file) {
      response.writeHead(200, { "Content-Type": kinds[file.split(".").at(-1)], "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store" });
      return response.end(readFileSync(folder + file));
    }
    let text = "";
    for await (const piece of request) text += piece;
    let told;
    try {
      told = answer(request.method, url, text ? JSON.parse(text) : null, response);
    } catch (error) {
      told = [500, { detail: String(error.stack) }];
    }
    if (!told) return;
    response.writeHead(told[0], { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(told[1] ? JSON.stringify(told[1]) : undefined);
  });
  return { server, state, runs, cut: () => { for (const one of [...streams]) one.cut(); },
    listen: (port = 0) => new Promise((done) => server.listen(port, "127.0.0.1", () =>
      done(`http://127.0.0.1:${server.address().port}`))),
    close: () => { for (const run of runs.values()) run.cancel(); server.closeAllConnections(); server.close(); } };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(await mock().listen(Number(process.argv[2] ?? 8765)));
