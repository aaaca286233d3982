// The page when an agent's call of a tool waits for approval: yes, always, edit and no, by mouse and by keys.
//
//     node page_permission.mjs DRIVER
//
// The driver asks about every call of add; its model is scripted, and each run begins the script again.
import { runCases, violations, expect, eventually } from "./browser.mjs";
import { script, serve } from "./driver.mjs";

const add = (a, b) => ({ tool: "add", arguments: { a, b } });
const server = await serve("--workflows", "tool_agent", "--approve", "add", "--tools", "add,multiply", "--model",
  script({ replies: [{ calls: [add(1, 2), add(3, 4)] }, { calls: [add(5, 6)] }, { reply: "Done." }] }));
const base = `${server.url}/`;

async function begin(open, settings = {}) {
  const page = await open(base, settings);
  await page.goto(`${base}#/workflows/tool_agent`);
  await page.getByLabel("text", { exact: true }).fill("Count.");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/#\/runs\//);
  await page.locator(".ask").first().waitFor();
  return page;
}
const cards = (page) => page.locator(".ask");
const asked = (page, number) => eventually(async () => await cards(page).count() === number,
  `there are not ${number} questions`);
const within = (page, place, name) => cards(page).nth(place).getByRole("button", { name });
const done = (page) => eventually(async () => await page.locator(".view-head .badge").innerText() === "completed",
  "the run has not ended");
/// Returns an ended run's events of this type: the response ends with the run.
async function events(page, type) {
  const id = decodeURIComponent(new URL(page.url()).hash.split("/").at(-1));
  const { text } = await server.ask(`/events/${id}?sse=false&acquire_timeout=1`);
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((one) => one.type === type)
    .map((one) => one.value);
}

const cases = {
  async "each call has a question with its tool and arguments, and yes lets it run once"(open) {
    const page = await begin(open);
    await asked(page, 2);
    const text = await cards(page).first().innerText();
    expect(/May\s+add\s+run/.test(text) && /a\s+1/.test(text) && /b\s+2/.test(text), `the question says ${text}`);
    await within(page, 0, /Yes, once/).click();
    await asked(page, 1);
    await within(page, 0, /Yes, once/).click();
    await eventually(async () => /a\s+5/.test(await cards(page).first().innerText()), "the next call has no question");
    await within(page, 0, /Yes, once/).click();
    await done(page);
    expect((await events(page, "ObservationEvent")).map((one) => one.text).join() === "3,7,11", "not all calls ran");
  },
  async "a tool allowed for the run needs no second approval, in this reply and in later ones"(open) {
    const page = await begin(open);
    await asked(page, 2);
    await within(page, 0, /Always/).click();
    await done(page);
    const decisions = (await events(page, "ToolDecisionEvent")).map((one) => one.decision);
    expect(decisions.join() === "always,approve", `the decisions are ${decisions}`);
  },
  async "arguments are edited and a call is rejected with a reason, and both are shown"(open) {
    const page = await begin(open);
    await asked(page, 2);
    await within(page, 0, /Edit/).click();
    await cards(page).first().getByLabel("Arguments").fill('{"a": "x", "b": 2}');
    await cards(page).first().getByRole("button", { name: "Run with these" }).click();
    await within(page, 0, /No…/).first().waitFor();
    await cards(page).last().getByRole("button", { name: /No…/ }).click();
    await cards(page).last().getByLabel(/Why not/).fill("not that one");
    await cards(page).last().getByRole("button", { name: "Reject" }).click();
    await eventually(async () => /wrong arguments for add/.test(await cards(page).first().innerText()),
      "the mistake is not shown");
    await within(page, 0, /Edit/).click();
    await cards(page).first().getByLabel("Arguments").fill('{"a": 40, "b": 2}');
    await cards(page).first().getByRole("button", { name: "Run with these" }).click();
    await eventually(async () => /a\s+5/.test(await cards(page).first().innerText()), "the next call has no question");
    await within(page, 0, /Yes, once/).click();
    await done(page);
    const seen = await events(page, "ObservationEvent");
    expect(seen.some((one) => one.text === "42" && /changed by the person/.test(one.note)), "the edit has not run");
    expect(seen.some((one) => one.text.includes("not that one")), "the reason is lost");
  },
  async "y, a, e and n are keys, except in a field of text"(open) {
    const page = await begin(open);
    await asked(page, 2);
    await within(page, 0, /Yes, once/).focus();
    await page.keyboard.press("e");
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{"a": 1, "b": 1, "ya": "en"}');
    const typed = await cards(page).first().getByLabel("Arguments").inputValue();
    expect(typed.includes('"ya": "en"'), `the text is ${typed}`);
    await within(page, 1, /Yes, once/).focus();
    await page.keyboard.press("n");
    await page.keyboard.type("no");
    await page.keyboard.press("Control+Enter");
    await asked(page, 1);
    await within(page, 0, /Yes, once/).focus();
    await page.keyboard.press("y");
    await eventually(async () => /a\s+5/.test(await cards(page).first().innerText()), "the next call has no question");
    await within(page, 0, /Yes, once/).focus();
    await page.keyboard.press("a");
    await done(page);
  },
  async "a held key answers only one question"(open) {
    const page = await begin(open);
    await asked(page, 2);
    await within(page, 0, /Yes, once/).focus();
    await page.keyboard.down("y");
    await asked(page, 1);
    await within(page, 0, /Yes, once/).focus();
    await page.keyboard.down("y");  // again without an up, like a repeating key
    await page.keyboard.up("y");
    await page.keyboard.press("n");
    await page.keyboard.type("no");
    await page.keyboard.press("Control+Enter");
    await eventually(async () => /a\s+5/.test(await cards(page).first().innerText()), "the next call has no question");
    await within(page, 0, /Yes, once/).click();
    await done(page);
    const decisions = (await events(page, "ToolDecisionEvent")).map((one) => one.decision);
    expect(decisions.join() === "approve,reject,approve", `the decisions are ${decisions}`);
  },
  async "the form is accessible in light, dark and on a phone"(open) {
    for (const settings of [{}, { colorScheme: "dark" }, { viewport: { width: 360, height: 740 }, isMobile: true }]) {
      const page = await begin(open, settings);
      await within(page, 0, /Edit/).click();
      const found = await violations(page);
      expect(!found.length, found.join("\n    "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= page.viewportSize().width, `${wide} pixels are too wide`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/ask-${wide}-${
        settings.colorScheme ?? "light"}.png`, fullPage: true });
    }
  },
};
const wrong = await runCases(cases, process.argv[3]);
await server.stop();
process.exit(wrong ? 1 : 0);
