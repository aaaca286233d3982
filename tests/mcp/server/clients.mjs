// The official TypeScript clients of MCP, of both generations, with `weft mcp` over stdio and over HTTP: lists, an
// agent's answer with progress, an answered question, a cancelled call.
//
//     node tests/mcp/server/clients.mjs build/test/workflows/weft [PART OF A TITLE]
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { eventually, expect, folder, run, salesQuestion, same, script, within } from "../../server/driver.mjs";
import { limit } from "../../server/limit.mjs";

const program = resolve(process.argv[2] ?? "build/test/workflows/weft");
const find = createRequire(import.meta.url);
const part = (name) => import(pathToFileURL(find.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await part("@modelcontextprotocol/client");
const { StdioClientTransport } = await part("@modelcontextprotocol/client/stdio");
const older = {
  ...(await part("@modelcontextprotocol/sdk/client/index.js")),
  ...(await part("@modelcontextprotocol/sdk/client/streamableHttp.js")),
  ...(await part("@modelcontextprotocol/sdk/client/stdio.js")),
  ...(await part("@modelcontextprotocol/sdk/types.js")),
};

const kept = ["PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"];
const env = {
  ...Object.fromEntries(kept.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
  HOME: folder,
  LANG: "C.UTF-8",
  OLLAMA_HOST: "127.0.0.1:1",
};
const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

const token = "0123456789abcdefghij";
/// Starts `weft mcp --http`, and returns its address.
async function http(...words) {
  const child = spawn(program, ["mcp", "--http", "127.0.0.1:0", ...words], { cwd: folder, env });
  children.push(child);
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const url = await within("the start of the server", new Promise((done, refuse) => {
    let out = "";
    child.stdout.on("data", (text) => {
      const line = /MCP at (\S+)/.exec((out += text));
      if (line) done(line[1]);
    });
    child.on("exit", (code) => refuse(new Error(`the server ended with ${code}:\n${said}`)));
  }));
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    same(await within("the end of the server", ended), 0, `the exit code (${said})`);
  };
  return { url, stop };
}
const ways = {
  "stdio, 2026-07-28": { era: "modern", stdio: true },
  "stdio, 2025-11-25": { era: "legacy", stdio: true },
  "HTTP, 2026-07-28": { era: "modern" },
  "HTTP, 2025-11-25": { era: "legacy" },
  "stdio, SDK 1": { era: "legacy", stdio: true, sdk: older },
  "HTTP, SDK 1": { era: "legacy", sdk: older },
};
/// A client that answers questions by `answer`, and ends with the case.
async function connect(way, words = [], answer = undefined) {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const options = { capabilities };
  if (!way.sdk) options.versionNegotiation = { mode: way.era === "modern" ? { pin: "2026-07-28" } : "legacy" };
  const client = new (way.sdk?.Client ?? Client)({ name: "weft-tests", version: "1" }, options);
  if (answer) client.setRequestHandler(way.sdk ? way.sdk.ElicitRequestSchema : "elicitation/create", answer);
  let server, transport;
  if (way.stdio) {
    const Transport = way.sdk?.StdioClientTransport ?? StdioClientTransport;
    transport = new Transport({ command: program, args: ["mcp", ...words], cwd: folder, env, stderr: "pipe" });
  } else {
    server = await http(...words);
    const Transport = way.sdk?.StreamableHTTPClientTransport ?? StreamableHTTPClientTransport;
    transport = new Transport(new URL(server.url));
  }
  await within("the handshake", client.connect(transport, { timeout: limit }));
  const call = (params, options = { timeout: limit }) =>
    way.sdk ? client.callTool(params, undefined, options) : client.callTool(params, options);
  const close = async () => {
    await client.close();
    await server?.stop();
  };
  return { client, call, close };
}

const cases = {};
for (const [name, way] of Object.entries(ways)) {
  cases[`${name}: workflows and tools are listed and called, and what is wrong is told`] = async () => {
    const { client, call, close } = await connect(way);
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const expected of ["hello", "react", "refund", "math_calculator", "sql_db_query"])
      expect(names.includes(expected), `${expected} is not offered: ${names}`);
    const greeting = await call({ name: "hello", arguments: { text: "World" } });
    same(greeting.structuredContent, { text: "Hello, World!" }, "the greeting");
    const sum = await call({ name: "math_calculator", arguments: { expression: "2 ** 10" } });
    same(sum.content, [{ type: "text", text: "1024" }], "the sum");
    const wrong = await call({ name: "hello", arguments: { text: 7 } });
    expect(wrong.isError, "wrong arguments are no error");
    const unknown = await call({ name: "nothing", arguments: {} }).catch((error) => error);
    expect(unknown instanceof Error, "an unknown tool is no error");
    await close();
    return `${names.length} tools`;
  };
  cases[`${name}: react answers the sales question, and tells its progress`] = async () => {
    const { call, close } = await connect(way);
    const progress = [];
    const options = { onprogress: (told) => progress.push(told), timeout: limit };
    const result = await call({ name: "react", arguments: { text: salesQuestion } }, options);
    expect(!result.isError, `it failed: ${JSON.stringify(result.content)}`);
    const answer = result.structuredContent.response;
    expect(answer.includes("212.73"), `the answer is ${answer}`);
    expect(progress.length > 3, `only ${progress.length} messages of progress`);
    expect(progress.some((told) => told.message?.startsWith("calls ")), "no call of a tool was told");
    for (let i = 1; i < progress.length; ++i)
      expect(progress[i].progress > progress[i - 1].progress, "progress does not rise");
    await close();
    return `${progress.length} messages of progress`;
  };
  cases[`${name}: the question of refund is asked at the client`] = async () => {
    let asked;
    const { call, close } = await connect(way, ["--workflows", "refund"], async (request) => {
      asked = request.params;
      return { action: "accept", content: { granted: true, comment: "fine" } };
    });
    const result = await call({ name: "refund", arguments: { order: "A-17", amount: 120 } });
    same(result.structuredContent?.granted, true, "the decision");
    expect(asked.message.includes("120"), `it was asked: ${asked.message}`);
    same(asked.requestedSchema.properties.granted.type, "boolean", "the form");
    await close();
  };
  cases[`${name}: a call that is given up is cancelled, and another one continues`] = async () => {
    const slow = script({ replies: [{ delay_ms: 3_600_000, reply: ["Thought: slow", "Answer: late"] }] });
    const { call, close } = await connect(way, ["--model", slow, "--max-runs", "1"]);
    const cancelling = new AbortController();
    let begun;
    const at_work = new Promise((done) => (begun = done));
    const options = { signal: cancelling.signal, onprogress: () => begun(), timeout: limit };
    const given_up = call({ name: "react", arguments: { text: "Well?" } }, options).catch((error) => error);
    await within("the first progress of the slow call", at_work);
    const busy = await call({ name: "hello", arguments: { text: "you" } });
    expect(busy.isError, "the slow call is not at work");
    cancelling.abort("enough");
    expect((await given_up) instanceof Error, "the call was not given up");
    // Only one call may run: this one begins when the other one has ended.
    const greet = async () => (await call({ name: "hello", arguments: { text: "you" } })).structuredContent;
    same(await eventually(greet, "the slow call continues"), { text: "Hello, you!" }, "the greeting");
    await close();
  };
}
cases["HTTP: a token is needed, and has to be the right one"] = async () => {
  const { writeFileSync } = await import("node:fs");
  writeFileSync(`${folder}/tokens.txt`, `${token}\n`, { mode: 0o600 });
  const server = await http("--token-file", "tokens.txt", "--workflows", "hello");
  const ask = (headers) => fetch(server.url, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: "{}" });
  same((await ask({})).status, 401, "without a token");
  same((await ask({ Authorization: "Bearer wrong-wrong-wrong" })).status, 401, "with a wrong one");
  same((await ask({ Authorization: `Bearer ${token}` })).status, 400, "with the right one");
  same((await ask({ Authorization: `Bearer ${token}`, Origin: "https://evil.example" })).status, 403, "of another page");
  await server.stop();
};
cases["stdio: standard output has messages only, also when the client goes without a word"] = async () => {
  const child = spawn(program, ["mcp"], { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  let out = "";
  child.stdout.on("data", (text) => (out += text));
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\nnoise\n');
  same(await within("the end", new Promise((done) => child.once("exit", done))), 0, "the exit code");
  const lines = out.trim().split("\n").map((line) => JSON.parse(line));
  same(lines.map((line) => line.jsonrpc), ["2.0", "2.0"], "the lines");
  same(lines[1].error.code, -32700, "the answer to noise");
};
await run(cases);
