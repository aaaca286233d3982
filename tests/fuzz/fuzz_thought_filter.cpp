// A reply gives the same text and the same reasoning however it is cut, and is reported at most a few times.
#include "steps/models/thought_filter.hpp"
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace {
struct Parts final : weft::models::ThoughtFilter::Listener {
    std::string said, thoughts;
    std::size_t told = 0;
    void text(std::string_view piece) override { said += piece, told += piece.size(); }
    void thought(std::string_view piece) override { thoughts += piece, told += piece.size(); }
    void text_was_thought() override {
        told += said.size() + thoughts.size();
        thoughts += std::exchange(said, {});
    }
};
Parts part(std::string_view text, std::size_t step) {
    Parts parts;
    weft::models::ThoughtFilter filter(parts);
    for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) filter.pass(text.substr(0, step));
    filter.finish();
    return parts;
}
}
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto whole = part(text, size + 1);
    if (whole.told > 8 * size + 64) std::abort();
    for (const std::size_t step : {1, 3})
        if (const auto cut = part(text, step); cut.said != whole.said || cut.thoughts != whole.thoughts) std::abort();
    return 0;
}
