// Hostile and broken clients through plain sockets: slow bytes, partial requests, huge heads, thousands of connections,
// readers that never read, resets. Meanwhile a polite client runs hello and gets its answers, and the server's memory
// stays bounded. node rude.mjs DRIVER
import { readFileSync } from "node:fs";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { eventually, expect, run, same, script, serve, within } from "./driver.mjs";

// react's answer is longer than the buffer of an unread socket.
const long = script({ chunk: 1000, replies: [{ reply: "Thought: long\nAnswer: " + "0123456789".repeat(350_000) }] });
// The address sanitizer keeps little freed memory, so that the measured memory is meaningful.
const env = { ASAN_OPTIONS: [process.env.ASAN_OPTIONS, "quarantine_size_mb=8"].filter(Boolean).join(":") };
const page = fileURLToPath(new URL("node_modules/@llamaindex/workflow-debugger", import.meta.url));
const server = await serve("--workflows", "hello,react,refund", "--model", long, "--debugger", page, { env });
const files = Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))[1]);
const most = files >= 12_000 ? 9_900 : 2_000;
const atOnce = 10_000; // the server's limit of connections
// The address sanitizer reserves terabytes of addresses.
const sanitized = Number(/VmSize:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) > 1e9;
const allowed = sanitized ? 400 : 200; // MB above the first measurement

