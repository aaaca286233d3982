// Announcements for screen readers. Many events at once become one announcement with their count.
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
/// Announces an urgent text immediately: a question, a failure.
export function announceNow(sentence) {
  const place = document.getElementById("urgent");
  place.textContent = "";
  setTimeout(() => { place.textContent = sentence; }, 20);
}
/// Drops waiting announcements of the last run when the page shows another one.
export function forget() {
  waiting = null;
  events = 0;
}
