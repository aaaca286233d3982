// The parts of the workloads A to E that all engines for Node share: figures, memory, and the text work of an agent.
import { readFileSync } from "node:fs";

export const show = (workload, metric, value, unit) =>
  console.log(JSON.stringify({ workload, metric, value: Number(value.toPrecision(6)), unit }));
export function expect(found, wanted) {
  if (found !== wanted) throw new Error(`${found} instead of ${wanted}`);
}
/// The memory in use, without garbage. Needs --expose-gc.
export function memory() {
  globalThis.gc();
  return Number(readFileSync("/proc/self/statm", "utf8").split(" ")[1]) * 4096;
}
export async function nanoseconds(work) {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began);
}

export const items = 1000;
export const sumOfItems = (items * (items - 1)) / 2;
export const question = "What is 20+22?";
const system = "You are a helpful agent. Tools: add(a, b). Use Thought/Action/Action Input, then Answer.";
const script = {
  tool: 'Thought: I need to use a tool.\nAction: add\nAction Input: {"a": 20, "b": 22}',
  answer: "Thought: I can answer without using any more tools.\nAnswer: 42",
};
export const askModel = async (prompt) => (prompt.includes("Observation:") ? script.answer : script.tool);
export const prompt = (history) => [system, ...history.map(({ role, text }) => `${role}: ${text}`)].join("\n");
export function parse(reply) {
  const [, answer] = reply.split("\nAnswer: ");
  if (answer !== undefined) return { answer };
  const [, tool, input] = reply.match(/\nAction: (.*)\nAction Input: (.*)/);
  return { tool, input: JSON.parse(input) };
}
export const callTool = ({ tool, input }) => {
  expect(tool, "add");
  return `Observation: ${input.a + input.b}`;
};

/// Workload C: a number of agents one at a time, and a number of them 1000 at once.
export async function agents(run, alone, together) {
  const measure = async (name, count, width) => {
    const took = [];
    let left = count;
    const ask = async () => {
      while (left-- > 0) took.push(await nanoseconds(async () => expect(await run(question), "42")));
    };
    const time = await nanoseconds(() => Promise.all(Array.from({ length: width }, ask)));
    took.sort((a, b) => a - b);
    show("C", `${name} runs/s`, (count / time) * 1e9, "1/s");
    show("C", `${name} p50`, took[Math.floor(count * 0.5)] / 1e3, "us");
    show("C", `${name} p99`, took[Math.floor(count * 0.99)] / 1e3, "us");
  };
  for (let i = 0; i < alone / 4; ++i) await run(question); // lets the compiler of Node finish
  await measure("seq", alone, 1);
  await measure("conc", together, 1000);
}
