// The order of the stream. A question takes its place in it when its tick is taken, not when the commands that stand
// before it have been executed: these may call steps which stream. A stored run tells a question only when its tick is
// on disk; what the run and its family stream meanwhile is held back behind it.
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"

namespace weft::core {
void Loop::tell_question(RunCore& run, Handle h, QuestionId question) {
    try {
        auto& cell = run.cells[h];
        if (run.extras && run.extras->watch) run.extras->watch->asked(cell.type, question);
        run.definition->events[cell.type].publish(run, cell.event(), question);
    } catch (...) {
        if (Loop* loop = run.loop) loop->fail_run(run, std::current_exception());
    }
}
// An observer that hears of a question may answer it at once, which adds further commands.
void Loop::tell_questions(RunCore& run) {
    auto left = run.state.asked - run.asked;
    run.asked = run.state.asked;
    std::size_t at = run.commands->size();
    for (auto n = left; n > 0;)
        if ((*run.commands)[--at].kind == Command::publish) --n;
    for (; left > 0 && run.streams(); ++at) {
        const Command c = (*run.commands)[at];
        if (c.kind != Command::publish) continue;
        --left;
        tell_question(run, c.cell, question_id(c.token, c.serial));
    }
}
void Loop::tell_if_unhandled(RunCore& run) {
    if (!run.commands || run.commands->size() == 0) return;
    Command& last = (*run.commands)[run.commands->size() - 1];
    if (last.kind != Command::unhandled) return;
    run.cells[last.cell].uses = 0;
    last.kind = Command::discard;  // so that it is told once
    core::report_unhandled(run, run.definition->events[last.step].name);
}
void Loop::hold_back(RunCore& run, std::size_t first_command) {
    run.asked = run.state.asked;
    if (!run.commands || !run.streams()) return;
    RunLog& log = *run.extras->track->log;
    const auto need = log.required;
    for (auto i = first_command; i < run.commands->size(); ++i) {
        const Command& c = (*run.commands)[i];
        if (c.kind == Command::publish)
            log.held.push_back({&run, nullptr, c.cell, question_id(c.token, c.serial), need});
        if (c.kind != Command::unhandled) continue;
        const std::string name(run.definition->events[c.step].name);
        PublishedBox event(new Published::Of<UnhandledEvent>({.event = name}));
        log.held.push_back({.run = &run, .event = std::move(event), .need = need});
    }
}
// The condition is that of the commands of the tick (Track::waits), so a question is told before its cell is released.
void Loop::tell_held(RunLog& log) {
    if (log.is_telling) return;  // whoever hears of an event makes more of them: these come after it
    struct Telling {
        RunLog& log;
        explicit Telling(RunLog& l) : log(l) { log.is_telling = true; }
        ~Telling() { log.is_telling = false; }
    };
    const auto keep = log.shared_from_this();
    const Telling telling(log);
    while (!log.held.empty() && log.held.front().need <= log.stored) {
        auto held = std::move(log.held.front());
        log.held.pop_front();
        const CoreRef run(held.run);
        if (held.event) run->tell(std::move(held.event));
        else tell_question(*run, held.cell, held.question);
    }
}
void Loop::tell_rest(RunLog& log) {
    for (auto& held : std::exchange(log.held, {})) {
        const CoreRef run(held.run);
        if (held.event && held.need <= log.stored) run->tell(std::move(held.event));
    }
}
}
