// Requests to the server. A failed run has the status 500 and the run as body: a reply, not an error.
import { parse } from "./text.js";

const patience = 30000;
let whenLocked = () => {};
export const onLocked = (handler) => { whenLocked = handler; };
export const locked = () => whenLocked();

export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export async function ask(method, path, body) {
  const request = { method, headers: { Accept: "application/json" }, cache: "no-store",
    signal: AbortSignal.timeout(patience) };
  if (body !== undefined) {
    request.body = body;
    request.headers["Content-Type"] = "application/json";
  }
  let response, text;
  try {
    response = await fetch(`.${path}`, request);  // relative to the page, since a proxy may move it
    text = await response.text();
  } catch (error) {
    throw new ApiError(0, error.name === "TimeoutError" ? "The server has not answered within 30 seconds."
      : "The server cannot be reached.");
  }
  let value = null;
  try {
    value = text ? parse(text) : null;
  } catch {
    if (response.ok) throw new ApiError(response.status, "The server's answer is not JSON.");
  }
  if (response.status === 401) {
    whenLocked();
    throw new ApiError(401, "This browser is not logged in.");
  }
  if (response.ok || (response.status === 500 && value?.handler_id)) return value;
  throw new ApiError(response.status, detailOf(value) ?? `The server has answered ${response.status}.`);
}
export const detailOf = (value) => typeof value?.detail === "string" ? value.detail : null;

/// The status for people: a running run with open questions is waiting.
export const statusOf = (run) => (run.status === "running" && run.questions?.length ? "waiting" : run.status);

const get = (path) => ask("GET", path);
const part = encodeURIComponent;

export const workflows = () => get("/workflows");
export const handlers = (query = "") => get("/handlers" + query).then((answer) => answer.handlers ?? []);
export const handler = (id) => get(`/handlers/${part(id)}`);
export const cancel = (id) => ask("POST", `/handlers/${part(id)}/cancel`);
export const remove = (id) => ask("POST", `/handlers/${part(id)}/cancel?purge=true`);

export const schedules = () => get("/schedules").then((answer) => answer.schedules ?? []);
export const queues = () => get("/queues").then((answer) => answer.queues ?? []);
export const modelLimits = () => get("/model-limits").then((answer) => answer.model_limits ?? []);
export const changeSchedule = (name, action) => ask("POST", `/schedules/${part(name)}/${action}`);

/// `value` is JSON text, sent unchanged, so that numbers keep all their digits.
export function start(name, type, value) {
  const event = type ? `{"type":${JSON.stringify(type)},"value":${value}}` : value;
  return ask("POST", `/workflows/${part(name)}/run-nowait`, `{"start_event":${event}}`);
}
export function answer(id, type, value, question) {
  const to = question ? `,"question":${JSON.stringify(question)}` : "";
  return ask("POST", `/events/${part(id)}`, `{"event":{"type":${JSON.stringify(type)},"value":${value}}${to}}`);
}
export function streamOf(id, after) {
  const from = after === null ? "" : `&after_sequence=${after}`;
  return `./events/${part(id)}?sse=true&include_internal=true&include_qualified_name=false${from}`;
}

// Descriptions of workflows never change while the server runs, so the page keeps them. It requests failed ones again.
const kept = new Map();
function once(path, otherwise) {
  if (!kept.has(path)) kept.set(path, get(path).catch((error) => {
    kept.delete(path);
    if (error.status !== 404 || otherwise === undefined) throw error;
    return otherwise;
  }));
  return kept.get(path);
}
export const schema = (name) => once(`/workflows/${part(name)}/schema`);
export const eventsOf = (name) => once(`/workflows/${part(name)}/events`, { events: [] });
export const graphOf = (name) => once(`/workflows/${part(name)}/representation`, { graph: { nodes: [], edges: [] } });
export const questionsOf = (name) => once(`/workflows/${part(name)}/questions`, { questions: [] });
