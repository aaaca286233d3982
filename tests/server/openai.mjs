// Two unchanged versions of the official SDK of OpenAI's API with the endpoint under /v1: whole and streamed answers,
// the classes of errors, and clients that leave. node openai.mjs DRIVER
import { chmodSync, writeFileSync } from "node:fs";
import OpenAI7 from "openai";
import OpenAI6 from "openai-v6";
import { eventually, expect, folder, run, salesQuestion, same, script, serve, within } from "./driver.mjs";
import { limit } from "./limit.mjs";

const sdks = { v7: OpenAI7, v6: OpenAI6 };
const server = await serve("--workflows", "react,hello,refund", "--model", "script:sales");
const talking = await serve(
  "--workflows",
  "react",
  "--model",
  script({
    replies: [
      { when: "My name is Ada.", reply: "Thought: I greet.\nAnswer: Hello, Ada." },
      { when: "What is my name?", reply: "Thought: She has said it.\nAnswer: Your name is Ada." },
    ],
  }),
);
const slow = await serve(
  "--workflows",
  "react",
  "--model",
  script({
    chunk: 4,
    pause_ms: 100,
    replies: ["Thought: long\nAnswer: " + "word ".repeat(2000)].map((reply) => ({ reply })),
  }),
);
const failing = await serve("--workflows", "react", "--model", script({ replies: [{ fail: "the lights are out" }] }));

const ask = (content, more) => ({ model: "react", messages: [{ role: "user", content }], ...more });
const handlers = async (of, status) => (await of.ask(`/handlers${status ? `?status=${status}` : ""}`)).json.handlers;
async function throws(call, Kind, status, code, text = "") {
  let error;
  try {
    await within("a call", call());
  } catch (caught) {
    error = caught;
  }
  expect(error instanceof Kind, `expected ${Kind.name}, got ${error?.stack ?? "an answer"}`);
  same([error.status, error.code], [status, code], "status and code of the error");
  expect(error.message.includes(text), `the error does not say "${text}": ${error.message}`);
  return error;
}
function isSales(text) {
  expect(text?.includes("212.73") && text.startsWith("Sales rose"), `the answer is ${text}`);
}
function isUsage(usage, [a, b, sum] = ["prompt_tokens", "completion_tokens", "total_tokens"]) {
  expect(
    usage && usage[a] >= 0 && usage[b] >= 0 && usage[sum] === usage[a] + usage[b],
    `the usage is ${JSON.stringify(usage)}`,
  );
}

