// A coroutine keeps each run until its end, because the run needs its resources even after its call was cancelled. The
// follower of a run, or the keeper of its open question, has a Hold, whose destruction cancels the run.
#include "workflows/mcp/run_offer.hpp"
#include "engine/any_event.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/terminal.hpp"
#include "engine/timeout.hpp"
#include "steps/view/event_entries.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/mcp/form.hpp"
#include "workflows/mcp/run_progress.hpp"
#include "workflows/server/guard/guard.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>

namespace weft::mcp_server {
namespace {
using nlohmann::json;

// The question of an agent that wants to call a tool (steps/agents/common/approvals.hpp); the run can do without an
// answer.
constexpr std::string_view approval_request = "ToolApprovalRequestEvent", approval_answer = "ToolApprovalEvent";
constexpr auto too_many_mistakes = "a question got too many wrong answers, so the run was cancelled";
constexpr int most_mistakes = 5;  // per question, so that no program repeats a mistake for ever

struct RunQuestion {
    QuestionId id;
    std::string type;
    json value;
    std::vector<const EventType*> answers;
    std::string mistake = {};  // the fault of the last answer
    int mistakes = 0;
    bool is_approval() const { return type == approval_request; }
};
struct LiveRun {
    JsonRun run;
    std::shared_ptr<void> needs;
    std::map<std::string, RunQuestion> open = {};  // by the keys for clients
    std::uint64_t told = 0;                        // the last progress number
    int asked = 0, asked_again = 0;
    bool is_idle = false, streams = false;
};
struct CancelRun {
    std::shared_ptr<LiveRun> live;
    void operator()(LiveRun*) const { live->run.cancel(); }  // no effect on an ended run
};
using Hold = std::unique_ptr<LiveRun, CancelRun>;
awaitable<void> keep_until_ended(std::shared_ptr<LiveRun> live) {
    try {
        co_await live->run.result();
    } catch (const std::exception&) {}  // its follower gets the error
}

class RunOffer : public std::enable_shared_from_this<RunOffer> {
public:
    RunOffer(server::ServedWorkflow workflow, QuestionLimits limits)
        : workflow_(std::move(workflow)), limits_(limits) {}
    json tool() const {
        const auto& d = *workflow_.definition;
        json tool = {{"name", workflow_.name}, {"inputSchema", catalog::closed(schema(start_event(d)))}};
        tool["description"] = workflow_.description.empty() ? "runs the workflow " + workflow_.name
                                                            : workflow_.description;
        if (stop_event(d).shape) tool["outputSchema"] = schema(stop_event(d));
        return tool;
    }
    static awaitable<json> act(std::shared_ptr<RunOffer> self, Call& call) {
        const auto* runtime = co_await this_runtime();
        self->forget_old(*runtime);
        auto hold = call.state() ? self->take(*call.state()) : self->start(call, *runtime);
        bool ask_at_once = call.state() && !hear(*hold, call.answers());
        for (;;) {
            answer_unasked(*hold, call);
            if (!hold->open.empty() && (hold->is_idle || ask_at_once)) {
                const auto key = server::random_text(32);
                json answers;
                try {
                    auto asking = call.ask(questions_of(*hold), key);
                    answers = co_await std::move(asking);
                } catch (const InputRequiredResult&) {
                    self->park(key, std::move(hold), *runtime);
                    throw;
                }
                ask_at_once = !hear(*hold, answers);
                continue;
            }
            const auto event = co_await hold->run.next_event();
            if (!event) break;
            self->hear_event(call, *hold, *event);
        }
        auto result = co_await hold->run.result();
        co_return self->as_result(std::move(result));
    }
    void leave() { parked_.clear(); }

private:
    struct WaitingRun {
        Hold hold;
        Clock::Time until;
    };
    Hold start(Call& call, const Runtime& runtime) {
        RunOptions options;
        options.tell_idle = true;
        options.tell_progress = call.wants_progress();
        if (!call.values().empty()) options.values.text = call.values().dump();
        if (const auto* trace = rpc::find_meta(call.params(), rpc::meta::trace); trace && trace->is_string())
            options.traceparent = trace->get<std::string>();
        server::RunRequest request;
        request.input = call.arguments();
        catalog::check_input(start_event(*workflow_.definition), request.input, "the call");
        auto started = workflow_.start(request, options);
        auto live = std::make_shared<LiveRun>(LiveRun{std::move(started.run), std::move(started.needs)});
        auto keeping = keep_until_ended(live);
        spawn(runtime, std::move(keeping), asio::detached);
        return Hold(live.get(), CancelRun{live});
    }
    Hold take(const std::string& key) {
        const auto found = parked_.find(key);
        if (found == parked_.end())
            throw RpcFailure(rpc::code::bad_params,
                             "the run of this answer has ended or was already answered: call again without "
                             "requestState and inputResponses");
        auto hold = std::move(found->second.hold);
        parked_.erase(found);
        return hold;
    }
    void park(const std::string& key, Hold hold, const Runtime& runtime) {
        if (parked_.size() >= limits_.waiting)
            throw std::runtime_error("too many runs of this workflow wait for answers: call again later");
        parked_.emplace(key, WaitingRun{std::move(hold), runtime.clock->after(limits_.answer_time)});
        if (!alarm_)
            alarm_ = runtime.clock->make_alarm(runtime.executor, [weak = weak_from_this(), runtime] {
                if (const auto self = weak.lock()) self->forget_old(runtime);
            });
        wake_at_next_end();
    }
    void forget_old(const Runtime& runtime) {
        const auto now = runtime.clock->now();
        std::erase_if(parked_, [now](const auto& each) { return each.second.until <= now; });
        wake_at_next_end();
    }
    void wake_at_next_end() {
        if (!alarm_ || parked_.empty()) return;
        auto next = Clock::Time::max();
        for (const auto& [key, parked] : parked_) next = std::min(next, parked.until);
        alarm_->set(next);
    }
    void hear_event(Call& call, LiveRun& live, const AnyEvent& event) const {
        live.is_idle = event.get_if<RunIdleEvent>();
        if (event.question() != QuestionId::none) add_question(live, event);
        else if (const auto* branches = event.get_if<RunProgressEvent>()) tell_branches(call, live, *branches);
        else if (auto text = progress_text(event); !text.empty()) {
            live.streams = true;
            call.progress(double(++live.told), {}, text);
        }
    }
    /// Reports branches only until the run streams an event. Later progress continues from this number.
    static void tell_branches(Call& call, LiveRun& live, const RunProgressEvent& branches) {
        if (live.streams) return;
        live.told = std::max(live.told, branches.settled);
        call.progress(double(branches.settled), double(branches.begun), view::progress_sentence(branches));
    }
    void add_question(LiveRun& live, const AnyEvent& event) const {
        RunQuestion question{event.question(), std::string(event.name()), to_json(event), {}};
        for (const auto& known : questions(live.run.definition()))
            if (known.asks->name == event.name()) question.answers = known.answers;
        if (question.answers.empty())
            throw std::runtime_error("the run asks " + words_of(event.name()) +
                                     ", which a client of MCP cannot answer");
        const auto mistake = question.value.is_object() ? question.value.value("mistake", json()) : json();
        const bool again = mistake.is_string() && !mistake.get_ref<const std::string&>().empty();
        live.asked_again = again ? live.asked_again + 1 : 0;
        if (live.asked_again >= most_mistakes) throw std::runtime_error(too_many_mistakes);
        live.open.emplace("q" + std::to_string(++live.asked), std::move(question));
    }
    static json questions_of(const LiveRun& live) {
        json requests = json::object();
        for (const auto& [key, question] : live.open)
            requests[key] = ask_by_form(question.type, question.value, question.answers, question.mistake);
        return requests;
    }
    static void decide(LiveRun& live, const RunQuestion& question, const char* decision, const std::string& reason) {
        live.run.answer(question.id, std::string(approval_answer), {{"decision", decision}, {"reason", reason}});
    }
    /// Rejects an agent's tool call if the client cannot ask the human; the agent continues without it.
    static void answer_unasked(LiveRun& live, const Call& call) {
        const bool can = call.can("elicitation");
        std::erase_if(live.open, [&](const auto& each) {
            const auto& question = each.second;
            if (!question.is_approval()) return false;
            const auto found = question.value.find("arguments");
            const bool fits = found == question.value.end() ||
                              fits_question(found->dump(-1, ' ', false, json::error_handler_t::replace));
            if (can && fits) return false;
            decide(live, question, "unanswered",
                   can ? "its arguments are too long to be shown" : "the client cannot ask the user");
            live.is_idle = false;
            return true;
        });
    }
    /// Whether an open question has an answer. Throws if one was declined.
    static bool hear(LiveRun& live, const json& answers) {
        bool any = false;
        for (auto at = live.open.begin(); at != live.open.end();) {
            const auto given = answers.find(at->first);
            bool taken = false;
            if (given != answers.end() && given->is_object()) try {
                    const auto answer = read_form(*given, at->second.answers);
                    live.run.answer(at->second.id, answer.event, answer.data);
                    taken = any = true;
                } catch (const DeclinedForm& declined) {
                    if (!at->second.is_approval())
                        throw std::runtime_error(std::string(declined.what()) + ", so the run was cancelled");
                    decide(live, at->second, "reject", declined.what());
                    taken = any = true;
                } catch (const Error& error) {
                    at->second.mistake = error.what();
                    if (++at->second.mistakes >= most_mistakes)
                        throw std::runtime_error(too_many_mistakes + std::string(": ") + error.what());
                }
            at = taken ? live.open.erase(at) : std::next(at);
        }
        if (any) live.is_idle = false;
        return any;
    }
    json as_result(json stop) const {
        json result = text_result(json_line(stop));
        result["structuredContent"] = std::move(stop);
        return result;
    }

    const server::ServedWorkflow workflow_;
    const QuestionLimits limits_;
    std::map<std::string, WaitingRun> parked_;
    std::unique_ptr<Alarm> alarm_;
};
}

ServedTool offer_run(server::ServedWorkflow workflow, QuestionLimits limits) {
    const auto offer = std::make_shared<RunOffer>(std::move(workflow), limits);
    return {offer->tool(), [offer](Call& call) { return RunOffer::act(offer, call); }, [offer] { offer->leave(); }};
}
}
