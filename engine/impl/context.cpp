// The caller's values of a run. Error messages never quote them, because they may be personal data.
#include "engine/context.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/json/parse.hpp"

namespace weft {
nlohmann::json Context::values() const {
    const auto text = run_ ? run_->values() : std::string();
    return text.empty() ? nlohmann::json::object() : nlohmann::json::parse(text);
}
std::optional<std::string> core::value_text(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    return std::nullopt;
}
std::string core::checked_values(const std::string& text) {
    nlohmann::json values;
    try {
        values = parse_json(text, {.bytes = most_values, .depth = deepest_values});
    } catch (const Error&) {
        throw Error(Code::usage, "the values of a run must be JSON of at most 16 KiB and 16 levels: give a JSON "
                                 "object with a few members");
    }
    if (!values.is_object())
        throw Error(Code::usage, "the values of a run have to be a JSON object, such as {\"user\": \"17\"}");
    return values.empty() ? std::string() : values.dump();
}
}
