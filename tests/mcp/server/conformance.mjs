// Runs the conformance suite of MCP against the test server, once for each revision, and prints the counts. What is
// expected to fail stands in tests/mcp/known_server_*.yml, with the reason.
//
//     node tests/mcp/server/conformance.mjs build/test/tests/mcp/server/mcp_conformance_server [SCENARIO]
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const parts = resolve(here, "..");
const suite = join(parts, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const scenario = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), "weft-mcp-"));

async function start() {
  const child = spawn(resolve(process.argv[2]), [], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await new Promise((done, refuse) => {
    child.stdout.once("data", (line) => done(String(line).trim()));
    child.once("exit", (code) => refuse(new Error(`the server ended with ${code} at its start`)));
  });
  return { url, child };
}
function run(words) {
  return new Promise((done) => {
    execFile(process.execPath, [suite, ...words], { maxBuffer: 64 << 20, cwd: folder }, (error, out, noise) =>
      done({ code: error ? (error.code ?? 1) : 0, out: out + noise }),
    );
  });
}

const { url, child } = await start();
let wrong = 0;
for (const revision of ["2025-11-25", "2026-07-28"]) {
  const words = ["server", "--url", url];
  if (scenario) words.push("--scenario", scenario, "--spec-version", revision, "--verbose");
  else
    words.push("--requirements", revision, "--expected-failures",
      join(parts, `known_server_${revision.slice(0, 4)}.yml`));
  const { code, out } = await run(words);
  const held = out.match(/^✓ /gm)?.length ?? 0;
  const broken = [...out.matchAll(/^✗ ([^:]+)/gm)].map((found) => found[1]);
  if (code || scenario || process.env.VERBOSE) console.log(out);
  const checks = /^Total: .*$/m.exec(out)?.[0] ?? "no total";
  console.log(`${revision}: ${code ? "FAILED" : "ok"}: ${held} scenarios hold, ${broken.length} do not; ${checks}`);
  if (broken.length) console.log(`    ${code ? "not" : "not, and not scored"}: ${broken.join(", ")}`);
  wrong += code ? 1 : 0;
}
child.kill("SIGTERM");
process.exit(wrong ? 1 : 0);