const cases = {};
for (const [version, OpenAI] of Object.entries(sdks)) {
  const sdk = (of, more) => new OpenAI({ baseURL: `${of.url}/v1`, apiKey: "sk-canary-none", ...more });
  const client = sdk(server);
  const add = (title, act) => {
    cases[`${version}: ${title}`] = act;
  };

  add("models are listed, and found by their names", async () => {
    const names = [];
    for await (const model of client.models.list())
      (names.push(model.id), same([model.object, model.owned_by], ["model", "weft"], model.id));
    same(names, ["react", "hello", "refund"], "the models");
    same((await client.models.retrieve("react")).id, "react", "the model");
    await throws(() => client.models.retrieve("nobody"), OpenAI.NotFoundError, 404, "model_not_found", "nobody");
  });
  add("a completion is whole", async () => {
    const answer = await client.chat.completions.create(ask(salesQuestion, { temperature: 0, n: 1 }));
    isSales(answer.choices[0].message.content);
    same(
      [
        answer.object,
        answer.model,
        answer.choices.length,
        answer.choices[0].finish_reason,
        answer.choices[0].message.role,
      ],
      ["chat.completion", "react", 1, "stop", "assistant"],
      "the completion",
    );
    isUsage(answer.usage);
    expect(Math.abs(answer.created - Date.now() / 1000) < limit / 1000 && answer._request_id, "it has no time or no request id");
    const hello = await client.chat.completions.create({
      model: "hello",
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: [{ type: "text", text: "Ada" }] },
      ],
    });
    same(hello.choices[0].message.content, "Hello, Ada!", "the answer of hello");
  });
  add("a completion comes in pieces, with the usage if it is wanted", async () => {
    for (const include_usage of [false, true]) {
      const stream = await client.chat.completions.create(
        ask(salesQuestion, { stream: true, stream_options: { include_usage } }),
      );
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      same(
        new Set(chunks.map((c) => [c.id, c.created, c.model].join())).size,
        1,
        "the number of ids, times and models",
      );
      isSales(chunks.map((c) => c.choices[0]?.delta.content ?? "").join(""));
      same(chunks[0].choices[0].delta.role, "assistant", "the role of the first piece");
      const finishes = chunks.map((c) => c.choices[0]?.finish_reason).filter(Boolean);
      same(finishes, ["stop"], "the reasons to finish");
      same(
        chunks.filter((c) => c.choices.length === 0).length,
        include_usage ? 1 : 0,
        "the number of chunks without choices",
      );
      if (include_usage) isUsage(chunks.at(-1).usage);
      expect(chunks.length > 4, `the answer came in ${chunks.length} pieces`);
    }
  });
  add("the stream helper is content with the stream", async () => {
    const helper = client.chat.completions.stream(ask(salesQuestion, { stream_options: { include_usage: true } }));
    let text = "",
      pieces = 0;
    helper.on("content", (delta) => {
      text += delta;
      pieces++;
    });
    const final = await within("the helper", helper.finalChatCompletion());
    isSales(final.choices[0].message.content);
    same(final.choices[0].message.content, text, "the answer that came in pieces");
    isUsage(await helper.totalUsage());
    return `${pieces} pieces`;
  });
  add("a response is whole, and comes in events", async () => {
    const whole = await client.responses.create({ model: "react", input: salesQuestion });
    isSales(whole.output_text);
    same(
      [whole.object, whole.status, whole.error, whole.output[0].role],
      ["response", "completed", null, "assistant"],
      "the response",
    );
    isUsage(whole.usage, ["input_tokens", "output_tokens", "total_tokens"]);
    const events = [];
    for await (const event of await client.responses.create({
      model: "react",
      stream: true,
      input: [{ role: "user", content: [{ type: "input_text", text: salesQuestion }] }],
    }))
      events.push(event);
    same(
      events.map((e) => e.sequence_number),
      events.map((_, i) => i),
      "the sequence numbers",
    );
    same(
      [events[0].type, events[1].type, events.at(-1).type],
      ["response.created", "response.in_progress", "response.completed"],
      "the frame",
    );
    isSales(
      events
        .filter((e) => e.type === "response.output_text.delta")
        .map((e) => e.delta)
        .join(""),
    );
    isSales(events.at(-1).response.output[0].content[0].text);
    const helper = client.responses.stream({ model: "react", input: salesQuestion });
    const final = await within("the helper of responses", helper.finalResponse());
    isSales(final.output_text);
    return `${events.length} events`;
  });
  add("mistakes of the caller are errors of their class", async () => {
    await throws(
      () => client.chat.completions.create({ ...ask("x"), model: "nobody" }),
      OpenAI.NotFoundError,
      404,
      "model_not_found",
      "nobody",
    );
    await throws(
      () => client.responses.create({ model: "nobody", input: "x" }),
      OpenAI.NotFoundError,
      404,
      "model_not_found",
    );
    const empty = await throws(
      () => client.chat.completions.create({ model: "react", messages: [] }),
      OpenAI.BadRequestError,
      400,
      null,
    );
    same(empty.param, "messages", "the parameter that is wrong");
    await throws(
      () => client.chat.completions.create(ask([{ type: "image_url", image_url: { url: "data:," } }])),
      OpenAI.BadRequestError,
      400,
      null,
    );
    await throws(
      () => client.chat.completions.create({ model: "refund", messages: [{ role: "user", content: "no json" }] }),
      OpenAI.BadRequestError,
      400,
      null,
    );
    await throws(() => client.post("/nothing", { body: {} }), OpenAI.NotFoundError, 404, "unknown_url");
    await throws(() => client.get("/chat/completions"), OpenAI.APIError, 405, "method_not_supported");
  });
  add("a question to a human is the answer, and its run does not wait for ever", async () => {
    const before = (await handlers(server, "cancelled")).length;
    const answer = await client.chat.completions.create({
      model: "refund",
      messages: [{ role: "user", content: `{"order": "7", "amount": 120}` }],
    });
    expect(
      answer.choices[0].message.content.includes("Refund 120.00 for order 7"),
      `the answer is ${answer.choices[0].message.content}`,
    );
    await eventually(
      async () => (await handlers(server, "cancelled")).length === before + 1,
      "the run that has asked continues",
    );
    same((await handlers(server, "running")).length, 0, "the number of running runs");
  });
  add("a key is asked for and compared, if there are keys", async () => {
    const file = `${folder}/tokens-${version}`;
    writeFileSync(file, "# ours\nsk-canary-0123456789abcdef\n");
    chmodSync(file, 0o600);
    const guarded = await serve("--workflows", "hello", "--token-file", file);
    const hello = { model: "hello", messages: [{ role: "user", content: "Ada" }] };
    for (const apiKey of ["sk-canary-wrong", "sk-canary-0123456789abcdeF", "sk-canary-0123456789abcdef0"]) {
      await throws(() => sdk(guarded, { apiKey }).models.list(), OpenAI.AuthenticationError, 401, "invalid_api_key");
      await throws(
        () => sdk(guarded, { apiKey }).chat.completions.create(hello),
        OpenAI.AuthenticationError,
        401,
        "invalid_api_key",
      );
    }
    const answer = await sdk(guarded, { apiKey: "sk-canary-0123456789abcdef" }).chat.completions.create(hello);
    same(answer.choices[0].message.content, "Hello, Ada!", "the answer to who has the key");
    expect(!guarded.said.includes("sk-canary"), "the server has said a key");
    await guarded.stop();
  });
  add("a run that fails is run once, whether it is streamed or not", async () => {
    const patient = sdk(failing, { maxRetries: 2 });
    for (const act of [
      () => patient.chat.completions.create(ask("x")),
      () => patient.responses.create({ model: "react", input: "x" }),
      async () => {
        for await (const _ of await patient.chat.completions.create(ask("x", { stream: true })));
      },
      async () => {
        for await (const _ of await patient.responses.create({ model: "react", input: "x", stream: true }));
      },
    ]) {
      const before = (await handlers(failing)).length;
      const error = await throws(act, OpenAI.InternalServerError, 500, "model_failed", "the lights are out");
      same(error.type, "server_error", "the type of the error");
      same((await handlers(failing)).length, before + 1, "the number of runs behind one call");
    }
  });
  add("a client that leaves a stream, or does not wait for an answer, cancels the run", async () => {
    const before = (await handlers(slow, "cancelled")).length;
    const leave = sdk(slow, { maxRetries: 0 });
    const stream = await leave.chat.completions.create(ask("x", { stream: true }));
    let pieces = 0;
    for await (const _ of stream) if (++pieces === 5) break;
    stream.controller.abort();
    await eventually(
      async () => (await handlers(slow, "cancelled")).length === before + 1,
      "the run of the stream continues",
    );
    const events = await leave.responses.create({ model: "react", input: "x", stream: true });
    for await (const event of events) if (event.type === "response.output_text.delta") break;
    events.controller.abort();
    await eventually(
      async () => (await handlers(slow, "cancelled")).length === before + 2,
      "the run of the response continues",
    );
    const given = new AbortController();
    const waiting = leave.chat.completions.create(ask("x"), { signal: given.signal });
    await eventually(async () => (await handlers(slow, "running")).length, "the run has not begun");
    given.abort();
    await waiting.then(
      () => expect(false, "an answer came"),
      (error) => expect(error instanceof OpenAI.APIUserAbortError, error.stack),
    );
    await eventually(
      async () => (await handlers(slow, "cancelled")).length === before + 3,
      "the run without a waiting client continues",
    );
    same((await handlers(slow, "running")).length, 0, "the number of running runs");
  });
  add("a second turn knows the first, by its history or its conversation", async () => {
    const chat = sdk(talking);
    const answer = (body) =>
      chat.chat.completions.create({ model: "react", ...body }).then((a) => a.choices[0].message.content);
    const first = { role: "user", content: "My name is Ada." },
      second = { role: "user", content: "What is my name?" };
    same(await answer({ messages: [first] }), "Hello, Ada.", "the first answer");
    same(
      await answer({ messages: [first, { role: "assistant", content: "Hello, Ada." }, second] }),
      "Your name is Ada.",
      "with history",
    );
    const metadata = { conversation_id: `ada:${version}` };
    same(await answer({ messages: [first], metadata }), "Hello, Ada.", "the first answer of a conversation");
    same(await answer({ messages: [second], metadata }), "Your name is Ada.", "the second one");
    await throws(
      () => answer({ messages: [second], metadata: { conversation_id: "another" } }),
      OpenAI.InternalServerError,
      500,
      "script_mismatch",
    );
    const conversation = `response:${version}`;
    const spoken = (input) => chat.responses.create({ model: "react", input, conversation }).then((a) => a.output_text);
    same(
      [await spoken("My name is Ada."), await spoken("What is my name?")],
      ["Hello, Ada.", "Your name is Ada."],
      "the answers of a conversation",
    );
  });
}
cases["the servers end well, and have said no key"] = async () => {
  for (const each of [server, talking, slow, failing]) {
    await each.stop();
    expect(!each.said.includes("sk-canary"), "a server has said a key");
  }
};
await run(cases);
