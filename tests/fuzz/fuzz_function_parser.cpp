// A reply gives the same result whole, in single characters, and in cuts chosen by the first byte, in linear time. A
// call has arguments in JSON, and inner calls with an existing place.
#include "tests/support/function_reply.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>
using namespace test;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (!size) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = read_function_reply(text, [&] { return text.size(); });
    const auto single = read_function_reply(text, [] { return std::size_t{1}; });
    const auto cut = read_function_reply(text, [&] { return std::size_t{1} + data[0] % 13; });
    if (!same(whole, single) || !same(whole, cut) || whole.examined > 32 * text.size()) std::abort();
    const auto& reply = whole.reply;
    if (reply.kind != weft::agents::ReplyKind::action) return 0;
    if (!nlohmann::json::parse(reply.action_input).is_object()) std::abort();
    for (std::size_t i = 0; i < reply.inner.size(); ++i) {
        const auto into = static_cast<std::size_t>(reply.inner[i].into);
        if (into <= i || into > reply.inner.size()) std::abort();
        const auto& taker = into < reply.inner.size() ? reply.inner[into].arguments.text : reply.action_input;
        if (!nlohmann::json::parse(taker).at(nlohmann::json::json_pointer(reply.inner[i].place)).is_string())
            std::abort();
    }
    return 0;
}
