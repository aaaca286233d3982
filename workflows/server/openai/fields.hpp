// Reads the fields of a JSON object that a stranger sent, for openai_request.cpp and openai_options.cpp. Null counts as
// missing, because clients send it for what they leave open.
//
//     const OpenaiFields fields(body, "");
//     const bool stream = fields.boolean("stream");           // throws: "stream: expected true or false, got a number"
//
// It refers to the object, and is to be used while that exists.
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
    /// Throws if it is no object. `place`: its name in messages, empty for the body.
    OpenaiFields(const nlohmann::json& object, std::string place);
    const nlohmann::json* find(std::string_view key) const;  // null: it is not there
    bool boolean(std::string_view key) const;                // false if it is not there
    /// Empty if it is not there.
    std::string text(std::string_view key, std::size_t most_bytes) const;
    void expect_number(std::string_view key) const;
    void expect_count(std::string_view key) const;  // an integer from 1; 5.0 is one
    void expect_limit(std::string_view key) const;  // the same, or -1, by which some clients mean that there is none
    void expect_list(std::string_view key) const;
    std::string path(std::string_view key) const;

private:
    std::optional<double> integer(std::string_view key) const;
    const nlohmann::json& object_;
    std::string place_;
};
/// "an object", for messages.
std::string kind_of(const nlohmann::json&);
}
