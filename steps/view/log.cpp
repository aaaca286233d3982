// Texts are redacted before they are cut, because a cut could leave half of a key. Each of several parallel
// sub-questions has an open record.
#include "steps/view/log.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include <boost/describe/enum_to_string.hpp>
#include <spdlog/logger.h>

namespace weft::view {
namespace {
using nlohmann::ordered_json;
constexpr std::size_t shown_bytes = 200;

std::string in_line(const ordered_json& record) {
    return record.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}
/// Logs the text unchanged: braces are not placeholders.
void add_line(spdlog::logger& logger, spdlog::level::level_enum level, const std::string& line) {
    logger.log(level, spdlog::string_view_t(line));
}
std::string redacted(const Redact& redact, const std::string& text) { return redact ? redact(text) : text; }
/// Use after redaction: a cut could leave half of a key.
std::string cut(const std::string& text) {
    const auto shown = utf8_cut(text, shown_bytes);
    return std::string(shown) + (shown.size() < text.size() ? "..." : "");
}
const char* name_of(TraceKind kind) {
    if (kind == TraceKind::sub_question) return "sub_question_text";  // sub_question is its number
    return boost::describe::enum_to_string(kind, "text");
}
std::string request_line(const std::string& model, const models::ChatRequest& request, const Redact& redact) {
    ordered_json messages = ordered_json::array();
    for (const auto& message : request.messages)
        messages.push_back(
            {{"role", to_json(message.role).get<std::string>()}, {"content", redacted(redact, message.content)}});
    return in_line({{"model", model}, {"messages", messages}});
}
void add_tokens(ordered_json& line, const models::Usage& usage) {
    line["prompt_tokens"] = usage.prompt_tokens;
    line["completion_tokens"] = usage.completion_tokens;
    if (usage.cached_tokens) line["cached_tokens"] = usage.cached_tokens;
    if (usage.cache_written_tokens) line["cache_written_tokens"] = usage.cache_written_tokens;
}
std::string reply_line(const models::ChatReply& reply, const Redact& redact) {
    ordered_json line = {{"model", reply.model}};
    if (!reply.reasoning.empty()) line["reasoning"] = redacted(redact, reply.reasoning);
    line["reply"] = redacted(redact, reply.text);
    add_tokens(line, reply.usage);
    return in_line(line);
}
}

StepLog::StepLog(spdlog::logger& logger, std::string run, Redact redact)
    : logger_(logger), run_(std::move(run)), redact_(std::move(redact)) {}
StepLog::~StepLog() {
    try {
        for (const auto& [of, record] : open_) write(record, nullptr);
    } catch (const std::exception&) {  // a failing log must not end the run
    }
}
void StepLog::on(std::span<const TraceEntry> entries) {
    if (!logger_.should_log(spdlog::level::info)) return;
    for (const auto& entry : entries) add(entry);
}
void StepLog::add(const TraceEntry& entry) {
    using enum TraceKind;
    if (entry.kind == event || entry.kind == progress)
        return write({}, &entry);  // may come within a step, which stays open
    auto& record = open_[entry.sub_question];
    if (entry.kind == reasoning) return;  // logged at debug, with the model's reply
    const bool thinks = entry.kind == reflection || entry.kind == thought;
    if (!thinks && entry.kind != action) {
        write(record, &entry);
        open_.erase(entry.sub_question);
        return;
    }
    if (record.acts || (thinks && record.thinks)) {
        write(record, nullptr);
        record = {};
    }
    (thinks ? record.thought : record.action) = entry;
    (thinks ? record.thinks : record.acts) = true;
}
void StepLog::write(const OpenStep& record, const TraceEntry* outcome) {
    const auto& latest = outcome ? *outcome : record.acts ? record.action : record.thought;
    ordered_json line = {{"run", run_}, {"step", latest.step}, {"sub_question", latest.sub_question}};
    std::vector<std::pair<const char*, std::string>> texts;
    models::Usage usage;
    const auto add = [&](const TraceEntry& entry, const char* name, const std::string& text) {
        if (!text.empty()) texts.emplace_back(name, redacted(redact_, text));
        usage += entry.usage;
    };
    if (record.thinks) add(record.thought, "thought", record.thought.text);
    if (record.acts) {
        line["action"] = cut(redacted(redact_, record.action.label));
        add(record.action, "arguments", record.action.text);
    }
    if (outcome) {
        add(*outcome, name_of(outcome->kind), outcome->text);
        const auto lines = outcome->display ? tools::in_lines(*outcome->display) : std::vector<std::string>();
        for (const auto& each : lines) line["shown"].push_back(cut(redacted(redact_, each)));
        if (!record.acts && !outcome->label.empty()) line["label"] = cut(redacted(redact_, outcome->label));
    }
    auto whole = line;
    for (const auto& [name, text] : texts) {
        line[name] = cut(text);
        whole[name] = text;
    }
    line["ok"] = latest.ok;
    line["seconds"] = latest.seconds;
    add_tokens(line, usage);
    add_line(logger_, spdlog::level::info, in_line(line));
    if (logger_.should_log(spdlog::level::debug)) add_line(logger_, spdlog::level::debug, in_line(whole));
}

awaitable<models::ChatReply> LoggedModel::chat(const models::ChatRequest& request, const models::OnDelta& on_delta) {
    const bool logs = logger_.should_log(spdlog::level::debug);
    if (logs) add_line(logger_, spdlog::level::debug, request_line(model_.name(), request, redact_));
    auto reply = co_await model_.chat(request, on_delta);
    if (logs) add_line(logger_, spdlog::level::debug, reply_line(reply, redact_));
    co_return reply;
}
}
