#include "steps/models/protocols/parts/finish.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

TEST_CASE("a gateway's finish reason is understood when it is another protocol's") {
    for (const auto& [reason, finish] : {std::pair{"stop", FinishReason::stop},
                                         {"STOP", FinishReason::stop},
                                         {"eos_token", FinishReason::stop},
                                         {"MAX_TOKENS", FinishReason::length},
                                         {"max_output_tokens", FinishReason::length},
                                         {"tool_use", FinishReason::tool_calls},
                                         {"function_call", FinishReason::tool_calls},
                                         {"SAFETY", FinishReason::refused},
                                         {"sensitive", FinishReason::refused},
                                         {"OTHER", FinishReason::unknown},
                                         {"", FinishReason::unknown}}) {
        const std::string shown = reason;
        CHECK_MESSAGE(finish_of(reason) == finish, shown);
    }
}
TEST_CASE("a reply is asked for again when its server has broken it off") {
    for (const auto* reason : {"error", "network_error", "insufficient_system_resource", "abort"})
        CHECK_THROWS_WITH_AS(finish_of(reason), doctest::Contains(reason), Fault);
}
TEST_CASE("a conversation counts as too long when a reply ends because the window is full") {
    try {
        finish_of("model_context_window_exceeded");
        FAIL("it was taken for an end");
    } catch (const Fault& fault) { CHECK(fault.too_long); }
}
TEST_CASE("an unreadable call is a fault of the model when the reason says so anywhere in it") {
    for (const auto* reason : {"MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL"}) try {
            finish_of(reason, "bad");
            FAIL("it was taken for an end");
        } catch (const Fault& fault) {
            CHECK(fault.unreadable);
            CHECK(fault.what() == reason + std::string(": bad"));
        }
}
