// The tolerant reader gives strict JSON of an object, which it reads again unchanged; it reads each character once.
#include "steps/agents/text/lenient_json.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = weft::agents::lenient_object(text);
    if (read.examined > 2 * size || read.end > size || read.ok() == read.json.empty()) std::abort();
    // Text after an object does not change the object.
    const auto input = weft::agents::lenient_input(text);
    if (input.examined > 2 * size || input.ok() == input.json.empty()) std::abort();
    if (read.ok() && (input.json != read.json || input.has_rest)) std::abort();
    if (input.ok() && weft::agents::lenient_object(input.json).json != input.json) std::abort();
    if (!read.ok()) return 0;
    if (!nlohmann::json::parse(read.json).is_object()) std::abort();
    if (weft::agents::lenient_object(read.json).json != read.json) std::abort();
    return 0;
}
