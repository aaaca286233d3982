// Routes that start, show, answer and cancel runs.
#include "engine/core/data/run_values.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/record.hpp"
#include "engine/error.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/line.hpp"
#include "engine/store/rules.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/service.hpp"
#include <limits>
#include <set>
#include <span>

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::size_t longest_conversation = 128, longest_time = 64, longest_signal_id = 200, longest_key = 200;
constexpr std::chrono::seconds longest_patience{3};  // extra time for an awaited run when the server stops
constexpr std::size_t most_listed = 256 << 10;       // maximum bytes of results in one list
constexpr std::string_view run_members[] = {"start_event",     "kwargs",  "additional_kwargs", "handler_id", "values",
                                            "conversation_id", "context", "not_before",        "key"};
constexpr std::string_view answer_members[] = {"event", "question", "step"}, signal_members[] = {"signal", "id"};
constexpr std::string_view list_parameters[] = {"status", "workflow_name"}, cancel_parameters[] = {"purge"};
constexpr std::string_view known_states[] = {"running", "waiting", "completed", "failed", "cancelled"};

/// An optional text of the body, with at most this number of bytes.
std::string body_text(const json& body, const char* key, std::size_t most) {
    const auto at = body.find(key);
    if (at == body.end() || at->is_null()) return {};
    if (!at->is_string() || at->get_ref<const std::string&>().size() > most)
        throw Problem(400,
                      std::string("\"") + key + "\" has to be a text of at most " + std::to_string(most) + " bytes");
    return at->get<std::string>();
}
/// Refuses unknown members: a misspelled conversation_id would silently start another conversation. If the event
/// (the first known member) is missing, the message says so, because clients may put its fields beside it.
void check_members(const json& body, std::span<const std::string_view> known, bool has_event) {
    const auto holder = has_event ? "the body has a member"
                                  : '"' + std::string(known[0]) + "\" is missing, and the body has a member";
    for (const auto& [name, value] : body.items())
        if (!value.is_null() && std::ranges::find(known, name) == known.end()) refuse_unknown(holder, name, known);
}
SentEvent start_in(json& body) {
    if (const auto at = body.find("context"); at != body.end() && !at->empty())  // null and {} are empty
        throw Problem(400, "\"context\" is not supported: each run begins with an empty context");
    if (const auto at = body.find("additional_kwargs"); at != body.end() && !at->empty())
        throw Problem(400, "\"additional_kwargs\" is not supported: put the fields into \"start_event\"");
    const auto is_given = [&](const char* key) { return body.contains(key) && !body[key].is_null(); };
    const char* key = is_given("start_event") ? "start_event" : is_given("kwargs") ? "kwargs" : nullptr;
    check_members(body, run_members, key != nullptr);
    if (!key) return {};
    auto sent = read_sent(std::move(body[key]), key, true);
    if (!sent.question.empty()) throw Problem(400, std::string(key) + ": a start event answers no question");
    return sent;
}
RunRequest run_request_in(const ServedWorkflow& workflow, json body, std::size_t bytes) {
    RunRequest request;
    request.bytes = bytes;
    request.handler = body_text(body, "handler_id", 128);
    request.conversation = body_text(body, "conversation_id", longest_conversation);
    try {
        auto sent = start_in(body);
        const auto& start = start_event(*workflow.definition);
        if (!sent.type.empty() && sent.type != start.name && sent.type != "StartEvent")  // Python's base class
            throw Problem(400, "start_event: the workflow " + workflow.name + " begins with a " +
                                   std::string(start.name) + ", not with a " + excerpt(sent.type, 60));
        catalog::check_input(start, sent.value, "start_event");
        request.input = std::move(sent.value);
    } catch (const Error& error) { throw Problem(400, error.what()); }
    return request;
}
/// The operator's values override the client's, so that no client can claim to be another tenant.
JsonText values_in(const ServerOptions& options, const json& body) {
    const auto at = body.find("values");
    if (at == body.end() || at->is_null()) return options.values;
    if (!options.accept_values)
        throw Problem(403, "this server accepts no \"values\" from clients, since they name the user of a run: accept "
                           "them only if all requests come from your own front end");
    if (!at->is_object()) throw Problem(400, "\"values\" has to be an object");
    auto values = *at;
    if (!options.values.text.empty()) values.update(json::parse(options.values.text));
    JsonText text{json_line(values)};
    try {
        core::checked_values(text.text);
    } catch (const Error& error) { throw Problem(400, error.what()); }
    return text;
}
std::optional<WallTime> time_in(const json& body) {
    const auto text = body_text(body, "not_before", longest_time);
    if (text.empty()) return {};
    const auto time = read_iso_time(text);
    if (!time.mistake.empty()) throw Problem(400, "\"not_before\" " + time.mistake);
    return time.at;
}
std::string key_in(const json& body) {
    auto key = body_text(body, "key", longest_key);
    if (!key.empty() && !storage::can_be_run_id(key))
        throw Problem(400, "\"key\" has to be a text without control characters");
    return key;
}
/// A run with a known key is the former one.
awaitable<ServedRuns::RunPointer> start_run(Service& service, RouteCall& call, bool may_wait) {
    const auto& workflow = service.runs->workflow(call.part(0));
    auto body = call.body();
    RunOptions options;
    options.values = values_in(service.options, body);
    options.not_before = time_in(body);
    options.key = key_in(body);
    if (options.not_before && !may_wait)
        throw Problem(400, "\"not_before\" would keep this request waiting: begin the run by run-nowait");
    auto request = run_request_in(workflow, std::move(body), call.request.body.size());
    if (!options.key.empty()) {
        auto finding = service.runs->find_key(workflow.name, options.key);
        auto known = co_await std::move(finding);
        if (known) co_return known;
    }
    if (call.exchange.stopping()) throw Problem(503, "this server is about to stop", {{"Retry-After", "5"}});
    options.traceparent = std::string(net::find_header(call.request.headers, "traceparent"));
    options.tracestate = std::string(net::find_header(call.request.headers, "tracestate"));
    co_return service.runs->start(workflow.name, std::move(request), std::move(options), call.caller);
}
unsigned http_code(RunStatus status) {
    if (!has_ended(status)) return 202;
    return status == RunStatus::done ? 200 : 500;
}
awaitable<void> reply_handler(RouteCall& call, unsigned status, const ServedRun& run) {
    return reply_text(call, status, "application/json", run.handler_text());
}
awaitable<void> post_run(Service& service, RouteCall& call) {
    auto starting = start_run(service, call, false);
    const auto run = co_await std::move(starting);
    // A run that never waits ends in the loop's next turn, so nothing needs to watch for a disconnecting client.
    const auto& executor = co_await this_executor();
    if (!run->has_ended()) co_await asio::post(executor, asio::deferred);
    auto& exchange = call.exchange;
    if (!run->has_ended()) {
        const Signal signal;
        const auto* runtime = co_await this_runtime();
        const std::shared_ptr<Alarm> patience = runtime->clock->make_alarm(runtime->executor,
                                                                           [signal] { signal.ring(); });
        exchange.when_leaving([signal, &exchange, patience, clock = runtime->clock] {
            if (exchange.client_has_gone()) signal.ring();
            else patience->set(clock->after(longest_patience));  // the server is stopping
        });
        auto end = run->until_ended(signal);
        co_await std::move(end);
    }
    if (!run->has_ended() && exchange.stopping())
        throw Problem(503, "this server is stopping; the handler_id of the run is " + run->identity.handler);
    if (exchange.client_has_gone()) co_return exchange.break_off();  // the run continues
    auto answering = reply_handler(call, http_code(run->status()), *run);
    co_await std::move(answering);
}
/// Waits until the store has the run's input, so that a client can rely on a success.
awaitable<void> until_kept(const ServedRun& run) {
    auto storing = run.until_stored();
    try {
        co_await std::move(storing);
    } catch (const Error& error) { throw Problem(503, error.what()); }
}
awaitable<void> post_run_nowait(Service& service, RouteCall& call) {
    auto starting = start_run(service, call, true);
    const auto run = co_await std::move(starting);
    auto keeping = until_kept(*run);
    co_await std::move(keeping);
    auto answering = reply_handler(call, 200, *run);
    co_await std::move(answering);
}
/// All values of a parameter, which may be repeated and may have several values with commas.
std::vector<std::string> values_of(const Target& target, std::string_view name) {
    std::vector<std::string> values;
    for (const auto& text : target.all(name))
        for (std::string_view rest = text; !rest.empty();)
            if (const auto one = trimmed(cut_at(rest, ',')); !one.empty()) values.emplace_back(one);
    return values;
}
/// Reads the filters of a list. Refuses unknown values, since such a filter would silently find nothing.
ServedRuns::ServedRunFilter listing_in(const Service& service, const Target& target) {
    ServedRuns::ServedRunFilter listing;
    for (const auto& value : values_of(target, "status")) {
        if (std::ranges::find(known_states, lower(value)) == std::end(known_states))
            refuse_unknown("status names a state", value, known_states);
        listing.states.push_back(lower(value));
    }
    listing.workflows = values_of(target, "workflow_name");
    std::vector<std::string_view> names;
    for (const auto& workflow : service.runs->workflows()) names.push_back(workflow.name);
    for (const auto& value : listing.workflows)
        if (std::ranges::find(names, value) == names.end())
            refuse_unknown("workflow_name names a workflow", value, names);
    return listing;
}
awaitable<void> get_handlers(Service& service, RouteCall& call) {
    const auto listing = listing_in(service, call.target);
    std::string text = "{\"handlers\":[";
    for (const auto& run : service.runs->list(listing)) {  // a long list leaves out results
        const bool fits = text.size() + run->last_envelope().size() <= most_listed;
        (text += text.ends_with('[') ? "" : ",") += run->handler_text(fits);
    }
    return reply_text(call, 200, "application/json", text += "]}");
}
awaitable<void> get_handler(Service& service, RouteCall& call) {
    const auto run = service.runs->find(call.part(0));
    return reply_handler(call, http_code(run->status()), *run);
}
/// Replies with the bare value of the result, for clients of the first versions.
awaitable<void> get_result(Service& service, RouteCall& call) {
    const auto run = service.runs->find(call.part(0));
    auto handler = json::parse(run->handler_text());
    if (handler["result"].is_object()) handler["result"] = json(handler["result"]["value"]);
    return reply(call, http_code(run->status()), std::move(handler));
}
/// A Python client may send the base class HumanResponseEvent, which stands for the only answer that fits.
std::string answer_type(const ServedWorkflow& workflow, const ServedRun& run, const std::string& type,
                        const std::string& question) {
    const auto& d = *workflow.definition;
    if (type != "HumanResponseEvent" || find_event(d, type)) return type;
    std::set<std::string_view> fitting;
    for (const auto& open : run.open_questions())
        for (const auto& known : questions(d))
            if (known.asks->name == open.type && (question.empty() || question == open.id))
                for (const auto* answer : known.answers) fitting.insert(answer->name);
    if (fitting.size() == 1) return std::string(*fitting.begin());
    if (fitting.empty()) throw Problem(409, "no open question takes a HumanResponseEvent");
    throw Problem(400, "event: HumanResponseEvent is the base of several answers: send one of " + with_commas(fitting));
}
/// Throws Problem if the run does not take an event of this type now.
void check_answer(const ServedWorkflow& workflow, const ServedRun& run, const std::string& type) {
    const auto& d = *workflow.definition;
    const auto* event = find_event(d, type);
    if (!event) throw Problem(400, "event: the workflow " + workflow.name + " has no " + excerpt(type, 60));
    const auto answers = d.plan.events[std::size_t(event - d.events.data())].answers;
    if (answers == core::no_type)
        throw Problem(400, "event: the workflow " + workflow.name + " takes no " + type + " from outside");
    if (answers == core::any_question || answers == core::signals || run.is_resuming()) return;
    const auto& asked = d.events[answers].name;
    for (const auto& open : run.open_questions())
        if (open.type == asked) return;
    throw Problem(409, "no open question takes a " + type);
}
/// Throws Problem for a signal, which takes no question.
void refuse_signal(const ServedWorkflow& workflow, const std::string& type) {
    const auto& d = *workflow.definition;
    const auto* event = find_event(d, type);
    if (event && d.plan.events[std::size_t(event - d.events.data())].answers == core::signals)
        throw Problem(400, "question: " + type + " is a signal, which answers no question: leave out the question");
}
awaitable<void> post_event(Service& service, RouteCall& call) {
    const auto body = call.body();
    const auto run = service.runs->find(call.part(0));
    if (run->status() != RunStatus::running) throw Problem(409, "Workflow already completed");
    check_members(body, answer_members, body.contains("event"));
    if (!body.contains("event")) throw Problem(400, "\"event\" is missing: it has the event's type and value");
    auto question = body_text(body, "question", 40);
    const auto step = body_text(body, "step", 128);
    const auto& workflow = service.runs->workflow(run->identity.workflow);
    const auto steps = step_names(*workflow.definition);
    if (!step.empty() && std::ranges::find(steps, step) == steps.end())
        throw Problem(400, "step: the workflow " + workflow.name + " has no " + excerpt(step, 60));
    try {
        auto sent = read_sent(body["event"], "event");
        if (question.empty()) question = sent.question;
        else if (!sent.question.empty() && sent.question != question)
            throw Problem(400, "the body and its event name two different questions");
        sent.type = answer_type(workflow, *run, sent.type, question);
        if (question.empty()) check_answer(workflow, *run, sent.type);
        else refuse_signal(workflow, sent.type);
        if (const auto* type = find_event(*workflow.definition, sent.type))
            catalog::check_input(*type, sent.value, "event");
        service.runs->make_room(*run, call.request.body.size());
        run->answer(sent.type, sent.value, question);
    } catch (const Error& error) { throw Problem(error.code() == Code::cancelled ? 409 : 400, error.what()); }
    auto keeping = until_kept(*run);
    co_await std::move(keeping);
    json sent = {{"status", "sent"}};
    auto answering = reply(call, 200, std::move(sent));
    co_await std::move(answering);
}
/// The sent event, a signal of the workflow. Throws Problem for anything else.
SentEvent signal_in(const ServedWorkflow& workflow, const json& body) {
    check_members(body, signal_members, body.contains("signal"));
    if (!body.contains("signal")) throw Problem(400, "\"signal\" is missing: it has the event's type and value");
    auto sent = read_sent(body["signal"], "signal");
    const auto& d = *workflow.definition;
    std::set<std::string_view> known;
    for (std::size_t e = 0; e < d.events.size(); ++e)
        if (d.plan.events[e].answers == core::signals) known.insert(d.events[e].name);
    if (!known.contains(sent.type))
        throw Problem(400, "signal: the workflow " + workflow.name + " takes no signal " + excerpt(sent.type, 60) +
                               "; it takes " + (known.empty() ? "no signals" : with_commas(known)));
    if (!sent.question.empty()) refuse_signal(workflow, sent.type);
    const auto& type = *find_event(d, sent.type);
    catalog::check_input(type, sent.value, "signal");
    (void)read_event(type, sent.value, "signal");
    return sent;
}
/// Returns false if the store had a signal with this id before.
awaitable<bool> keep_signal(Store& store, const ServedRun& run, const SentEvent& signal, std::string id) {
    auto sending = mail_signal(store, {.run = run.identity.id,
                                       .id = std::move(id),
                                       .body = journal::write_mail({.data = signal.value, .event = signal.type})});
    try {
        const auto sent = co_await std::move(sending);
        if (!sent.is_new && !sent.is_known) throw Problem(409, "Workflow already completed");
        co_return sent.is_new;
    } catch (const Error& error) {
        if (error.code() != Code::usage) throw;
        throw Problem(429, error.what(), {{"Retry-After", "1"}});
    }
}
awaitable<void> post_signal(Service& service, RouteCall& call) {
    const auto body = call.body();
    const auto run = service.runs->find(call.part(0));
    const auto& workflow = service.runs->workflow(run->identity.workflow);
    if (run->status() != RunStatus::running) throw Problem(409, "Workflow already completed");
    auto id = body_text(body, "id", longest_signal_id);
    SentEvent sent;
    try {
        sent = signal_in(workflow, body);
    } catch (const Error& error) { throw Problem(400, error.what()); }
    bool is_new = true;
    auto keeping = until_kept(*run);  // the run's start is in the store
    if (service.options.store && workflow.stores_runs) {
        co_await std::move(keeping);
        if (id.empty()) id = core::hex(core::draw_seed());
        auto mailing = keep_signal(*service.options.store, *run, sent, std::move(id));
        is_new = co_await std::move(mailing);
    } else {
        if (!id.empty())
            throw Problem(400, "\"id\": this server does not store runs of " + workflow.name +
                                   ", so it cannot know a signal again: leave out the id");
        try {
            service.runs->make_room(*run, call.request.body.size());
            run->answer(sent.type, sent.value, "");
        } catch (const Error& error) { throw Problem(error.code() == Code::cancelled ? 409 : 400, error.what()); }
    }
    json answer = {{"status", is_new ? "sent" : "known"}};
    auto answering = reply(call, 200, std::move(answer));
    co_await std::move(answering);
}
awaitable<void> get_slots(Service& service, RouteCall& call) {
    const auto run = service.runs->find(call.part(0));
    const auto& workflow = service.runs->workflow(run->identity.workflow);
    auto* store = service.options.store;
    if (!store || !workflow.stores_runs)
        throw Problem(409, "this server does not store runs of " + workflow.name +
                               ", so their slots cannot be read: start it with a store");
    auto keeping = until_kept(*run);
    co_await std::move(keeping);
    const auto load = [&](std::uint64_t from) {
        return store_reply<storage::History>([&](auto then) { store->load(run->identity.id, std::move(then), from); });
    };
    auto loading = load(std::numeric_limits<std::int64_t>::max());  // the snapshot, and the ticks after it
    const auto history = co_await std::move(loading);
    json slots = json::object();
    for (auto& [name, value] : journal::fold_slots(history)) slots[name] = value;
    json answer = {{"slots", std::move(slots)}, {"ticks", history.run.next_seq}};
    auto answering = reply(call, 200, std::move(answer));
    co_await std::move(answering);
}
awaitable<void> post_cancel(Service& service, RouteCall& call) {
    const bool purge = call.flag("purge", false);
    auto work = purge ? service.runs->purge(call.part(0)) : service.runs->cancel(call.part(0));
    co_await std::move(work);
    json body = {{"status", purge ? "deleted" : "cancelled"}};
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
constexpr Route run_table[] = {
    {"POST", "/workflows/{}/run", Access::token, post_run},
    {"POST", "/workflows/{}/run-nowait", Access::token, post_run_nowait},
    {"GET", "/handlers", Access::token, get_handlers, list_parameters},
    {"GET", "/handlers/{}", Access::token, get_handler},
    {"GET", "/results/{}", Access::token, get_result},
    {"POST", "/events/{}", Access::token, post_event},
    {"POST", "/handlers/{}/signals", Access::token, post_signal},
    {"GET", "/handlers/{}/slots", Access::token, get_slots},
    {"POST", "/handlers/{}/cancel", Access::token, post_cancel, cancel_parameters},
};
}
std::span<const Route> run_routes() { return run_table; }
}
