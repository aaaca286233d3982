// Uses every function of a running server's page in Chromium, and fails on any message on the console, any request to
// another server, and any finding of axe-core.
//
//     node page.mjs http://127.0.0.1:8080 [--screenshots FOLDER] [--only TEXT]
//
// The address may be a one-time link: its cookie is kept for all cases. The server has hello, refund and research.
import { mkdirSync } from "node:fs";
import { eventually, expect, runCases, violations } from "./browser.mjs";

const given = process.argv.slice(2);
const option = (name) => given.includes(name) ? given.splice(given.indexOf(name), 2)[1] : null;
const folder = option("--screenshots"), only = option("--only");
const link = new URL(given[0] ?? "http://127.0.0.1:8765/");
const base = `${link.origin}/`;
let cookies = [];

/// Opens a permitted page at `hash`.
async function enter(open, hash = "", settings = {}) {
  const storageState = { cookies, origins: [] };
  const first = !cookies.length && link.href !== base;
  const page = await open(first ? link.href : base + hash, { storageState, ...settings });
  await page.locator(".workflows a").first().waitFor();
  if (!cookies.length) cookies = (await page.context().storageState()).cookies;
  if (hash && !page.url().endsWith(hash)) await page.goto(base + hash);
  return page;
}
const field = (page, name) => page.getByLabel(name, { exact: true });
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const status = (page) => page.locator(".view-head .badge").innerText();
const sure = (page, what) => eventually(async () => await status(page) === what, `the run has not become ${what}`);
async function startRefund(page, order = "7", amount = "120", reason = "") {
  await page.goto(`${base}#/workflows/refund`);
  await field(page, "order").fill(order);
  await field(page, "amount").fill(amount);
  if (reason) await field(page, "reason").fill(reason);
  await press(page, "Start");
  await page.waitForURL(/#\/runs\//);
}
const shows = (page, place, text, sentence) =>
  eventually(async () => (await page.locator(place).innerText()).includes(text), sentence);
async function judge(page, what) {
  const found = await violations(page);
  expect(!found.length, `${what}: ${found.join("\n    ")}`);
}
async function shot(page, name) {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${folder}/${name}.png` });
}

const hostile = [`<img src=x onerror="document.title='taken'">`, `</script><script>document.title='taken'</script>`,
  "abc\u202egnp.exe", "<style>*{display:none}</style>", "{{constructor.constructor('alert(1)')()}}", "a\u0000b\u200bc",
  `"><svg onload=alert(1)>`, "javascript:alert(1)"];
const spell = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
const shown = (text) => text.replace(/[\u0000\u200b\u202e]/g, spell);

const cases = {
  async "a workflow starts by its form, and its result is shown"(open) {
    const page = await enter(open);
    await page.getByRole("link", { name: /^hello/ }).first().click();
    await field(page, "text").fill("World");
    await press(page, "Start");
    await page.locator(".outcome").waitFor();
    await sure(page, "completed");
    await shows(page, ".outcome", "Hello, World", "the result is not shown");
    await eventually(() => page.evaluate(() => document.activeElement.tagName === "H1"),
      "the focus is not on the run's name");
    await eventually(async () => await page.locator(".graph .node.stop.seen").count() === 1,
      "the stop event is not lit");
    await eventually(async () => (await page.locator(".runs li").first().innerText()).includes("completed"),
      "the list does not say that the run is completed");
  },
  async "a question is answered by its form, and the graph shows the run's path"(open) {
    const page = await enter(open);
    await startRefund(page, "7", "120", "broken");
    const question = page.locator(".ask");
    await question.waitFor();
    expect((await question.innerText()).includes("Refund 120.00 for order 7 (broken)?"), "the question is not shown");
    await press(page, "Send the answer");
    await shows(page, ".ask", "Choose yes or no.", "an answer that is not complete was sent");
    await field(page, "yes").check();
    await field(page, "comment").fill("as agreed");
    await press(page, "Send the answer");
    await sure(page, "completed");
    await shows(page, ".outcome", "granted: as agreed", "the answer has not arrived");
    await eventually(async () => await question.count() === 0, "the question stands there still");
    await eventually(async () => await page.locator(".graph .node.step.seen").count() === 2, "a step is not lit");
    await page.getByText("Steps in words").click();
    await eventually(async () => /conclude ran once/.test(await page.locator(".steps").innerText()),
      "the words do not say that the step ran");
  },
  async "a run is opened again by its address, with its open question"(open) {
    const page = await enter(open);
    await startRefund(page);
    await page.locator(".ask").waitFor();
    const other = await enter(open, new URL(page.url()).hash);
    await other.locator(".ask").waitFor();
    await field(other, "no").check();
    await press(other, "Send the answer");
    await sure(other, "completed");
    await sure(page, "completed");
    await eventually(async () => await page.locator(".ask").count() === 0, "the other page still asks");
    await other.reload();
    await other.locator(".outcome").waitFor();
    expect(await other.locator(".ask").count() === 0, "a question of a run that has ended is shown");
    await eventually(async () => await other.locator(".events li").count() >= 2, "the events are not shown again");
  },
  async "a refusal of the server is shown beside the form, and an invalid number is not sent"(open) {
    const page = await enter(open, "#/workflows/refund");
    await field(page, "order").fill("7");
    await field(page, "amount").fill("much");
    await press(page, "Start");
    await shows(page, ".field.bad", "Write a number", "no word on the number");
    await page.getByLabel("Edit as JSON").check();
    await field(page, "JSON").fill('{"order": "7"}');
    await press(page, "Start");
    await eventually(async () => /amount/.test(await page.locator("form").innerText()), "the server's word is missing");
    await field(page, "JSON").fill('{"order": ');
    await press(page, "Start");
    await shows(page, "form", "This is not JSON", "broken JSON was sent");
    await field(page, "JSON").fill('{"order": "9", "amount": 12.5}');
    await page.getByLabel("Edit as JSON").uncheck();
    expect(await field(page, "amount").inputValue() === "12.5", "the form has not taken the JSON over");
    await press(page, "Start");
    await sure(page, "completed");
  },
  async "a failed run shows the reason"(open) {
    const page = await enter(open);
    await startRefund(page, "7", "-5");
    await sure(page, "failed");
    await shows(page, ".outcome", "amount of a refund", "the reason is not shown");
  },
  async "a run is cancelled after a confirmation, and deleted after another"(open) {
    const page = await enter(open);
    await startRefund(page);
    await page.locator(".ask").waitFor();
    await press(page, "Cancel the run");
    await page.getByRole("dialog").waitFor();
    await judge(page, "the dialog");
    await page.keyboard.press("Escape");
    await eventually(async () => await page.getByRole("dialog").count() === 0, "Escape does not close the dialog");
    await eventually(() => page.evaluate(() => document.activeElement.textContent === "Cancel the run"),
      "the focus is lost");
    expect(await status(page) === "waiting", "Escape has cancelled the run, or it does not say that it waits");
    await press(page, "Cancel the run");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await sure(page, "cancelled");
    await eventually(async () => await page.locator(".ask").count() === 0, "a cancelled run still asks");
    const hash = new URL(page.url()).hash;
    await press(page, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete the run" }).click();
    await page.waitForURL(/#\/$/);
    await page.goto(base + hash);
    await page.getByText("The server knows no run of this name").waitFor();
  },
  async "runs are filtered by text and by status, and opened by a click"(open) {
    const page = await enter(open);
    await startRefund(page);
    await page.locator(".ask").waitFor();
    const id = decodeURIComponent(new URL(page.url()).hash.split("/")[2]);
    await page.getByLabel("Filter runs by text").fill(id);
    await eventually(async () => await page.locator(".runs li").count() === 1, "the filter by text does not work");
    await page.getByLabel("Status of runs").selectOption("failed");
    await eventually(async () => await page.locator(".runs li").count() === 0, "the filter by status does not work");
    await page.getByLabel("Status of runs").selectOption("waiting");
    await eventually(async () => await page.locator(".runs li .badge").innerText() === "waiting",
      "the list does not say that the run waits");
    await page.getByLabel("Status of runs").selectOption("running");
    await eventually(async () => await page.locator(".runs li").count() === 1, "a run that waits does not run");
    await page.goto(`${base}#/`);
    await page.locator(".runs li a").click();
    await page.locator(".ask").waitFor();
    await eventually(async () => await page.locator(".runs a[aria-current]").count() === 1,
      "the open run is not marked");
  },
  async "events are filtered by text and by type, unfolded, and internal ones are shown on request"(open) {
    const page = await enter(open, "#/workflows/research");
    await press(page, "Start");
    await sure(page, "completed");
    const rows = page.locator(".events > li"), all = await rows.count();
    expect(await page.locator(".type.internal").count() === 0, "internal events are shown unasked");
    await page.getByText("internal ones").click();
    await eventually(async () => await rows.count() > all, "internal events cannot be shown");
    await page.getByLabel("Type of event").selectOption("ReportEvent");
    await eventually(async () => await rows.count() === 1, "the filter by type does not work");
    await rows.locator("summary").first().click();
    await page.locator(".events .json-view").first().waitFor();
    await page.locator(".events .tree summary").first().click();
    expect((await page.locator(".events .json-view").first().innerText()).includes("findings"), "no JSON is shown");
    await judge(page, "an unfolded event");
    await page.getByLabel("Filter events by text").fill("no such text");
    await eventually(async () => await rows.count() === 0, "the filter by text does not work");
  },
  async "hostile texts are shown as texts in every field"(open) {
    const page = await enter(open);
    for (const text of hostile) {
      await startRefund(page, text, "120", text);
      await page.locator(".ask").waitFor();
      await eventually(async () => (await page.locator(".ask").innerText()).split(shown(text)).length === 3,
        `the question lacks ${shown(text)}`);
      await page.locator(".events summary").first().click();
      await field(page, "no").check();
      await field(page, "comment").fill(text);
      await press(page, "Send the answer");
      await sure(page, "completed");
      await eventually(async () => (await page.locator(".outcome").innerText()).split(shown(text)).length === 3,
        `the result lacks ${shown(text)}`);
      expect(!/\u202e/.test(await page.locator("body").innerText()), "a character that turns text round is shown");
      expect(await page.title() !== "taken", "a text was run as a script");
      expect(await page.locator("img:not(.brand img), script:not([src]), style").count() === 0, "a text became HTML");
    }
    await page.goto(`${base}#/runs/${encodeURIComponent(hostile[0])}`);
    await page.getByText("The server knows no run of this name").waitFor();
    expect(await page.title() !== "taken", "an address was run as a script");
  },
  async "the page shows some ten thousand characters of a text of 900 000, and more on request"(open) {
    const page = await enter(open), long = "<b>x</b>".repeat(112500);
    const shown = () => page.evaluate(() => document.body.innerText.length);
    await page.goto(`${base}#/workflows/hello`);
    await field(page, "text").fill(long);
    await press(page, "Start");
    await sure(page, "completed");
    const size = await shown();
    expect(size < 50000, `${size} characters are in the page`);
    await page.locator(".outcome").getByRole("button", { name: /show more/ }).click();
    await eventually(async () => await shown() > size + 15000, "no more of it is shown");
    expect(await shown() < 100000, `${await shown()} characters are in the page after one more piece`);
    expect(await page.locator("main b").count() === 0, "a text became HTML");
  },
  async "a run is started and answered by the keyboard alone"(open) {
    const page = await enter(open);
    const tabTo = async (test, what) => {
      for (let tries = 0; tries < 80; tries++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(test)) return;
      }
      throw new Error(`Tab does not reach ${what}`);
    };
    await tabTo(() => document.activeElement.matches(".workflows a[href='#/workflows/refund']"), "the workflow");
    await page.keyboard.press("Enter");
    await field(page, "order").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement.tagName === "H1"),
      "the focus is not on the name");
    // The server chooses the first field.
    await tabTo(() => document.activeElement.matches(".fields-of input, .fields-of textarea"), "the first field");
    for (let number = 0; number < 2; number++) {
      await page.keyboard.type(await page.evaluate(() => document.activeElement.matches(".number")) ? "99" : "7");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Control+Enter");
    await page.locator(".ask").waitFor();
    await eventually(() => page.evaluate(() => Boolean(document.activeElement.closest(".ask"))),
      "the focus does not come to the question");
    await eventually(async () => /asks/.test(await page.locator("#urgent").textContent()), "nothing is announced");
    await tabTo(() => document.activeElement.matches("input[type=radio]"), "yes and no");
    await page.keyboard.press("Space");
    await tabTo(() => document.activeElement.matches("button[type=submit]"), "the button");
    await page.keyboard.press("Enter");
    await sure(page, "completed");
    await eventually(() => page.evaluate(() => document.activeElement.tagName === "H1"), "the focus is lost");
  },
  async "the page is accessible and fits, light, dark and on a phone"(open) {
    const looks = { light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 },
      isMobile: true, hasTouch: true, deviceScaleFactor: 2, reducedMotion: "reduce" } };
    for (const [name, settings] of Object.entries(looks)) {
      const page = await enter(open, "", settings);
      const check = async (what) => {
        await judge(page, `${what}, ${name}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        const room = page.viewportSize().width;
        expect(wide <= room, `${what}, ${name}: ${wide} pixels are wider than ${room}`);
      };
      await check("the beginning");
      await page.goto(`${base}#/workflows/refund`);
      await field(page, "order").waitFor();
      await press(page, "Start");
      await check("a form with errors");
      await startRefund(page, "A-1047", "1240", "arrived broken");
      await page.locator(".ask").waitFor();
      await page.locator(".graph .node.seen").first().waitFor();
      await check("a question");
      await shot(page, `page-${name}`);
      await field(page, "yes").check();
      await press(page, "Send the answer");
      await sure(page, "completed");
      await page.locator(".events summary").first().click();
      await check("a result");
    }
  },
};

const wrong = await runCases(cases, only);
if (wrong) console.log(`${wrong} of the cases have failed`);
process.exitCode = wrong ? 1 : 0;
