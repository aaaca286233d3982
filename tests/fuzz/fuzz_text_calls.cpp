// A reply of any bytes is either text, calls of known tools with JSON objects as arguments, or an error; each character
// is read a few times.
#include "steps/agents/react/dialects/text_calls.hpp"
#include "tools/make_tool.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    static const auto tools = [] {
        weft::tools::Registry all;
        all.add(weft::tools::make_tool("add", "", [](int a, int b) { return std::to_string(a + b); }, {"a", "b"}));
        all.add(weft::tools::make_tool("find", "", [](std::string text) { return text; }, {"text"}));
        return all;
    }();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = weft::agents::read_text_calls(text, tools);
    // The search for objects limits its work only after 16 KB (steps/agents/text/json_in_text.cpp).
    if (read.examined > 16 * size + (1 << 15) || (!read.calls.empty() && !read.error.empty())) std::abort();
    for (const auto& call : read.calls)
        if (!tools.find(call.name) || !nlohmann::json::parse(call.arguments).is_object()) std::abort();
    return 0;
}
