// Workloads A to E on LangGraph for TypeScript, for engine_peers.py.
//
//     node --expose-gc langgraph.mjs A|B|C|D|E
import { Annotation, Command, END, MemorySaver, START, Send, StateGraph, interrupt } from "@langchain/langgraph";
import * as work from "./workloads.mjs";

const appended = () => Annotation({ reducer: (known, more) => [...known, ...more], default: () => [] });

const workloads = {
  async A() {
    const n = 1000;
    const next = (other) => (state) => (state.i < n ? other : END);
    const count = ({ i }) => ({ i: i + 1 });
    const game = new StateGraph(Annotation.Root({ i: Annotation() }))
      .addNode("ping", count)
      .addNode("pong", count)
      .addEdge(START, "ping")
      .addConditionalEdges("ping", next("pong"), ["pong", END])
      .addConditionalEdges("pong", next("ping"), ["ping", END])
      .compile();
    const time = await work.nanoseconds(async () => {
      const { i } = await game.invoke({ i: 0 }, { recursionLimit: 2 * n });
      work.expect(i, n);
    });
    work.show("A", `event, N=${n}`, time / n, "ns");
  },
  async B() {
    const repeated = 2;
    const batch = new StateGraph(Annotation.Root({ done: appended(), sum: Annotation() }))
      .addNode("fan", () => ({}))
      .addNode("work", ({ item }) => ({ done: [item] }))
      .addNode("join", ({ done }) => ({ sum: done.reduce((sum, item) => sum + item, 0) }))
      .addEdge(START, "fan")
      .addConditionalEdges("fan", () => Array.from({ length: work.items }, (_, item) => new Send("work", { item })), [
        "work",
      ])
      .addEdge("work", "join")
      .addEdge("join", END)
      .compile();
    const time = await work.nanoseconds(async () => {
      for (let i = 0; i < repeated; ++i)
        work.expect((await batch.invoke({}, { maxConcurrency: 4 })).sum, work.sumOfItems);
    });
    work.show("B", "items/s", ((work.items * repeated) / time) * 1e9, "1/s");
  },
  async C() {
    const State = Annotation.Root({ history: appended(), prompt: Annotation(), parsed: Annotation() });
    const agent = new StateGraph(State)
      .addNode("prepare", ({ history }) => ({ prompt: work.prompt(history) }))
      .addNode("ask", async ({ prompt }) => {
        const text = await work.askModel(prompt);
        return { history: [{ role: "assistant", text }], parsed: work.parse(text) };
      })
      .addNode("call", ({ parsed }) => ({ history: [{ role: "user", text: work.callTool(parsed) }] }))
      .addEdge(START, "prepare")
      .addEdge("prepare", "ask")
      .addConditionalEdges("ask", ({ parsed }) => (parsed.answer === undefined ? "call" : END), ["call", END])
      .addEdge("call", "prepare")
      .compile();
    const run = async (text) => (await agent.invoke({ history: [{ role: "user", text }] })).parsed.answer;
    await work.agents(run, 300, 1000);
  },
  async D() {
    const n = 1000;
    const approval = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode("approve", () => ({ answer: interrupt("May I?") }))
      .addEdge(START, "approve")
      .addEdge("approve", END)
      .compile({ checkpointer: new MemorySaver() });
    const thread = (id) => ({ configurable: { thread_id: `run ${id}` } });
    for (let i = 0; i < n / 20; ++i) await approval.invoke({}, thread(-1 - i));
    const before = work.memory();
    for (let i = 0; i < n; ++i) await approval.invoke({}, thread(i));
    work.show("D", "idle run", (work.memory() - before) / n, "B");
    const time = await work.nanoseconds(async () => {
      const resume = (_, i) => approval.invoke(new Command({ resume: 7 }), thread(i));
      for (const { answer } of await Promise.all(Array.from({ length: n }, resume))) work.expect(answer, 7);
    });
    work.show("D", "answer", time / n / 1e3, "us/run");
  },
  async E() {
    const hello = new StateGraph(Annotation.Root({ text: Annotation() }))
      .addNode("greet", ({ text }) => ({ text: `Hello, ${text}` }))
      .addEdge(START, "greet")
      .addEdge("greet", END)
      .compile();
    work.expect((await hello.invoke({ text: "World" })).text, "Hello, World");
  },
};
await workloads[process.argv[2]]();
