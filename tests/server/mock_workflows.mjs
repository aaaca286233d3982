// The workflows of the stand-in: three of the catalogue, and some for tests only.
const object = (title, properties, required = Object.keys(properties)) => ({ title, type: "object", required,
  properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, { title: name, ...one }])) });
const text = { type: "string" }, number = { type: "number" }, integer = { type: "integer" }, bool = { type: "boolean" };
const event = (id, role) => ({ id, label: id, node_type: "event", event_type: id,
  event_types: role ? [id, role] : [id] });
const step = (id, description) => ({ id, label: id, node_type: "step", description });
const edges = (...pairs) => pairs.map(([source, target]) => ({ source, target, label: null }));
const external = { id: "external_step", label: "external_step", node_type: "external" };

const finding = object("finding", { table: text, columns: { type: "array", items: text }, rows: integer,
  error: { anyOf: [text, { type: "null" }] } }, ["table", "columns", "rows"]);

export const catalogue = {
  hello: {
    description: "greets a person by name",
    start: object("NameEvent", { text }), stop: object("GreetingEvent", { text }),
    graph: { nodes: [event("NameEvent", "StartEvent"), step("greet"), event("GreetingEvent", "StopEvent")],
      edges: edges(["NameEvent", "greet"], ["greet", "GreetingEvent"]) },
    begin(run, { text }) {
      run.step("greet", "running", "NameEvent");
      run.step("greet", "not_running", "NameEvent", "GreetingEvent");
      run.finish("GreetingEvent", { text: `Hello, ${text}!` });
    },
  },
  refund: {
    description: "asks a human before a large refund is granted",
    start: object("RefundEvent", { order: text, amount: number, reason: { type: "string", default: "" } },
      ["order", "amount"]),
    stop: object("DecisionEvent", { granted: bool, text }),
    events: [object("ApprovalRequestEvent", { question: text }),
      object("ApprovalEvent", { granted: bool, comment: { type: "string", default: "" } }, ["granted"])],
    questions: [{ type: "ApprovalRequestEvent", answers: ["ApprovalEvent"] }],
    graph: { nodes: [event("RefundEvent", "StartEvent"), step("review", "Small refunds are granted at once."),
      event("ApprovalRequestEvent", "InputRequiredEvent"), external, event("ApprovalEvent", "HumanResponseEvent"),
      step("conclude"), event("DecisionEvent", "StopEvent")],
    edges: edges(["RefundEvent", "review"], ["review", "ApprovalRequestEvent"], ["review", "DecisionEvent"],
      ["ApprovalRequestEvent", "external_step"], ["external_step", "ApprovalEvent"], ["ApprovalEvent", "conclude"],
      ["conclude", "DecisionEvent"]) },
    begin(run, { order, amount, reason }) {
      run.claim = `${Number(amount).toFixed(2)} for order ${order}`;
      run.step("review", "running", "RefundEvent");
      if (!(amount > 0)) return run.fail("review", "the amount of a refund must be more than 0");
      const output = amount <= 50 ? "DecisionEvent" : "ApprovalRequestEvent";
      run.step("review", "not_running", "RefundEvent", output);
      if (amount <= 50) run.finish(output, { granted: true, text: `The refund of ${run.claim} is granted.` });
      else run.ask(output, { question: `Refund ${run.claim}${reason ? ` (${reason})` : ""}?` });
    },
    answered(run, type, { granted, comment }) {
      run.step("conclude", "running", "ApprovalEvent");
      run.later(30, () => {
        run.step("conclude", "not_running", "ApprovalEvent", "DecisionEvent");
        const decision = `The refund of ${run.claim} is ${granted ? "granted" : "refused"}`;
        run.finish("DecisionEvent", { granted, text: `${decision}${comment ? `: ${comment}` : ""}.` });
      });
    },
  },
  research: {
    description: "surveys a database, all tables side by side",
    start: object("TopicEvent", { text: { type: "string", default: "" } }, []),
    stop: object("ReportEvent", { text, findings: { type: "array", items: finding } }),
    events: [object("TableEvent", { table: text }), { ...finding, title: "FindingEvent" }],
    graph: { nodes: [event("TopicEvent", "StartEvent"), step("plan"), event("TableEvent"), step("look"),
      event("FindingEvent"), step("report"), event("ReportEvent", "StopEvent")],
    edges: edges(["TopicEvent", "plan"], ["plan", "TableEvent"], ["TableEvent", "look"], ["look", "FindingEvent"],
      ["FindingEvent", "report"], ["report", "ReportEvent"]) },
    begin(run, { text }) {
      const tables = ["agents", "customers", "orders"].filter((name) => name.includes((text ?? "").toLowerCase()));
      run.step("plan", "running", "TopicEvent");
      run.step("plan", "not_running", "TopicEvent", "TableEvent");
      for (const table of tables) {
        run.step("look", "running", "TableEvent");
        run.step("look", "not_running", "TableEvent", "FindingEvent");
        run.tell({ type: "TableEvent", types: null, value: { table } });
      }
      run.step("report", "running", "FindingEvent");
      run.step("report", "not_running", "FindingEvent", "ReportEvent");
      run.finish("ReportEvent", { text: `${tables.length} tables`, findings: tables.map((table) => ({ table,
        columns: ["ID INTEGER NOT NULL", "NAME TEXT"], rows: 12, error: null })) });
    },
  },
  react: {
    description: "an agent that reasons, calls tools and observes, until it can answer",
    start: object("UserMessageEvent", { text }), stop: object("AnswerEvent", { response: text }),
    events: [object("ToolApprovalRequestEvent", { id: text, tool: text, arguments: {} }),
      object("ToolApprovalEvent", { decision: { type: "string", enum: ["reject", "approve", "edit"] },
        arguments: { default: "" }, reason: { type: "string", default: "" } }, ["decision"]),
      object("HandOverEvent", { to: text })],
    questions: [{ type: "ToolApprovalRequestEvent", answers: ["ToolApprovalEvent", "HandOverEvent"] }],
    graph: { nodes: [event("UserMessageEvent", "StartEvent"), event("PrepEvent"), event("InputEvent"),
      event("ToolApprovalEvent", "HumanResponseEvent"), event("ToolCallEvent"), event("ToolOutputEvent"),
      event("AnswerEvent", "StopEvent"), event("ToolApprovalRequestEvent", "InputRequiredEvent"), external,
      step("new_user_message"), step("prepare_chat_history"), step("handle_llm_input", "Asks the model."),
      step("hear_approvals"), step("call_tool", "Calls one tool."), step("observe")],
    edges: edges(["UserMessageEvent", "new_user_message"], ["new_user_message", "PrepEvent"],
      ["PrepEvent", "prepare_chat_history"], ["prepare_chat_history", "InputEvent"], ["InputEvent", "handle_llm_input"],
      ["handle_llm_input", "PrepEvent"], ["handle_llm_input", "AnswerEvent"], ["handle_llm_input", "ToolCallEvent"],
      ["handle_llm_input", "ToolApprovalRequestEvent"], ["ToolApprovalEvent", "hear_approvals"],
      ["hear_approvals", "ToolApprovalRequestEvent"], ["hear_approvals", "ToolCallEvent"],
      ["ToolCallEvent", "call_tool"], ["call_tool", "ToolOutputEvent"], ["ToolOutputEvent", "observe"],
      ["observe", "PrepEvent"],
      ["ToolApprovalRequestEvent", "external_step"], ["external_step", "ToolApprovalEvent"]) },
    begin(run, { text }) {
      const say = (type, value) => run.tell({ type, types: null, value });
      const did = (name, input, output) => {
        run.step(name, "running", input);
        run.step(name, "not_running", input, output);
      };
      did("new_user_message", "UserMessageEvent", "PrepEvent");
      did("prepare_chat_history", "PrepEvent", "InputEvent");
      run.step("handle_llm_input", "running", "InputEvent");
      say("TurnEvent", { step: 1, limit: 20 });
      for (const text of ["I need to look ", "at the orders ", "of this customer first."])
        say("ThoughtDeltaEvent", { text });
      say("ToolCallEvent", { id: "c1", tool: "sql_query", arguments: { query: "SELECT SUM(amount) FROM orders" } });
      run.step("handle_llm_input", "not_running", "InputEvent", "ToolCallEvent");
      run.step("call_tool", "running", "ToolCallEvent");
      say("ToolOutputEvent", { id: "c1", tool: "sql_query", output: "[(9007199254740993,)]", ok: true });
      run.ask("ToolApprovalRequestEvent", { id: "c2", tool: "send_mail", arguments: { to: "ann@example.org", text } });
      run.step("call_tool", "not_running", "ToolCallEvent", "ToolOutputEvent");
    },
    answered(run, type, value) { run.finish("AnswerEvent", { response: `${type}: ${JSON.stringify(value)}` }); },
  },
  everything: {
    description: "takes a value of every kind, and gives it back",
    start: object("EveryEvent", { name: { ...text, description: "Who it is for.", maxLength: 2000000 }, ratio: number,
      count: { ...integer, minimum: 1, maximum: 10 }, sure: bool, maybe: bool,
      color: { enum: ["red", "green", 7] }, tags: { type: "array", items: text, maxItems: 3 },
      place: object("Place", { street: text, number: integer, unit: { type: "string", enum: ["a", "b"] } }, ["street"]),
      note: { anyOf: [text, { type: "null" }] }, old: { type: ["integer", "null"] }, big: integer,
      anything: {}, map: { type: "object", additionalProperties: integer },
      either: { oneOf: [object("Left", { left: integer }), object("Right", { right: text })] },
      linked: { $ref: "#/$defs/Link" }, level: { type: "integer", default: 3 } },
    ["name", "ratio", "count", "sure", "color", "tags", "place", "note"]),
    stop: object("EveryThingEvent", { got: {} }),
    graph: { nodes: [], edges: [] },
    refuse: ({ name }) => name === "refuse" ? "start_event.place.number: 12 is the number of somebody else" : null,
    begin(run, value) { run.finish("EveryThingEvent", { got: value }); },
  },
  flood: {
    description: "as many events as are asked for",
    start: object("FloodEvent", { count: integer, each: { type: "integer", default: 100 } }, ["count"]),
    stop: object("DryEvent", { count: integer }),
    graph: { nodes: [event("FloodEvent", "StartEvent"), step("pour"), event("DryEvent", "StopEvent")],
      edges: edges(["FloodEvent", "pour"], ["pour", "DryEvent"]) },
    begin(run, { count, each }) {
      run.step("pour", "running", "FloodEvent");
      let told = 0;
      const pour = () => {
        for (const end = Math.min(count, told + (each ?? 100), run.state.mostPoured); told < end; told++)
          run.tell({ type: told % 10 ? "DropEvent" : "SplashEvent", types: null, value: { number: told } });
        run.later(20, told < count ? pour : () => run.finish("DryEvent", { count }));
      };
      pour();
    },
  },
};
catalogue.twins = { ...catalogue.refund,
  description: "asks for two refunds at once",
  begin(run, { order }) {
    for (const one of ["a", "b"]) run.ask("ApprovalRequestEvent", { question: `Refund ${order}${one}?` });
  },
  answered(run, type, value) {
    run.step("conclude", "running", "ApprovalEvent");
    run.step("conclude", "not_running", "ApprovalEvent", "DecisionEvent");
    if ([...run.questions.values()].every((open) => open === null)) run.finish("DecisionEvent", value);
  },
};
catalogue.everything.start.$defs = { Link: object("Link", { to: text }, []) };
