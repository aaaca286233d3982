// The page with the stand-in: faults of the connection and the server, large data, and forms of every kind.
//
//     node page_faults.mjs [--only TEXT]
import { eventually, expect, runCases, violations } from "./browser.mjs";
import { mock } from "./mock.mjs";

const at = process.argv.indexOf("--only"), only = at < 0 ? null : process.argv[at + 1];
const field = (page, name) => page.getByLabel(name, { exact: true });
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const told = (page, pattern, sentence) =>
  eventually(async () => pattern.test(await page.locator("body").innerText()), sentence);
const rows = (page) => page.locator(".events > li");
// The browser's only messages about a lost connection.
const broken = { expected: [/Failed to load resource/, /net::ERR_/] };

/// A case with its own stand-in.
const withMock = (act) => async (open, faults) => {
  const one = mock(), base = await one.listen();
  try {
    await act({ base: `${base}/`, one, open, faults });
  } finally {
    await open.close();  // first, or a page may still send requests to the closed server
    one.close();
  }
};
async function start(page, base, name, values = {}) {
  await page.goto(`${base}#/workflows/${name}`);
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
  await press(page, "Start");
  await page.waitForURL(/#\/runs\//);
}
const hide = (page, hidden) => page.evaluate((is) => {
  Object.defineProperty(document, "hidden", { value: is, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}, hidden);
/// Returns the requests per second within a time, which may be longer on a busy machine.
async function rate(one, ms) {
  const asked = one.state.requests.length, began = Date.now();
  await pause(ms);
  return (one.state.requests.length - asked) / (Date.now() - began) * 1000;
}
/// Waits for a second without a request, because an earlier request of the page may still arrive.
const quiet = (one) => eventually(async () => await rate(one, 1000) === 0, "the page does not stop its requests");
const streamsOf = (one) => [...one.runs.values()].reduce((sum, run) => sum + run.streams.size, 0);

const cases = {
  "ten thousand events leave at most 500 in the page, and the earlier ones can be reached": withMock(
    async ({ base, open }) => {
      const page = await open(base);
      await start(page, base, "flood", { count: "10000", each: "1000" });
      await eventually(async () => (await page.locator(".view-head .badge").innerText()) === "completed",
        "the run has not ended");
      await told(page, /10.001 events/, "not all events have come");
      const last = (sentence) =>
        eventually(async () => (await rows(page).last().innerText()).includes("DryEvent"), sentence);
      await last("the latest is not the last");
      await eventually(async () => await rows(page).count() === 500, "not 500 events are in the page");
      const first = await rows(page).first().locator(".seq").innerText();
      await page.getByRole("button", { name: /^Show earlier/ }).click();
      await eventually(async () => await page.evaluate(() =>
        document.activeElement.querySelector(".seq")?.textContent) === first,
      "the focus is not on the event that was the first before");
      expect(await rows(page).count() === 500, "the page grows");
      await page.getByRole("button", { name: /^Show the latest/ }).click();
      await last("the latest is not shown again");
      await page.getByLabel("Filter events by text").fill('"number":4321}');
      await eventually(async () => await rows(page).count() === 0, "JSON is not matched as text");
      await page.getByLabel("Filter events by text").fill("4321");
      await eventually(async () => await rows(page).count() === 1, "an event that is not shown is not found");
      await page.evaluate(() => {
        window.made = 0;
        new MutationObserver((all) => { for (const one of all) window.made += one.addedNodes.length; })
          .observe(document.querySelector(".events"), { childList: true });
      });
      await page.getByLabel("Filter events by text").fill("");
      await page.getByLabel("Type of event").selectOption("SplashEvent");
      await told(page, /1.000 of 10.00. events/, "the filter by type does not work");
      const made = await page.evaluate(() => window.made);
      expect(made > 0 && made <= 1000, `two filters have made ${made} rows`);
    }),
  "a broken stream is resumed after the last event, and the page says so": withMock(
    async ({ base, one, open }) => {
      const page = await open(base, broken);
      one.state.mostPoured = 100;
      await start(page, base, "flood", { count: "3000", each: "20" });
      await eventually(async () => await rows(page).count() > 60, "no events come");
      one.state.silent = true;
      one.cut();
      await told(page, /connection lost|connecting/, "the page does not say that the connection is lost");
      one.state.mostPoured = 1000;
      one.state.silent = false;
      await told(page, /1.000 events/, "the stream is not taken up again");
      one.cut();
      one.state.mostPoured = Infinity;
      await eventually(async () => (await page.locator(".view-head .badge").innerText()) === "completed",
        "the run has not ended");
      await told(page, /3.001 events/, "events are lost, or came twice");
      expect(one.state.opened >= 3, "no stream was opened again");
    }),
  "internal events that arrive again after a break are shown once": withMock(async ({ base, one, open }) => {
    const page = await open(base, broken);
    await start(page, base, "react", { text: "mail it" });
    await page.locator(".ask").waitFor();
    await page.getByText("internal ones").click();
    await eventually(async () => await rows(page).count() === 15, "not all events are shown");
    const opened = one.state.opened;
    one.cut();
    await eventually(() => one.state.opened > opened, "no stream was opened again");
    await eventually(async () => await page.locator(".link").innerText() === "live", "the stream does not come back");
    await pause(300);
    expect(await rows(page).count() === 15, `${await rows(page).count()} events are shown`);
    expect(await page.locator(".ask").count() === 1, "the question is not shown once");
  }),
  "a lost server gets ever fewer requests, and is found again": withMock(async ({ base, one, open }) => {
    const page = await open(base, broken);
    await start(page, base, "refund", { order: "7", amount: "99" });
    await page.locator(".ask").waitFor();
    one.state.silent = true;
    one.cut();
    await told(page, /connection lost, next try in/, "the page does not say that the connection is lost");
    await told(page, /The server does not answer/, "the page does not say that the server does not answer");
    expect(await rate(one, 4000) < 2.5, "a lost server gets more than ten requests in four seconds");
    const found = await violations(page);
    expect(!found.length, found.join("\n"));
    await page.getByRole("button", { name: "Try now" }).waitFor();
    one.state.silent = false;
    await page.evaluate(() => document.querySelector(".link button")?.click());  // none if it has just tried by itself
    await eventually(async () => await page.locator(".link").innerText() === "live", "the stream does not come back");
    await field(page, "no").check();
    await press(page, "Send the answer");
    await page.locator(".outcome").waitFor();
  }),
  "a hidden page has no stream and sends no request; shown again, it continues after the last event": withMock(
    async ({ base, one, open }) => {
      const page = await open(base);
      one.state.mostPoured = 100;
      await start(page, base, "flood", { count: "2000", each: "10" });
      await eventually(async () => await rows(page).count() > 30, "no events come");
      expect(streamsOf(one) === 1, `${streamsOf(one)} streams are open`);
      await hide(page, true);
      await eventually(() => streamsOf(one) === 0, "a hidden page keeps its stream");
      one.state.mostPoured = Infinity;
      await quiet(one);
      expect(await rate(one, 5000) === 0, "a hidden page sends requests");
      await hide(page, false);
      await told(page, /2.001 events/, "events are lost, or came twice");
    }),
  "a page has one stream at a time, and sends few requests when idle": withMock(async ({ base, one, open }) => {
    const page = await open(base);
    for (const order of ["1", "2", "3"]) {
      await start(page, base, "refund", { order, amount: "99" });
      await page.locator(".ask").waitFor();
      await eventually(() => streamsOf(one) === 1, `${streamsOf(one)} streams are open`);
    }
    expect(await rate(one, 9000) < 0.5, "an idle page sends more than four requests in nine seconds");
    await page.goto(`${base}#/`);
    await eventually(() => streamsOf(one) === 0, "a stream is left open");
  }),
  "a too old cursor leaves a gap, which the page shows": withMock(async ({ base, one, open }) => {
    const page = await open(base, broken);
    one.state.keptFrom = 5;
    await start(page, base, "flood", { count: "50" });
    await told(page, /before number 5 are no longer kept/, "the page does not speak of the gap");
    await told(page, /DryEvent/, "the stream is not taken up behind the gap");
    await eventually(async () => await rows(page).first().locator(".seq").innerText() === "5",
      "the first event is not the first kept");
  }),
  "a refused browser shows the way to get in, and sends no more requests": withMock(async ({ base, one, open }) => {
    one.state.locked = true;
    const page = await open(base);
    await told(page, /weft serve/, "the page does not say how to get in");
    await quiet(one);
    expect(await rate(one, 2500) === 0, "the page continues its requests");
    const found = await violations(page);
    expect(!found.length, found.join("\n"));
    one.state.locked = false;
    await press(page, "Try again");
    await page.locator(".workflows a").first().waitFor();
    await start(page, base, "refund", { order: "7", amount: "99" });
    await page.locator(".ask").waitFor();
    await field(page, "no").check();
    await page.route("**", (route) => {  // not earlier: the page's own requests would remove the form
      if (route.request().method() === "POST") one.state.locked = true;
      return route.continue();
    });
    await press(page, "Send the answer");
    await told(page, /one-time link/, "the page does not notice that it was shut out");
    await eventually(() => streamsOf(one) === 0, "a stream is left open");
  }),
  "values of every kind are entered, checked and sent unchanged": withMock(async ({ base, one, open }) => {
    const page = await open(`${base}#/workflows/everything`);
    await field(page, "name").fill("Ann\nLee");
    await field(page, "ratio").fill("1e-3");
    await field(page, "count").fill("11");
    const radio = (name, label) => page.getByRole("group", { name: new RegExp(`^${name}`) }).getByLabel(label);
    await radio("sure", "no").check();
    await field(page, "color").selectOption("7");
    for (const tag of ["a", "b", "c"]) {
      await press(page, "Add to tags");
      await eventually(() => page.evaluate(() => document.activeElement.matches("textarea")),
        "the focus is not in the new row");
      await page.keyboard.type(tag);
    }
    await page.getByRole("button", { name: "Remove tags 2" }).click();
    await field(page, "street").fill("Long Lane");
    await field(page, "number").fill("12");
    await field(page, "unit").selectOption("b");
    await field(page, "big").fill("9007199254740993");
    await field(page, "anything").fill("[1, {}]");
    await field(page, "map").fill('{"a": 1');
    await page.getByLabel("give either").check();
    await page.getByLabel("Kind of either").selectOption("Right");
    await field(page, "right").fill("side");
    await press(page, "Start");
    await told(page, /must be at most 10/, "a number that is too large was not noticed");
    await told(page, /This is not JSON/, "broken JSON was not noticed");
    await field(page, "count").fill("10");
    await field(page, "map").fill('{"a": 1}');
    await field(page, "name").fill("refuse");
    await press(page, "Start");
    const refused = page.locator(".field.bad").filter({ hasText: "is the number of somebody else" }).last();
    await refused.waitFor();
    await eventually(async () => await page.evaluate(() =>
      document.activeElement.closest(".field")?.querySelector(".name").textContent) === "number",
    "the focus is not in the field that the server speaks of");
    const found = await violations(page);
    expect(!found.length, found.join("\n"));
    await field(page, "name").fill("Ann\nLee");
    await press(page, "Start");
    await page.locator(".outcome.completed").waitFor();
    const got = [...one.runs.values()].at(-1).row.result.value.got;
    const wanted = { name: "Ann\nLee", ratio: 0.001, count: 10, sure: false, color: 7, tags: ["a", "c"],
      place: { street: "Long Lane", number: 12, unit: "b" }, note: null, old: null, big: 9007199254740992,
      anything: [1, {}], map: { a: 1 }, either: { right: "side" }, level: 3 };
    expect(JSON.stringify(got) === JSON.stringify(wanted), `sent: ${JSON.stringify(got)}`);
  }),
  "a late answer is refused, and its question disappears": withMock(async ({ base, one, open }) => {
    const page = await open(base);
    await start(page, base, "react", { text: "mail it" });
    await page.locator(".ask").waitFor();
    [...one.runs.values()][0].questions.clear();
    await field(page, "decision").selectOption("approve");
    await press(page, "Send the answer");
    await told(page, /The run did not take the answer: question 1 is not open/, "the page does not say why");
    await eventually(async () => await page.locator(".ask").count() === 0, "a question that is not open is shown");
  }),
  "a question answered elsewhere disappears, and the other one stays": withMock(async ({ base, one, open }) => {
    for (const tells of [false, true]) {
      one.state.tellsQuestions = tells;
      const page = await open(base);
      await start(page, base, "twins", { order: "7", amount: "1" });
      const asked = page.locator(".ask");
      await eventually(async () => await asked.count() === 2, "not both questions are shown");
      const other = await open(page.url());
      await eventually(async () => await other.locator(".ask").count() === 2, "not both questions are shown again");
      // Without the server's statement, the older question counts as answered.
      const answered = tells ? 1 : 0, card = other.locator(".ask").nth(answered);
      await card.getByLabel("yes", { exact: true }).check();
      await card.getByRole("button", { name: "Send the answer" }).click();
      for (const each of [page, other]) {
        await eventually(async () => await each.locator(".ask").count() === 1, "an answered question is shown");
        await told(each, answered ? /Refund 7a/ : /Refund 7b/, "the wrong question is left");
      }
      await field(page, "no").check();
      await press(page, "Send the answer");
      await page.locator(".outcome.completed").waitFor();
      await eventually(() => page.evaluate(() => document.activeElement.tagName === "H1"), "the focus is lost");
    }
  }),
  "a question with several answering events lets the user choose one": withMock(async ({ base, one, open }) => {
    const page = await open(base);
    await start(page, base, "react", { text: "mail it" });
    await page.locator(".ask").waitFor();
    await page.getByLabel("Answer with").selectOption("HandOverEvent");
    await field(page, "to").fill("Bob");
    await press(page, "Send the answer");
    await page.locator(".outcome.completed").waitFor();
    await told(page, /HandOverEvent: .*Bob/, "the event that was chosen was not sent");
  }),
  "layouts of any graph have no overlaps, and every edge has a path": withMock(async ({ base, open }) => {
    const page = await open(base);
    const wrong = await page.evaluate(async () => {
      const { layout } = await import("/page/layout.js");
      let seed = 7;
      const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
      for (let round = 0; round < 150; round++) {
        const size = 1 + random(25);
        const nodes = Array.from({ length: size }, (_, id) => ({ id: `n${id}`, width: 40 + random(150), height: 28 }));
        const edges = Array.from({ length: random(2 * size) }, () => ({ source: `n${random(size)}`,
          target: `n${random(size)}` }));
        const plan = layout(nodes, edges), places = [...plan.nodes.values()];
        for (const [place, a] of places.entries()) {
          if (![a.x, a.y].every(Number.isFinite) || a.x < a.width / 2 - 1 || a.x > plan.width)
            return `${round}: a node is out`;
          for (const b of places.slice(place + 1))
            if (Math.abs(a.y - b.y) < 28 && Math.abs(a.x - b.x) < (a.width + b.width) / 2)
              return `${round}: an overlap`;
        }
        const wanted = new Set(edges.map((edge) => `${edge.source} ${edge.target}`)).size;
        if (plan.edges.length !== wanted || plan.edges.some(({ path }) => !/^M[-\d. CVM]+$/.test(path)))
          return `${round}: an edge has no path`;
      }
      return null;
    });
    expect(!wrong, wrong);
  }),
  "server-sent events are read wherever the pieces are cut": withMock(async ({ base, open }) => {
    const page = await open(base);
    const wrong = await page.evaluate(async () => {
      const { SseReader } = await import("/page/sse.js");
      const text = ": heartbeat\n\nid: 1\ndata: {\"a\":\"é\"}\n\nid: x\r\ndata: one\r\ndata: two\r\n\r\ndata:\n\n";
      const read = (pieces, reader = new SseReader()) => pieces.flatMap((piece) => reader.read(piece));
      const whole = JSON.stringify(read([text]));
      const wanted = [{ id: 1, data: '{"a":"é"}' }, { id: 1, data: "one\ntwo" }, { id: 1, data: "" }];
      if (whole !== JSON.stringify(wanted)) return whole;
      for (let a = 0; a <= text.length; a++)
        for (let b = a; b <= text.length; b++)
          if (JSON.stringify(read([text.slice(0, a), text.slice(a, b), text.slice(b)])) !== whole) return `${a} ${b}`;
      return null;
    });
    expect(!wrong, wrong);
  }),
};
const wrong = await runCases(cases, only);
if (wrong) console.log(`${wrong} of the cases have failed`);
process.exitCode = wrong ? 1 : 0;
