// Draws a workflow's graph, and highlights the running steps. The list below it says the same in words.
import { layout } from "./layout.js";
import { h, svg } from "./dom.js";
import { count, shorten, visible } from "./text.js";

const height = 28;
const mostNodes = 150, mostEdges = 300;  // a larger graph has only words
const pen = document.createElement("canvas").getContext("2d");

const bare = (name) => String(name ?? "").replace(/^<class '(?:.*\.)?([^'.]+)'>$/, "$1").split(".").at(-1);

function kindOf(node) {
  if (node.node_type !== "event") return node.node_type === "step" ? "step" : "other";
  const types = node.event_types ?? [];
  if (types.includes("StartEvent")) return "start";
  if (types.includes("StopEvent")) return "stop";
  if (types.includes("InputRequiredEvent")) return "question";
  if (types.includes("HumanResponseEvent")) return "answer";
  return "event";
}
const label = (node) => shorten(visible(node.node_type === "external" ? "a human" : node.label ?? node.id), 40);

function draw(nodes, edges) {
  pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
  const sizes = nodes.map((node) => ({ id: node.id, first: kindOf(node) === "start" ? 1 : 0, height,
    width: Math.ceil(pen.measureText(label(node)).width) + (node.node_type === "step" ? 28 : 30) }));
  const plan = layout(sizes, edges);
  const margin = 8;
  const width = plan.width + 2 * margin, tall = plan.height + 2 * margin;
  const picture = svg("svg", { class: "graph", role: "img", width, height: tall,
    viewBox: `${-margin} ${-margin} ${width} ${tall}`,
    "aria-label": "The graph of the workflow; the list of its steps says the same in words" });
  for (const [id, kind] of [["tip", "tip"], ["tip-seen", "tip seen"]])
    picture.append(svg("marker", { id, class: kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
      markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 .8 7.5 4 0 7.2z" })));
  const lines = plan.edges.map((edge) => {
    const line = svg("path", { class: "edge", d: edge.path, "marker-end": "url(#tip)" });
    picture.append(line);
    return { ...edge, line };
  });
  const boxes = new Map(nodes.map((node) => {
    const { x, y, width } = plan.nodes.get(node.id);
    const box = svg("g", { class: `node ${kindOf(node)}`, transform: `translate(${x} ${y})` },
      svg("title", {}, visible(node.description ?? node.label ?? node.id)),
      svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: node.node_type === "step" ? 5 : height / 2 }),
      svg("text", { "text-anchor": "middle", y: 4 }, label(node)));
    picture.append(box);
    return [node.id, box];
  }));
  picture.style.minWidth = `${Math.min(width, 280)}px`;
  return { picture, boxes, lines };
}

export class GraphView {
  #nodes = new Map(); #running = new Map(); #done = new Map(); #rows = new Map(); #boxes = new Map(); #lines = [];
  #changed = new Set(); #frame = 0;

  constructor(graph) {
    const nodes = (graph.nodes ?? []).filter((node) => typeof node?.id === "string" && node.node_type !== "resource");
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    const edges = (graph.edges ?? []).filter((edge) => this.#nodes.has(edge.source) && this.#nodes.has(edge.target));
    this.element = h("div", { class: "graph-view" });
    if (!nodes.length) {
      this.element.append(h("p", { class: "soft" }, "The server has no graph of this workflow."));
      return;
    }
    if (nodes.length <= mostNodes && edges.length <= mostEdges) {
      const { picture, boxes, lines } = draw([...this.#nodes.values()], edges);
      this.#boxes = boxes;
      this.#lines = lines;
      this.element.append(h("div", { class: "canvas", tabIndex: 0, role: "group", "aria-label": "Graph" }, picture));
    }
    this.element.append(this.#words(edges));
  }

  #words(edges) {
    const named = (id) => visible(this.#nodes.get(id)?.label ?? id);
    const list = h("ul", { class: "steps" });
    for (const node of this.#nodes.values()) {
      if (node.node_type !== "step") continue;
      const state = h("span", { class: "soft" });
      const accepts = edges.filter((edge) => edge.target === node.id).map((edge) => named(edge.source));
      const emits = edges.filter((edge) => edge.source === node.id).map((edge) => named(edge.target));
      this.#rows.set(node.id, state);
      list.append(h("li", {}, h("strong", {}, named(node.id)), " ", state,
        h("div", { class: "soft" }, `${accepts.join(", ") || "nothing"} → ${emits.join(", ") || "nothing"}`),
        node.description ? h("div", {}, visible(node.description)) : null));
    }
    return h("details", { class: "words" }, h("summary", {}, "Steps in words"), list);
  }

  /// Takes each event of the run, in their order.
  see({ type, types, value }) {
    if (type === "WorkflowIdleEvent") return this.end();
    if (type !== "StepStateChanged") {
      if (!types?.includes("InternalDispatchEvent")) this.#event(bare(type));
      return;
    }
    const step = bare(value?.name), worker = String(value?.worker_id);
    if (!this.#nodes.has(step)) return;
    if (!this.#running.has(step)) this.#running.set(step, new Set());
    const workers = this.#running.get(step), input = bare(value.input_event_name);
    this.#event(input);
    if (value.step_state === "running") {
      workers.add(worker);
      this.#light(input, step);
    } else if (value.step_state === "not_running") {
      workers.delete(worker);
      this.#done.set(step, (this.#done.get(step) ?? 0) + 1);
      const output = bare(value.output_event_name);
      if (this.#nodes.has(output)) {
        this.#event(output);
        this.#light(step, output);
      }
    }
    this.#later(step);
  }
  /// Ends all highlights of running steps.
  end() {
    for (const [step, workers] of this.#running) {
      workers.clear();
      this.#later(step);
    }
  }

  #event(id) {
    this.#boxes.get(id)?.classList.add("seen");
    for (const { source, target, line } of this.#lines)  // the edges of the question and its answer
      if ((source === id && this.#nodes.get(target)?.node_type === "external") ||
          (target === id && this.#nodes.get(source)?.node_type === "external")) this.#mark(line);
  }
  #light(source, target) {
    for (const edge of this.#lines) if (edge.source === source && edge.target === target) this.#mark(edge.line);
  }
  #mark(line) {
    line.classList.add("seen");
    line.setAttribute("marker-end", "url(#tip-seen)");
  }
  #later(step) {
    this.#changed.add(step);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const id of this.#changed) this.#show(id);
      this.#changed.clear();
    });
  }
  #show(step) {
    const running = this.#running.get(step)?.size ?? 0, done = this.#done.get(step) ?? 0;
    this.#boxes.get(step)?.classList.toggle("running", running > 0);
    this.#boxes.get(step)?.classList.add("seen");
    const row = this.#rows.get(step);
    if (row) row.textContent = running ? `running${running > 1 ? `, ${count(running, "worker")}` : ""}`
      : done ? `ran ${done === 1 ? "once" : `${done} times`}` : "";
  }
}
