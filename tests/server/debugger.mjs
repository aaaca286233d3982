// LlamaIndex's debugger, unchanged and served by the server under test, in Chromium: its calls, its picture of a run,
// and how it answers a question. Nobody answers it when it asks for a font elsewhere. node debugger.mjs DRIVER [PICTURE]
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.mjs";
import { eventually, expect, run, same, serve } from "./driver.mjs";

const [picture] = process.argv.splice(3, 1);
const server = await serve("--workflows", "hello,refund,react", "--model", "script:sales", "--debugger",
  fileURLToPath(new URL("node_modules/@llamaindex/workflow-debugger", import.meta.url)));
const browser = await launch();
const faults = [], requests = [];
const page = await open(browser, `${server.url}/debugger`, { faults, outside: ["https://fonts.googleapis.com/", "https://fonts.gstatic.com/"] });
page.on("request", (r) => requests.push(`${r.method()} ${r.url()}`));
await page.waitForTimeout(3000);
console.log(faults, requests);
await page.screenshot({ path: picture });
console.log(await page.locator("body").innerText());
console.log(await page.accessibility?.snapshot?.());
console.log(await page.evaluate(() => [...document.querySelectorAll("button,input,[role],select,a,textarea")].map((e) => `${e.tagName} ${e.getAttribute("role")} ${e.getAttribute("aria-label")} ${e.id} ${e.getAttribute("placeholder")} ${e.innerText?.slice(0,40)}`).join("\n")));
await browser.close();
await server.stop();
process.exit(0);
