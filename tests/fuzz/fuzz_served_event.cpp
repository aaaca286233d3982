// Any bytes of a server's client, in targets and bodies, are accepted or refused, and an accepted event returns whole
// in an envelope, with its qualified name or without.
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/target.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft;
using namespace weft::server;

namespace {
void demand(bool holds) {
    if (!holds) std::abort();
}
void check_target(std::string_view text) {
    const auto target = parse_target(text);
    if (!target) return;
    demand(target->path.size() <= 16 && target->query.size() <= 64);
    for (const auto& part : target->path) demand(is_utf8(part) && part.find('\0') == part.npos);
}
void check_event(std::string_view text) {
    SentEvent sent;
    try {
        sent = read_sent(parse_json(text, {.bytes = 1 << 20, .depth = 64}), "event", true);
    } catch (const Error& error) {
        demand(error.code() == Code::bad_json);
        return;
    }
    demand(sent.value.is_object());
    const auto whole = envelope(sent.type, "StopEvent", json_line(sent.value), QuestionId(3));
    demand(whole.find('\n') == whole.npos);
    auto parsed = nlohmann::json::parse(whole);
    demand(parsed["value"] == sent.value && parsed["type"] == sent.type && parsed["question"] == "3");
    parsed.erase("qualified_name");
    const auto [begin, end] = find_qualified_name(whole);
    demand(nlohmann::json::parse(whole.substr(0, begin) + whole.substr(end)) == parsed);
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_target(text);
    check_event(text);
    return 0;
}
