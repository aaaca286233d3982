// The time limit of any wait in a test: only a hang takes longer, because tests may not depend on a machine's speed.
import { setTimeout as wait } from "node:timers/promises";

export const limit = 600_000; // ms; for Python: tests/support/limit.py

/// Waits for the first true value of `find`, and returns it.
export async function eventually(find, sentence) {
  for (const until = Date.now() + limit; ; ) {
    const found = await find();
    if (found) return found;
    if (Date.now() > until) throw new Error(sentence);
    await wait(20);
  }
}
/// Returns the value of a task, which must end within the limit.
export function within(what, task) {
  const late = AbortSignal.timeout(limit);
  return Promise.race([
    task,
    new Promise((_, refuse) =>
      late.addEventListener("abort", () => refuse(new Error(`${what} takes more than ${limit / 1000} s`))),
    ),
  ]);
}
