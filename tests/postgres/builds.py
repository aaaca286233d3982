"""Workers of two builds of one workflow, on machines whose clocks differ by an hour: each takes runs of its own
declaration. Runs of the other declaration are carried over when no worker has it any more; a run that cannot be
carried over waits, and `weft queue` lists it.
"""
import json
import sys

from chaos import WEFT, Place
from server import until, wait

ASKED = "status in ('ready', 'running', 'waiting') and waits_for like '%MayIPayEvent%'"


def processes_of(place, runs):
    """Returns the processes that ever owned one of these runs."""
    names = ",".join(f"'{run}'" for run in runs)
    rows = place.database.ask("select distinct w.info::json ->> 'process' from audit.owners o join audit.workers w "
                              f"on w.owner = o.owner where o.run in ({names})")
    return {int(process.split(":")[-1]) for process, in rows}


def hashes(place, runs):
    names = ",".join(f"'{run}'" for run in runs)
    return {row[0] for row in place.database.ask(f"select distinct hash from weft.runs where id in ({names})")}


def claims_of(place, runs):
    names = ",".join(f"'{run}'" for run in runs)
    return int(place.database.ask(f"select sum(epoch) from weft.runs where id in ({names})")[0][0])


def busy_one(place, pair, build, runs):
    """Returns the first worker with runs, and adds runs if all have ended."""
    if place.unfinished() == 0:
        runs += place.put_orders(f"more{len(runs)}{build}", 8, work_ms=1000, build=build)
    return next((each for each in pair if place.runs_of(each)), None)


def stuck(place):
    return json.loads(place.call(WEFT, "queue", "--json", "--store", place.own_url))["stuck"]


def end(place, *workers):
    for each in workers:
        each.end()
        place.workers.remove(each)
        ended.append(each)


ended = []
with Place() as place:
    # Both builds run in parallel. Each worker dies once, so that runs change from one clock to the other.
    early, late = (place.add_worker("order", f"shift_s={shift}") for shift in (-1800, 1800))
    changed = [place.add_worker("order", "build=changed", f"shift_s={shift}") for shift in (1800, -1800)]
    for each in place.workers:
        each.until_working()
    place.add_clerk()
    usual_runs, changed_runs, pids = [], [], {"usual": set(), "changed": set()}
    for number in range(4):
        asks = number % 2 == 0
        usual_runs += place.put_orders(f"usual{number}", 8, work_ms=1000, asks=asks)
        changed_runs += place.put_orders(f"changed{number}", 8, work_ms=1000, asks=asks, build="changed")
        for build, pair, runs in (("usual", [early, late], usual_runs), ("changed", changed, changed_runs)):
            pids[build] |= {each.pid for each in pair}
            worker = until("one of the build has runs", lambda: busy_one(place, pair[::-1] if number % 2 else pair,
                                                                         build, runs))
            worker.kill()
            worker.start()
            pids[build].add(worker.pid)
    until("nobody waits for a clock", lambda: place.unfinished() == 0)
    assert processes_of(place, usual_runs) <= pids["usual"], "the changed build has taken runs of the usual one"
    assert processes_of(place, changed_runs) <= pids["changed"], "the usual build has taken runs of the changed one"
    assert hashes(place, usual_runs) | hashes(place, changed_runs) == hashes(place, place.wanted)
    assert len(hashes(place, place.wanted)) == 2

    # The usual build ends while its runs wait. The build `other` cannot carry them over: it has no question.
    end(place, *changed)
    place.stop_clerk()
    waiting = place.put_orders("waiting", 12, work_ms=50, asks=True, timeout_s=600)
    until("all have asked", lambda: place.count(ASKED) == len(waiting))
    until("nobody has one", lambda: place.count("status = 'waiting' and owner is null and id like 'waiting-%'") ==
          len(waiting))
    before = claims_of(place, waiting)
    wait(2)  # time for several attempts of a worker to claim runs
    assert claims_of(place, waiting) == before, "a run that waits for an answer was claimed, for the sake of a clock"
    end(place, early, late)
    other = place.add_worker("order", "build=other").until_working()
    place.add_clerk()
    until("they are told of", lambda: {each["run"] for each in stuck(place)} >= set(waiting))
    reasons = {each["missing"] for each in stuck(place)}
    assert all("order" in each or "MayIPayEvent" in each or "step" in each for each in reasons), reasons
    until("they are nobody's", lambda: place.count("status = 'ready' and id like 'waiting-%'") == len(waiting))
    end(place, other)

    # Another build carries the runs over.
    carrier = place.add_worker("order", "build=changed").until_working()
    until("they are carried over", lambda: place.unfinished() == 0)
    assert hashes(place, waiting) == hashes(place, changed_runs)
    place.workers += ended
    place.finish(carried_over=len(waiting), refused_before=len(waiting), clocks_apart="1 h")
