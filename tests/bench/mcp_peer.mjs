// The official TypeScript clients of MCP, of both generations, for mcp_peers.py: each line of standard input is a
// number of sequential calls of the tool "echo"; each answer is one line of JSON, in us.
//
//     node mcp_peer.mjs sdk|client legacy|modern COMMAND...|URL
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const find = createRequire(new URL("../mcp/package.json", import.meta.url));
const part = (name) => import(pathToFileURL(find.resolve(name)).href);
const [generation, era, first, ...rest] = process.argv.slice(2);
const parts =
  generation === "sdk"
    ? {
        ...(await part("@modelcontextprotocol/sdk/client/index.js")),
        ...(await part("@modelcontextprotocol/sdk/client/streamableHttp.js")),
        ...(await part("@modelcontextprotocol/sdk/client/stdio.js")),
      }
    : { ...(await part("@modelcontextprotocol/client")), ...(await part("@modelcontextprotocol/client/stdio")) };
async function connect() {
  const client = new parts.Client(
    { name: "peer", version: "1.0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  await client.connect(
    first.startsWith("http")
      ? new parts.StreamableHTTPClientTransport(new URL(first))
      : new parts.StdioClientTransport({ command: first, args: rest, stderr: "ignore" }),
  );
  await client.listTools();
  return client;
}
let client = await connect();
console.log("ready");

const message = "a message to echo";
const part_of = (took, p) => took[Math.min(took.length - 1, Math.floor(took.length * p))];
for await (const line of createInterface({ input: process.stdin })) {
  const times = Number(line);
  if (first.startsWith("http")) {
    // The transport keeps a listener for each request, and becomes slower with them: make a new one.
    await client.close();
    client = await connect();
  }
  const took = new Float64Array(times);
  const before = process.cpuUsage();
  for (let i = 0; i < times; ++i) {
    const began = performance.now();
    const result = await client.callTool({ name: "echo", arguments: { message } });
    took[i] = performance.now() - began;
    if (!result.content[0].text.includes(message)) throw new Error("a wrong answer");
  }
  const { user, system } = process.cpuUsage(before);
  took.sort();
  console.log(
    JSON.stringify({ p50: part_of(took, 0.5) * 1e3, p99: part_of(took, 0.99) * 1e3, cpu: (user + system) / times }),
  );
}
process.exit(0);
