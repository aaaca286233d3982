// Workloads A to E on workflow-core of LlamaIndex, for engine_peers.py.
//
//     node --expose-gc workflow_core.mjs A|B|C|D|E
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { createStatefulMiddleware } from "@llamaindex/workflow-core/middleware/state";
import * as work from "./workloads.mjs";

const begin = workflowEvent();
const end = workflowEvent();

function run(workflow, input) {
  const { stream, sendEvent } = workflow.createContext();
  return new Promise((resolve) => {
    stream.on(end, ({ data }) => resolve(data));
    sendEvent(begin.with(input));
  });
}

const workloads = {
  async A() {
    const n = 2000;
    const [ping, pong] = [workflowEvent(), workflowEvent()];
    const game = createWorkflow();
    // Asynchronous, because synchronous handlers call each other, and the stack is not deep enough for many events.
    const answerBy = (other) => async (_, { data }) => (data < n ? other.with(data + 1) : end.with(data));
    game.handle([begin], () => ping.with(1));
    game.handle([ping], answerBy(pong));
    game.handle([pong], answerBy(ping));
    const time = await work.nanoseconds(async () => work.expect(await run(game), n));
    work.show("A", `event, N=${n}`, time / n, "ns");
  },
  async B() {
    const repeated = 20;
    const [item, done] = [workflowEvent(), workflowEvent()];
    const batch = createStatefulMiddleware(() => ({ sum: 0, missing: work.items })).withState(createWorkflow());
    batch.handle([begin], ({ sendEvent }) => {
      for (let i = 0; i < work.items; ++i) sendEvent(item.with(i));
    });
    batch.handle([item], (_, { data }) => done.with(data)); // it has no limit of workers
    batch.handle([done], ({ state }, { data }) => {
      state.sum += data;
      state.missing -= 1;
      if (state.missing === 0) return end.with(state.sum);
    });
    await run(batch);
    const time = await work.nanoseconds(async () => {
      for (let i = 0; i < repeated; ++i) work.expect(await run(batch), work.sumOfItems);
    });
    work.show("B", "items/s", ((work.items * repeated) / time) * 1e9, "1/s");
  },
  async C() {
    const [prepare, input, call] = [workflowEvent(), workflowEvent(), workflowEvent()];
    const agent = createStatefulMiddleware(() => ({ history: [] })).withState(createWorkflow());
    const remember = (state, role, text) => state.history.push({ role, text });
    agent.handle([begin], ({ state }, { data }) => {
      remember(state, "user", data);
      return prepare.with();
    });
    agent.handle([prepare], ({ state }) => input.with(work.prompt(state.history)));
    agent.handle([input], async ({ state }, { data }) => {
      const reply = await work.askModel(data);
      remember(state, "assistant", reply);
      const parsed = work.parse(reply);
      return parsed.answer === undefined ? call.with(parsed) : end.with(parsed.answer);
    });
    agent.handle([call], ({ state }, { data }) => {
      remember(state, "user", work.callTool(data));
      return prepare.with();
    });
    await work.agents((question) => run(agent, question), 5000, 5000);
  },
  async D() {
    const n = 20_000;
    const [ask, reply] = [workflowEvent(), workflowEvent()];
    const approval = createWorkflow();
    approval.handle([begin], () => ask.with());
    approval.handle([reply], (_, { data }) => end.with(data));
    const runs = [];
    const start = () =>
      new Promise((asked) => {
        const { stream, sendEvent } = approval.createContext();
        stream.on(ask, asked);
        runs.push({ sendEvent, result: new Promise((resolve) => stream.on(end, ({ data }) => resolve(data))) });
        sendEvent(begin.with());
      });
    for (let i = 0; i < n / 20; ++i) await start();
    const before = work.memory();
    for (let i = 0; i < n; ++i) await start();
    work.show("D", "idle run", (work.memory() - before) / n, "B");
    const time = await work.nanoseconds(async () => {
      for (const { sendEvent } of runs) sendEvent(reply.with(7));
      for (const { result } of runs) work.expect(await result, 7);
    });
    work.show("D", "answer", time / runs.length / 1e3, "us/run");
  },
  async E() {
    const hello = createWorkflow();
    hello.handle([begin], (_, { data }) => end.with(`Hello, ${data}`));
    work.expect(await run(hello, "World"), "Hello, World");
  },
};
await workloads[process.argv[2]]();
