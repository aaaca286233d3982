// What a run was given beside its events. A sentence about it shows none of it, because it may be about a person.
#include "engine/context.hpp"
#include "engine/core/loop/run_values.hpp"
#include "engine/json/parse.hpp"

namespace weft {
nlohmann::json Context::values() const {
    const auto text = run_ ? run_->values() : std::string();
    return text.empty() ? nlohmann::json::object() : nlohmann::json::parse(text);
}
std::string core::checked_values(const std::string& text) {
    nlohmann::json values;
    try {
        values = parse_json(text, {.bytes = most_values, .depth = deepest_values});
    } catch (const Error&) {
        throw Error(Code::usage, "the values of a run are no JSON, or more than 16 KiB, or deeper than 16: give a JSON "
                                 "object of a few names");
    }
    if (!values.is_object())
        throw Error(Code::usage, "the values of a run have to be a JSON object, such as {\"user\": \"17\"}");
    return values.empty() ? std::string() : values.dump();
}
}
