// Two deltas may split a secret: they are joined then, so that it is found.
#include "steps/models/recording/recording_text.hpp"
#include "engine/json.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using nlohmann::json;
constexpr std::string_view head_name = "weft_recording";

[[noreturn]] void refuse_recording(const std::string& origin, const std::string& why) {
    throw Error(Code::configuration, "the recording " + origin + " cannot be used: " + why);
}
void check_head(std::string_view line, const std::string& origin) {
    json head;
    try {
        head = parse_json(line, {.bytes = 1000, .depth = 2});
    } catch (const Error&) {}
    if (!head.is_object() || !head.contains(head_name))
        refuse_recording(origin, "its first line has to be {\"weft_recording\": 1}");
    if (head[std::string(head_name)] != 1)
        refuse_recording(origin, "another version of weft wrote it: record it again");
}
RecordedExchange read_exchange(std::string_view line) {
    auto exchange = from_json<RecordedExchange>(parse_json(line, {.bytes = longest_exchange, .depth = 64}), "exchange");
    if (exchange.reply.has_value() == exchange.error.has_value())
        throw Error(Code::bad_json, "exchange: either reply or error");
    return exchange;
}
/// Joins deltas that are not valid UTF-8, or that split a secret.
void join_deltas(std::vector<std::string>& deltas, const Redactor& redactor) {
    std::string joined;
    for (const auto& delta : deltas) joined += delta;
    const bool whole = std::all_of(deltas.begin(), deltas.end(), [](const auto& delta) { return is_utf8(delta); });
    auto clean = redactor.redact(joined);
    if (whole && clean == joined) return;
    deltas.clear();
    deltas.push_back(std::move(clean));
}
}

std::string line_of(RecordedExchange exchange, const Redactor& redactor) {
    join_deltas(exchange.deltas, redactor);
    auto document = to_json(exchange);
    redactor.redact(document);
    return document.dump() + "\n";
}
std::string request_text(const RecordedRequest& request, const Redactor& redactor) {
    auto document = to_json(request);
    redactor.redact(document);
    return document.dump();
}
bool may_hold_recording(std::string_view beginning) {
    return beginning.empty() || beginning.substr(0, 40).find(head_name) != beginning.npos;
}
Recording read_recording(std::string_view text, const std::string& origin) {
    if (text.size() > longest_recording) refuse_recording(origin, "it is larger than 64 MB");
    Recording recording;
    for (std::size_t number = 1; !text.empty() || number == 1; ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const bool ends = end < text.size();
        const auto line = text.substr(0, end);
        text.remove_prefix(ends ? end + 1 : end);
        if (number == 1) {
            check_head(line, origin);
            continue;
        }
        if (trimmed(line, " \t\r").empty()) continue;
        try {
            recording.exchanges.push_back(read_exchange(line));
        } catch (const Error& error) {
            if (ends) refuse_recording(origin, "line " + std::to_string(number) + ": " + error.what());
            recording.note = "the last line of the recording " + origin +
                             " is cut off, as when a process is killed: it is left out";
        }
    }
    return recording;
}
}
