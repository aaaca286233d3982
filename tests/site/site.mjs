// Opens a built site in Chromium, below an address that the build does not know: in light and dark, at the width of a
// desk and of a phone. No message on the console, no request to another server, no finding of axe-core.
//
//     node site.mjs build/site [--only TEXT] [--screenshots FOLDER]
import { mkdirSync } from "node:fs";
import { eventually, expect, runCases, violations } from "../server/browser.mjs";
import { serve } from "./server.mjs";

const given = process.argv.slice(2);
const option = (name) => given.includes(name) ? given.splice(given.indexOf(name), 2)[1] : null;
const only = option("--only"), folder = option("--screenshots");
const server = await serve(given[0] ?? "build/site", "/some/where/");
const phone = { viewport: { width: 360, height: 740 } }, dark = { colorScheme: "dark" };
const looks = { "desk, light": {}, "desk, dark": dark, "phone, light": phone, "phone, dark": { ...phone, ...dark } };
const long = "reference/engine_store.html", tutorial = "tutorial/02_events_and_steps.html";
const most_bytes = 300_000;  // of a page with its scripts and styles, as a server sends it compressed

const heading = async (page) => (await page.locator("main h1").innerText()).replace(/[^ -~]/g, "").trim();
async function visit(open, path, settings) {
  const page = await open(server.url + path, settings);
  await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__ || !document.querySelector("#app"));
  return page;
}
async function judge(page, what) {
  const found = await violations(page);
  expect(!found.length, `${what}: ${found.join("\n    ")}`);
}
async function shot(page, name) {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, "_")}.png` });
}
async function search(page, words) {
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill(words);
  await page.locator(".VPLocalSearchBox .result").first().waitFor();
  return page.locator(".VPLocalSearchBox .result");
}

const cases = {
  async "a search finds names and words, and the keyboard alone opens a result"(open) {
    const page = await visit(open, tutorial);
    for (const words of ["Engine::recover", "handle_llm_input", "kill -9"])
      expect(await (await search(page, words)).count() > 0, `${words} is not found`);
    const results = await search(page, "EngineOptions");
    await eventually(async () => (await results.first().innerText()).includes("EngineOptions"),
      "the type is not the first result of its name");
    await page.keyboard.press("Enter");
    await page.waitForURL(/reference\/engine_engine\.html#engineoptions/);
    await eventually(async () => await heading(page) === "engine/engine.hpp", "the result is not shown");
  },
  async "links and reloads keep the address below which the site stands"(open) {
    const page = await visit(open, "");
    await page.getByRole("link", { name: "The engine", exact: true }).first().click();
    await page.waitForURL(server.url + "engine.html");
    await page.getByRole("link", { name: "1. Hello" }).first().click();
    await page.waitForURL(server.url + "tutorial/01_hello.html");
    await page.getByRole("link", { name: "Reference", exact: true }).first().click();
    await page.waitForURL(`${server.url}reference/`);
    await page.getByRole("link", { name: "engine/run.hpp" }).last().click();
    await page.waitForURL(`${server.url}reference/engine_run.html`);
    await page.reload();
    await eventually(async () => await heading(page) === "engine/run.hpp", "the page is lost by a reload");
    await page.goBack();
    await eventually(async () => await heading(page) === "Reference", "the page before is lost");
  },
  async "the first key leads past the navigation, and the box of the search closes by a key"(open) {
    const page = await visit(open, tutorial);
    await page.keyboard.press("Tab");
    expect(/skip/i.test(await page.evaluate(() => document.activeElement.textContent)), "no link skips to the content");
    await page.keyboard.press("Enter");
    await eventually(() => page.evaluate(() => !!document.activeElement.closest("#VPContent")),
      "the focus is elsewhere");
    await search(page, "store");
    await page.keyboard.press("Escape");
    await eventually(async () => await page.locator(".VPLocalSearchBox").count() === 0, "the box stays");
  },
  async "a page is read without scripts"(open) {
    const page = await open(server.url + long, { javaScriptEnabled: false });
    expect(await heading(page) === "engine/store.hpp", "the page has no heading");
    expect(await page.getByRole("heading", { name: "Store::append" }).isVisible(), "the content is hidden");
  },
  async "a page that is missing leads to the pages that exist"(open) {
    const page = await open(`${server.url}tutorial/99_none.html`);
    await judge(page, "the page");
    await page.getByRole("link", { name: "the reference" }).click();
    await page.waitForURL(`${server.url}reference/`);
  },
  async "a page and its parts are small"(open) {
    for (const path of [tutorial, "tutorial/19_durable_runs.html", long]) {
      server.sent = 0;
      const page = await visit(open, path);
      await page.waitForLoadState("networkidle");
      expect(server.sent < most_bytes, `${path} has ${server.sent} bytes`);
      console.log(`       ${path}: ${server.sent} bytes`);
    }
  },
};
for (const [look, settings] of Object.entries(looks)) {
  cases[`pages are accessible and fit (${look})`] = async (open) => {
    for (const path of ["", tutorial, "tutorial/15_joins_and_quorums.html", long, "reference/names.html", "graphs.html",
      "performance.html", "troubleshooting.html", "source/docs/examples.html"]) {
      const page = await visit(open, path, settings);
      await judge(page, path);
      const [wide, has] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      expect(wide <= has, `${path} is ${wide} px wide in a window of ${has} px`);
      await shot(page, `${path || "home"} ${look}`);
    }
  };
  cases[`the box of the search is accessible (${look})`] = async (open) => {
    const page = await visit(open, tutorial, settings);
    await search(page, "snapshot");
    await judge(page, "the box");
    await shot(page, `search ${look}`);
  };
}
const wrong = await runCases(cases, only);
server.close();
process.exit(wrong ? 1 : 0);
