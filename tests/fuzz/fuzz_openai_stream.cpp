// Replies from anywhere, by the protocol of steps/llm/openai.hpp: see reply_target.hpp.
#include "steps/llm/openai.hpp"
#include "tests/fuzz/reply_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return weft::llm::try_reply(weft::llm::openai_chat, data, size, weft::llm::thorough_openai_reader);
}
