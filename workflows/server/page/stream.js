// Follows one run by fetch instead of EventSource, which hides the status (204: ended; 410: too late; 401: not logged
// in) and tries again for ever. A broken stream continues behind the last event.
import { detailOf, locked, streamOf } from "./api.js";
import { SseReader } from "./sse.js";
import { parse } from "./text.js";

const silence = 70000;    // ms without data before a new request; the server sends a heartbeat every 25 s
const together = 60;      // ms in which events are collected for one call
const slowest = 30000;
const mostInner = 1000;

function readEvent(text) {
  try {
    const event = parse(text);
    if (typeof event?.type === "string") return event;
  } catch { /* below */ }
  return { type: "(unreadable)", types: null, value: { text } };  // another request would return the same text
}

export class RunStream {
  #id; #on; #after = null; #failures = 0; #abort = null; #timer = 0; #silent = 0; #batch = []; #batchTimer = 0;
  #ended = false; #closed = false; #paused = false;
  #inner = []; #repeated = [];  // internal events behind the last public one; the part that may come twice

  /// on: events([{seq, text, event}]), state(name, detail), with the names connecting, live, broken (detail: ms until
  /// the next try), paused, ended, lost (detail: the reason); gap(sentence) if the server has dropped events.
  constructor(id, on) {
    this.#id = id;
    this.#on = on;
    if (document.hidden) this.pause();
    else this.#connect();
  }
  close() {
    this.#closed = true;
    this.#stop();
  }
  pause() {
    if (this.#ended || this.#closed || this.#paused) return;
    this.#paused = true;
    this.#stop();
    this.#on.state("paused");
  }
  resume() {
    if (this.#ended || this.#closed || !this.#paused) return;
    this.#paused = false;
    this.#connect();
  }
  retryNow() {
    if (this.#ended || this.#closed || this.#paused || this.#abort) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  #stop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silent);
    this.#abort?.abort();
    this.#abort = null;
    if (!this.#closed) this.#flush();
    clearTimeout(this.#batchTimer);
    this.#batchTimer = 0;
  }
  #heard(abort) {
    clearTimeout(this.#silent);
    this.#silent = setTimeout(() => abort.abort(), silence);
  }
  #finish(state, detail) {
    this.#stop();
    this.#ended = true;
    this.#on.state(state, detail);
  }

  async #connect() {
    const abort = this.#abort = new AbortController();
    this.#on.state("connecting");
    this.#repeated = [...this.#inner];
    this.#heard(abort);
    try {
      const response = await fetch(streamOf(this.#id, this.#after), { cache: "no-store", signal: abort.signal,
        headers: { Accept: "text/event-stream" } });
      if (this.#abort !== abort) return;
      if (response.status === 204) return this.#finish("ended");
      if (response.status === 401) return locked(), this.#finish("lost", "This browser is not logged in.");
      if (!response.ok) {
        if (await this.#refused(response)) return;
      } else {
        this.#on.state("live");
        await this.#read(response.body.getReader(), abort);
      }
    } catch {
      // a break: the network, the server, or silence
    }
    if (this.#abort !== abort || this.#ended) return;
    this.#stop();
    const wait = Math.min(slowest, 500 * 2 ** Math.min(this.#failures++, 10)) * (0.75 + Math.random() / 2);
    this.#on.state("broken", wait);
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  /// Handles a status that ends the stream; false to try again.
  async #refused(response) {
    let value = null;
    try { value = parse(await response.text()); } catch { /* the status is enough */ }
    const detail = detailOf(value) ?? `The server has answered ${response.status}.`;
    if (response.status === 410) {
      // The sentence has the number behind which the server keeps all events.
      const after = Number(detail.match(/after_sequence=(-?\d{1,15})/)?.[1] ?? NaN);
      if (after !== this.#after && Number.isSafeInteger(after)) {
        this.#after = after;
        this.#on.gap(`The events before number ${after + 1} are no longer kept.`);
        return false;
      }
    }
    if (response.status >= 500 || response.status === 429) return false;
    this.#finish("lost", detail);
    return true;
  }

  async #read(reader, abort) {
    const decoder = new TextDecoder(), messages = new SseReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (this.#abort !== abort) return;
      if (done) return;
      this.#heard(abort);
      this.#failures = 0;
      for (const { id, data } of messages.read(decoder.decode(value, { stream: true }))) {
        const event = readEvent(data);
        if (this.#again(event, data)) continue;
        this.#after = id ?? this.#after;
        this.#batch.push({ seq: id, text: data, event });
        if (event.types?.includes("StopEvent")) return this.#finish("ended");
      }
      if (this.#batch.length) this.#batchTimer ||= setTimeout(() => this.#flush(), together);
    }
  }
  /// A request behind a public event returns its internal events again.
  #again(event, text) {
    if (!event.types?.includes("InternalDispatchEvent")) {
      this.#inner = [];
      this.#repeated = [];
      return false;
    }
    if (this.#repeated[0] === text) return Boolean(this.#repeated.shift());
    this.#repeated = [];
    if (this.#inner.push(text) > mostInner) this.#inner.shift();
    return false;
  }
  #flush() {
    this.#batchTimer = 0;
    if (!this.#batch.length) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#on.events(batch);
  }
}
