// LlamaIndex's debugger, unchanged, from the server under test, in Chromium: its calls, its picture of a run, and how
// it answers a question. It asks for a font elsewhere, which nobody answers here. node debugger.mjs DRIVER [SCREENSHOT]
import { fileURLToPath } from "node:url";
import { open, launch } from "./browser.mjs";
import { eventually, expect, run, same, serve } from "./driver.mjs";

const picture = process.argv[3];
process.argv.length = 3;
const server = await serve("--workflows", "hello,refund,react", "--model", "script:sales", "--debugger",
  fileURLToPath(new URL("node_modules/@llamaindex/workflow-debugger", import.meta.url)));
