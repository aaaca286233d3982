// Reads the fields of an untrusted JSON object, for request.cpp and options.cpp. Null counts as missing, since clients
// send it for unset fields.
//
//     const OpenaiFields fields(body, "");
//     const bool stream = fields.boolean("stream");           // throws: "stream: expected true or false, got a number"
//
// OpenaiFields refers to the object, which must outlive it.
#pragma once
#include "workflows/server/openai/error.hpp"
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft::server {
/// Throws OpenaiRefusal with "field: sentence".
[[noreturn]] void refuse_field(const std::string& field, const std::string& sentence);

class OpenaiFields {
public:
    /// Throws if the value is not an object. `place`: its name in messages, empty for the body.
    OpenaiFields(const nlohmann::json& object, std::string place);
    const nlohmann::json* find(std::string_view key) const;  // null if missing
    bool boolean(std::string_view key) const;                // false if missing
    /// Empty if missing.
    std::string text(std::string_view key, std::size_t most_bytes) const;
    void expect_number(std::string_view key) const;
    void expect_count(std::string_view key) const;  // an integer from 1; also 5.0
    void expect_limit(std::string_view key) const;  // a count, or -1 for no limit
    void expect_list(std::string_view key) const;
    std::string path(std::string_view key) const;

private:
    std::optional<double> integer(std::string_view key) const;
    const nlohmann::json& object_;
    std::string place_;
};
/// The kind of a value for messages: "an object".
std::string kind_of(const nlohmann::json&);
}
