"""Checks the database and the effects outside of it: no work was lost, done twice, or done by a process that did not
own the run any more.

An *effect* is a change by a step outside of the engine: a line in a file, or a request to the model. Each effect has a
token, which is part of the data that the step stores. An interrupted step begins again, so its effect may happen
twice; the effect counts as *doubled* if
  - two tokens of one effect are stored,
  - or it was done after its token was stored: by a process that had to know the stored token,
  - or it was an effect to be done at most once, and was done twice.
It is *stale* if it began after the database had committed another owner of its run. A tick is stale if the process
that wrote it did not own the run under that epoch. A run that ended twice is doubled.

A lease cannot prevent one effect: a process may be stopped between its check of the lease and the effect, which then
happens as soon as the process continues. So the first effect of a continued process counts as *under way* when the
process was stopped, and is neither stale nor done after its token was stored.
"""
from collections import Counter, defaultdict
from typing import NamedTuple

# Only in the tests' database. Owners and their descriptions stay after their end.
SCHEMA = """
create schema audit;
create table audit.owners (number bigint generated always as identity, run text, epoch bigint, owner text,
  status text, taken_over bool);
create table audit.workers (owner text primary key, info text);
create table audit.ticks (run text, seq bigint, epoch bigint, backend int);
create table audit.ends (run text);
create function audit.note_run() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then
    insert into audit.owners (run, epoch, owner, status, taken_over)
      values (new.id, new.epoch, new.owner, new.status, false);
  elsif new.epoch <> old.epoch or new.owner is distinct from old.owner then
    insert into audit.owners (run, epoch, owner, status, taken_over)
      values (new.id, new.epoch, new.owner, new.status, new.epoch <> old.epoch and new.status = 'ready');
  end if;
  return null; end $$;
create function audit.note_worker() returns trigger language plpgsql as $$ begin
  if new.info <> '' then
    insert into audit.workers values (new.id, new.info) on conflict (owner) do update set info = excluded.info;
  end if;
  return null; end $$;
create function audit.note_end() returns trigger language plpgsql as $$ begin
  insert into audit.ends values (new.id);
  return null; end $$;
create function audit.note_tick() returns trigger language plpgsql as $$ begin
  insert into audit.ticks select new.run, new.seq, r.epoch, pg_backend_pid() from weft.runs r where r.id = new.run;
  return null; end $$;
create trigger audit_run after insert or update on weft.runs for each row execute function audit.note_run();
create trigger audit_worker after insert or update of info on weft.workers for each row
  execute function audit.note_worker();
create trigger audit_end after update on weft.runs for each row
  when (new.ended_at is not null and (old.ended_at is null or (old.status, old.outcome, old.next_seq)
  is distinct from (new.status, new.outcome, new.next_seq))) execute function audit.note_end();
create trigger audit_tick after insert on weft.ticks for each row execute function audit.note_tick();
"""
COMMITTED = "extract(epoch from pg_xact_commit_timestamp({}.xmin))"
OWNERS = f"select run, epoch, coalesce(owner, ''), {COMMITTED.format('o')} from audit.owners o order by number"
WORKERS = "select owner, substring(info from '\"process\": ?\"[^\"]*:([0-9]+)\"') from audit.workers"
TICKS = "select run, epoch, backend, count(*) from audit.ticks where epoch > 0 group by 1, 2, 3"
TOKENS = (f"select t.run, m[1], min({COMMITTED.format('t')}) from weft.ticks t, "
          "regexp_matches(t.body, 'T[0-9a-f]{16}', 'g') m group by 1, 2")
RUNS = "select id, workflow, status, coalesce(outcome, '') from weft.runs"
ENDS = "select run, count(*) from audit.ends group by 1"


class Effect(NamedTuple):
    run: str
    key: str
    epoch: int  # None: unknown
    kind: str
    token: str
    at: float
    process: int


def read_effects(file):
    """Returns the lines that orders have written."""
    effects = []
    for line in file.read_text().splitlines() if file.exists() else ():
        run, key, epoch, kind, token, at, process = line.split(" ")
        effects.append(Effect(run, key, int(epoch), kind, token, int(at) / 1e6, int(process)))
    return effects


def first_after(at, process, effects):
    """Returns the first effect of a stopped process, at most a second after it continued, or None."""
    return min((e for e in effects if e.process == process and at <= e.at < at + 1), key=lambda e: e.at, default=None)


