// The driver as a server, for the scripts beside this one, which are called with its path:
//
//     const server = await serve("--workflows", "hello");       // on a free port
//     await fetch(server.url + "/health");
//     await server.stop();                                      // by SIGTERM; requires the exit code 0
//
// The driver runs in an empty temporary folder, with its own environment. Its processes and files end with the script,
// even if the driver hangs.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { limit, within } from "./limit.mjs";

export { eventually, within } from "./limit.mjs";
const program = resolve(process.argv[2] ?? "build/test/workflows/weft");
export const folder = mkdtempSync(join(tmpdir(), "weft-"));
const children = new Set();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => process.exit(1));
process.on("unhandledRejection", (error) => {
  console.log(`FAILED: ${error?.stack ?? error}`);
  process.exit(1);
});
setTimeout(() => {
  console.log("FAILED: it does not end");
  process.exit(1);
}, 2.5 * limit).unref();

export function expect(holds, sentence) {
  if (!holds) throw new Error(sentence);
}
export function same(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  expect(a === b, `${what} is ${a}, not ${b}`);
}
function environment(more) {
  const kept = Object.entries(process.env).filter(
    ([name]) => ["PATH", "LD_LIBRARY_PATH"].includes(name) || name.endsWith("SAN_OPTIONS"),
  );
  return { ...Object.fromEntries(kept), HOME: folder, LANG: "C.UTF-8", OLLAMA_HOST: "127.0.0.1:1", ...more };
}
/// The last argument may be an object: { env, port }.
export async function serve(...words) {
  const { env = {}, port = 0 } = typeof words.at(-1) === "object" ? words.pop() : {};
  const child = spawn(program, ["serve", "--port", String(port), ...words], {
    cwd: folder,
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const server = { pid: child.pid, said: "", url: "", port: 0 };
  const ended = new Promise((done) =>
    child.on("exit", (code, signal) => {
      children.delete(child);
      done(code ?? signal);
    }),
  );
  child.stderr.on("data", (text) => {
    server.said += text;
  });
  await within(
    `the start of the server (${words.join(" ")})`,
    new Promise((done, refuse) => {
      let out = "";
      child.stdout.on("data", (text) => {
        out += text;
        const line = /serving on (http:\/\/127\.0\.0\.1:(\d+))/.exec(out);
        if (line) (([, server.url, server.port] = line), done());
      });
      ended.then((code) => refuse(new Error(`the server ended with ${code} at its start:\n${server.said}`)));
    }),
  );
  server.port = Number(server.port);
  server.kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  server.stop = async () => {
    child.kill("SIGTERM");
    const code = await within("the end of the server", ended);
    expect(code === 0, `the server ended with ${code}:\n${server.said.slice(-4000)}`);
  };
  server.memory = () => {
    const text = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(text)[1]) / 1024; // MB
  };
  server.is_alive = () => children.has(child);
  server.ask = async (path, body, headers = {}) => {
    const posted = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(server.url + path, {
      ...posted,
      headers: { ...(body && { "Content-Type": "application/json" }), ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: response.headers.get("content-type") === "application/json" ? JSON.parse(text) : undefined,
    };
  };
  return server;
}

let scripts = 0;
/// Returns the name of a scripted model; see steps/models/script/scripted.hpp for the script's form.
export function script(content) {
  const path = join(folder, `script_${++scripts}.json`);
  writeFileSync(path, JSON.stringify(content));
  return `script:${path}`;
}
export const salesQuestion = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?";

/// A proxy to the server at `port` that cuts connections: it forwards mostBytes(n) bytes of the server on the n-th
/// connection.
export async function proxyTo(port, mostBytes) {
  const proxy = { connections: 0, cuts: 0 };
  const listener = net.createServer((client) => {
    const server = net.connect(port, "127.0.0.1");
    let left = mostBytes(proxy.connections++);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ])
      from.on("error", () => to.destroy());
    client.pipe(server);
    server.on("data", (data) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left < 0) (proxy.cuts++, client.destroySoon(), server.destroy());
    });
    server.on("end", () => client.end());
  });
  await new Promise((done) => listener.listen(0, "127.0.0.1", done));
  proxy.url = `http://127.0.0.1:${listener.address().port}`;
  proxy.close = () => listener.close();
  return proxy;
}

/// A proxy that serves the server at `port` below `path`, and removes the path from requests.
export async function proxyBelow(path, port) {
  const listener = http.createServer((request, response) => {
    if (!request.url.startsWith(`${path}/`)) return response.writeHead(404).end();
    const { method, headers } = request;
    const onward = http.request({ host: "127.0.0.1", port, method, headers, path: request.url.slice(path.length) });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((done) => listener.listen(0, "127.0.0.1", done));
  const close = () => (listener.close(), listener.closeAllConnections());
  return { url: `http://127.0.0.1:${listener.address().port}${path}`, close };
}

/// Runs the cases in order, prints one line for each, and ends the process.
export async function run(cases) {
  const only = process.argv[3];
  let wrong = 0;
  for (const [title, act] of Object.entries(cases)) {
    if (only && !title.includes(only)) continue;
    const began = Date.now();
    let fault, seen;
    try {
      seen = await act();
    } catch (error) {
      fault = error;
    }
    console.log(`${fault ? "FAILED" : "ok    "} ${title}${seen ? `: ${seen}` : ""} (${Date.now() - began} ms)`);
    if (fault) (wrong++, console.log(`    ${fault.stack}`));
  }
  console.log(wrong ? `${wrong} cases failed` : "all cases hold");
  process.exit(wrong ? 1 : 0);
}