const head = (method, path, more = "") => `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
function connect(text = "", { reads = true } = {}) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.said = "";
  socket.gone = new Promise((done) => socket.on("close", done));
  socket.on("error", () => {});
  if (reads)
    socket.on("data", (data) => {
      socket.said += data.toString("latin1");
    });
  socket.ready = new Promise((done, refuse) => {
    socket.on("connect", done);
    socket.on("error", refuse);
  });
  socket.ready.catch(() => {});
  if (text) socket.write(text);
  return socket;
}
const many = (count, make) => Array.from({ length: count }, (_, i) => make(i));
async function connections(text) {
  return Number(/^weft_http_connections (\d+)/m.exec(text ?? (await server.ask("/metrics")).text)[1]);
}
/// Counts open connections and ended requests of these routes: on a busy machine the server disconnects the first
/// reader before it has accepted the last one.
async function accepted(...routes) {
  const { text } = await server.ask("/metrics");
  let count = await connections(text);
  for (const [, route, ended] of text.matchAll(/^weft_http_requests_total\{route="([^"]*)",status="\d+"\} (\d+)/gm))
    if (routes.some((begin) => route.startsWith(begin))) count += Number(ended);
  return count;
}
async function handler(of, state) {
  return eventually(
    async () => (await server.ask(`/handlers/${of}`)).json.status === state,
    `the run is not ${state}`,
  );
}

// A polite client makes one run after another until the end. The test requires that its runs continue beside the rude
// clients; their time is not checked, because the machine may be busy.
const polite = { runs: 0, longest: 0, faults: [], done: false, stage: "" };
polite.ended = (async () => {
  while (!polite.done) {
    const began = Date.now();
    try {
      const { status, json } = await within(
        "hello",
        server.ask("/workflows/hello/run", { start_event: { text: "you" } }),
      );
      if (status !== 200 || json.result.value.text !== "Hello, you!")
        throw new Error(`${status} ${JSON.stringify(json)}`);
      polite.runs++;
    } catch (error) {
      polite.faults.push(`${polite.stage}: ${error.message} ${error.cause ?? ""}`);
    }
    if (Date.now() - began > polite.longest) ((polite.longest = Date.now() - began), (polite.where = polite.stage));
    await wait(10);
  }
})();
async function othersAreAnswered(count = 2) {  // the first run may have begun before
  const runs = polite.runs;
  await eventually(() => polite.runs >= runs + count, "hello is not answered any more");
}
await othersAreAnswered(30);
const first = server.memory();
let highest = first;
let peak = "";
const watch = setInterval(() => {
  const now = server.is_alive() ? server.memory() : 0;
  if (now > highest) ((highest = now), (peak = polite.stage));
}, 50);

const slow = many(40, () => connect());
const slowBegan = Date.now();
const slowBody = many(5, () =>
  connect(head("POST", "/workflows/hello/run", "Content-Type: application/json\r\nContent-Length: 4000\r\n") + "{"),
);
let drops = 0;
const dripping = setInterval(() => {
  const text = head("GET", "/health", "X: " + "y".repeat(4000));
  for (const socket of slow) if (socket.writable) socket.write(text[drops]);
  drops++;
  for (const socket of slowBody) if (socket.writable) socket.write(" ");
}, 200);
let unread = [];

const title = {
  async "readers that never read do not delay other clients"() {
    const { json } = await server.ask("/workflows/react/run-nowait", { start_event: { text: "x" } });
    await handler(json.handler_id, "completed");
    const before = server.memory();
    unread = many(200, () => connect(head("GET", `/events/${json.handler_id}?after_sequence=-1`), { reads: false }));
    for (const socket of unread) socket.pause();
    unread.began = Date.now();
    await Promise.all(unread.map((socket) => socket.ready));
    await eventually(async () => (await accepted("/events")) >= unread.length, "not all of them are accepted");
    await othersAreAnswered();
    await wait(2000);
    const more = server.memory() - before;
    expect(more < 150, `${unread.length} readers of an unread stream of 3.6 MB cost ${more.toFixed(0)} MB`);
    return `${unread.length} of them cost ${more.toFixed(0)} MB`;
  },
  async "requested files that are never read cost one piece each"() {
    const before = server.memory();
    const some = many(200, () => connect(head("GET", "/debugger/app.js"), { reads: false }));
    for (const socket of some) socket.pause();
    await Promise.all(some.map((socket) => socket.ready));
    const all = some.length + unread.length;
    await eventually(async () => (await accepted("/events", "/debugger")) >= all, "not all of them are accepted");
    await othersAreAnswered();
    await wait(1000);
    const more = server.memory() - before;
    for (const socket of some) socket.destroy();
    expect(more < 100, `${some.length} readers of an unread file of 4.7 MB cost ${more.toFixed(0)} MB`);
    return `${some.length} of them cost ${more.toFixed(0)} MB`;
  },
  async "partial and missing requests are ignored"() {
    const halves = [
      "",
      "G",
      "GET /health",
      "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n",
      head("POST", "/workflows/hello/run", "Content-Type: application/json\r\nContent-Length: 100\r\n") + "{",
      head("POST", "/workflows/hello/run", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
        "5\r\n{",
    ];
    const before = await connections();
    const all = many(20, () => halves.map((text) => connect(text))).flat();
    await Promise.all(all.map((socket) => socket.ready));
    for (const [i, socket] of all.entries()) i % 2 ? socket.end() : socket.resetAndDestroy();
    await within("closing", Promise.all(all.map((socket) => socket.gone)));
    expect(
      all.every((socket) => !socket.said || / 400 /.test(socket.said)),
      "a half request has an answer other than 400",
    );
    await eventually(async () => (await connections()) <= before + 2, "connections are left over");
    return `${all.length}, of which ${all.filter((socket) => socket.said).length} were told 400`;
  },
  async "a head of 1 MB is refused before it is read"() {
    const before = server.memory();
    const heads = many(20, (i) =>
      connect(
        i % 2
          ? head("GET", "/health", "X-Long: " + "a".repeat(1 << 20) + "\r\n")
          : head("GET", "/health", many(20_000, (n) => `X-${n}: ${"b".repeat(40)}\r\n`).join("")),
      ),
    );
    heads.push(connect("GET /" + "c".repeat(1 << 20) + " HTTP/1.1\r\n\r\n"));
    await within("the refusals", Promise.all(heads.map((socket) => socket.gone)));
    const told = heads.map((socket) => socket.said.slice(9, 12));
    // A client that still writes when the connection is closed may get a reset in place of the answer.
    expect(
      told.every((status) => ["431", "414", "400", ""].includes(status)),
      `the answers are ${told}`,
    );
    expect(told.filter((status) => status === "431").length > 10, `the answers are ${told}`);
    const saw = told.filter((status) => status).length,
      more = (server.memory() - before).toFixed(0);
    return `${saw} of ${heads.length} saw the refusal, ${more} MB`;
  },
  async "overlong and endless bodies are refused"() {
    const json = "Content-Type: application/json\r\n";
    const declared = connect(head("POST", "/workflows/hello/run", json + "Content-Length: 99999999999\r\n"));
    const chunked = connect(head("POST", "/workflows/hello/run", json + "Transfer-Encoding: chunked\r\n"));
    const piece = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
    for (let i = 0; i < 256 && chunked.writable; i++) chunked.write(piece);
    await within("the refusals", Promise.all([declared.gone, chunked.gone]));
    same([declared.said.slice(9, 12)], ["413"], "the answer to a length of 100 GB");
    expect(["413", ""].includes(chunked.said.slice(9, 12)), `the answer to a body without end is ${chunked.said}`);
  },
  async "resets in the middle of streams and runs leave nothing behind"() {
    const { json } = await server.ask("/workflows/refund/run-nowait", { start_event: { order: "7", amount: 120 } });
    const before = await connections();
    const readers = many(300, () => connect(head("GET", `/events/${json.handler_id}`)));
    await eventually(
      () => readers.every((socket) => socket.said.includes("ApprovalRequestEvent")),
      "not every reader got the question",
    );
    for (const [i, socket] of readers.entries()) i % 3 ? socket.resetAndDestroy() : socket.end();
    const body = JSON.stringify({ start_event: { text: "x" } });
    const runs = many(100, () =>
      connect(
        head("POST", "/workflows/hello/run", `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) +
          body,
      ),
    );
    await Promise.all(runs.map((socket) => socket.ready));
    for (const socket of runs) socket.resetAndDestroy();
    await eventually(async () => (await connections()) <= before + 2, "connections are left over");
    same(
      (await server.ask(`/handlers/${json.handler_id}/cancel`, {})).status,
      200,
      "the cancelling of the run that was watched",
    );
  },
  [`${most} parallel connections are kept, and more than ${atOnce} are refused`]: async () => {
    const before = server.memory(),
      open = await connections();
    let all = [];
    // Some connections may be closed meanwhile: slow ones, and idle ones after a minute without a request.
    await eventually(async () => {
      all = all.filter((socket) => !socket.destroyed);
      while (all.length < most - open) {
        const some = many(Math.min(300, most - open - all.length), () => connect());
        await within("connecting", Promise.all(some.map((socket) => socket.ready)));
        all.push(...some);
      }
      return (await connections()) > most - 100;
    }, `there are fewer than ${most} connections`);
    const cost = server.memory() - before;
    expect(cost < most / 10, `${most} connections cost ${cost.toFixed(0)} MB`);
    await othersAreAnswered(10);
    let away = 0;
    if (most > 9000) {
      const more = many(600, () => connect(head("GET", "/health")));
      await within(
        "the answers to the excess connections",
        Promise.all(more.map((socket) => Promise.race([socket.gone, eventually(() => socket.said, "no answer")]))),
      );
      away = more.filter((socket) => / 503 /.test(socket.said)).length;
      expect(away >= 100, `${away} of them were refused`);
      for (const socket of more) socket.destroy();
    }
    // Each open connection can still send a request.
    const asking = all.filter((socket, i) => i % 100 === 0 && !socket.destroyed);
    for (const socket of asking) socket.write(head("GET", "/health"));
    const isAnswered = (socket) => socket.said.includes("healthy");
    await eventually(
      () => asking.every((socket) => isAnswered(socket) || (socket.destroyed && !socket.said)),
      "not each of them is answered",
    );
    expect(2 * asking.filter(isAnswered).length > asking.length, "most of them were closed");
    for (const socket of all) socket.destroy();
    await eventually(async () => (await connections()) < 1000, "connections are left over");
    return `${cost.toFixed(0)} MB more${away ? `, ${away} of 600 more were turned away` : ""}`;
  },
  async "slow senders get a refusal and are disconnected"() {
    await othersAreAnswered();
    await within("the slow heads", Promise.all(slow.map((socket) => socket.gone)));
    expect(
      slow.every((socket) => / 408 /.test(socket.said)),
      `a slow one was told ${slow.find((s) => !/ 408 /.test(s.said))?.said}`,
    );
    await within("the slow bodies", Promise.all(slowBody.map((socket) => socket.gone)));
    expect(
      slowBody.every((socket) => / 408 /.test(socket.said)),
      `a slow body was told ${slowBody[0].said}`,
    );
    clearInterval(dripping);
    return `after ${((Date.now() - slowBegan) / 1000).toFixed(0)} s at most`;
  },
  async "readers that never read are disconnected, and their memory is free"() {
    await eventually(
      async () => (await connections()) < 50,
      "connections are left over",
    );
    for (const socket of unread) socket.destroy();
    return `after ${((Date.now() - unread.began) / 1000).toFixed(0)} s`;
  },
  async "polite clients are answered all the time, and memory stays bounded"() {
    polite.done = true;
    await polite.ended;
    clearInterval(watch);
    same(polite.faults.slice(0, 3), [], "the faults of runs of hello");
    expect(
      highest - first < allowed,
      `the server had ${first.toFixed(0)} MB, and ${highest.toFixed(0)} MB at most (${peak})`,
    );
    await server.stop();
    return (
      `${polite.runs} runs of hello, ${polite.longest} ms the longest (${polite.where}); ` +
      `${first.toFixed(0)} MB at first, ` +
      `${highest.toFixed(0)} MB at most (${peak})${sanitized ? ", under the address sanitizer" : ""}`
    );
  },
};
for (const [name, act] of Object.entries(title))
  title[name] = () => {
    polite.stage = name;
    return act();
  };
await run(title);
