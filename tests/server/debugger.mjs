// LlamaIndex's debugger, unchanged and served by the tested server, in Chromium: its calls, its picture of a run, and
// its answer to a question. Its request for a font of another server gets no answer.
// node debugger.mjs DRIVER [TITLE [FOLDER of screenshots]]
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.mjs";
import { eventually, expect, proxyBelow, run, salesQuestion, same, serve } from "./driver.mjs";

const pictures = process.argv[4];
const server = await serve(
  "--workflows",
  "hello,refund,react",
  "--model",
  "script:sales",
  "--debugger",
  fileURLToPath(new URL("node_modules/@llamaindex/workflow-debugger", import.meta.url)),
);
const browser = await launch();
const faults = [],
  posted = [];
const outside = ["https://fonts.googleapis.com/", "https://fonts.gstatic.com/"];
const page = await open(browser, `${server.url}/debugger`, { faults, outside });
page.on("request", (request) => {
  if (request.method() === "POST") posted.push([new URL(request.url()).pathname, request.postDataJSON()]);
});

const choose = async (box, name) => {
  await box.click();
  await page.getByRole("option", { name, exact: true }).click();
};
const press = (name, where = page) => where.getByRole("button", { name, exact: true }).click();
const says = (text) => page.getByText(text).first().waitFor();
const nodes = () => page.locator(".react-flow__node").evaluateAll((all) => all.map((one) => one.dataset.id).sort());
const handlers = async () => (await server.ask("/handlers")).json.handlers;
const picture = (name) => pictures && page.screenshot({ path: `${pictures}/${name}.png` });

const cases = {
  async "the page shows the workflows, and a form of the start event"() {
    const box = page.getByRole("combobox").first();
    await box.click();
    same(await page.getByRole("option").allInnerTexts(), ["hello", "refund", "react"], "the workflows");
    await page.getByRole("option", { name: "refund", exact: true }).click();
    for (const field of ["order", "amount", "reason"]) await page.locator(`#field-${field}`).waitFor();
  },
  async "refund runs by its form, and its graph and its events are shown"() {
    await page.locator("#field-order").fill("7");
    await page.locator("#field-amount").fill("120");
    await press("Run Workflow");
    await says(/Refund 120\.00 for order 7\?/);
    same(posted, [["/workflows/refund/run-nowait", { start_event: { order: "7", amount: 120 } }]], "what it has sent");
    await page.locator(".react-flow__node").first().waitFor();
    same(
      await nodes(),
      ["ApprovalEvent", "ApprovalRequestEvent", "DecisionEvent", "RefundEvent", "conclude", "external_step", "review"],
      "the nodes of its graph",
    );
    await eventually(
      async () => (await page.locator(".react-flow__edge").count()) === 7,
      "the graph has not its 7 edges",
    );
    await says("running");
    await picture("asked");
  },
  async "the question is answered by an event, and the run completes"() {
    const [{ handler_id }] = await handlers();
    await press("Send Event");
    const dialog = page.getByRole("dialog");
    await choose(dialog.getByRole("combobox").first(), "ApprovalEvent");
    await dialog.locator("#field-comment").fill("as agreed");
    await choose(dialog.getByRole("combobox").nth(1), "True");
    await picture("answer");
    await press("Send Event", dialog);
    await says("Event sent successfully!");
    await dialog.waitFor({ state: "hidden" });
    await says("completed");
    await says(/120\.00 for order 7/);
    same(posted.at(-1)[0], `/events/${handler_id}`, "where the answer went");
    same(
      JSON.parse(posted.at(-1)[1].event),
      { type: "ApprovalEvent", data: { comment: "as agreed", granted: true } },
      "the answer",
    );
    same(
      (await handlers()).map((one) => [one.status, one.result.value.granted]),
      [["completed", true]],
      "the run",
    );
    await says("DecisionEvent");
    await picture("completed");
  },
  async "react runs, and its answer is shown"() {
    await page.reload(); // the last run's form is folded
    await choose(page.getByRole("combobox").first(), "react");
    await page.locator("#field-text").fill(salesQuestion);
    // The page reads no events of a run that has ended before its first look, and react takes less time than the page.
    const looks = /\/handlers\/[^/]+$/;
    await page.route(
      looks,
      async (route) => {
        const answer = await route.fetch();
        const json = { ...(await answer.json()), status: "running", result: null, completed_at: null };
        await route.fulfill({ response: answer, status: 202, json });
      },
      { times: 1 },
    );
    await press("Run Workflow");
    await eventually(async () => (await handlers())[0].status === "completed", "react does not complete");
    await says("completed");
    await eventually(
      async () => /212\.73/.test(await page.locator("body").innerText()),
      "the answer of react is not shown",
    );
    const shown = await nodes(),
      names = (await server.ask("/workflows/react/representation")).json.graph.nodes.map((one) => one.id);
    same(shown, names.sort(), "the nodes of its graph");
    await picture("react");
    return `${shown.length} nodes`;
  },
  async "both runs are listed with their states when the page is loaded again"() {
    await page.reload();
    const listed = page.getByRole("button").filter({ hasText: /^(refund|react)\s*\w{8}$/ });
    await eventually(async () => (await listed.count()) === 2, "not both runs are listed");
    await listed.filter({ hasText: "refund" }).click();
    await says("completed"); // it reads no events of an ended run
  },
  async "the page sends requests below a proxy's path when it is loaded there"() {
    const proxy = await proxyBelow("/weft", server.port);
    const below = await open(browser, `${proxy.url}/debugger`, { faults, outside });
    await below.getByRole("combobox").first().click();
    await below.getByRole("option", { name: "hello", exact: true }).waitFor();
    same(new URL(below.url()).searchParams.get("api"), proxy.url, "where it asks");
    await below.context().close();
    proxy.close();
  },
  async "the page's console is clean, and its only request to another server is for its font"() {
    await page.context().close();
    await browser.close();
    same(faults, [], "what went wrong on the page");
    expect(!server.said.includes("failed"), server.said);
    await server.stop();
  },
};
await run(cases);
