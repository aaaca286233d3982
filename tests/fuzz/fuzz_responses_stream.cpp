// Replies of any bytes in the protocol of steps/models/protocols/responses.hpp: see reply_target.hpp.
#include "steps/models/protocols/responses.hpp"
#include "tests/fuzz/reply_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return weft::models::try_reply(weft::models::openai_responses, data, size,
                                   weft::models::responses_reader_without_scanner);
}
