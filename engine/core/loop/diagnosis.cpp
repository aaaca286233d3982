// Describes the present work of a run, or the events that it waits for.
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/run_log.hpp"
#include "engine/core/sleep.hpp"
#include "engine/text/iso_time.hpp"
#include <future>

namespace weft::core {
namespace {
// Describes joins outside of fan-outs that have only some of their parts.
std::string open_joins(const RunCore& run) {
    std::string text;
    if (!run.state.meeting) return text;
    const Definition& d = *run.definition;
    const Meeting& meeting = *run.state.meeting;
    const auto has_come = [&](Consumer c) {
        for (Handle p = meeting.first_partial; p != none; p = meeting.partials[p].next)
            if (meeting.partials[p].step == c.step && meeting.partials[p].part == c.part)
                return meeting.partials[p].first != none;
        return false;
    };
    for (std::size_t s = 0; s < d.steps.size(); ++s) {
        std::string come, missing;
        for (std::size_t e = 0; e < d.events.size(); ++e)
            for (std::uint16_t i = 0; i < d.plan.events[e].count && d.plan.steps[s].takes == Takes::parts; ++i) {
                const Consumer c = d.plan.consumers[d.plan.events[e].first + i];
                if (c.step != s) continue;
                auto& list = has_come(c) ? come : missing;
                (list += list.empty() ? "" : ", ") += d.events[e].name;
            }
        if (come.empty()) continue;
        if (!text.empty()) text += "; ";
        (((text += "step ") += d.steps[s].name) += " waits for " + missing) += ", and has " + come;
    }
    return text;
}
bool too_long(std::string& open) {
    if (open.size() <= 500) return false;
    if (!open.ends_with("...")) open += ", ...";
    return true;
}
void list_questions(const RunCore& run, std::string& open) {
    const Definition& d = *run.definition;
    for (Handle h : open_questions(d.plan, run.state, 20)) {
        if (too_long(open)) return;
        const TypeIndex type = run.state.tokens[h].step;
        if (!open.empty()) open += ", ";
        (open += "an answer to ") += d.events[type].name;
        for (std::size_t e = 0; e < d.events.size(); ++e) {
            const auto& plan = d.plan.events[e];
            const bool answers = plan.answers == type || (plan.answers == any_question && !d.plan.events[type].paired);
            if (!answers) continue;
            (open += " (") += d.events[e].name;
            for (std::uint16_t i = 0; i < plan.count; ++i)
                (open += ", for step ") += d.steps[d.plan.consumers[plan.first + i].step].name;
            open += ')';
        }
        if (run.extras && run.extras->parent) (open += " in workflow ") += d.name;
    }
    for (auto* child = run.extras ? run.extras->idle_children : nullptr; child; child = child->next) {
        if (too_long(open)) return;
        list_questions(child->run, open);
    }
}
void list_signals(const RunCore& run, std::string& open) {
    const Definition& d = *run.definition;
    for (std::size_t e = 0; e < d.events.size() && !too_long(open); ++e)
        if (d.plan.events[e].answers == signals) (open += open.empty() ? "signal " : " or ") += d.events[e].name;
}
std::string end_of(const WallSleep& sleep) { return utc(sleep.until().time_since_epoch().count()); }
void list_sleeps(const RunCore& run, std::string& open) {
    if (!run.extras || !run.extras->track) return;
    for (const auto* each : run.extras->track->log->family)
        for (auto* sleep = each->extras->sleeps; sleep && !too_long(open); sleep = sleep->next)
            ((open += open.empty() ? "" : ", ") += sleep_words) += end_of(*sleep);
}
constexpr auto at_work = "the run has not ended: it is still at work";
constexpr std::chrono::milliseconds patience{100};  // the maximum wait for the loop of a run on another thread

std::string so_long(Duration d) { return in_seconds(std::chrono::floor<std::chrono::milliseconds>(d)); }
std::string attempt_of(const RunCore& run, Handle token) {
    const unsigned failed = run.state.tokens[token].attempts;
    return failed == 0 ? std::string() : " in its attempt " + std::to_string(failed + 1);
}
/// Lists steps that run, or wait for their next attempt or a worker. On the loop of a run that is not idle.
std::string list_work(const RunCore& run) {
    const Definition& d = *run.definition;
    const auto now = run.loop.load()->runtime().clock->now();
    std::string text;
    const auto begin = [&](StepIndex step) -> std::string& {
        return (text += text.empty() ? "step " : "; step ") += d.steps[step].name;
    };
    std::vector<bool> waits(run.state.tokens.size());
    for (auto* sleep = run.extras ? run.extras->sleeps : nullptr; sleep && !too_long(text); sleep = sleep->next) {
        waits[sleep->attempt()->token] = true;
        begin(sleep->attempt()->step) += " sleeps until " + end_of(*sleep);
    }
    for (auto* a = run.attempts; a && !too_long(text); a = a->next) {
        if (waits[a->token]) continue;
        waits[a->token] = true;
        (begin(a->step) += " has been running for " + so_long(now - a->began)) += attempt_of(run, a->token);
    }
    for (auto* r = run.extras ? run.extras->retries : nullptr; r && !too_long(text); r = r->next)
        begin(run.state.tokens[r->token].step) += " waits " + so_long(std::max(r->at - now, Duration(0))) +
                                                  " for its attempt " +
                                                  std::to_string(run.state.tokens[r->token].attempts + 1);
    std::vector<std::size_t> queued(d.steps.size());
    for (Handle h : run.state.tokens.used()) {
        const Token& token = run.state.tokens[h];
        if (token.phase == TokenPhase::queued) ++queued[token.step];
        if (token.phase == TokenPhase::running && !waits[h] && !too_long(text))
            begin(token.step) += " is running" + attempt_of(run, h);
    }
    for (std::size_t s = 0; s < queued.size() && !too_long(text); ++s)
        if (queued[s] > 0) begin(StepIndex(s)) += " has " + std::to_string(queued[s]) + " more to do";
    return text;
}
std::string diagnose_busy(const RunCore& run) {
    const auto work = list_work(run);
    if (run.state.ending != EndingPhase::not_begun)
        return "the run undoes its work, and then ends as " + std::string(name(run.state.ends_as)) +
               (work.empty() ? "" : ": ") + work;
    return work.empty() ? at_work : "the run is at work: " + work;
}
/// Asks the run's loop, which a step may block, or which may not be running.
std::string ask_its_loop(RunCore& run) {
    if (loop_of_this_thread()) return at_work;  // on another loop: the two could deadlock
    const auto answer = std::make_shared<std::promise<std::string>>();
    auto text = answer->get_future();
    const auto tell = [core = CoreRef(&run), answer] {
        answer->set_value(core->loop.load() ? diagnose(*core) : "the run has ended");
    };
    if (!run.mailbox->post(tell)) return "the run has ended";
    if (text.wait_for(patience) == std::future_status::ready) return text.get();
    return std::string(at_work) + ", and its loop does not answer: a step of this run or of another one blocks it";
}
bool is_held(const RunCore& run) { return run.named && run.extras->held; }
std::string diagnose_idle(const RunCore& run) {
    std::string open;
    list_questions(run, open);
    if (!open.empty()) return "the run is idle: it waits for " + open;
    if (const auto joins = open_joins(run); !joins.empty()) return "the run is idle: " + joins;
    list_signals(run, open);
    if (!open.empty()) return "the run is idle: it waits for " + open;
    return "the run is idle: no step has anything to do, and no question is open; a branch has ended without emitting";
}
}
std::string what_is_awaited(const RunCore& run) {
    std::string open;
    list_questions(run, open);
    list_sleeps(run, open);
    if (open.empty()) open = open_joins(run);
    if (open.empty()) list_signals(run, open);
    return open;
}
std::string diagnose(RunCore& run) {
    using Activity = RunCore::Activity;
    constexpr auto queued = "the run has not begun: its engine or workflow has reached its limit of concurrent runs";
    if (!run.loop.load(std::memory_order_acquire)) return "the run has ended";
    if (is_here(run) && run.activity.load(std::memory_order_relaxed) != Activity::queued) {
        if (run.state.status != RunStatus::running) return run.complete ? "the run has ended" : "the run is ending";
        return run.idle() ? diagnose_idle(run) : is_held(run) ? queued : diagnose_busy(run);
    }
    if (run.activity.load(std::memory_order_acquire) == Activity::queued || is_held(run)) return queued;
    for (auto idle = Activity::idle; !run.activity.compare_exchange_strong(idle, Activity::being_read);
         idle = Activity::idle) {
        if (idle == Activity::busy) return ask_its_loop(run);
        if (idle == Activity::queued) return queued;
        run.activity.wait(Activity::being_read);
    }
    struct Read {  // the run's loop may wait for the end of this
        RunCore& run;
        ~Read() {
            run.activity.store(Activity::idle, std::memory_order_release);
            run.activity.notify_all();
        }
    } read{run};
    return diagnose_idle(run);
}
}
