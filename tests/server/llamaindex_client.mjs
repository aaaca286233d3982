// The official client of LlamaIndex's workflow server, unchanged, and the requests of its tests.
import * as weft from "@llamaindex/workflows-client";
import { expect, same, within } from "./driver.mjs";

export const clientOf = (baseUrl, headers) => weft.createClient(weft.createConfig({ baseUrl, headers }));
const quick = { sseDefaultRetryDelay: 60, sseMaxRetryDelay: 250 };
export async function data(call, status = 200) {
  const answer = await within("a call", call);
  same(answer.response.status, status, `the status of ${answer.request.method} ${answer.request.url}`);
  expect(!answer.error, `an error came: ${JSON.stringify(answer.error)}`);
  return answer.data;
}
export async function refused(call, status, text) {
  const answer = await within("a call", call);
  same(answer.response.status, status, `the status of ${answer.request.method} ${answer.request.url}`);
  expect(
    typeof answer.error?.detail === "string" && answer.error.detail.includes(text),
    `the error of ${answer.request.url} does not say "${text}": ${JSON.stringify(answer.error)}`,
  );
}
export const begin = (client, name, start_event, more = {}) =>
  data(weft.postWorkflowsByNameRunNowait({ client, path: { name }, body: { start_event, ...more } }));
/// Returns all events of a run with their ids. `seen` is called with each event.
export async function follow(client, handler_id, { seen, onSseError, ...more } = {}) {
  const events = [];
  const { stream } = await weft.getEventsByHandlerId({
    client,
    path: { handler_id },
    ...quick,
    ...more,
    onSseError,
    onSseEvent: (event) => {
      if (!event.data) return;
      events.push({ id: Number(event.id), data: event.data });
      seen?.(events.at(-1), events.length);
    },
  });
  await within(
    `the stream of ${handler_id}`,
    (async () => {
      for await (const _ of stream);
    })(),
  );
  return events;
}
export const names = (events) => events.map((event) => event.data.type);
export function isWhole(events, what) {
  same(
    events.map((event) => event.id),
    events.map((_, i) => i),
    `the ids of ${what}`,
  );
  expect(
    events.at(-1)?.data.types?.includes("StopEvent"),
    `${what} end without a StopEvent: ${names(events).slice(-3)}`,
  );
  same(
    events.filter((event) => event.data.types?.includes("StopEvent")).length,
    1,
    `the number of stop events of ${what}`,
  );
}
