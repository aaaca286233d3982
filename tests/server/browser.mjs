// Debian's Chromium, driven by playwright-core, with the rules for every page: no message on the console, no request to
// another server, no error. axe-core checks the page's accessibility.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { limit } from "./limit.mjs";

export { eventually } from "./limit.mjs";
const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];

/// The browser's profile is a new, empty folder, removed at its end.
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags,
  timeout: limit, env: { ...process.env, HOME: process.env.HOME ?? "/" } });

/// `expected`: patterns of the browser's own messages about unsuccessful answers. `outside`: permitted addresses of
/// requests to other servers, which get no answer.
export async function open(browser, url, { faults, expected = [/the server responded with a status of (4|5)\d\d/],
  outside = [], ...settings } = {}) {
  const is_outside = (address) => outside.some((begin) => address.startsWith(begin));
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, locale: "en-GB", ...settings });
  await context.route((address) => is_outside(address.href), (route) => route.abort());
  const page = await context.newPage();
  page.setDefaultTimeout(limit);
  const origin = new URL(url).origin;
  page.on("console", (message) => {
    const text = message.text();
    if (is_outside(message.location().url)) return;
    if (!expected.some((pattern) => pattern.test(text))) faults.push(`console ${message.type()}: ${text}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.stack}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin + "/") && !is_outside(request.url()) && !request.url().startsWith("data:"))
      faults.push(`outside request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => { faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(url);
  return page;
}

/// Returns a sentence for each rule that the page breaks now.
export async function violations(page) {
  await page.evaluate(axe);  // by the debugger, to which the page's policy does not apply
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) =>
    `${node.target.join(" ")} ${node.any.concat(node.all).map((check) => check.message).slice(0, 2).join(" ")}`)
    .join(" | ")}`);
}

/// Runs cases by name, each with its own page. Prints the faults, and returns the number of failed cases.
export async function runCases(cases, only) {
  const browser = await launch();
  let wrong = 0;
  try {
    for (const [title, act] of Object.entries(cases)) {
      if (only && !title.includes(only)) continue;
      const faults = [], pages = [], began = Date.now();
      const given = async (url, settings) => {
        pages.push(await open(browser, url, { faults, ...settings }));
        return pages.at(-1);
      };
      given.close = async () => { while (pages.length) await pages.pop().context().close(); };
      try {
        await act(given, faults);
      } catch (error) {
        faults.push(error.stack ?? String(error));
      }
      await given.close();
      console.log(`${faults.length ? "FAILED" : "ok    "} ${title} (${Date.now() - began} ms)`);
      for (const fault of faults) console.log("    " + fault);
      if (faults.length) wrong++;
    }
  } finally {
    await browser.close();
  }
  return wrong;
}

export function expect(holds, sentence) {
  if (!holds) throw new Error(sentence);
}
