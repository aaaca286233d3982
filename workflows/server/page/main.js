// Starts the page: the list of workflows and runs at the side, and beside it the view that the address after # names.
import * as api from "./api.js";
import { announce } from "./announce.js";
import { fresh, h } from "./dom.js";
import { RunView } from "./run_view.js";
import { Runs } from "./runs.js";
import { StoreView } from "./store_view.js";
import { WorkflowView } from "./workflow_view.js";
import { visible } from "./text.js";

const side = document.getElementById("side"), main = document.getElementById("main");
const server = document.getElementById("server");
let workflows = null, view = null, isLocked = false, first = true;

const runs = new Runs();

function told(ok) {
  if (isLocked) return;
  server.className = ok ? "server" : "server bad";
  server.textContent = ok ? location.host : "The server does not answer. The page tries again.";
}

function sideList() {
  const heading = fresh("workflows");
  const list = workflows.workflows.map((name) => h("li", {}, h("a", { href: `#/workflows/${encodeURIComponent(name)}` },
    h("strong", {}, visible(name)),
    workflows.descriptions?.[name] ? h("span", { class: "soft" }, visible(workflows.descriptions[name])) : null)));
  side.replaceChildren(h("section", { "aria-labelledby": heading },
    h("div", { class: "bar" }, h("h2", { id: heading }, "Workflows")),
    list.length ? h("ul", { class: "workflows" }, list) : h("p", { class: "soft" }, "The server has no workflows."),
    workflows.has_store ? h("p", {}, h("a", { href: "#/store" }, "Schedules and queues")) : null),
  runs.element);
}

function welcome() {
  const cards = workflows.workflows.slice(0, 60).map((name) => h("li", {}, h("a", { class: "card",
    href: `#/workflows/${encodeURIComponent(name)}` }, h("strong", {}, visible(name)),
  h("span", { class: "soft" }, visible(workflows.descriptions?.[name] ?? "")))));
  return { heading: null, element: h("div", { class: "view welcome" }, h("h1", { tabIndex: -1 }, "Workflows and runs"),
    h("p", { class: "lead" }, cards.length ? "Choose a workflow to start a run, or choose a run to watch it, to "
      + "answer its questions, or to cancel it." : "This server has no workflows."),
    h("ul", { class: "cards" }, cards),
    h("p", { class: "soft keys" }, "Tab and Enter reach everything. Ctrl+Enter sends a form.")) };
}

function show() {
  if (isLocked || !workflows) return;
  view?.close?.();
  let [, kind = "", name = ""] = location.hash.split("/");
  try { name = decodeURIComponent(name); } catch { name = ""; }
  for (const link of side.querySelectorAll(".workflows a")) {
    if (kind === "workflows" && link.hash === `#/workflows/${encodeURIComponent(name)}`)
      link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  runs.mark(kind === "runs" ? name : null);
  document.title = name ? `${visible(name)} · weft` : "weft";
  if (kind === "runs" && name) view = new RunView(name, runs, () => { location.hash = "#/"; });
  else if (kind === "workflows" && workflows.workflows.includes(name))
    view = new WorkflowView(name, workflows.descriptions?.[name], (handler) => {
      runs.put(handler);
      announce("The run is started.");
      location.hash = `#/runs/${encodeURIComponent(handler.handler_id)}`;
    });
  else if (kind === "store" && workflows.has_store) view = new StoreView();
  else view = welcome();
  document.body.dataset.view = view.heading ? "detail" : "home";
  main.replaceChildren(h("a", { class: "back", href: "#/" }, "← Workflows and runs"), view.element);
  main.scrollTop = 0;
  if (!first) {
    scrollTo(0, 0);
    (view.heading ?? main.querySelector("h1")).focus();
  }
  first = false;
}

function lock() {
  if (isLocked) return;
  isLocked = true;
  runs.stop();
  view?.close?.();
  server.textContent = "";
  side.replaceChildren();
  document.body.dataset.view = "locked";
  const heading = h("h1", { tabIndex: -1 }, "Open the link that weft serve has printed");
  main.replaceChildren(h("div", { class: "view locked" }, heading,
    h("p", {}, "This server accepts only browsers that have opened its one-time link. The terminal of ",
      h("code", {}, "weft serve"), " shows the link: open it in this browser."),
    h("p", {}, "Each link works for one browser. After its use the server prints the next one."),
    h("button", { type: "button", onclick: () => location.reload() }, "Try again")));
  heading.focus();
}

async function begin(failures = 0) {
  try {
    workflows = await api.workflows();
    workflows.workflows ??= [];
  } catch (error) {
    if (isLocked) return;
    told(false);
    main.replaceChildren(h("p", { class: "wrong", role: "alert" }, visible(error.message)));
    setTimeout(() => begin(failures + 1), Math.min(30000, 1000 * 2 ** failures));
    return;
  }
  told(true);
  sideList();
  show();
  watch();
}
async function watch() {
  told(await runs.refresh(true));
  setInterval(() => told(!runs.failing), 2000);
}

api.onLocked(lock);
addEventListener("hashchange", show);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();  // the address names a view, not a place in the page
  main.focus();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    runs.pause();
    view?.pause?.();
  } else if (workflows && !isLocked) {
    runs.refresh();
    view?.resume?.();
  }
});
addEventListener("pagehide", () => view?.pause?.());
addEventListener("pageshow", (event) => { if (event.persisted) view?.resume?.(); });
begin();
