// The page when a running tool asks: it has the tool's fields with their defaults, and a button to decline.
//
//     node page_tool_question.mjs DRIVER
//
// The tool is from an MCP server, and asks for a colour; the model is scripted.
import { fileURLToPath } from "node:url";
import { runCases, violations, expect, eventually } from "./browser.mjs";
import { script, serve } from "./driver.mjs";

const asking = fileURLToPath(new URL("../mcp/asking_server.py", import.meta.url));
const server = await serve("--workflows", "tool_agent", "--mcp", `asks=python3 -B '${asking}'`, "--allow",
  "asks__paint", "--model", script({ replies: [{ calls: [{ tool: "asks__paint", arguments: {} }] }, { reply: "Done." }] }));
const base = `${server.url}/`;

async function begin(open, settings = {}) {
  const page = await open(base, settings);
  await page.goto(`${base}#/workflows/tool_agent`);
  await page.getByLabel("text", { exact: true }).fill("Paint.");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\//);
  await page.locator(".ask").first().waitFor();
  return page;
}
const card = (page) => page.locator(".ask").first();
const done = (page) => eventually(async () => await page.locator(".view-head .badge").innerText() === "completed",
  "the run has not ended");
/// Returns the tool's final text after the end of the run.
async function painted(page) {
  await done(page);
  const id = decodeURIComponent(new URL(page.url()).hash.split("/").at(-1));
  const { text } = await server.ask(`/events/${id}?sse=false&acquire_timeout=1`);
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line))
    .find((one) => one.type === "ObservationEvent")?.value.text;
}

const cases = {
  async "the question names its tool and text, and has the tool's fields with their defaults"(open) {
    const page = await begin(open);
    const text = await card(page).innerText();
    expect(/asks asks, by the tool asks__paint/.test(text.replace(/\s+/g, " ")), `the question says ${text}`);
    expect(text.includes("Which colour?"), `the question says ${text}`);
    expect(!/action|content/.test(text), `it has the fields of the event: ${text}`);
    await card(page).getByLabel(/colour/).fill("red");
    await card(page).getByRole("button", { name: "Send the answer" }).click();
    expect(await painted(page) === "painted red dark", `it is ${await painted(page)}`);
    const outcome = (await page.locator(".outcome").innerText()).replace(/\s+/g, " ");
    expect(/^Result AnswerEvent Done\. Trace .*Action asks__paint\(\) .*Observation painted red dark.* Figures /i.test(outcome),
      `the answer, what led to it and the figures are not in this order: ${outcome}`);
  },
  async "a required field is demanded before the answer is sent"(open) {
    const page = await begin(open);
    await card(page).getByLabel(/shade/).fill("light");
    await card(page).getByRole("button", { name: "Send the answer" }).click();
    expect(await page.locator(".ask").count() === 1, "it was sent");
    await card(page).getByLabel(/colour/).fill("blue");
    await card(page).getByRole("button", { name: "Send the answer" }).click();
    expect(await painted(page) === "painted blue light", `it is ${await painted(page)}`);
  },
  async "a question may be declined, and the run continues"(open) {
    const page = await begin(open);
    await card(page).getByRole("button", { name: "Decline" }).click();
    expect(await painted(page) === "decline", `it is ${await painted(page)}`);
  },
  async "the form is accessible in light, dark and on a phone"(open) {
    for (const settings of [{}, { colorScheme: "dark" }, { viewport: { width: 360, height: 740 }, isMobile: true }]) {
      const page = await begin(open, settings);
      const found = await violations(page);
      expect(!found.length, found.join("\n    "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= page.viewportSize().width, `${wide} pixels are too wide`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/tool-${wide}-${
        settings.colorScheme ?? "light"}.png`, fullPage: true });
      await card(page).getByRole("button", { name: "Decline" }).click();
      await done(page);  // all runs share the list of the model's replies
    }
  },
};
const wrong = await runCases(cases, process.argv[3]);
await server.stop();
process.exit(wrong ? 1 : 0);
