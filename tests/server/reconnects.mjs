// The official client of LlamaIndex's workflow server misses and repeats no event when its connection is cut or the
// server is killed. node reconnects.mjs DRIVER
import * as weft from "@llamaindex/workflows-client";
import { eventually, expect, folder, proxyTo, run, salesQuestion, same, serve } from "./driver.mjs";
import { begin, clientOf, data, follow, isWhole, names } from "./llamaindex_client.mjs";

const sales = ["--workflows", "hello,refund,react", "--model", "script:sales"];
const server = await serve(...sales);
const client = clientOf(server.url);

const cases = {
  async "a connection cut again and again loses and repeats nothing"() {
    const proxy = await proxyTo(server.port, (connection) => 600 + 300 * connection);
    const through = clientOf(proxy.url);
    const { handler_id } = await begin(client, "react", { text: salesQuestion });
    let errors = 0;
    const events = await follow(through, handler_id, { onSseError: () => errors++ });
    proxy.close();
    isWhole(events, "the events");
    same(names(events), names(await follow(client, handler_id)), "what came through the line");
    expect(
      errors >= 8 && proxy.cuts === errors,
      `the line was cut ${proxy.cuts} times, of which the client saw ${errors}`,
    );
    return `${events.length} events, cut ${errors} times in the middle of a line`;
  },
  async "a server killed between any two events loses and repeats nothing"() {
    const words = [...sales, "--store", `${folder}/killed.db`];
    let stored = await serve(...words);
    const { port } = stored,
      kept = clientOf(stored.url);
    const first = await begin(kept, "react", { text: salesQuestion }, { handler_id: "first" });
    const length = (await follow(kept, first.handler_id)).length;
    const moments = Array.from({ length: 12 }, (_, i) => Math.max(1, Math.floor((length * i) / 12)));
    const told = [];
    for (const moment of moments) {
      const handler_id = `killed at ${moment}`;
      let restarted;
      await begin(kept, "react", { text: salesQuestion }, { handler_id });
      const events = await follow(kept, handler_id, {
        seen: (_, count) => {
          if (count === moment)
            restarted = stored.kill().then(async () => {
              stored = await serve(...words, { port });
            });
        },
      });
      await restarted;
      isWhole(events, `the events of the run ${handler_id}`);
      const answer = events.at(-1).data.value.response;
      expect(answer?.includes("212.73"), `${handler_id}: it ended with ${JSON.stringify(events.at(-1).data)}`);
      const again = await follow(kept, handler_id);
      same(
        again.map((event) => event.data),
        events.map((event) => event.data),
        `what a second reader of ${handler_id} sees`,
      );
      told.push(events.length);
    }
    // The runs of earlier servers are unchanged.
    isWhole(await follow(kept, "first"), "the events of the first run");
    const { handlers } = await data(weft.getHandlers({ client: kept }));
    same(
      handlers.map((one) => one.status),
      Array(13).fill("completed"),
      "the states",
    );
    await stored.stop();
    return `${moments.length} kills of runs with ${length} events, which have ${told.join(", ")} then`;
  },
  async "a question outlives its server, and is answered once"() {
    const words = ["--workflows", "refund", "--store", `${folder}/asked.db`];
    let stored = await serve(...words);
    const { port } = stored,
      kept = clientOf(stored.url);
    const { handler_id } = await begin(kept, "refund", { order: "9", amount: 500 });
    const path = { handler_id };
    let asked = 0;
    const watching = follow(kept, handler_id, {
      seen: async ({ data: event }) => {
        if (!event.types?.includes("InputRequiredEvent")) return;
        asked++;
        await stored.kill();
        stored = await serve(...words, { port });
        await data(
          weft.postEventsByHandlerId({
            client: kept,
            path,
            body: { event: { type: "ApprovalEvent", value: { granted: false } } },
          }),
        );
      },
    });
    const events = await watching;
    isWhole(events, "the events");
    same([asked, names(events)], [1, ["ApprovalRequestEvent", "DecisionEvent"]], "what was asked and told");
    await stored.stop();
    stored = await serve(...words, { port });
    same(
      (await data(weft.getHandlersByHandlerId({ client: kept, path }))).result.value.granted,
      false,
      "the decision after one more start",
    );
    await stored.stop();
  },
  async "the server ends by SIGTERM, and breaks off running streams"() {
    const { handler_id } = await begin(client, "refund", { order: "10", amount: 500 });
    const given = new AbortController();
    let errors = 0,
      came = 0;
    const watching = follow(client, handler_id, {
      signal: given.signal,
      onSseError: () => errors++,
      seen: () => came++,
    });
    await eventually(() => came, "the question did not come");
    await server.stop();
    await eventually(() => errors, "the client takes the end of the server for the end of the run");
    given.abort();
    await watching;
  },
};
await run(cases);
