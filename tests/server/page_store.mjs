// The view of schedules and queues, of a driver with a store and of one without. node page_store.mjs DRIVER
import { eventually, launch, open, violations } from "./browser.mjs";
import { expect, folder, run, same, serve } from "./driver.mjs";

const post = (server, path, body) => fetch(server.url + path, { method: "POST", body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" } });
const later = { handler_id: "later", start_event: { text: "World" }, not_before: "2099-12-24T18:00Z" };
const daily = { workflow: "hello", timetable: { cron: "0 9 * * *" }, input: { text: "World" } };

await run({
  async "schedules and queues of the store are shown, and schedules are changed"() {
    const server = await serve("--workflows", "hello", "--slots", "0", "--store", `${folder}/page.db`), faults = [];
    same((await post(server, "/schedules/report", daily)).status, 200, "the reply");
    same((await post(server, "/queues/mail", { running: 2, per: "value.tenant" })).status, 200, "the reply");
    same((await post(server, "/model-limits/openai:gpt-4o", { requests: 600, per: "value.tenant" })).status, 200,
      "the reply");
    same((await post(server, `/model-limits/${encodeURIComponent("openai:<b>x\u202e</b>")}`, { tokens: 60 })).status,
      200, "the reply");
    same((await post(server, "/workflows/hello/run-nowait", later)).status, 200, "the reply");
    const browser = await launch();
    try {
      const page = await open(browser, `${server.url}/#/runs/later`, { faults });
      await page.locator(".view-head").getByText("sleeps until").waitFor();
      await page.getByRole("region", { name: "Runs" }).getByText("sleeps until").waitFor();
      await page.goto(server.url);
      await page.getByRole("link", { name: "Schedules and queues" }).click();
      const schedules = page.getByRole("region", { name: "Schedules" });
      const shows = (text) => eventually(async () => (await schedules.innerText()).includes(text), `no "${text}"`);
      await shows("report active");
      await shows("at 09:00");
      const queues = page.getByRole("region", { name: "Queues" });
      await eventually(async () => (await queues.innerText()).includes("at most 2 at once · by value.tenant"), "no limit");
      await eventually(async () => (await queues.innerText()).includes("1 waiting · 1 of them until a time"), "no sleep");
      const models = page.getByRole("region", { name: "Limits of models" });
      await eventually(async () => (await models.innerText())
        .includes("openai:gpt-4o 600 requests a minute, 10 left now · in turn by value.tenant"), "no limit of a model");
      const name = await models.getByText("<b>").innerText();
      same(name.trim(), "openai:<b>x\\u202e</b>", "the model's name");
      const found = await violations(page);
      expect(!found.length, found.join("\n"));
      await schedules.getByRole("button", { name: "Pause report" }).click();
      await shows("report paused");
      await schedules.getByRole("button", { name: "Resume report" }).click();
      await shows("report active");
      await schedules.getByRole("button", { name: "Run now report" }).click();
      await eventually(async () => (await queues.innerText()).includes("default 2 ready · 0 running"), "no run");
      await schedules.getByRole("button", { name: "Remove report" }).click();
      await page.getByRole("button", { name: "Keep", exact: true }).click();
      await shows("report active");
      await schedules.getByRole("button", { name: "Remove report" }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await shows("The store has no schedules.");
      same(faults, [], "the faults");
    } finally {
      await browser.close();
    }
    await server.stop();
  },
  async "a server without a store has no such view"() {
    const server = await serve("--workflows", "hello"), faults = [];
    const browser = await launch();
    try {
      const page = await open(browser, `${server.url}/#/store`, { faults });
      await page.getByRole("heading", { name: "Workflows and runs" }).waitFor();
      same(await page.getByRole("link", { name: "Schedules and queues" }).count(), 0, "the number of links");
      same(faults, [], "the faults");
    } finally {
      await browser.close();
    }
    await server.stop();
  },
});
