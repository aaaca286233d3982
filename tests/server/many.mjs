// A thousand readers of one run, and a thousand runs with a reader each. node many.mjs DRIVER
// Each reader must get all events in order, and the clean end of its stream. A reader that never reads does not affect
// the others.
import net from "node:net";
import { eventually, expect, run, same, serve } from "./driver.mjs";

const many = 1000;
const server = await serve("--workflows", "refund,research", "--max-runs", String(many + 10));

/// Returns the ids and types of a stream's events until its end.
function follow(id) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.write(`GET /events/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  let text = "";
  return new Promise((done, refuse) => {
    socket.on("error", refuse);
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (!text.endsWith("0\r\n\r\n")) return;
      socket.destroy();
      const told = [...text.matchAll(/^id: (\d+)$/gm)].map((found) => Number(found[1]));
      const types = [...text.matchAll(/"type":"(\w+)"/g)].map((found) => found[1]);
      done({ told, types });
    });
    socket.on("close", () => refuse(new Error(`a stream broke off after ${text.slice(-200)}`)));
  });
}
const begin = async (handler, workflow, start) =>
  (await server.ask(`/workflows/${workflow}/run-nowait`, { handler_id: handler, start_event: start })).json.handler_id;
const answer = async (id) => {
  const event = { type: "ApprovalEvent", value: { granted: true } };
  same((await server.ask(`/events/${id}`, { event })).status, 200, `the answer to ${id}`);
};
const waiting = (id) =>
  eventually(async () => (await server.ask(`/handlers/${id}`)).json.questions?.length, `${id} does not ask`);

await run({
  async "many readers of one run get all of its events in order"() {
    const id = await begin("one", "refund", { order: "A-17", amount: 120 });
    await waiting(id);
    const deaf = net.connect(server.port, "127.0.0.1");
    deaf.pause();
    deaf.write(`GET /events/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const before = server.memory();
    const readers = Array.from({ length: many }, () => follow(id));
    await eventually(
      async () => Number(/^weft_http_connections (\d+)/m.exec((await server.ask("/metrics")).text)[1]) > many,
      "not all readers are connected",
    );
    await answer(id);
    for (const { told, types } of await Promise.all(readers)) {
      same(told, [0, 1], "the ids that a reader has seen");
      same(types, ["ApprovalRequestEvent", "DecisionEvent"], "the events that a reader has seen");
    }
    deaf.destroy();
    return `${many} readers, ${(server.memory() - before).toFixed(1)} MB more`;
  },
  async "many parallel runs with a reader each all end correctly"() {
    const began = Date.now();
    const ids = [];
    for (let i = 0; i < many; i += 50)
      ids.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, many - i) }, (_, n) =>
            begin(`run ${i + n}`, "refund", { order: `A-${i + n}`, amount: 100 + i + n }),
          ),
        )),
      );
    same(new Set(ids).size, many, "the number of runs");
    const readers = ids.map((id) => follow(encodeURIComponent(id)));
    const end = async (id) => (await waiting(id), await answer(id));
    for (let i = 0; i < many; i += 50) await Promise.all(ids.slice(i, i + 50).map(encodeURIComponent).map(end));
    const all = await Promise.all(readers);
    for (const { told, types } of all) {
      same(told, [0, 1], "the ids that a reader has seen");
      same(types, ["ApprovalRequestEvent", "DecisionEvent"], "the events that a reader has seen");
    }
    const done = (await server.ask("/handlers?status=completed")).json.handlers.length;
    expect(done >= Math.min(many, 1000), `only ${done} runs have completed`);
    return `${many} runs in ${Date.now() - began} ms`;
  },
  async "an input of more than --max-mib is refused, and the server keeps working"() {
    const small = await serve("--workflows", "hello", "--max-mib", "1");
    const greet = (letters) => small.ask("/workflows/hello/run", { start_event: { text: "x".repeat(letters) } });
    const [refused, taken] = [await greet(400_000), await greet(200_000)]; // an input counts three times in the limit
    same([refused.status, taken.status], [503, 200], "the answers");
    await small.stop();
  },
  async "the server ends with exit code 0"() {
    await server.stop();
  },
});
