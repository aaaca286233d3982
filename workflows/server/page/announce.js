// What a screen reader is told: politely, and of many events at once only how many there were.
const politeEvery = 4000;
let waiting = null, timer = 0, last = 0, events = 0, lastType = "";

function say() {
  timer = 0;
  last = Date.now();
  const parts = [];
  if (waiting) parts.push(waiting);
  if (events === 1) parts.push(`New event: ${lastType}.`);
  if (events > 1) parts.push(`${events} new events, the last is ${lastType}.`);
  waiting = null;
  events = 0;
  if (parts.length) document.getElementById("polite").textContent = parts.join(" ");
}
const soon = () => { timer ||= setTimeout(say, Math.max(50, last + politeEvery - Date.now())); };

export function announce(sentence) {
  waiting = sentence;
  soon();
}
export function announceEvents(number, type) {
  events += number;
  lastType = type;
  soon();
}
/// At once, for what somebody waits for: a question, a failure.
export function announceNow(sentence) {
  const place = document.getElementById("urgent");
  place.textContent = "";
  setTimeout(() => { place.textContent = sentence; }, 20);
}
/// Another run is shown: what was to be said of the last one is of no interest any more.
export function forget() {
  waiting = null;
  events = 0;
}
