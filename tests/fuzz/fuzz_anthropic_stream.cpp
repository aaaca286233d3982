// Replies from anywhere, by the protocol of steps/llm/anthropic.hpp: see reply_target.hpp.
#include "steps/llm/anthropic.hpp"
#include "tests/fuzz/reply_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return weft::llm::try_reply(weft::llm::anthropic_messages, data, size);
}
