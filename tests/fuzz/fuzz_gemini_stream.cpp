// Replies of any bytes in the protocol of steps/models/protocols/gemini.hpp: see reply_target.hpp.
#include "steps/models/protocols/gemini.hpp"
#include "tests/fuzz/reply_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return weft::models::try_reply(weft::models::gemini_generate, data, size);
}
