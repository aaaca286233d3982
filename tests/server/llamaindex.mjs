// Each call of the official client of LlamaIndex's workflow server to weft's server. node llamaindex.mjs DRIVER
import * as weft from "@llamaindex/workflows-client";
import { expect, run, salesQuestion, same, serve } from "./driver.mjs";
import { limit } from "./limit.mjs";
import { begin, clientOf, data, follow, isWhole, names, refused } from "./llamaindex_client.mjs";

const keys = [
  "handler_id",
  "workflow_name",
  "run_id",
  "error",
  "result",
  "status",
  "started_at",
  "updated_at",
  "completed_at",
];
const server = await serve("--workflows", "hello,refund,react", "--model", "script:sales");
const client = clientOf(server.url);

const cases = {
  async "health, workflows, schemas, events and graphs are as the client declares them"() {
    same(await data(weft.getHealth({ client })), { status: "healthy" }, "health");
    same((await data(weft.getWorkflows({ client }))).workflows, ["hello", "refund", "react"], "the list of workflows");
    const schema = await data(weft.getWorkflowsByNameSchema({ client, path: { name: "refund" } }));
    same(
      [schema.start.title, schema.start.type, schema.start.required.sort(), schema.stop.title],
      ["RefundEvent", "object", ["amount", "order"], "DecisionEvent"],
      "the schema",
    );
    const inText = (part) =>
      typeof part !== "object" ||
      !part ||
      Object.entries(part).every(
        ([key, value]) =>
          (key !== "type" || typeof value === "string" || (typeof value === "object" && !Array.isArray(value))) &&
          inText(value),
      );
    for (const name of ["hello", "refund", "react"]) {
      const { events } = await data(weft.getWorkflowsByNameEvents({ client, path: { name } }));
      expect(
        events.every((event) => event.title && event.type === "object"),
        `an event of ${name} has no title or type`,
      );
      expect(inText(events), `${name}: a type of a property is not text, which the debugger cannot show`);
      const { graph } = await data(weft.getWorkflowsByNameRepresentation({ client, path: { name } }));
      const ids = graph.nodes.map((node) => node.id);
      same(new Set(ids).size, ids.length, `the number of different nodes of ${name}`);
      expect(
        graph.edges.every((edge) => ids.includes(edge.source) && ids.includes(edge.target)),
        `${name} has an edge to a node that is not there`,
      );
      const ofChildren = ["ToolQuestionEvent", "ToolAnswerEvent"];  // only in graphs of children
      for (const event of events)
        expect(ids.includes(event.title) || ofChildren.includes(event.title),
          `${event.title} of ${name} is not in its graph`);
    }
    const { graph } = await data(weft.getWorkflowsByNameRepresentation({ client, path: { name: "refund" } }));
    const has = (source, target) => graph.edges.some((edge) => edge.source === source && edge.target === target);
    expect(
      has("ApprovalRequestEvent", "external_step") && has("external_step", "ApprovalEvent"),
      "the graph does not lead to the human and back",
    );
    return `${graph.nodes.length} nodes and ${graph.edges.length} edges of refund`;
  },
  async "hello runs, by bare fields and as an event"() {
    for (const start_event of [
      { text: "World" },
      { type: "NameEvent", value: { text: "World" } },
      JSON.stringify({ type: "NameEvent", data: { text: "World" } }),
    ]) {
      const done = await data(weft.postWorkflowsByNameRun({ client, path: { name: "hello" }, body: { start_event } }));
      same(Object.keys(done).sort(), [...keys].sort(), "the names of a handler");
      same(
        [done.status, done.result.type, done.result.types, done.result.value.text],
        ["completed", "GreetingEvent", ["StopEvent"], "Hello, World!"],
        "the outcome",
      );
      expect(
        [done.started_at, done.updated_at, done.completed_at].every(
          (at) => Math.abs(Date.parse(at) - Date.now()) < limit,
        ),
        "its times are not of now",
      );
      expect(/^[A-Za-z0-9]{10}$/.test(done.handler_id) && /^[A-Za-z0-9]{10}$/.test(done.run_id), "its ids are others");
    }
  },
  async "react begins, and its stream has the whole run"() {
    const { handler_id, status } = await begin(client, "react", { text: salesQuestion });
    same(status, "running", "its state");
    const events = await follow(client, handler_id);
    isWhole(events, "the events of react");
    const answer = events.at(-1).data.value.response;
    expect(answer.includes("212.73"), `the answer is ${answer}`);
    const internal = await follow(client, handler_id, { query: { include_internal: true } });
    const states = internal.filter((event) => event.data.types?.includes("InternalDispatchEvent"));
    expect(
      states.some(
        (event) =>
          event.data.type === "StepStateChanged" &&
          event.data.value.step_state === "running" &&
          typeof event.data.value.worker_id === "string",
      ),
      "no step is told to be running",
    );
    same(
      names(internal.filter((event) => !states.includes(event))),
      names(events),
      "what is public of the internal stream",
    );
    const plain = await follow(client, handler_id, { query: { include_qualified_name: false } });
    expect(
      plain.every((event) => event.data.qualified_name == null),
      "qualified names were not left out",
    );
    const after = await follow(client, handler_id, { query: { after_sequence: 4 } });
    same(
      after.map((event) => event.id),
      events.slice(5).map((event) => event.id),
      "what follows number 4",
    );
    const lines = (await server.ask(`/events/${handler_id}?sse=false`)).text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    same(
      lines,
      events.map((event) => event.data),
      "the stream without SSE",
    );
    const result = await data(weft.getResultsByHandlerId({ client, path: { handler_id } }));
    same(result.result.response, answer, "the bare result");
    return `${events.length} public and ${states.length} internal events, the same at each reading`;
  },
  async "a question arrives on the stream and is answered by the client"() {
    const { handler_id } = await begin(client, "refund", { order: "7", amount: 120 });
    const path = { handler_id };
    same((await data(weft.getHandlersByHandlerId({ client, path }), 202)).status, "running", "the state of who waits");
    const events = await follow(client, handler_id, {
      seen: async ({ data: event }) => {
        if (!event.types?.includes("InputRequiredEvent")) return;
        await refused(
          weft.postEventsByHandlerId({
            client,
            path,
            body: { event: { type: "ApprovalEvent", value: { granted: "x" } } },
          }),
          400,
          "granted",
        );
        await refused(
          weft.postEventsByHandlerId({ client, path, body: { event: { type: "RefundEvent", value: {} } } }),
          400,
          "",
        );
        await refused(
          weft.postEventsByHandlerId({ client, path, body: { event: { type: "Nobody", value: {} } } }),
          400,
          "Nobody",
        );
        await refused(weft.postEventsByHandlerId({ client, path, body: { event: { value: {} } } }), 400, "type");
        const event_ = JSON.stringify({ type: "ApprovalEvent", data: { granted: true, comment: "as agreed" } });
        same(
          await data(weft.postEventsByHandlerId({ client, path, body: { event: event_ } })),
          { status: "sent" },
          "the answer",
        );
      },
    });
    same(names(events), ["ApprovalRequestEvent", "DecisionEvent"], "the events");
    same(events.at(-1).data.value.granted, true, "the decision");
    await refused(
      weft.postEventsByHandlerId({
        client,
        path,
        body: { event: { type: "ApprovalEvent", value: { granted: true } } },
      }),
      409,
      "already completed",
    );
  },
  async "a run is cancelled, and handlers are found by state and workflow"() {
    const { handler_id } = await begin(client, "refund", { order: "8", amount: 121 }, { handler_id: "to cancel/100%" });
    same(handler_id, "to cancel/100%", "the id that was given");
    const path = { handler_id };
    const watching = follow(client, handler_id);
    await refused(
      weft.postWorkflowsByNameRunNowait({ client, path: { name: "hello" }, body: { handler_id } }),
      409,
      "already running",
    );
    same(await data(weft.postHandlersByHandlerIdCancel({ client, path })), { status: "cancelled" }, "the answer");
    same(names(await watching).at(-1), "WorkflowCancelledEvent", "the last event");
    await refused(weft.postHandlersByHandlerIdCancel({ client, path }), 404, "ended");
    const gone = await weft.getHandlersByHandlerId({ client, path });
    same(
      [gone.response.status, gone.error.status, gone.error.handler_id],
      [500, "cancelled", handler_id],
      "the cancelled handler",
    );
    const list = async (query) => (await data(weft.getHandlers({ client, query }))).handlers;
    same(
      (await list({ status: ["cancelled"] })).map((one) => one.handler_id),
      [handler_id],
      "the cancelled handlers",
    );
    const two = await list({ status: ["completed", "cancelled"], workflow_name: ["refund"] });
    same(two.map((one) => one.status).sort(), ["cancelled", "completed"], "the handlers of refund");
    await refused(weft.getHandlers({ client, query: { status: ["no such"] } }), 400, "completed");
    const all = await list();
    expect(all.length >= 6 && new Set(all.map((one) => one.handler_id)).size === all.length, `${all.length} handlers`);
    same(
      await data(weft.postHandlersByHandlerIdCancel({ client, path, query: { purge: true } })),
      { status: "deleted" },
      "the purge",
    );
    await refused(weft.getHandlersByHandlerId({ client, path }), 404, "to cancel");
  },
  async "each mistake has its status and its sentence"() {
    for (const call of [
      weft.getWorkflowsByNameSchema,
      weft.getWorkflowsByNameEvents,
      weft.getWorkflowsByNameRepresentation,
    ])
      await refused(call({ client, path: { name: "nobody" } }), 404, "nobody");
    const post = (name, body) => weft.postWorkflowsByNameRun({ client, path: { name }, body });
    await refused(post("nobody", {}), 404, "nobody");
    await refused(post("refund", { start_event: { order: "7" } }), 400, "amount");
    await refused(post("refund", { start_event: { type: "NameEvent", value: { text: "x" } } }), 400, "NameEvent");
    await refused(post("hello", { start_event: "no json" }), 400, "start_event");
    await refused(post("hello", { context: { step: 1 } }), 400, "context");
    await refused(weft.getHandlersByHandlerId({ client, path: { handler_id: "none" } }), 404, "none");
    await refused(weft.getResultsByHandlerId({ client, path: { handler_id: "none" } }), 404, "none");
    await refused(weft.postHandlersByHandlerIdCancel({ client, path: { handler_id: "none" } }), 404, "none");
    await refused(
      weft.postEventsByHandlerId({ client, path: { handler_id: "none" }, body: { event: {} } }),
      404,
      "none",
    );
    const failed = await post("refund", { start_event: { order: "7", amount: -1 } });
    same(
      [failed.response.status, failed.error.status, Object.keys(failed.error).length],
      [500, "failed", 9],
      "a failed run",
    );
    expect(failed.error.error.includes("review failed"), `its error is ${failed.error.error}`);
    const events = await follow(client, failed.error.handler_id);
    same([events.at(-1).data.type, events.at(-1).data.types], ["WorkflowFailedEvent", ["StopEvent"]], "its last event");
    same(events.at(-1).data.value.step_name, "review", "the step that failed");
    const bad = await server.ask(`/events/${failed.error.handler_id}?after_sequence=abc`);
    same([bad.status, bad.json.detail], [400, "Invalid after_sequence: 'abc'"], "a wrong cursor");
    const none = await fetch(`${server.url}/events/${failed.error.handler_id}`, {
      headers: { "Last-Event-ID": String(events.at(-1).id) },
    });
    same(none.status, 204, "the status of a stream that has nothing left");
  },
  async "the server ends with exit code 0"() {
    await server.stop();
  },
};
await run(cases);
