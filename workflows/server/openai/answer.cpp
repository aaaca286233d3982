// The names of events decide, so that AnswerText also reads stored events. No value of an event throws, since the event
// may come from another version, or from another workflow with the same names.
#include "workflows/server/openai/answer.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/event_json.hpp"
#include "engine/json/line.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/events.hpp"
#include "workflows/server/runs/envelope.hpp"
#include <algorithm>
#include <boost/describe/enum_from_string.hpp>
#include <nlohmann/json.hpp>

namespace weft::server {
using nlohmann::json;

namespace {
const json* field_of(const json& value, std::string_view key) {
    if (!value.is_object()) return nullptr;
    const auto found = value.find(key);
    return found == value.end() ? nullptr : &*found;
}
std::string bytes_of(const json& value, std::string_view key) {
    const auto* field = field_of(value, key);
    return field && field->is_string() ? field->get<std::string>() : std::string();
}
std::string text_field(const json& value, std::string_view key) { return repair_utf8(bytes_of(value, key)); }
std::int64_t token_count(const json& usage, std::string_view key) {
    constexpr std::int64_t most = 1'000'000'000'000;  // prevents the overflow of a sum
    const auto* field = field_of(usage, key);
    if (!field || !field->is_number_integer()) return 0;
    if (field->is_number_unsigned() && field->get<std::uint64_t>() > std::uint64_t(most)) return most;
    return std::clamp<std::int64_t>(field->get<std::int64_t>(), 0, most);
}
bool read_usage(const json& value, models::Usage& usage) {
    const auto* field = field_of(value, "usage");
    if (!field || !field->is_object()) return false;
    usage.prompt_tokens = token_count(*field, "prompt_tokens");
    usage.completion_tokens = token_count(*field, "completion_tokens");
    usage.cached_tokens = token_count(*field, "cached_tokens");
    usage.reasoning_tokens = token_count(*field, "reasoning_tokens");
    usage.cache_written_tokens = token_count(*field, "cache_written_tokens");
    return true;
}
void add_usage(models::Usage& sum, const json& value) {
    constexpr std::int64_t most = std::int64_t{1} << 53;  // every JSON reader holds it exactly
    models::Usage one;
    if (!read_usage(value, one)) return;
    sum += one;
    for (auto* count : {&sum.prompt_tokens, &sum.completion_tokens, &sum.cached_tokens, &sum.reasoning_tokens,
                        &sum.cache_written_tokens})
        *count = std::min(*count, most);
}
std::string question_text(std::string_view type, const json& value) {
    for (const auto* usual : {"question", "text", "prompt", "message"})
        if (auto text = text_field(value, usual); !text.empty()) return text;
    return std::string(type) + ": " + json_line(value);
}
OpenaiError error_of(const Ending& ending, const json& value) {
    auto code = ending.code;
    boost::describe::enum_from_string(text_field(value, "code").c_str(), code);  // only a failure has a code of its own
    const auto error = text_field(value, "error");
    return openai_run_failed(code, error.empty() ? ending.sentence : error);
}
/// Bytes of an incomplete character at the end of the text.
std::size_t open_end(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}
}

AnswerText::AnswerText(const OpenaiModel& model, bool live)
    : answer_field_(model.answer_field), stop_name_(stop_event(*model.outline).name), live_(live && model.is_agent) {}

std::string AnswerText::feed(const AnyEvent& event) {
    if (status_ != RunStatus::running) return {};
    // Read the event itself, because its JSON would lose a cut character.
    if (const auto* delta = event.get_if<agents::AnswerDeltaEvent>()) return hear(delta->text);
    const bool asks = event.question() != QuestionId::none;
    if (event.name().ends_with("DeltaEvent")) return {};  // skips the JSON of frequent events
    try {
        return feed(event.name(), to_json(event), asks);
    } catch (const Error& error) {  // no shape, or a number that JSON cannot hold
        if (asks || event.name() == stop_name_) fail(openai_run_failed(Code::step_failed, error.what()));
        return {};
    }
}
std::string AnswerText::feed(std::string_view type, const json& value, bool is_question) {
    if (status_ != RunStatus::running) return {};
    if (is_question) {
        status_ = RunStatus::waiting;
        return give((text_.empty() ? "" : "\n\n") + question_text(type, value));
    }
    if (type == stop_name_) return end(value);
    if (type == "AnswerDeltaEvent") return hear(bytes_of(value, "text"));  // its end may be an incomplete character
    if (const auto* ending = ending_named(type)) fail(error_of(*ending, value));
    else if (type == "TurnEvent" || type == "FaultEvent" || type == "RunResumedEvent") start_anew();
    else if (type == "CallNoteEvent" &&
             (text_field(value, "kind") == "restart" || text_field(value, "kind") == "reasoned"))
        start_anew();
    if (status_ == RunStatus::running) add_usage(usage_, value);
    return {};
}
void AnswerText::fail(OpenaiError error) {
    if (status_ != RunStatus::running) return;
    status_ = RunStatus::failed;
    error_ = std::move(error);
}

std::string AnswerText::hear(std::string_view delta) {
    if (!live_) return {};
    cut_ += delta;
    auto rest = std::exchange(cut_, cut_.substr(cut_.size() - open_end(cut_)));
    rest.resize(rest.size() - cut_.size());
    rest = repair_utf8(rest);
    const auto again = std::min(rest.size(), text_.size() - std::min(heard_, text_.size()));
    if (again > 0 && text_.compare(heard_, again, rest, 0, again) != 0) different_ = true;
    heard_ += rest.size();
    if (different_) return {};
    return give(rest.substr(again));
}
void AnswerText::start_anew() {
    heard_ = 0;
    cut_.clear();
    different_ = false;
}
std::string AnswerText::end(const json& stop) {
    const auto* field = answer_field_.empty() ? nullptr : field_of(stop, answer_field_);
    const auto whole = field && field->is_string() ? text_field(stop, answer_field_) : json_line(stop);
    (void)read_usage(stop, usage_);
    if (text_field(stop, "outcome") == "limit") finish_ = OpenaiFinish::length;
    // Sent blanks after the answer's end do no harm.
    const bool goes_on = whole.starts_with(text_);
    if (!goes_on && trimmed_end(whole) != trimmed_end(text_)) {
        auto error = openai_run_failed(Code::step_failed,
                                       "the model has restarted its answer, so the text sent so far is invalid: ask "
                                       "again, or without a stream");
        error.code = "answer_withdrawn";
        fail(std::move(error));
        return {};
    }
    status_ = RunStatus::done;
    return goes_on ? give(whole.substr(text_.size())) : std::string();
}
std::string AnswerText::give(std::string piece) {
    text_ += piece;
    return piece;
}
}