class Audit:
    """`wanted`: texts that the outcome of each run must contain. `backends`: pairs of a process of the server and its
    client's process. `names`: the process of each name that workers use in requests to the model. `continued`:
    pairs of a stopped process and the time at which it continued."""

    def __init__(self, database, wanted, effects, backends=(), names=(), continued=()):
        self.lost, self.doubled, self.stale, self.stale_ticks = [], [], [], []
        self.effects, self.runs = effects, len(wanted)
        self.under_way = {first_after(at, process, effects) for process, at in continued}
        names = dict(names)
        owner_process = {owner: int(process) for owner, process in database.ask(WORKERS) if process}
        self.history = defaultdict(list)  # run -> (time, epoch, process, or None without an owner)
        for run, epoch, owner, at in database.ask(OWNERS):
            self.history[run].append((float(at), int(epoch), owner_process.get(owner) if owner else None))
        self.resumed = int(database.ask("select count(*) from audit.owners where taken_over")[0][0])
        ends = database.ask(ENDS)
        self.ended = len(ends)
        self.doubled += [f"run {run} has ended {count} times" for run, count in ends if count != "1"]
        stored = defaultdict(dict)
        for run, token, at in database.ask(TOKENS):
            stored[run][token] = float(at)
        self.look_for_lost({row[0]: row[1:] for row in database.ask(RUNS)}, wanted)
        by_key = defaultdict(list)
        for effect in effects:
            by_key[effect.run, effect.key].append(effect)
        for group in by_key.values():
            self.look_for_doubled(group, stored[group[0].run])
        for effect in effects:
            if effect not in self.under_way:
                self.look_for_stale(effect, names)
        self.look_for_stale_ticks(database, backends)

    def look_for_lost(self, rows, wanted):
        tokens = defaultdict(set)
        for effect in self.effects:
            tokens[effect.run].add(effect.token)
        for run, parts in wanted.items():
            workflow, status, outcome = rows.get(run, ("", "missing", ""))
            if status != "done" or any(part not in outcome for part in parts):
                self.lost.append(f"run {run} of {workflow} is {status}: {outcome[:300]}")
            elif workflow == "order":
                told = {token for token in outcome.split('"') if len(token) == 17 and token[0] == "T"}
                if told - tokens[run]:
                    self.lost.append(f"run {run} tells of effects that nobody has seen: {told - tokens[run]}")

    def look_for_doubled(self, group, stored):
        times = [stored[effect.token] for effect in group if effect.token in stored]
        if len(times) > 1:
            self.doubled.append(f"stored {len(times)} times: {group}")
        for effect in group:
            if times and effect.token not in stored and effect.at > min(times) and effect not in self.under_way:
                self.doubled.append(f"done again after it was stored at {min(times)}: {effect}")
        if group[0].kind == "most" and len(group) > 1:
            self.doubled.append(f"to be done at most once: {group}")

    def look_for_stale(self, effect, names):
        before = [entry for entry in self.history[effect.run] if entry[0] < effect.at]
        if effect.epoch is not None:
            if any(epoch > effect.epoch for _, epoch, _ in before):
                self.stale.append(f"{effect} after {before[-1]}")
        elif before and before[-1][2] != names.get(effect.process):
            self.stale.append(f"{effect} of process {names.get(effect.process)} after {before[-1]}")

    def look_for_stale_ticks(self, database, backends):
        processes = defaultdict(set)
        for backend, process in backends:
            processes[backend].add(process)
        owners = defaultdict(set)
        for run, entries in self.history.items():
            for _, epoch, process in entries:
                if process:
                    owners[run, epoch].add(process)
        self.ticks = self.unknown_ticks = 0
        self.knows_writers = bool(backends)
        for run, epoch, backend, count in database.ask(TICKS):
            self.ticks += int(count)
            writers, known = processes[int(backend)], owners[run, int(epoch)]
            if not writers or not known:
                self.unknown_ticks += int(count)
            elif not writers & known:
                self.stale_ticks.append(f"{count} of run {run} under epoch {epoch}: {writers}, and not {known}")

    def summary(self, **counted):
        repeated = sum(n - 1 for n in Counter((e.run, e.key) for e in self.effects).values())
        words = [f"{name.replace('_', ' ')} {value}" for name, value in counted.items()]
        words += [f"runs {self.runs}", f"runs ended {self.ended}", f"runs resumed {self.resumed}",
                  f"effects {len(self.effects)}", f"begun again {repeated}", f"ticks {self.ticks}",
                  f"of unknown writers {self.unknown_ticks}",
                  f"lost {len(self.lost)}", f"doubled {len(self.doubled)}",
                  f"effects under a stale epoch {len(self.stale)}",
                  f"ticks of a former owner {len(self.stale_ticks)}"]
        return ", ".join(words)

    def check(self):
        found = self.lost + self.doubled + self.stale + self.stale_ticks
        for line in found[:20]:
            print("found: " + line, flush=True)
        assert not found, f"{len(found)} things that must not be, of which the first are above"
        assert not self.knows_writers or 2 * self.unknown_ticks <= self.ticks, "most ticks could not be judged"
