// How long anything in a test may take: only a hang takes longer, as nothing may depend on how fast a machine is.
import { setTimeout as wait } from "node:timers/promises";

export const limit = 600_000; // ms; tests/support/limit.py has that of Python

/// The first value of `find` that is something.
export async function eventually(find, sentence) {
  for (const until = Date.now() + limit; ; ) {
    const found = await find();
    if (found) return found;
    if (Date.now() > until) throw new Error(sentence);
    await wait(20);
  }
}
/// A task that has to end: its value.
export function within(what, task) {
  const late = AbortSignal.timeout(limit);
  return Promise.race([
    task,
    new Promise((_, refuse) =>
      late.addEventListener("abort", () => refuse(new Error(`${what} takes more than ${limit / 1000} s`))),
    ),
  ]);
}
