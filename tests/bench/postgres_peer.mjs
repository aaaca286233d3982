// DBOS for TypeScript, for postgres_peers.py: each line of standard input has the number of parallel workflows, and the
// number of all workflows, of five steps each. Each answer is one line of JSON: the steps per second.
//
//     node postgres_peer.mjs URL
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createInterface } from "node:readline";

DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.argv[2], logLevel: "error", runAdminServer: false });
const fiveSteps = DBOS.registerWorkflow(
  async () => {
    let sum = 0;
    for (let i = 0; i < 5; ++i) sum = await DBOS.runStep(async () => sum + 1, { name: "add" });
    return sum;
  },
  { name: "five_steps" },
);
await DBOS.launch();
console.log("ready");

for await (const line of createInterface({ input: process.stdin })) {
  const [width, count] = line.split(" ").map(Number);
  let left = count;
  const execute = async () => {
    while (left-- > 0) if ((await fiveSteps()) !== 5) throw new Error("a wrong sum");
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: width }, execute));
  console.log(JSON.stringify({ rate: (5 * count * 1000) / (performance.now() - began) }));
}
await DBOS.shutdown();
process.exit(0);
